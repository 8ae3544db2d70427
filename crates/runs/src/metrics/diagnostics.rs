//! What a fit learned, action class by action class, as figures.
//!
//! Not here: computing them (`deepcfr-train`).

use serde::{Deserialize, Serialize};

/// Both players' diagnostics.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Diagnostics {
    /// By player.
    pub players: Vec<PlayerDiagnostics>,
}

/// One player's network on samples of the iteration that it was just fitted to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlayerDiagnostics {
    /// Infosets looked at.
    pub rows: u64,
    /// Share of them at which the network gives no action a positive advantage, so that regret
    /// matching's fallback decides.
    pub fallback_share: f64,
    /// Mean entropy of the strategy, in nats.
    pub entropy: f64,
    /// By class of action.
    pub classes: Vec<ClassDiagnostics>,
    /// Legal actions in groups of equal size, by rising prediction.
    pub calibration: Vec<CalibrationBin>,
}

/// The legal actions of one class.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClassDiagnostics {
    /// Its name.
    pub class: String,
    /// Legal actions of the class over all rows.
    pub actions: u64,
    /// Mean target, in points.
    pub target_mean: f64,
    /// The 10 %, 50 % and 90 % quantiles of targets, in points.
    pub target_quantiles: [f64; 3],
    /// Mean prediction, in points.
    pub prediction_mean: f64,
    /// Correlation of prediction and target; `None` where one of them does not vary.
    pub correlation: Option<f64>,
    /// The strategy's probability of an action of this class, mean over the rows.
    pub played: f64,
    /// Of the rows at which the fallback decides, the probability that it gives the class; `None` where
    /// it never does.
    pub fallback_picks: Option<f64>,
}

/// Legal actions with similar predictions.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CalibrationBin {
    /// How many.
    pub actions: u64,
    /// Mean prediction, in points.
    pub prediction: f64,
    /// Mean target, in points.
    pub target: f64,
}
