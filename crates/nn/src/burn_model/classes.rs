//! The batch sizes that an accelerator sees: a few, so that kernels are compiled and tuned once each.
//!
//! Not here: running them.

/// Batch sizes in ascending order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct BatchClasses(Vec<usize>);

impl BatchClasses {
    /// A single row, then powers of two from 8, then `max_batch`, at least 1.
    pub(super) fn up_to(max_batch: usize) -> Self {
        let max_batch = max_batch.max(1);
        let powers = std::iter::successors(Some(8), |class| Some(class * 2));
        let inner = std::iter::once(1).chain(powers).take_while(|&class| class < max_batch);
        Self(inner.chain(std::iter::once(max_batch)).collect())
    }

    /// All classes.
    pub(super) fn sizes(&self) -> &[usize] {
        &self.0
    }

    /// The most rows of one call.
    pub(super) fn largest(&self) -> usize {
        *self.0.last().expect("the largest class is always there")
    }

    /// The class of a call of `rows` rows, at most the largest.
    pub(super) fn of(&self, rows: usize) -> usize {
        self.0.iter().copied().find(|&class| class >= rows).unwrap_or(self.largest())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_go_to_the_next_class_up_to_the_largest_batch() {
        let classes = BatchClasses::up_to(100);
        assert_eq!(classes.sizes(), [1, 8, 16, 32, 64, 100]);
        let of: Vec<usize> = [1, 2, 8, 9, 64, 65, 100].map(|rows| classes.of(rows)).to_vec();
        assert_eq!(of, [1, 8, 8, 16, 64, 100, 100]);
        assert_eq!(BatchClasses::up_to(1).sizes(), [1]);
        assert_eq!(BatchClasses::up_to(0).sizes(), [1]);
        assert_eq!(BatchClasses::up_to(8).sizes(), [1, 8]);
        assert_eq!(BatchClasses::up_to(256).sizes(), [1, 8, 16, 32, 64, 128, 256]);
    }
}
