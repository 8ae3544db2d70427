//! Sums over the samples of each row.
//!
//! Not here: which row a sample is of.

use std::ops::Range;

use deepcfr_core::ActionSet;

/// A sum that keeps what rounding takes from it (Knuth's two-sum): as good as one in 106 bits, so that the order
/// of many terms does not show. Infinite once a term is.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Sum {
    sum: f64,
    lost: f64,
}

impl Sum {
    #[inline]
    pub(super) fn add(&mut self, term: f64) {
        let sum = self.sum + term;
        let kept = sum - self.sum;
        self.lost += (self.sum - (sum - kept)) + (term - kept);
        self.sum = sum;
    }

    #[inline]
    pub(super) fn value(self) -> f64 {
        self.sum + self.lost
    }

    pub(super) fn to_bits(self) -> [u64; 2] {
        [self.sum.to_bits(), self.lost.to_bits()]
    }

    pub(super) fn from_bits([sum, lost]: [u64; 2]) -> Self {
        Self { sum: f64::from_bits(sum), lost: f64::from_bits(lost) }
    }
}

/// Each row's sums side by side: `Σ w`, `Σ w · Σ_a y(a)²`, and by action `Σ w · y`.
#[derive(Clone, Debug)]
pub(super) struct Sums {
    num_actions: usize,
    sums: Vec<Sum>,
}

/// The sums of a row before those by action.
const HEAD: usize = 2;

impl Sums {
    pub(super) fn new(num_actions: usize) -> Self {
        Self { num_actions, sums: Vec::new() }
    }

    /// The bytes of a row's sums.
    pub(super) fn bytes_of_row(num_actions: usize) -> usize {
        (HEAD + num_actions) * size_of::<Sum>()
    }

    pub(super) fn bytes_allocated(&self) -> usize {
        self.sums.capacity() * size_of::<Sum>()
    }

    pub(super) fn clear(&mut self) {
        self.sums.clear();
    }

    /// Adds a row without samples.
    pub(super) fn push(&mut self) {
        self.sums.resize(self.sums.len() + HEAD + self.num_actions, Sum::default());
    }

    /// Adds a sample of `row`.
    #[inline]
    pub(super) fn add(&mut self, row: usize, weight: f64, legal: ActionSet, targets: &[f32]) {
        let span = self.span(row);
        let (head, sums) = self.sums[span].split_at_mut(HEAD);
        let mut squares = 0.0;
        for action in legal {
            let target = f64::from(targets[usize::from(action)]);
            sums[usize::from(action)].add(weight * target);
            squares += target * target;
        }
        head[0].add(weight);
        head[1].add(weight * squares);
    }

    pub(super) fn weight(&self, row: usize) -> f64 {
        self.sums[self.span(row).start].value()
    }

    pub(super) fn squares(&self, row: usize) -> f64 {
        self.sums[self.span(row).start + 1].value()
    }

    /// Writes the weighted means of `row`.
    #[inline]
    pub(super) fn means(&self, row: usize, means: &mut [f32]) {
        let (head, sums) = self.sums[self.span(row)].split_at(HEAD);
        let weight = head[0].value();
        means.iter_mut().zip(sums).for_each(|(mean, sum)| *mean = (sum.value() / weight) as f32);
    }

    /// All sums of `row`, in a fixed order.
    pub(super) fn of_row(&self, row: usize) -> &[Sum] {
        &self.sums[self.span(row)]
    }

    /// The same, to be set.
    pub(super) fn of_row_mut(&mut self, row: usize) -> &mut [Sum] {
        let span = self.span(row);
        &mut self.sums[span]
    }

    #[inline]
    fn span(&self, row: usize) -> Range<usize> {
        let len = HEAD + self.num_actions;
        row * len..(row + 1) * len
    }
}

#[cfg(test)]
mod tests {
    use deepcfr_core::{Purpose, Stream};

    use super::*;

    /// 100 million targets near ±1000 with weights up to 10,000, whose weighted mean is near 0: the terms'
    /// magnitudes add up to 5e14, their sum is of the order of 1e9. Integers keep the same sum without loss.
    #[test]
    fn a_hundred_million_weighted_targets_are_summed_to_the_last_digits() {
        let mut stream = Stream::new(1, Purpose::Test, 0, 0, 0);
        // Multiples of 2^-10: their sums are whole numbers of 2^-10.
        let draws: Vec<i64> = (0..1 << 16).map(|_| i64::from(stream.below(1 << 21)) - (1 << 20)).collect();
        let (mut sum, mut plain, mut exact) = (Sum::default(), 0.0, 0i128);
        for index in 0..100_000_000u32 {
            let (draw, weight) = (draws[index as usize % draws.len()], 1 + index / 10_000);
            let term = f64::from(weight) * (draw as f64 / 1024.0 + 1e-3);
            sum.add(term);
            plain += term;
            exact += i128::from(weight) * i128::from(draw);
        }
        // The thousandth that is no whole number, added up by weights alone.
        let weights = 10_000.0 * (1..=10_000).map(f64::from).sum::<f64>();
        let expected = exact as f64 / 1024.0 + 1e-3 * weights;
        let error = |sum: f64| (sum / expected - 1.0).abs();
        println!("relative errors: {:e} with what was lost, {:e} without", error(sum.value()), error(plain));
        assert!(error(sum.value()) < 1e-11, "{}, {expected}", sum.value());
        assert!(error(plain) < 1e-6, "{plain}, {expected}");
    }

    #[test]
    fn the_order_of_terms_does_not_show() {
        let mut stream = Stream::new(2, Purpose::Test, 0, 0, 0);
        let mut terms: Vec<f64> = (0..100_000)
            .map(|_| (1 + stream.below(5000)) as f64 * f64::from(stream.normal() as f32))
            .collect();
        let add = |terms: &[f64]| {
            let mut sum = Sum::default();
            terms.iter().for_each(|&term| sum.add(term));
            sum.value()
        };
        let forward = add(&terms);
        terms.reverse();
        assert_eq!(add(&terms), forward);
        terms.sort_by(f64::total_cmp);
        assert_eq!(add(&terms), forward);
    }
}
