//! Means and proportions with 95 % intervals.
//!
//! Not here: what is averaged, and rules that decide when to stop.

/// The 0.975 quantile of the standard normal distribution.
pub(super) const Z95: f64 = 1.959_963_984_540_054;

/// A mean with the half-width of its 95 % confidence interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The mean.
    pub mean: f64,
    /// Half-width `z·s/√n`; infinite for a single value.
    pub ci95: f64,
}

impl Estimate {
    /// From the sample variance of `n` independent values.
    pub(super) fn of_mean(mean: f64, variance: f64, n: usize) -> Self {
        Self { mean, ci95: Z95 * (variance / n as f64).sqrt() }
    }

    /// From the values.
    pub(super) fn of_values(values: impl ExactSizeIterator<Item = f64> + Clone) -> Self {
        let n = values.len();
        let (mean, variance) = mean_and_variance(values);
        Self::of_mean(mean, variance, n)
    }
}

/// Mean and unbiased sample variance, in two passes; the variance of one value is infinite.
pub(super) fn mean_and_variance(values: impl ExactSizeIterator<Item = f64> + Clone) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.clone().sum::<f64>() / n;
    let squares: f64 = values.map(|value| (value - mean).powi(2)).sum();
    (mean, if n > 1.0 { squares / (n - 1.0) } else { f64::INFINITY })
}

/// The 95 % score interval of a proportion of `successes` among `trials` (Wilson 1927):
/// `(p + z²/2n ± z·√(p(1−p)/n + z²/4n²)) / (1 + z²/n)`.
///
/// # Panics
/// If there are no trials, or fewer than successes.
pub fn wilson_interval(successes: u64, trials: u64) -> (f64, f64) {
    assert!(trials > 0 && successes <= trials, "successes are among the trials");
    let (n, z2) = (trials as f64, Z95 * Z95);
    let p = successes as f64 / n;
    let centre = p + z2 / (2.0 * n);
    let spread = Z95 * (p * (1.0 - p) / n + z2 / (4.0 * n * n)).sqrt();
    let scale = 1.0 + z2 / n;
    (((centre - spread) / scale).max(0.0), ((centre + spread) / scale).min(1.0))
}

/// The fewest values that [`student_t95`] has a quantile for.
pub(super) const FEWEST_VALUES: u32 = 11;

/// The 0.975 quantile of Student's t with `degrees` ≥ 10 of freedom, within 1e-5 (Abramowitz and Stegun
/// 1964, 26.7.5).
pub(super) fn student_t95(degrees: f64) -> f64 {
    let z = Z95;
    let terms = [
        (z.powi(3) + z) / 4.0,
        (5.0 * z.powi(5) + 16.0 * z.powi(3) + 3.0 * z) / 96.0,
        (3.0 * z.powi(7) + 19.0 * z.powi(5) + 17.0 * z.powi(3) - 15.0 * z) / 384.0,
        (79.0 * z.powi(9) + 776.0 * z.powi(7) + 1482.0 * z.powi(5) - 1920.0 * z.powi(3) - 945.0 * z)
            / 92_160.0,
    ];
    terms.iter().rev().fold(0.0, |sum, term| (sum + term) / degrees) + z
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The reference match table's intervals (reference data, 2026-11-30), to its three digits.
    #[test]
    fn wilson_agrees_with_the_reference_table() {
        for (wins, low, high) in [
            (498, 0.467, 0.529),
            (2, 0.001, 0.007),
            (0, 0.0, 0.004),
            (171, 0.149, 0.196),
            (711, 0.682, 0.738),
        ] {
            let (got_low, got_high) = wilson_interval(wins, 1000);
            assert!((got_low - low).abs() < 5.1e-4 && (got_high - high).abs() < 5.1e-4, "{wins}");
        }
        assert_eq!(wilson_interval(5, 5).1, 1.0);
    }

    #[test]
    fn student_t_agrees_with_printed_tables() {
        for (degrees, quantile) in [(10.0, 2.228_139), (29.0, 2.045_230), (99.0, 1.984_217), (1e9, Z95)] {
            assert!((student_t95(degrees) - quantile).abs() < 1e-5, "{degrees}: {}", student_t95(degrees));
        }
    }
}
