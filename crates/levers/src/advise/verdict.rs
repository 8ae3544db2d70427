//! The verdict on a lever, with its reason. Not here: the projection that it rests on.

use std::fmt;

use serde::Serialize;

use super::{Advice, in_force};
use crate::catalogue::{Check, Goal, Lever, Situation};
use crate::verify::{Drift, Observed};

/// The speed-up that the lower end of a projection must exceed. Below 3 %, neither a few turns without and
/// with the lever nor a user can tell the difference.
pub const WORTH_IT: f64 = 1.03;

/// What to do about a lever.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "verdict", rename_all = "kebab-case")]
pub enum Verdict {
    /// Pull it: even the lower end is worth it.
    Recommended,
    /// What stands between it and an answer.
    MeasureFirst {
        /// What to measure.
        measure: String,
    },
    /// It costs time; an experiment decides whether what it buys is worth it.
    Experiment,
    /// It gains nothing that could be measured.
    NoMeasurableGain {
        /// The figures that show it.
        reason: String,
    },
    /// It loses.
    Slower,
    /// A precondition does not hold.
    NotNow {
        /// Which, with its figures.
        reason: String,
    },
    /// The runs in question have it.
    InForce,
}

impl Verdict {
    pub(super) fn of(lever: &Lever, advice: &Advice, situation: &Situation) -> Self {
        if in_force(lever, advice, situation) {
            return Self::InForce;
        }
        let not_met = advice.checks.iter().find_map(|(_, check)| match check {
            Check::NotMet { reason } => Some(reason.clone()),
            _ => None,
        });
        let unknown = advice.checks.iter().find_map(|(_, check)| match check {
            Check::Unknown { measure } => Some((*measure).to_owned()),
            _ => None,
        });
        match (not_met, unknown) {
            (Some(reason), _) => Self::NotNow { reason },
            (None, Some(measure)) => Self::MeasureFirst { measure },
            (None, None) if lever.goal == Goal::Quality => Self::Experiment,
            (None, None) => Self::projected(lever, advice),
        }
    }

    /// The verdict on a lever whose preconditions hold.
    fn projected(lever: &Lever, advice: &Advice) -> Self {
        if let Some(measure) = advice.unmeasured {
            return match advice.ceiling {
                Some(ceiling) if ceiling.high <= WORTH_IT => {
                    let reason = format!("at its very best ×{:.2}", ceiling.high);
                    Self::NoMeasurableGain { reason }
                }
                _ => Self::MeasureFirst { measure: measure.to_owned() },
            };
        }
        let Some(projection) = advice.projection else {
            return Self::MeasureFirst {
                measure: "forward passes and training steps at several batch sizes".to_owned(),
            };
        };
        let speed_up = projection.calibrated;
        if speed_up.low > WORTH_IT {
            Self::Recommended
        } else if speed_up.high < 1.0 {
            Self::Slower
        } else if speed_up.value <= WORTH_IT {
            Self::NoMeasurableGain { reason: format!("×{:.2} expected", speed_up.value) }
        } else {
            let id = lever.id;
            Self::MeasureFirst {
                measure: format!(
                    "try it with `deepcfr advise --verify {id}`: it may turn out below ×{WORTH_IT}"
                ),
            }
        }
    }

    /// Where it stands in tables.
    pub(super) const fn rank(&self) -> f64 {
        match self {
            Self::Recommended => 0.0,
            Self::MeasureFirst { .. } => 1.0,
            Self::Experiment => 2.0,
            Self::NoMeasurableGain { .. } => 3.0,
            Self::Slower => 4.0,
            Self::NotNow { .. } => 5.0,
            Self::InForce => 6.0,
        }
    }

    pub(super) const fn useful_in_pairs(&self) -> bool {
        matches!(self, Self::Recommended | Self::MeasureFirst { .. } | Self::Experiment)
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Recommended => write!(f, "recommended"),
            Self::MeasureFirst { measure } => write!(f, "measure first: {measure}"),
            Self::Experiment => write!(f, "costs time; an experiment decides"),
            Self::NoMeasurableGain { reason } => write!(f, "no measurable gain: {reason}"),
            Self::Slower => write!(f, "slower"),
            Self::NotNow { reason } => write!(f, "not now: {reason}"),
            Self::InForce => write!(f, "in force"),
        }
    }
}

/// Where a lever stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// What its projection needs is missing.
    NotMeasured,
    /// Projected, and not worth it on this machine, model and load.
    NotWorthItNow,
    /// Projected, and worth it.
    Projected,
    /// Tried, faster, and learning stayed the same.
    Verified,
    /// Tried, and slower or with another course of learning.
    Regressed,
    /// Part of the runs in question.
    InForce,
}

impl State {
    pub(super) const fn of(verdict: &Verdict) -> Self {
        match verdict {
            Verdict::Recommended => Self::Projected,
            Verdict::MeasureFirst { .. } => Self::NotMeasured,
            Verdict::InForce => Self::InForce,
            _ => Self::NotWorthItNow,
        }
    }

    pub(super) fn verified(observed: &Observed, drift: &Drift) -> Self {
        if observed.speed_up.high < 1.0 || matches!(drift, Drift::Drifted { .. }) {
            Self::Regressed
        } else if observed.speed_up.low > 1.0 {
            Self::Verified
        } else {
            Self::NotWorthItNow
        }
    }
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::NotMeasured => "not measured",
            Self::NotWorthItNow => "not worth it now",
            Self::Projected => "projected",
            Self::Verified => "verified",
            Self::Regressed => "regressed",
            Self::InForce => "in force",
        })
    }
}
