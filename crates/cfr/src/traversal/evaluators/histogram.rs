//! Counts of batches by size.

/// Batches by size class: class `k` counts batches of `2^(k-1) + 1 ..= 2^k` rows (class 0: one row).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BatchHistogram {
    counts: [u64; 24],
}

impl BatchHistogram {
    /// Counts a batch of `rows` rows; larger ones than 2^23 fall into the last class.
    pub fn add(&mut self, rows: usize) {
        let class = rows.next_power_of_two().trailing_zeros() as usize;
        self.counts[class.min(self.counts.len() - 1)] += 1;
    }

    /// The counts by class.
    pub fn counts(&self) -> &[u64] {
        &self.counts
    }

    /// Adds the counts of another.
    pub fn merge(&mut self, other: &Self) {
        for (count, more) in self.counts.iter_mut().zip(other.counts) {
            *count += more;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_end_at_powers_of_two() {
        let mut histogram = BatchHistogram::default();
        [1, 2, 3, 4, 5, 64, 65, usize::MAX / 2].into_iter().for_each(|rows| histogram.add(rows));
        let mut twice = histogram;
        twice.merge(&histogram);
        let expected = |class| match class {
            0 | 1 | 3 | 6 | 7 | 23 => 1,
            2 => 2,
            _ => 0,
        };
        for (class, (&once, &both)) in histogram.counts().iter().zip(twice.counts()).enumerate() {
            assert_eq!((once, both), (expected(class), 2 * once), "class {class}");
        }
    }
}
