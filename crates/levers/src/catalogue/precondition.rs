//! What must hold for a lever, checked against what was measured.
//!
//! Model sizes do not appear: "hidden ≥ 1024 or layers ≥ 6" of the predecessor is replaced by the
//! measured share of kernel or dispatch in the calls at hand. Not here: which lever needs what
//! (`entries`).

use serde::Serialize;

use super::Scheduler;
use crate::fit::{CallClass, Fit};
use crate::model::{Alternative, Change, Ensemble};
use crate::profile::{Device, Profile, Variant, Workload};

/// What the calculus looks at when it judges a lever.
#[derive(Clone, Copy, Debug)]
pub struct Situation<'a> {
    /// The measurements.
    pub profile: &'a Profile,
    /// What the runs in question do: the profile's workload, or a what-if.
    pub workload: &'a Workload,
    /// The worlds of these runs.
    pub ensemble: &'a Ensemble,
    /// What has been decided before.
    pub decisions: Decisions,
}

/// Decisions that levers wait for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Decisions {
    /// Whether the model-size experiment has been decided.
    pub model_size_chosen: bool,
}

/// The answer to a precondition.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Check {
    /// It holds.
    Met {
        /// The figures that show it.
        evidence: String,
    },
    /// It does not hold.
    NotMet {
        /// The figures that show it.
        reason: String,
    },
    /// Nobody has measured it.
    Unknown {
        /// What to measure.
        measure: &'static str,
    },
}

/// What must hold for a lever.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Precondition {
    /// The scheduler is one of these.
    Scheduler(&'static [Scheduler]),
    /// Traversals ask networks rather than a table.
    AsksNetworks,
    /// So many workers at least.
    Workers(u32),
    /// Cores that no worker uses.
    SpareCores,
    /// A worker has more traversals than lanes.
    SpareTraversals,
    /// The in-flight law allows batches so many times those of now under this scheduler.
    ReachableBatch {
        /// The scheduler.
        scheduler: Scheduler,
        /// How many times the present mean batch.
        times: f64,
    },
    /// Forward passes at the present batch are not kernel-bound: larger batches pay.
    ForwardNotKernelBound,
    /// Half of the training step or of the forward pass is kernel at its present batch (B ≥ n½).
    KernelCounts,
    /// A quarter of the training step or of the forward pass is dispatch at its present batch.
    DispatchCounts,
    /// A quarter of the training step is dispatch.
    StepDispatchCounts,
    /// Calls come in a few fixed batch sizes.
    StaticShapes,
    /// Networks compute on an accelerator that this build can use.
    Accelerator,
    /// The game has so many infosets at most.
    InfosetsAtMost(u64),
    /// Memories leave a fifth of the machine's memory free.
    MemoryFree,
    /// Samples are not stored in the compact form yet.
    PlainMemories,
    /// Players share an advantage memory.
    SharedMemory,
    /// There are evaluations.
    Evaluates,
    /// Evaluation asks networks for fewer rows at a time than it could.
    SmallEvaluationBatch,
    /// Matches that do not run side by side yet, and cores for them.
    SerialMatches,
    /// The model-size experiment has been decided.
    ModelSizeChosen,
}

/// Rows from which an evaluation's calls count as batched.
const BATCHED_EVALUATION_ROWS: f64 = 32.0;
const DISPATCH_COUNTS: f64 = 0.25;
const KERNEL_COUNTS: f64 = 0.5;
const MEMORY_SHARE: f64 = 0.8;

const TIME_FORWARD: &str = "forward passes against batch size";
const TIME_STEPS: &str = "training steps against batch size";

