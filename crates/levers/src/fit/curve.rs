//! What a call of a network costs against its batch: the two shapes that are fitted.
//!
//! Not here: how they are fitted (`regression`).

use serde::{Deserialize, Serialize};

/// Seconds of a call as a function of its rows B.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "shape", rename_all = "snake_case", deny_unknown_fields)]
pub enum Curve {
    /// t(B) = a + b·B: dispatch and kernel follow each other.
    Linear {
        /// Dispatch: seconds of a call whatever its rows.
        a_seconds: f64,
        /// Kernel: seconds that each row adds.
        b_seconds_per_row: f64,
    },
    /// t(B) = max(a, c + b·B): the kernel hides behind the dispatch until it is the longer of the two.
    Hinge {
        /// Dispatch: the least seconds of a call.
        a_seconds: f64,
        /// Where the kernel's line meets B = 0, in seconds; may be negative.
        c_seconds: f64,
        /// Kernel: seconds that each row adds beyond the bend.
        b_seconds_per_row: f64,
    },
}

impl Curve {
    /// Seconds of a call of `rows`.
    pub fn seconds(&self, rows: f64) -> f64 {
        match *self {
            Self::Linear { a_seconds: a, b_seconds_per_row: b } => a + b * rows,
            Self::Hinge { a_seconds: a, c_seconds: c, b_seconds_per_row: b } => a.max(c + b * rows),
        }
    }

    /// Dispatch a, in seconds.
    pub fn dispatch_seconds(&self) -> f64 {
        match *self {
            Self::Linear { a_seconds, .. } | Self::Hinge { a_seconds, .. } => a_seconds,
        }
    }

    /// Kernel b, in seconds a row.
    pub fn kernel_seconds_per_row(&self) -> f64 {
        match *self {
            Self::Linear { b_seconds_per_row, .. } | Self::Hinge { b_seconds_per_row, .. } => {
                b_seconds_per_row
            }
        }
    }

    /// n½, the batch at which half of the highest rate 1/b is reached: a/b on a line; on a hinge
    /// a/(2b), or c/b where that lies beyond the bend. Infinite where rows cost nothing.
    pub fn half_rate_batch(&self) -> f64 {
        let b = self.kernel_seconds_per_row();
        if b <= 0.0 {
            return f64::INFINITY;
        }
        match *self {
            Self::Linear { a_seconds: a, .. } => a / b,
            Self::Hinge { a_seconds: a, c_seconds: c, .. } => (a / (2.0 * b)).max(c / b),
        }
    }

    /// ρ(B) = t(2B)/t(B): 1 where rows are free, 2 where only rows cost.
    pub fn doubling_ratio(&self, rows: f64) -> f64 {
        self.seconds(2.0 * rows) / self.seconds(rows)
    }

    /// The share of a call of `rows` that is dispatch, 2 − ρ(B), within 0 and 1; on a line exactly
    /// a/(a + b·B).
    pub fn dispatch_share(&self, rows: f64) -> f64 {
        (2.0 - self.doubling_ratio(rows)).clamp(0.0, 1.0)
    }

    /// The curve with dispatch times `dispatch` and kernel times `kernel`.
    #[must_use]
    pub fn scaled(&self, dispatch: f64, kernel: f64) -> Self {
        match *self {
            Self::Linear { a_seconds: a, b_seconds_per_row: b } => {
                Self::Linear { a_seconds: a * dispatch, b_seconds_per_row: b * kernel }
            }
            Self::Hinge { a_seconds: a, c_seconds: c, b_seconds_per_row: b } => {
                Self::Hinge { a_seconds: a * dispatch, c_seconds: c * kernel, b_seconds_per_row: b * kernel }
            }
        }
    }
}

/// A curve that passes through what was measured: the fit times a correction that is interpolated
/// between the measured batches (linear in ln B, constant beyond them).
///
/// The curve says what dispatch and kernel are; the corrections keep a fit that misses a point by a
/// third (as a + b·B does on CPUs, whose kernels get faster with B) out of the projections.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CallCost {
    /// The fit.
    pub curve: Curve,
    /// Measured seconds over fitted seconds by batch, ascending; empty: the curve alone.
    pub corrections: Vec<(f64, f64)>,
}

impl CallCost {
    /// The curve alone.
    pub const fn exactly(curve: Curve) -> Self {
        Self { curve, corrections: Vec::new() }
    }

    /// Seconds of a call of `rows`, at least one row.
    pub fn seconds(&self, rows: f64) -> f64 {
        let rows = rows.max(1.0);
        self.curve.seconds(rows) * self.correction(rows)
    }

    /// The cost with dispatch times `dispatch` and kernel times `kernel`.
    #[must_use]
    pub fn scaled(&self, dispatch: f64, kernel: f64) -> Self {
        Self { curve: self.curve.scaled(dispatch, kernel), corrections: self.corrections.clone() }
    }

    fn correction(&self, rows: f64) -> f64 {
        let above = self.corrections.partition_point(|&(batch, _)| batch < rows);
        match (above.checked_sub(1).map(|below| self.corrections[below]), self.corrections.get(above)) {
            (Some((left, low)), Some(&(right, high))) => {
                let part = (rows / left).ln() / (right / left).ln();
                low + (high - low) * part
            }
            (Some((_, only)), None) | (None, Some(&(_, only))) => only,
            (None, None) => 1.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: Curve = Curve::Linear { a_seconds: 8.0, b_seconds_per_row: 2.0 };
    const HINGE: Curve = Curve::Hinge { a_seconds: 8.0, c_seconds: -4.0, b_seconds_per_row: 2.0 };

    #[test]
    fn a_line_reaches_half_its_rate_at_a_over_b() {
        let half = LINE.half_rate_batch();
        assert_eq!(half, 4.0);
        assert_eq!(half / LINE.seconds(half), 0.5 / LINE.kernel_seconds_per_row());
        assert_eq!(LINE.dispatch_share(half), 0.5);
        assert_eq!(LINE.dispatch_share(12.0), 0.25);
    }

    #[test]
    fn a_hinge_reaches_half_its_rate_on_the_side_where_it_does() {
        assert_eq!(HINGE.half_rate_batch(), 2.0);
        assert_eq!(2.0 / HINGE.seconds(2.0), 0.25);
        let late = Curve::Hinge { a_seconds: 8.0, c_seconds: 6.0, b_seconds_per_row: 1.0 };
        assert_eq!(late.half_rate_batch(), 6.0);
        assert_eq!(6.0 / late.seconds(6.0), 0.5);
        assert_eq!((HINGE.doubling_ratio(3.0), HINGE.dispatch_share(3.0)), (1.0, 1.0));
    }

    #[test]
    fn corrections_are_met_at_their_batches_and_interpolated_between() {
        let cost = CallCost { curve: LINE, corrections: vec![(4.0, 1.5), (16.0, 0.5)] };
        assert_eq!(cost.seconds(4.0), 1.5 * LINE.seconds(4.0));
        assert_eq!(cost.seconds(16.0), 0.5 * LINE.seconds(16.0));
        assert_eq!(cost.seconds(8.0), LINE.seconds(8.0));
        assert_eq!(cost.seconds(64.0), 0.5 * LINE.seconds(64.0));
        assert_eq!(cost.seconds(0.2), 1.5 * LINE.seconds(1.0));
        assert_eq!(CallCost::exactly(LINE).seconds(5.0), 18.0);
        assert_eq!(HINGE.scaled(2.0, 1.0).seconds(1.0), 16.0);
    }
}
