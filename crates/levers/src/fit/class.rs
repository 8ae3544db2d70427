//! Dispatch-bound, mixed or kernel-bound: what a call's time is made of at a batch.
//!
//! Not here: what to do about it (`catalogue`).

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::statistics::Estimate;

/// A call with a smaller ρ is dispatch-bound. At ρ = 1.25 (B = n½/3 on a line) three quarters of
/// the call are dispatch, so that even a kernel that takes no time at all gains a factor 1.33 at most.
pub const DISPATCH_BOUND_BELOW: f64 = 1.25;
/// A call with a larger ρ is kernel-bound. At ρ = 1.75 (B = 3·n½ on a line) three quarters are kernel,
/// so that removing all dispatch gains a factor 1.33 at most.
pub const KERNEL_BOUND_ABOVE: f64 = 1.75;

/// What bounds a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CallClass {
    /// ρ below [`DISPATCH_BOUND_BELOW`]: more rows a call are nearly free.
    DispatchBound,
    /// Neither.
    Mixed,
    /// ρ above [`KERNEL_BOUND_ABOVE`]: only a faster kernel or fewer rows help.
    KernelBound,
}

impl CallClass {
    /// The class of a doubling ratio ρ = t(2B)/t(B).
    pub fn of(doubling_ratio: f64) -> Self {
        if doubling_ratio < DISPATCH_BOUND_BELOW {
            Self::DispatchBound
        } else if doubling_ratio > KERNEL_BOUND_ABOVE {
            Self::KernelBound
        } else {
            Self::Mixed
        }
    }
}

impl fmt::Display for CallClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::DispatchBound => "dispatch-bound",
            Self::Mixed => "mixed",
            Self::KernelBound => "kernel-bound",
        })
    }
}

/// The class of a call at a batch, and how sure it is.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Classification {
    /// Rows of the call.
    pub rows: f64,
    /// ρ = t(2B)/t(B).
    pub doubling_ratio: Estimate,
    /// The class at the value of ρ.
    pub class: CallClass,
    /// The class at the lower end of ρ's interval.
    pub low: CallClass,
    /// The class at the upper end of ρ's interval.
    pub high: CallClass,
}

impl Classification {
    pub(super) fn new(rows: f64, doubling_ratio: Estimate) -> Self {
        Self {
            rows,
            doubling_ratio,
            class: CallClass::of(doubling_ratio.value),
            low: CallClass::of(doubling_ratio.low),
            high: CallClass::of(doubling_ratio.high),
        }
    }

    /// Whether the whole interval falls into one class.
    pub fn certain(&self) -> bool {
        self.low == self.high
    }

    /// The share of the call that is dispatch, 2 − ρ.
    pub fn dispatch_share(&self) -> Estimate {
        let share = |ratio: f64| (2.0 - ratio).clamp(0.0, 1.0);
        let Estimate { value, low, high, samples } = self.doubling_ratio;
        Estimate { value: share(value), low: share(high), high: share(low), samples }
    }
}

impl fmt::Display for Classification {
    /// The class, with the neighbours that the interval does not exclude.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.certain() {
            return write!(f, "{}", self.class);
        }
        write!(f, "{} ({} to {})", self.class, self.low, self.high)
    }
}
