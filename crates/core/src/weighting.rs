//! How much the samples of an iteration count in a fit.
//!
//! Not here: who weighs which samples.

/// How much a sample of iteration `t` counts in a fit at iteration `T`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weighting {
    /// `2t/T`: Linear CFR's `t`, scaled so that the weights of a memory that holds all iterations
    /// evenly have mean 1 and gradient norms do not drift with `T`.
    Linear,
    /// 1.
    Uniform,
}

impl Weighting {
    /// The weight of a sample of iteration `drawn` without the scale that all samples of a fit share: `t` or 1.
    #[inline]
    pub fn unscaled(self, drawn: u32) -> f64 {
        match self {
            Self::Linear => f64::from(drawn),
            Self::Uniform => 1.0,
        }
    }

    /// A weight, or a sum of weights, in a fit at iteration `now`; `unscaled` is of [`Weighting::unscaled`].
    #[inline]
    pub fn scaled(self, unscaled: f64, now: u32) -> f64 {
        match self {
            Self::Linear => 2.0 * unscaled / f64::from(now),
            Self::Uniform => unscaled,
        }
    }

    /// How many equally weighted samples tell as much of a mean as one of these, if there are as many of
    /// every iteration up to a late one: `(Σ w)² / (n Σ w²)`.
    pub fn effective_share(self) -> f64 {
        match self {
            Self::Linear => 0.75,
            Self::Uniform => 1.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_late_memory_of_all_iterations_has_a_mean_weight_of_one() {
        let last = 10_000;
        for weighting in [Weighting::Linear, Weighting::Uniform] {
            let weights = (1..=last).map(|drawn| weighting.scaled(weighting.unscaled(drawn), last));
            let (sum, squares) = weights.fold((0.0, 0.0), |(sum, squares), w| (sum + w, squares + w * w));
            let count = f64::from(last);
            assert!((sum / count - 1.0).abs() < 1e-3, "{weighting:?}: {sum}");
            let share = sum * sum / (count * squares);
            assert!((share - weighting.effective_share()).abs() < 1e-3, "{weighting:?}: {share}");
        }
    }
}
