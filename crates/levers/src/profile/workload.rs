//! What a run does, as far as its costs depend on it. Not here: what it costs.

use serde::{Deserialize, Serialize};

use super::IterationSample;
use crate::fit::NetworkShape;
use crate::law::{InFlight, Scheduler};
use crate::statistics::mean;

/// Where networks compute.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Device {
    /// On the cores that the workers run on.
    Cpu,
    /// On a device of its own.
    Accelerator,
}

/// What a run does.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Workload {
    /// The game.
    pub game: String,
    /// Infosets of the game, where it is small enough to count them.
    #[serde(default)]
    pub infosets: Option<u64>,
    /// Shape of the networks.
    pub network: NetworkShape,
    /// The traversal phase.
    pub traversal: TraversalLoad,
    /// The training phases.
    pub training: TrainingLoad,
    /// The evaluation phase.
    pub evaluation: EvaluationLoad,
    /// The sample memories.
    pub memory: MemoryLoad,
}

/// What the traversal phase does.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TraversalLoad {
    /// How workers meet the networks.
    pub scheduler: Scheduler,
    /// The engine of forward passes, by its name in configurations.
    pub engine: String,
    /// Where forward passes compute.
    pub device: Device,
    /// Worker threads.
    pub workers: u32,
    /// Traversals in flight in a worker.
    pub lanes: u32,
    /// Traversals between two barriers: those of one player in an iteration.
    pub traversals_per_player: u32,
    /// Most rows in a forward pass.
    pub max_batch: u32,
    /// Threads that serve batches; 0 without a server.
    pub server_threads: u32,
    /// Networks that a sweep asks, on average.
    pub networks_per_sweep: f64,
    /// Whether traversals read a table instead of asking networks.
    pub tabulated: bool,
}

/// What the training phases do in an iteration.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrainingLoad {
    /// Samples in a batch.
    pub batch: u32,
    /// Optimiser steps on advantage networks, all players together.
    pub advantage_steps: f64,
    /// Optimiser steps on the average-strategy network.
    pub strategy_steps: f64,
    /// Distinct rows of a fit, where equal ones are merged: a step computes no more.
    #[serde(default)]
    pub distinct_rows: Option<f64>,
    /// Whether the average-strategy network is fitted in evaluated iterations only.
    #[serde(default)]
    pub strategy_with_evaluation: bool,
}

/// What an evaluation does.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EvaluationLoad {
    /// Iterations between evaluations; 0: never.
    pub every_iterations: u32,
    /// Games of one evaluation, all opponents together.
    pub games: u32,
    /// Rows that networks answer in a game; unknown where not counted.
    #[serde(default)]
    pub rows_per_game: Option<f64>,
    /// Rows of a forward pass in evaluation.
    pub batch_rows: f64,
    /// Matches that run side by side.
    pub parallel: u32,
    /// Matches that could: opponents times strategies.
    pub matches: u32,
    /// The share of an evaluation's time that its games take (the rest is exact evaluation, which
    /// neither grows with games nor asks networks one row at a time).
    pub games_share: f64,
    /// Whether its games are played by the workers of traversals, under their scheduler: one row a call
    /// where that has one lane a worker.
    #[serde(default)]
    pub follows_scheduler: bool,
}

/// What the sample memories hold.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MemoryLoad {
    /// Samples stored in an iteration.
    pub rows_per_iteration: f64,
    /// Bytes of a stored sample.
    pub bytes_per_row: f64,
    /// Samples held when full, all memories together.
    pub capacity_rows: u64,
}

impl TrainingLoad {
    /// Rows that a step computes.
    pub fn rows_of_a_step(&self) -> f64 {
        self.rows_of(f64::from(self.batch))
    }

    /// Rows that a step of `batch` samples computes.
    pub fn rows_of(&self, batch: f64) -> f64 {
        batch.min(self.distinct_rows.unwrap_or(f64::INFINITY))
    }
}

impl MemoryLoad {
    /// Bytes of the memories when full.
    pub fn bytes(&self) -> f64 {
        self.bytes_per_row * self.capacity_rows as f64
    }
}

impl TraversalLoad {
    /// What bounds the rows in flight.
    pub fn in_flight(&self) -> InFlight {
        InFlight {
            scheduler: self.scheduler,
            workers: f64::from(self.workers),
            lanes: if self.scheduler.interleaves() { f64::from(self.lanes) } else { 1.0 },
            networks: self.networks_per_sweep,
            max_batch: f64::from(self.max_batch),
        }
    }
}

/// Mean seconds of an evaluation over the iterations that had one; `None` where none had.
pub fn evaluation_seconds_each(iterations: &[IterationSample]) -> Option<f64> {
    let evaluated = iterations.iter().filter(|sample| sample.evaluated);
    let seconds: Vec<f64> = evaluated.map(|sample| sample.phases.evaluation_seconds).collect();
    (!seconds.is_empty()).then(|| mean(&seconds))
}
