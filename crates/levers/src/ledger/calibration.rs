//! How right earlier projections were, and by how much to stretch the next intervals.
//!
//! The rule. Each verified projection has a score z = |ln(observed / projected)| over the half-width of its
//! raw interval on that side, on a logarithmic scale: 1 is the interval's end. The scale of the next
//! intervals is the 90 % quantile of all scores (split-conformal prediction, Vovk et al. 2005),
//! together with [`PRIOR_WEIGHT`] scores that right intervals would have had. So without records the scale is
//! 1, a few move it little, and a hundred decide it. A bias is reported but not corrected: the
//! levers verified so far are no sample of the next.

use serde::{Deserialize, Serialize};

use crate::statistics::{Estimate, LEVEL, SIGMAS_AT_LEVEL, mean, quantile, sorted};

/// Verifications that the prior belief in right intervals is worth.
pub const PRIOR_WEIGHT: usize = 20;

/// The least and the largest scale.
pub const SCALE_RANGE: (f64, f64) = (0.5, 4.0);

/// Half-widths below this (1 %) would turn rounding into large scores.
const LEAST_HALF_WIDTH: f64 = 0.01;

/// How right projections were.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Calibration {
    /// Verified projections.
    pub records: usize,
    /// Of these, how many intervals held the outcome, as they were issued.
    pub covered: usize,
    /// Mean of ln(observed / projected): above 0, levers did better than projected.
    pub mean_log_error: f64,
    /// What to stretch intervals by.
    pub scale: f64,
}

impl Default for Calibration {
    fn default() -> Self {
        Self::of([])
    }
}

impl Calibration {
    /// From (raw projection, observed speed-up, whether the issued interval held it).
    pub fn of(records: impl IntoIterator<Item = (Estimate, f64, bool)>) -> Self {
        let (mut errors, mut scores, mut held) = (Vec::new(), prior_scores(), 0);
        for (projected, observed, covered) in records {
            errors.push((observed / projected.value).ln());
            scores.push(score(&projected, observed));
            held += usize::from(covered);
        }
        let scale = quantile(&sorted(&scores), LEVEL).clamp(SCALE_RANGE.0, SCALE_RANGE.1);
        Self { records: errors.len(), covered: held, mean_log_error: mean(&errors), scale }
    }

    /// The share of issued intervals that held; `None` without records.
    pub fn coverage(&self) -> Option<f64> {
        (self.records > 0).then(|| self.covered as f64 / self.records as f64)
    }
}

fn score(projected: &Estimate, observed: f64) -> f64 {
    let error = (observed / projected.value).ln();
    let end = if error < 0.0 { projected.low } else { projected.high };
    error.abs() / (end / projected.value).ln().abs().max(LEAST_HALF_WIDTH)
}

/// Scores of right intervals: quantiles of |normal| in units of the interval's end, their 90 % quantile 1.
fn prior_scores() -> Vec<f64> {
    let last = (PRIOR_WEIGHT - 1) as f64;
    let scores = (0..PRIOR_WEIGHT).map(|index| half_normal(index as f64 / last * 0.999) / SIGMAS_AT_LEVEL);
    let mut scores: Vec<f64> = scores.collect();
    let unit = quantile(&scores, LEVEL);
    scores.iter_mut().for_each(|score| *score /= unit);
    scores
}

/// The quantile of |normal|, by bisection of erf's series.
fn half_normal(probability: f64) -> f64 {
    let (mut low, mut high) = (0.0, 6.0);
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if erf(middle / std::f64::consts::SQRT_2) < probability { low = middle } else { high = middle }
    }
    f64::midpoint(low, high)
}

/// The error function by its Maclaurin series, good to 1e-10 below 4.3.
fn erf(x: f64) -> f64 {
    let (mut term, mut sum) = (x, x);
    for n in 1..100 {
        term *= -x * x / f64::from(n);
        sum += term / f64::from(2 * n + 1);
    }
    sum * std::f64::consts::FRAC_2_SQRT_PI
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROJECTED: Estimate = Estimate { value: 1.5, low: 1.35, high: 1.6667, samples: 10 };

    /// Observed values at `score` half-widths above the projection.
    fn records(scores: &[f64]) -> Vec<(Estimate, f64, bool)> {
        let half_width = (PROJECTED.high / PROJECTED.value).ln();
        let observed = scores.iter().map(|score| PROJECTED.value * (score * half_width).exp());
        observed.map(|value| (PROJECTED, value, PROJECTED.contains(value))).collect()
    }

    #[test]
    fn the_half_normal_has_its_known_quantiles() {
        for (probability, value) in [(0.5, 0.674_49), (0.9, 1.644_85), (0.99, 2.575_83)] {
            assert!((half_normal(probability) - value).abs() < 1e-4, "{probability}");
        }
    }

    #[test]
    fn without_records_nothing_is_stretched() {
        let none = Calibration::default();
        assert!((none.scale - 1.0).abs() < 1e-12);
        assert_eq!((none.records, none.coverage()), (0, None));
    }

    #[test]
    fn one_bad_miss_moves_little_and_many_move_much() {
        let one = Calibration::of(records(&[3.0])).scale;
        assert!((1.0..1.25).contains(&one), "{one}");
        let many = Calibration::of(records(&[3.0; 40]));
        assert!(many.scale > 2.5 && many.covered == 0, "{many:?}");
        let narrow = Calibration::of(records(&[0.1; 200])).scale;
        assert!((0.5..0.7).contains(&narrow), "{narrow}");
    }

    #[test]
    fn errors_and_coverage_are_counted() {
        let calibration = Calibration::of(records(&[0.5, -0.5, 2.0, 0.0]));
        assert_eq!((calibration.records, calibration.coverage()), (4, Some(0.75)));
        let expected = 0.5 * (PROJECTED.high / PROJECTED.value).ln();
        assert!((calibration.mean_log_error - expected).abs() < 1e-12);
    }
}
