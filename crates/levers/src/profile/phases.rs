//! Exclusive phase seconds of measured iterations. Not here: what they are made of (`costs`).

use serde::{Deserialize, Serialize};

use super::ProfileError;

/// Exclusive seconds of one iteration; they add up to the iteration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PhaseSeconds {
    /// Game logic, encoding, inference, recording of samples.
    pub traversal_seconds: f64,
    /// Samples into the memories.
    pub memory_seconds: f64,
    /// Training batches out of the memories.
    pub batch_assembly_seconds: f64,
    /// Fits of the advantage networks.
    pub advantage_training_seconds: f64,
    /// Fits of the average-strategy network.
    pub strategy_training_seconds: f64,
    /// Evaluation, in the iterations that have one.
    pub evaluation_seconds: f64,
    /// Writing checkpoints.
    pub checkpoint_seconds: f64,
    /// Everything else.
    pub other_seconds: f64,
}

impl PhaseSeconds {
    /// Phases in the order in which they are shown.
    pub const NAMES: [&'static str; 8] = [
        "traversal",
        "memory",
        "batch assembly",
        "advantage training",
        "strategy training",
        "evaluation",
        "checkpoint",
        "other",
    ];

    /// Seconds in the order of [`PhaseSeconds::NAMES`].
    pub const fn as_array(&self) -> [f64; 8] {
        [
            self.traversal_seconds,
            self.memory_seconds,
            self.batch_assembly_seconds,
            self.advantage_training_seconds,
            self.strategy_training_seconds,
            self.evaluation_seconds,
            self.checkpoint_seconds,
            self.other_seconds,
        ]
    }

    /// Phases from their seconds in the order of [`PhaseSeconds::NAMES`].
    pub const fn from_array(seconds: [f64; 8]) -> Self {
        Self {
            traversal_seconds: seconds[0],
            memory_seconds: seconds[1],
            batch_assembly_seconds: seconds[2],
            advantage_training_seconds: seconds[3],
            strategy_training_seconds: seconds[4],
            evaluation_seconds: seconds[5],
            checkpoint_seconds: seconds[6],
            other_seconds: seconds[7],
        }
    }

    /// Seconds of the iteration.
    pub fn sum(&self) -> f64 {
        self.as_array().iter().sum()
    }
}

/// One measured iteration.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IterationSample {
    /// The iteration, from 1.
    pub iteration: u32,
    /// Exclusive phases.
    pub phases: PhaseSeconds,
    /// Whether the strategy was evaluated in this iteration.
    pub evaluated: bool,
    /// Decision and terminal nodes visited.
    pub nodes: u64,
    /// Rows that networks answered in the traversal phase.
    pub rows: u64,
    /// Forward passes in the traversal phase.
    pub calls: u64,
    /// Seconds in these passes, summed over the threads that ran them.
    pub forward_thread_seconds: f64,
}

impl IterationSample {
    /// Mean rows of a forward pass.
    pub fn mean_batch(&self) -> f64 {
        if self.calls == 0 { 0.0 } else { self.rows as f64 / self.calls as f64 }
    }

    pub(super) fn check(&self) -> Result<(), ProfileError> {
        let seconds = self.phases.as_array();
        match seconds.into_iter().find(|seconds| !seconds.is_finite() || *seconds < 0.0) {
            Some(got) => return Err(ProfileError::Figure { field: "iterations.phases", got }),
            None => super::positive("an iteration's seconds", self.phases.sum())?,
        }
        if !self.forward_thread_seconds.is_finite() || self.forward_thread_seconds < 0.0 {
            let got = self.forward_thread_seconds;
            return Err(ProfileError::Figure { field: "iterations.forward_thread_seconds", got });
        }
        Ok(())
    }
}
