//! The factor that keeps gradients within the range of half floats.
//!
//! The loss is multiplied by it before the backward pass and the gradient divided by it afterwards,
//! before it is measured and clipped. A gradient that overflows is not used: the step is skipped and
//! the factor halved. After many good steps in a row it is doubled (Micikevicius et al. 2018, section
//! 3.2; the constants are PyTorch's, but for a shorter row of good steps, as fits are short). Both
//! other precisions have the range of 32-bit floats and need none. Not here: the steps.

use crate::device::Precision;

const FIRST: f32 = 65_536.0;
/// A factor below 1 would lose small gradients to save ones that no longer mean anything.
const LEAST: f32 = 1.0;
const MOST: f32 = 16_777_216.0;
/// Good steps after which the factor is doubled.
const GOOD_STEPS: u32 = 200;

/// The factor of a fit, and what it has seen.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct LossScale {
    factor: f32,
    is_dynamic: bool,
    good_steps: u32,
}

impl LossScale {
    /// The factor that a fit starts with.
    pub(super) fn of(precision: Precision) -> Self {
        let is_dynamic = precision == Precision::F16;
        Self { factor: if is_dynamic { FIRST } else { 1.0 }, is_dynamic, good_steps: 0 }
    }

    /// The factor of the next step; 1 where losses are not scaled.
    pub(super) fn factor(&self) -> f32 {
        self.factor
    }

    /// The factor, where losses are scaled.
    pub(super) fn reported(&self) -> Option<f64> {
        self.is_dynamic.then_some(f64::from(self.factor))
    }

    /// Learns from a step whether its loss and gradient were finite.
    pub(super) fn update(&mut self, finite: bool) {
        if !self.is_dynamic {
            return;
        }
        self.good_steps = if finite { self.good_steps + 1 } else { 0 };
        if !finite {
            self.factor = (self.factor / 2.0).max(LEAST);
        } else if self.good_steps == GOOD_STEPS {
            self.factor = (self.factor * 2.0).min(MOST);
            self.good_steps = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overflows_halve_and_a_row_of_good_steps_doubles() {
        let mut scale = LossScale::of(Precision::F16);
        scale.update(false);
        scale.update(false);
        assert_eq!(scale.reported(), Some(16_384.0));
        (0..GOOD_STEPS - 1).for_each(|_| scale.update(true));
        assert_eq!(scale.factor(), 16_384.0);
        // An overflow starts the row over.
        scale.update(false);
        (0..GOOD_STEPS - 1).for_each(|_| scale.update(true));
        assert_eq!(scale.factor(), 8_192.0);
        scale.update(true);
        assert_eq!(scale.factor(), 16_384.0);
        (0..100).for_each(|_| scale.update(false));
        assert_eq!(scale.factor(), LEAST);
    }

    #[test]
    fn other_precisions_are_never_scaled() {
        for precision in [Precision::F32, Precision::Bf16] {
            let mut scale = LossScale::of(precision);
            scale.update(false);
            (0..1000).for_each(|_| scale.update(true));
            assert_eq!((scale.factor(), scale.reported()), (1.0, None));
        }
    }
}
