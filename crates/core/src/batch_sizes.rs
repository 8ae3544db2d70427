//! Forward calls by their number of rows, as every evaluator counts them.
//!
//! Not here: times, and why a batch was as large as it was.

/// Counts of forward calls by size. Grows to the largest size seen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BatchSizes {
    /// Calls with as many rows as the index says.
    counts: Vec<u64>,
}

impl BatchSizes {
    /// Counts a call of `rows` rows. Allocates when no call was as large before.
    pub fn add(&mut self, rows: usize) {
        if self.counts.len() <= rows {
            self.counts.resize(rows + 1, 0);
        }
        self.counts[rows] += 1;
    }

    /// Adds the counts of another.
    pub fn merge(&mut self, other: &Self) {
        if self.counts.len() < other.counts.len() {
            self.counts.resize(other.counts.len(), 0);
        }
        for (count, more) in self.counts.iter_mut().zip(&other.counts) {
            *count += more;
        }
    }

    /// Calls.
    pub fn calls(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// Rows over all calls.
    pub fn rows(&self) -> u64 {
        self.counts.iter().zip(0u64..).map(|(calls, rows)| calls * rows).sum()
    }

    /// Mean rows in a call; 0 without calls.
    pub fn mean(&self) -> f64 {
        self.rows() as f64 / self.calls().max(1) as f64
    }

    /// The smallest size that at least this `share` (0 to 1) of the calls does not exceed; 0 without
    /// calls.
    pub fn percentile(&self, share: f64) -> usize {
        let rank = (share * self.calls() as f64).ceil() as u64;
        let mut seen = 0;
        let reached = self.counts.iter().position(|&calls| {
            seen += calls;
            seen >= rank
        });
        reached.unwrap_or(0)
    }

    /// The largest size; 0 without calls.
    pub fn max(&self) -> usize {
        self.counts.iter().rposition(|&calls| calls > 0).unwrap_or(0)
    }

    /// Calls with `2^k` to `2^(k+1) - 1` rows, at `k`, up to the largest size.
    pub fn histogram(&self) -> Vec<u64> {
        let mut histogram = Vec::new();
        for (rows, &calls) in self.counts.iter().enumerate().skip(1).filter(|(_, calls)| **calls > 0) {
            let class = rows.ilog2() as usize;
            if histogram.len() <= class {
                histogram.resize(class + 1, 0);
            }
            histogram[class] += calls;
        }
        histogram
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_follow_from_the_sizes() {
        let mut sizes = BatchSizes::default();
        assert_eq!((sizes.calls(), sizes.max(), sizes.mean(), sizes.percentile(0.5)), (0, 0, 0.0, 0));
        (1..=40).for_each(|rows| sizes.add(rows));
        assert_eq!((sizes.calls(), sizes.rows(), sizes.mean()), (40, 820, 20.5));
        assert_eq!((sizes.percentile(0.5), sizes.percentile(0.95), sizes.max()), (20, 38, 40));
        assert_eq!(sizes.histogram(), [1, 2, 4, 8, 16, 9]);
        let mut merged = BatchSizes::default();
        merged.add(100);
        merged.merge(&sizes);
        sizes.add(100);
        assert_eq!(merged, sizes);
    }
}