impl Precondition {
    /// Whether it holds in `situation`.
    pub fn check(&self, situation: &Situation) -> Check {
        let load = &situation.workload.traversal;
        match *self {
            Self::Scheduler(allowed) => {
                let names: Vec<&str> = allowed.iter().map(|scheduler| scheduler.name()).collect();
                let met = allowed.contains(&load.scheduler);
                let but =
                    if met { String::new() } else { format!(", the lever is for {}", names.join(" or ")) };
                decide(met, format!("the scheduler is {}{but}", load.scheduler))
            }
            Self::AsksNetworks => decide(
                !load.tabulated,
                if load.tabulated { "traversals read a table" } else { "traversals ask networks" },
            ),
            Self::Workers(least) => decide(load.workers >= least, count(load.workers, "worker")),
            Self::SpareCores => decide(
                load.workers < situation.profile.machine.logical_cores,
                format!(
                    "{} on {}",
                    count(load.workers, "worker"),
                    count(situation.profile.machine.logical_cores, "core")
                ),
            ),
            Self::SpareTraversals => decide(
                load.traversals_per_player > load.lanes * load.workers,
                format!(
                    "{} between barriers for {} × {}",
                    count(load.traversals_per_player, "traversal"),
                    count(load.workers, "worker"),
                    count(load.lanes, "lane")
                ),
            ),
            Self::ReachableBatch { scheduler, times } => situation.reachable(scheduler, times),
            Self::ForwardNotKernelBound => situation.forward_not_kernel_bound(),
            Self::KernelCounts => situation.kernel_counts(),
            Self::DispatchCounts => situation.dispatch_counts(),
            Self::StepDispatchCounts => situation.step_dispatch_counts(),
            Self::StaticShapes => decide(
                load.static_shapes,
                if load.static_shapes {
                    "batch sizes are fixed"
                } else {
                    "batch sizes vary from call to call"
                },
            ),
            Self::Accelerator => decide(
                load.device == Device::Accelerator,
                if load.device == Device::Accelerator {
                    "networks compute on an accelerator"
                } else {
                    "networks compute on the CPU, where half precision is emulated"
                },
            ),
            Self::InfosetsAtMost(most) => situation.infosets_at_most(most),
            Self::MemoryFree => situation.memory_free(),
            _ => self.check_load(situation),
        }
    }

    /// Preconditions on memories, evaluation and decisions.
    fn check_load(&self, situation: &Situation) -> Check {
        let (memory, evaluation) = (&situation.workload.memory, &situation.workload.evaluation);
        match *self {
            Self::PlainMemories => decide(
                !memory.compact,
                format!(
                    "{:.0} bytes a sample{}",
                    memory.bytes_per_row,
                    if memory.compact { ", compact" } else { "" }
                ),
            ),
            Self::SharedMemory => {
                let own = situation.workload.training.memory_per_player;
                let words = if own { "each player has its own memory" } else { "players share a memory" };
                decide(!own, words)
            }
            Self::Evaluates => decide(
                evaluation.every_iterations > 0,
                match evaluation.every_iterations {
                    0 => "there is no evaluation".to_owned(),
                    every => {
                        format!("{} every {}", count(evaluation.games, "game"), count(every, "iteration"))
                    }
                },
            ),
            Self::SmallEvaluationBatch if evaluation.games == 0 => decide(false, "evaluation plays no games"),
            Self::SmallEvaluationBatch => decide(
                evaluation.batch_rows < BATCHED_EVALUATION_ROWS,
                format!("{:.0} rows a call in evaluation", evaluation.batch_rows),
            ),
            Self::SerialMatches if evaluation.follows_scheduler => {
                decide(false, "all matches are played at once, by all workers")
            }
            Self::SerialMatches => {
                let possible = evaluation.matches.min(situation.profile.machine.logical_cores);
                let words = format!("{} of {possible} possible matches side by side", evaluation.parallel);
                decide(evaluation.parallel < possible, words)
            }
            Self::ModelSizeChosen => {
                let chosen = situation.decisions.model_size_chosen;
                let words =
                    if chosen { "the model's size is decided" } else { "the model's size is not decided" };
                decide(chosen, words)
            }
            _ => unreachable!("checked above"),
        }
    }
}

