//! What one iteration did and how good the strategy is: one typed line per iteration.
//!
//! Not here: how the figures come about (trainer, evaluation) and how they are shown (report).

mod batches;
mod csv;
mod diagnostics;
mod evaluation;
mod file;
mod phases;
mod quality;

use deepcfr_core::{FitReport, NUM_PLAYERS};

use serde::{Deserialize, Serialize};

pub use batches::{BatchMetrics, Closes};
pub use diagnostics::{CalibrationBin, ClassDiagnostics, Diagnostics, PlayerDiagnostics};
pub use evaluation::{EvaluationMetrics, ExactMetrics, MatchMetrics, PlayMetrics, TabularMetrics};
pub use file::{MetricsError, MetricsWriter, read_metrics};
pub use phases::{Phase, PhaseClock, PhaseSeconds};
pub use quality::Quality;

/// One value for each network or memory of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PerNetwork<T> {
    /// The advantage network or memory of each player.
    pub advantage: [T; 2],
    /// The average-strategy network or memory.
    pub strategy: T,
}

/// What fitting one network did; the fields of [`FitReport`] without its times.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FitMetrics {
    /// Mean loss over the last steps, in the loss's own units.
    #[serde(with = "finite_or_null")]
    pub loss: f64,
    /// Optimiser steps taken.
    pub steps: u64,
    /// Steps skipped because a loss or gradient was not finite.
    pub skipped_steps: u64,
    /// What the loss was multiplied by at the end of the fit, where training in half floats.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loss_scale: Option<f64>,
    /// Distinct rows fitted.
    pub distinct_rows: u64,
    /// RMS of the targets, in points.
    #[serde(with = "finite_or_null")]
    pub target_rms: f64,
    /// Global gradient norm before clipping.
    #[serde(with = "finite_or_null")]
    pub grad_norm: f64,
}

impl From<&FitReport> for FitMetrics {
    fn from(report: &FitReport) -> Self {
        Self {
            loss: report.loss,
            steps: report.steps as u64,
            skipped_steps: report.skipped as u64,
            loss_scale: report.loss_scale,
            distinct_rows: report.distinct_rows as u64,
            target_rms: report.target_rms,
            grad_norm: report.grad_norm,
        }
    }
}

/// Time since the run began, stops between resumes excluded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunClock {
    /// Everything.
    pub wall_seconds: f64,
    /// Evaluation alone: `wall_seconds` − `evaluation_seconds` is what the strategy cost.
    pub evaluation_seconds: f64,
}

impl RunClock {
    /// What the strategy cost, evaluation left out.
    pub fn training_seconds(&self) -> f64 {
        self.wall_seconds - self.evaluation_seconds
    }

    /// Adds a finished iteration.
    pub fn advance(&mut self, iteration_seconds: f64, phases: &PhaseSeconds) {
        self.wall_seconds += iteration_seconds;
        self.evaluation_seconds += phases.evaluation;
    }
}

/// One line of `metrics.jsonl`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IterationMetrics {
    /// The iteration, from 1.
    pub iteration: u32,
    /// Decision and terminal nodes visited in this iteration, chance excluded.
    pub nodes: u64,
    /// The same since the start of the run.
    pub nodes_total: u64,
    /// `nodes` over the seconds of the traversal phase.
    pub nodes_per_second: f64,
    /// Traversals finished, both traversers together.
    pub traversals: u64,
    /// Of these, cut by a node budget.
    pub cut_traversals: u64,
    /// Whether `traversal.max_nodes_per_iteration` ended the traversals of a player before the last.
    #[serde(default)]
    pub iteration_cut: bool,
    /// Samples offered to each memory in this iteration.
    pub samples: PerNetwork<u64>,
    /// Samples held by each memory at the end of the iteration, or distinct rows where it merges them.
    pub memory_sizes: PerNetwork<u64>,
    /// Samples offered to each memory so far that it does not hold.
    #[serde(default)]
    pub left_out: PerNetwork<u64>,
    /// The noise in points below which an advantage memory that leaves samples out does not bring the mean
    /// target of an infoset, by player; `None` where nothing is left out or the spread of targets is not known.
    #[serde(default)]
    pub noise_floor: [Option<f64>; NUM_PLAYERS],
    /// What each fit did; `None` where a network was not fitted.
    pub fits: PerNetwork<Option<FitMetrics>>,
    /// Exclusive phases; their sum is `iteration_seconds`.
    pub phases: PhaseSeconds,
    /// Wall-clock seconds since the line before this one (or the start) was due.
    pub iteration_seconds: f64,
    /// Inference batches of the traversals.
    pub batches: BatchMetrics,
    /// Time since the run began.
    pub clock: RunClock,
    /// How good the strategy is, where this iteration was evaluated.
    pub evaluation: Option<EvaluationMetrics>,
}

impl IterationMetrics {
    /// The same line without what differs between two runs that computed the same: times, and the
    /// shape of batches.
    #[must_use]
    pub fn without_times(&self) -> Self {
        Self {
            nodes_per_second: 0.0,
            phases: PhaseSeconds::default(),
            iteration_seconds: 0.0,
            batches: BatchMetrics::default(),
            clock: RunClock::default(),
            evaluation: self.evaluation.as_ref().map(EvaluationMetrics::without_times),
            ..self.clone()
        }
    }
}

/// JSON has no NaN or infinity: such a figure is written as `null` and read back as NaN.
pub mod finite_or_null {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    /// Writes a figure.
    ///
    /// # Errors
    /// What the serializer says.
    pub fn serialize<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
        value.is_finite().then_some(*value).serialize(serializer)
    }

    /// Reads a figure.
    ///
    /// # Errors
    /// What the deserializer says.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
        Ok(Option::deserialize(deserializer)?.unwrap_or(f64::NAN))
    }
}

#[cfg(test)]
mod tests;
