//! One iteration's seconds in one world.
//!
//! iteration = traversal + memory + assembly + training + evaluation / every + checkpoint + other, where
//!
//! | scheduler | traversal seconds (R rows, W workers, l logic a row, t(B) a call) |
//! |---|---|
//! | `recursive` | R/W · (l + t(1)) |
//! | `interleaved` | R/W · (l + t(B)/B) |
//! | `server` | R/W · l + R/B · (t(B) + hand-over) / threads: all wait while the server computes |
//! | `interleaved+server` | max(L, D) + (1 − overlap) · min(L, D) of the two terms above |
//!
//! Rows share a device: where it is an accelerator, no scheduler beats R/B times the kernel part of a
//! call; where it is the workers' own cores, none beats all threads' seconds over the cores.
//! Not here: where the figures come from (`ensemble`).

use std::collections::BTreeMap;

use crate::fit::CallCost;
use crate::law::{InFlight, Scheduler};
use crate::profile::{Device, PhaseSeconds};

/// What an iteration costs, and what it is made of.
#[derive(Clone, Debug, PartialEq)]
pub struct Costs {
    /// The traversal phase.
    pub traversal: TraversalCosts,
    /// Samples into the memories, seconds.
    pub memory_seconds: f64,
    /// Training batches out of the memories, seconds.
    pub batch_assembly_seconds: f64,
    /// Fits of the advantage networks.
    pub advantage: TrainingCosts,
    /// Fits of the average-strategy network.
    pub strategy: TrainingCosts,
    /// Evaluation.
    pub evaluation: EvaluationCosts,
    /// Checkpoints, seconds an iteration.
    pub checkpoint_seconds: f64,
    /// Everything else, seconds.
    pub other_seconds: f64,
    /// What calls of networks cost.
    pub calls: CallBook,
}

impl Costs {
    /// Whether forward passes of kind `how` were timed.
    pub fn forward_timed(&self, how: &Alternative) -> bool {
        self.calls.forward_otherwise.contains_key(how)
    }

    /// Whether training steps of kind `how` were timed.
    pub fn step_timed(&self, how: &Alternative) -> bool {
        self.calls.step_otherwise.contains_key(how)
    }
}

/// Another way to compute the same call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Alternative {
    /// The same engine in mixed precision.
    MixedPrecision,
    /// The fastest other engine that was timed.
    Engine,
}

/// What calls of networks cost; `None` where not timed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CallBook {
    /// A forward pass as runs do it.
    pub forward: Option<CallCost>,
    /// A training step as runs do it.
    pub step: Option<CallCost>,
    /// Forward passes done otherwise.
    pub forward_otherwise: BTreeMap<Alternative, CallCost>,
    /// Training steps done otherwise.
    pub step_otherwise: BTreeMap<Alternative, CallCost>,
}

impl CallBook {
    /// All calls with dispatch times `dispatch` and kernel times `kernel`.
    #[must_use]
    pub fn scaled(&self, dispatch: f64, kernel: f64) -> Self {
        let one = |cost: &Option<CallCost>| cost.as_ref().map(|cost| cost.scaled(dispatch, kernel));
        let all = |costs: &BTreeMap<Alternative, CallCost>| {
            costs.iter().map(|(&key, cost)| (key, cost.scaled(dispatch, kernel))).collect()
        };
        Self {
            forward: one(&self.forward),
            step: one(&self.step),
            forward_otherwise: all(&self.forward_otherwise),
            step_otherwise: all(&self.step_otherwise),
        }
    }
}

/// What the traversal phase is made of.
#[derive(Clone, Debug, PartialEq)]
pub struct TraversalCosts {
    /// What bounds the rows in flight.
    pub flight: InFlight,
    /// The share of the rows in flight that a call finds.
    pub fill: f64,
    /// Where forward passes compute.
    pub device: Device,
    /// Threads that can run at once.
    pub cores: f64,
    /// Threads that serve batches, at least 1.
    pub server_threads: f64,
    /// Rows that traversals ask for in an iteration.
    pub rows: f64,
    /// Seconds of a worker a row that are not forward passes.
    pub logic_seconds_per_row: f64,
    /// Seconds of a forward pass within the run over seconds of the same pass timed alone.
    pub contention: f64,
    /// Seconds that a call within the run takes longer whatever its rows: queues, timers, caches.
    pub call_overhead_seconds: f64,
    /// Seconds that handing a batch over to a server and back takes.
    pub hand_over_seconds: f64,
    /// The part of the shorter of walking and serving that hides behind the longer.
    pub overlap: f64,
    /// A table that traversals read instead of asking networks.
    pub table: Option<TabulatedStrategy>,
    /// Factor on the phase for what the model leaves out.
    pub adjustment: f64,
}

/// A table of the networks' answers at every infoset, computed once an iteration for each network.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TabulatedStrategy {
    /// Infosets of the game.
    pub infosets: f64,
    /// Networks that are tabulated.
    pub networks: f64,
    /// Seconds of a worker to look a row up.
    pub lookup_seconds: f64,
}

