//! What must hold for a lever, checked against what was measured.
//!
//! Model sizes do not appear: rules of thumb such as "mixed precision from 1,024 neurons" are replaced by
//! the measured share of kernel or dispatch in the calls at hand. Not here: which lever needs what
//! (`entries`).

use serde::Serialize;

use super::Scheduler;
use crate::fit::{CallClass, Fit};
use crate::model::{Alternative, Change, Ensemble};
use crate::profile::{Device, Profile, Workload};

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
    /// A quarter of the training step is dispatch.
    StepDispatchCounts,
    /// Networks compute on an accelerator that this build can use.
    Accelerator,
    /// The game has so many infosets at most.
    InfosetsAtMost(u64),
    /// Memories leave a fifth of the machine's memory free.
    MemoryFree,
    /// There are evaluations.
    Evaluates,
    /// The model-size experiment has been decided.
    ModelSizeChosen,
}

const DISPATCH_COUNTS: f64 = 0.25;
const KERNEL_COUNTS: f64 = 0.5;
const MEMORY_SHARE: f64 = 0.8;

const TIME_FORWARD: &str = "forward passes at several batch sizes";
const TIME_STEPS: &str = "training steps at several batch sizes";

impl Precondition {
    /// Whether it holds in `situation`.
    pub fn check(&self, situation: &Situation) -> Check {
        match *self {
            Self::Scheduler(allowed) => situation.scheduler_among(allowed),
            Self::AsksNetworks => situation.asks_networks(),
            Self::Workers(least) => situation.workers(least),
            Self::SpareCores => situation.spare_cores(),
            Self::SpareTraversals => situation.spare_traversals(),
            Self::ReachableBatch { scheduler, times } => situation.reachable(scheduler, times),
            Self::ForwardNotKernelBound => situation.forward_not_kernel_bound(),
            Self::KernelCounts => situation.kernel_counts(),
            Self::StepDispatchCounts => situation.step_dispatch_counts(),
            Self::Accelerator => situation.accelerator(),
            Self::InfosetsAtMost(most) => situation.infosets_at_most(most),
            Self::MemoryFree => situation.memory_free(),
            Self::Evaluates => situation.evaluates(),
            Self::ModelSizeChosen => situation.model_size_chosen(),
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

    /// Whether forward passes or training steps in mixed precision were timed.
    pub fn mixed_precision_timed(&self) -> bool {
        let how = Alternative::MixedPrecision;
        self.forward_timed(&how) || self.ensemble.worlds[0].costs.step_timed(&how)
    }

    /// Mixed precision changes those calls that were timed in it, or all where none was.
    pub(super) fn mixed_precision(&self) -> Vec<Change> {
        let (how, costs) = (Alternative::MixedPrecision, &self.ensemble.worlds[0].costs);
        let none = !self.mixed_precision_timed();
        let mut changes = Vec::new();
        if costs.calls.forward.is_some() && (none || costs.forward_timed(&how)) {
            changes.push(Change::Forward(how));
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

    fn scheduler_among(&self, allowed: &[Scheduler]) -> Check {
        let scheduler = self.workload.traversal.scheduler;
        let names: Vec<&str> = allowed.iter().map(|scheduler| scheduler.name()).collect();
        let met = allowed.contains(&scheduler);
        let but = if met { String::new() } else { format!(", the lever is for {}", names.join(" or ")) };
        decide(met, format!("the scheduler is {scheduler}{but}"))
    }

    fn asks_networks(&self) -> Check {
        let tabulated = self.workload.traversal.tabulated;
        decide(!tabulated, if tabulated { "traversals read a table" } else { "traversals ask networks" })
    }

    fn workers(&self, least: u32) -> Check {
        let workers = self.workload.traversal.workers;
        decide(workers >= least, count(workers, "worker"))
    }

    fn spare_cores(&self) -> Check {
        let (workers, cores) = (self.workload.traversal.workers, self.profile.machine.logical_cores);
        decide(workers < cores, format!("{} on {}", count(workers, "worker"), count(cores, "core")))
    }

    fn spare_traversals(&self) -> Check {
        let load = &self.workload.traversal;
        decide(
            load.traversals_per_player > load.lanes * load.workers,
            format!(
                "{} of a player an iteration for {} × {}",
                count(load.traversals_per_player, "traversal"),
                count(load.workers, "worker"),
                count(load.lanes, "lane")
            ),
        )
    }

    fn accelerator(&self) -> Check {
        let there = self.workload.traversal.device == Device::Accelerator;
        let words = if there {
            "networks compute on an accelerator"
        } else {
            "networks compute on the CPU, where half precision is emulated"
        };
        decide(there, words)
    }

    fn model_size_chosen(&self) -> Check {
        let chosen = self.decisions.model_size_chosen;
        decide(chosen, if chosen { "the model's size is decided" } else { "the model's size is not decided" })
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

    /// Whether the kernel is at least [`KERNEL_COUNTS`] of any timed call.
    fn kernel_counts(&self) -> Check {
        let shares: Vec<_> = self.dispatch_shares().into_iter().flatten().collect();
        if shares.is_empty() {
            return Check::Unknown { measure: TIME_FORWARD };
        }
        let words = shares.iter().map(|(name, rows, share)| {
            format!("{name} of {rows:.0} rows {:.0} % kernel", 100.0 * (1.0 - share))
        });
        let counts = shares.iter().any(|(_, _, share)| 1.0 - share >= KERNEL_COUNTS);
        decide(counts, words.collect::<Vec<_>>().join(", "))
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

    fn evaluates(&self) -> Check {
        let evaluation = &self.workload.evaluation;
        let words = match evaluation.every_iterations {
            0 => "there is no evaluation".to_owned(),
            every => format!("{} every {}", count(evaluation.games, "game"), count(every, "iteration")),
        };
        decide(evaluation.every_iterations > 0, words)
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