impl Situation<'_> {
    /// The present mean batch of forward passes.
    pub fn batch(&self) -> f64 {
        self.ensemble.estimate(|costs| costs.traversal.batch()).value
    }

    /// Whether forward passes of kind `how` were timed.
    pub fn forward_timed(&self, how: &Alternative) -> bool {
        self.ensemble.worlds[0].costs.forward_timed(how)
    }

    /// Whether forward passes or training steps of `variant` were timed.
    pub fn variant_timed(&self, variant: Variant) -> bool {
        let how = Alternative::Variant(variant);
        self.forward_timed(&how) || self.ensemble.worlds[0].costs.step_timed(&how)
    }

    /// A variant changes those calls that were timed in it, or all where none was.
    pub(super) fn variant_changes(&self, variant: Variant) -> Vec<Change> {
        let (how, costs) = (Alternative::Variant(variant), &self.ensemble.worlds[0].costs);
        let none = !self.variant_timed(variant);
        let mut changes = Vec::new();
        if costs.calls.forward.is_some() && (none || costs.forward_timed(&how)) {
            changes.push(Change::Forward(how.clone()));
        }
        if costs.calls.step.is_some() && (none || costs.step_timed(&how)) {
            changes.push(Change::Step(how));
        }
        changes
    }

    /// Dispatch shares of forward pass and training step at their present batches, where timed.
    fn dispatch_shares(&self) -> [Option<(&'static str, f64, f64)>; 2] {
        let costs = &self.ensemble.worlds[0].costs;
        let (batch, step_batch) = (self.batch(), self.workload.training.rows_of_a_step());
        let share = |name, rows: f64, timed: bool, which: fn(&crate::model::Costs) -> f64| {
            timed.then(|| (name, rows, self.ensemble.estimate(which).value))
        };
        [
            share("forward pass", batch, costs.calls.forward.is_some(), |costs| {
                let rows = costs.traversal.batch();
                costs.calls.forward.as_ref().map_or(0.0, |cost| cost.curve.dispatch_share(rows))
            }),
            share("training step", step_batch, costs.calls.step.is_some(), |costs| {
                let rows = costs.advantage.batch;
                costs.calls.step.as_ref().map_or(0.0, |cost| cost.curve.dispatch_share(rows))
            }),
        ]
    }

    fn forward_not_kernel_bound(&self) -> Check {
        let [forward, _] = self.dispatch_shares();
        let Some((_, rows, share)) = forward else { return Check::Unknown { measure: TIME_FORWARD } };
        let class = CallClass::of(2.0 - share);
        decide(
            class != CallClass::KernelBound,
            format!("a forward pass of {rows:.1} rows is {class} ({:.0} % dispatch)", 100.0 * share),
        )
    }

    fn kernel_counts(&self) -> Check {
        self.any_share("kernel", |share| 1.0 - share, KERNEL_COUNTS)
    }

    fn dispatch_counts(&self) -> Check {
        self.any_share("dispatch", |share| share, DISPATCH_COUNTS)
    }

    /// Whether a part of any timed call is at least `least` of it.
    fn any_share(&self, part: &str, of: fn(f64) -> f64, least: f64) -> Check {
        let shares: Vec<_> = self.dispatch_shares().into_iter().flatten().collect();
        if shares.is_empty() {
            return Check::Unknown { measure: TIME_FORWARD };
        }
        let words: Vec<String> = shares
            .iter()
            .map(|(name, rows, share)| format!("{name} of {rows:.0} rows {:.0} % {part}", 100.0 * of(*share)))
            .collect();
        decide(shares.iter().any(|&(_, _, share)| of(share) >= least), words.join(", "))
    }

    fn step_dispatch_counts(&self) -> Check {
        let training = &self.workload.training;
        if let Some(distinct) = training.distinct_rows.filter(|rows| *rows <= f64::from(training.batch)) {
            let words =
                format!("a batch of {} holds all {distinct:.0} distinct rows already", training.batch);
            return decide(false, words);
        }
        let [_, step] = self.dispatch_shares();
        let Some((_, rows, share)) = step else { return Check::Unknown { measure: TIME_STEPS } };
        let words = format!("training step of {rows:.0} rows {:.0} % dispatch", 100.0 * share);
        decide(share >= DISPATCH_COUNTS, words)
    }

    fn reachable(&self, scheduler: Scheduler, times: f64) -> Check {
        let load = &self.workload.traversal;
        let lanes = if load.scheduler.interleaves() { load.lanes } else { super::FIRST_LANES };
        let flight = load.in_flight().under(scheduler, f64::from(lanes));
        let batch = self.batch();
        decide(flight.bound() >= times * batch, format!("{flight}, against {batch:.1} now"))
    }

    fn infosets_at_most(&self, most: u64) -> Check {
        match self.workload.infosets {
            Some(infosets) => decide(infosets <= most, format!("the game has {infosets} infosets")),
            None => Check::NotMet { reason: "the game is too large to count its infosets".to_owned() },
        }
    }

    fn memory_free(&self) -> Check {
        let Some(available) = self.profile.machine.memory_bytes else {
            return Check::Unknown { measure: "the memory that a run may use" };
        };
        let (needed, available) = (self.workload.memory.bytes(), available as f64);
        decide(
            needed <= MEMORY_SHARE * available,
            format!("sample memories take {:.1} of {:.1} GB when full", needed / 1e9, available / 1e9),
        )
    }

    /// The fit of forward passes, where timed.
    pub fn forward(&self) -> Option<&Fit> {
        self.ensemble.forward.as_ref()
    }
}

fn decide(holds: bool, words: impl Into<String>) -> Check {
    if holds { Check::Met { evidence: words.into() } } else { Check::NotMet { reason: words.into() } }
}

fn count(count: u32, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}