impl TraversalCosts {
    /// Mean rows of a forward pass.
    pub fn batch(&self) -> f64 {
        self.flight.filled(self.fill)
    }

    /// Seconds of the phase if a forward pass costs `forward`.
    pub fn seconds(&self, forward: &CallCost) -> f64 {
        self.adjustment
            * match self.table {
                Some(table) => self.tabulated(&table, forward),
                None => self.asked(forward),
            }
    }

    /// Seconds of a call of `rows` within the run.
    fn call_seconds(&self, forward: &CallCost, rows: f64) -> f64 {
        self.contention * forward.seconds(rows) + self.call_overhead_seconds
    }

    fn tabulated(&self, table: &TabulatedStrategy, forward: &CallCost) -> f64 {
        let batch = self.flight.max_batch.min(table.infosets);
        let calls = table.networks * table.infosets / batch;
        let thread_seconds = self.rows * (self.logic_seconds_per_row + table.lookup_seconds)
            + calls * self.call_seconds(forward, batch);
        thread_seconds / self.flight.workers
    }

    fn asked(&self, forward: &CallCost) -> f64 {
        let (rows, workers, batch) = (self.rows, self.flight.workers, self.batch());
        let call = self.call_seconds(forward, batch);
        let logic = rows / workers * self.logic_seconds_per_row;
        let serving = rows / batch * (call + self.hand_over_seconds) / self.server_threads;
        let modelled = match self.flight.scheduler {
            Scheduler::Recursive | Scheduler::Interleaved => logic + rows / workers * call / batch,
            Scheduler::Server => logic + serving,
            Scheduler::InterleavedServer => logic.max(serving) + (1.0 - self.overlap) * logic.min(serving),
        };
        modelled.max(match self.device {
            Device::Accelerator => rows / batch * call * (1.0 - forward.curve.dispatch_share(batch)),
            Device::Cpu if self.flight.scheduler.shares_calls() => {
                (logic * workers + serving * self.server_threads) / self.cores
            }
            Device::Cpu => 0.0,
        })
    }
}

/// What fitting networks costs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TrainingCosts {
    /// Seconds of the phase.
    pub seconds: f64,
    /// Samples in a batch.
    pub batch: f64,
}

/// What evaluation costs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EvaluationCosts {
    /// Seconds of one evaluation.
    pub seconds_each: f64,
    /// Iterations between evaluations; infinite: never.
    pub every: f64,
    /// Games of an evaluation.
    pub games: f64,
    /// The share of an evaluation that its games take.
    pub games_share: f64,
    /// The share of the games' time that forward passes take; `None` where rows were not counted.
    pub network_share: Option<f64>,
    /// Rows of a forward pass.
    pub batch: f64,
    /// Matches that run side by side.
    pub parallel: f64,
}

impl EvaluationCosts {
    /// Seconds an iteration, on average.
    pub fn seconds(&self) -> f64 {
        self.seconds_each / self.every
    }
}

impl Costs {
    /// Exclusive phases of an average iteration.
    pub fn phases(&self) -> PhaseSeconds {
        let traversal = self.calls.forward.as_ref().map(|forward| self.traversal.seconds(forward));
        PhaseSeconds {
            traversal_seconds: traversal.unwrap_or_else(|| self.traversal_without_timings()),
            memory_seconds: self.memory_seconds,
            batch_assembly_seconds: self.batch_assembly_seconds,
            advantage_training_seconds: self.advantage.seconds,
            strategy_training_seconds: self.strategy.seconds,
            evaluation_seconds: self.evaluation.seconds(),
            checkpoint_seconds: self.checkpoint_seconds,
            other_seconds: self.other_seconds,
        }
    }

    /// Seconds of an average iteration.
    pub fn iteration_seconds(&self) -> f64 {
        self.phases().sum()
    }

    /// Seconds of a forward pass within the run over those of the same call timed alone; 1 where not timed.
    pub fn call_ratio(&self) -> f64 {
        let (traversal, batch) = (&self.traversal, self.traversal.batch());
        let ratio = |forward: &CallCost| traversal.call_seconds(forward, batch) / forward.seconds(batch);
        self.calls.forward.as_ref().map_or(1.0, ratio)
    }

    /// Without timed forward passes all of the phase is booked as logic.
    fn traversal_without_timings(&self) -> f64 {
        let traversal = &self.traversal;
        traversal.adjustment * traversal.rows * traversal.logic_seconds_per_row / traversal.flight.workers
    }

    /// The share of the iteration that forward passes of traversals take; 0 where not timed.
    pub fn forward_share(&self) -> f64 {
        let Some(forward) = &self.calls.forward else { return 0.0 };
        let free = TraversalCosts {
            contention: 0.0,
            call_overhead_seconds: 0.0,
            hand_over_seconds: 0.0,
            ..self.traversal.clone()
        };
        let phases = self.phases();
        ((phases.traversal_seconds - free.seconds(forward)) / phases.sum()).max(0.0)
    }
}
