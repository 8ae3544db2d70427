//! Estimates with intervals, quantiles and resampling: the little statistics that the calculus needs.
//!
//! Every random draw comes from a counter-based stream of purpose `Statistics`, so that the same
//! seed and data give the same intervals. Not here: regression (`fit`).

use deepcfr_core::{Purpose, Stream};
use serde::{Deserialize, Serialize};

/// The probability that every interval of this crate is meant to hold.
pub const LEVEL: f64 = 0.90;

/// The 95 % quantile of the normal distribution: half of the width of a 90 % interval, in sigmas.
pub const SIGMAS_AT_LEVEL: f64 = 1.644_853_6;

/// What a stream of random numbers is for; kept apart so that no two uses share draws.
#[derive(Clone, Copy, Debug)]
#[repr(u32)]
pub(crate) enum Use {
    Fit = 0x1e7e_0001,
    Iterations,
    Priors,
    Effect,
    Verification,
    BackTest,
    PastChange,
}

/// The stream of replicate `index` for `usage`.
pub(crate) fn stream(seed: u64, usage: Use, index: usize) -> Stream {
    let index = u32::try_from(index).expect("replicates are counted in thousands");
    Stream::new(seed, Purpose::Statistics, usage as u32, 0, index)
}

/// A figure with the interval that holds its true value with probability [`LEVEL`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Estimate {
    /// The best single value.
    pub value: f64,
    /// Lower end of the interval.
    pub low: f64,
    /// Upper end of the interval.
    pub high: f64,
    /// How many independent observations it rests on.
    pub samples: usize,
}

impl Estimate {
    /// `value` with the central interval of `draws`, stretched so that it holds `value`.
    pub fn of_draws(value: f64, draws: &[f64], samples: usize) -> Self {
        let sorted = sorted(draws);
        let tail = (1.0 - LEVEL) / 2.0;
        let low = quantile(&sorted, tail).min(value);
        let high = quantile(&sorted, 1.0 - tail).max(value);
        Self { value, low, high, samples }
    }

    /// The median of `draws` with their central interval.
    pub fn of_distribution(draws: &[f64], samples: usize) -> Self {
        Self::of_draws(median(draws), draws, samples)
    }

    /// Whether `value` lies in the interval, ends included.
    pub fn contains(&self, value: f64) -> bool {
        (self.low..=self.high).contains(&value)
    }

    /// The interval stretched by `factor` about the value on a logarithmic scale: for ratios.
    ///
    /// # Panics
    /// If the interval is not positive.
    #[must_use]
    pub fn stretched(&self, factor: f64) -> Self {
        assert!(self.low > 0.0, "a ratio is positive");
        let end = |end: f64| self.value * (end / self.value).powf(factor);
        Self { low: end(self.low), high: end(self.high), ..*self }
    }
}

/// The mean; 0 of nothing.
pub fn mean(values: &[f64]) -> f64 {
    if values.is_empty() { 0.0 } else { values.iter().sum::<f64>() / values.len() as f64 }
}

/// The standard deviation with `n − 1`; 0 of fewer than two values.
pub fn deviation(values: &[f64]) -> f64 {
    if values.len() < 2 {
        return 0.0;
    }
    let centre = mean(values);
    let squares: f64 = values.iter().map(|value| (value - centre).powi(2)).sum();
    (squares / (values.len() - 1) as f64).sqrt()
}

/// The median; NaN of nothing.
pub fn median(values: &[f64]) -> f64 {
    quantile(&sorted(values), 0.5)
}

/// The quantile of ascending values by linear interpolation; NaN of nothing.
pub fn quantile(ascending: &[f64], probability: f64) -> f64 {
    let Some(last) = ascending.len().checked_sub(1) else { return f64::NAN };
    let position = probability.clamp(0.0, 1.0) * last as f64;
    let (below, part) = (position.floor() as usize, position.fract());
    let above = (below + 1).min(last);
    ascending[below] * (1.0 - part) + ascending[above] * part
}

/// The values in ascending order.
pub(crate) fn sorted(values: &[f64]) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted
}

/// The 95 % quantile of Student's t with `freedom` degrees of freedom.
///
/// # Panics
/// If `freedom` is 0.
pub fn student(freedom: usize) -> f64 {
    const TABLE: [f64; 20] = [
        6.314, 2.920, 2.353, 2.132, 2.015, 1.943, 1.895, 1.860, 1.833, 1.812, 1.796, 1.782, 1.771, 1.761,
        1.753, 1.746, 1.740, 1.734, 1.729, 1.725,
    ];
    assert!(freedom > 0, "one observation has no spread");
    // Beyond the table the first term of Cornish and Fisher's expansion is right to 0.2 %.
    TABLE.get(freedom - 1).copied().unwrap_or(SIGMAS_AT_LEVEL + 1.524 / freedom as f64)
}

/// By how much deviations of a bootstrap over `groups` fall short of what the interval needs:
/// resampling k groups loses the factor √((k − 1)/k), and few groups need Student's quantile.
pub(crate) fn bootstrap_factor(groups: usize) -> f64 {
    let freedom = groups.saturating_sub(1).max(1);
    student(freedom) / SIGMAS_AT_LEVEL * (groups.max(2) as f64 / freedom as f64).sqrt()
}

/// `count` indices below `bound`, drawn with replacement.
pub(crate) fn resample(stream: &mut Stream, bound: usize, count: usize) -> Vec<usize> {
    let bound = u32::try_from(bound).expect("samples are counted in thousands");
    (0..count).map(|_| stream.below(bound) as usize).collect()
}

/// A uniform number between the ends.
pub(crate) fn between(stream: &mut Stream, (low, high): (f64, f64)) -> f64 {
    low + (high - low) * stream.uniform()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_interpolate() {
        assert_eq!(quantile(&[1.0, 2.0, 4.0], 0.75), 3.0);
        assert_eq!(median(&[9.0, 1.0, 5.0, 3.0]), 4.0);
        assert!(quantile(&[], 0.5).is_nan());
        assert_eq!((mean(&[1.0, 3.0]), deviation(&[1.0, 3.0])), (2.0, 2.0f64.sqrt()));
    }

    /// Tables of Student's t: t(0.95, 21) = 1.721, t(0.95, 40) = 1.684, t(0.95, 120) = 1.658.
    #[test]
    fn student_continues_its_table() {
        for (freedom, value) in [(1, 6.314), (20, 1.725), (21, 1.721), (40, 1.684), (120, 1.658)] {
            assert!((student(freedom) / value - 1.0).abs() < 3e-3, "{freedom}: {}", student(freedom));
        }
    }

    #[test]
    fn stretching_keeps_the_value_and_scales_both_sides() {
        let estimate = Estimate { value: 2.0, low: 1.0, high: 8.0, samples: 3 };
        let stretched = estimate.stretched(0.5);
        assert!((stretched.low - 2.0f64.sqrt()).abs() < 1e-12 && (stretched.high - 4.0).abs() < 1e-12);
        assert!(estimate.contains(8.0) && !stretched.contains(8.0));
    }
}
