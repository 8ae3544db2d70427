//! The catalogue of levers, as data: what each changes, which keys of the configuration pull it, what it
//! needs, what it waits for, and when to look at it again.
//!
//! A lever that no key pulls has no entry: advice that nobody can follow hides the advice that one can.
//! Not here: how much a lever gains and whether to pull it (`advise`); changes that only the program
//! before this one had (`backtest`).

mod entries;
mod precondition;

use std::fmt;

use serde::{Deserialize, Serialize};

pub use entries::CATALOGUE;
pub use precondition::{Check, Decisions, Precondition, Situation};

use crate::fit::NetworkShape;
use crate::law::Scheduler;
use crate::model::{Alternative, Change};

/// Names a lever.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[expect(missing_docs, reason = "the catalogue's entries describe them")]
pub enum LeverId {
    Interleaving,
    Server,
    ServerAfterInterleaving,
    Lanes,
    Workers,
    SpecialisedEngine,
    TabulatedStrategy,
    EvaluationDensity,
    ModelSize,
    MixedPrecision,
    TrainingBatch,
}

impl LeverId {
    /// The catalogue's entry.
    pub fn lever(self) -> &'static Lever {
        CATALOGUE.iter().find(|lever| lever.id == self).expect("every lever has an entry")
    }

    /// The lever of this name.
    pub fn parse(name: &str) -> Option<Self> {
        CATALOGUE.iter().map(|lever| lever.id).find(|id| id.to_string() == name)
    }
}

impl fmt::Display for LeverId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = serde_json::to_value(self).expect("a name is a string");
        f.pad(name.as_str().expect("a name is a string"))
    }
}

/// The term of the cost model that a lever changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Term {
    /// a: seconds of a call whatever its rows.
    Dispatch,
    /// b: seconds that a row adds.
    Kernel,
    /// B: rows a call.
    Batch,
    /// W: threads that walk.
    Workers,
    /// R: rows that networks are asked for.
    Rows,
    /// Seconds of evaluation.
    Evaluation,
    /// Steps of training.
    Steps,
}

impl Term {
    /// The term in words.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Dispatch => "dispatch a",
            Self::Kernel => "kernel b",
            Self::Batch => "batch B",
            Self::Workers => "workers W",
            Self::Rows => "rows asked",
            Self::Evaluation => "evaluation",
            Self::Steps => "training steps",
        }
    }
}

/// What a lever is pulled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Goal {
    /// Less time for the same work.
    Speed,
    /// Better play or a better measurement of it, which costs time: decided by an experiment.
    Quality,
}

/// When in a project a lever's turn comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stage {
    /// Makes every later experiment cheaper, whatever the model.
    Infrastructure,
    /// The experiment that decides how large the model is, and so what a call costs.
    ModelSize,
    /// Its gain depends on the model's size; measured earlier it would be measured twice.
    AfterModelSize,
}

impl Stage {
    /// The stage in words.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Infrastructure => "infrastructure",
            Self::ModelSize => "model size",
            Self::AfterModelSize => "after the model size",
        }
    }
}

/// Whether learning is the same afterwards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Exactness {
    /// The same metrics, bit for bit.
    Exact,
    /// The same up to the noise between seeds.
    SeedNoise,
}

/// What a lever does to a workload, before the workload is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Effect {
    /// Another scheduler.
    Schedule(Scheduler),
    /// Four times the lanes, and calls that may be as large as they then get.
    MoreLanes,
    /// As many workers as cores.
    AllCores,
    /// Forward passes by the fastest other engine that was timed.
    OtherEngine,
    /// Calls in mixed precision.
    MixedPrecision,
    /// Traversals read a table.
    Tabulate,
    /// An evaluation every 5 iterations, of 1,000 games.
    DenseEvaluation,
    /// A network of the next size of [`MODEL_SIZES`].
    LargerModel,
    /// Twice the samples a training batch, half the steps.
    LargerTrainingBatch,
}

/// Lanes that interleaving starts with.
const FIRST_LANES: u32 = 64;
const MORE_LANES: u32 = 4;
const EVALUATION_ROWS: f64 = 64.0;

impl Effect {
    /// The changes that it means in `situation`.
    pub fn changes(self, situation: &Situation) -> Vec<Change> {
        let load = &situation.workload.traversal;
        let lanes = if load.scheduler.interleaves() { load.lanes } else { FIRST_LANES };
        match self {
            Self::Schedule(scheduler) => schedule(situation, scheduler, f64::from(lanes)),
            Self::MoreLanes => {
                let lanes = load.lanes * MORE_LANES;
                let rows = f64::from(load.max_batch.max(lanes));
                vec![Change::MaxBatch(rows), Change::Lanes(f64::from(lanes))]
            }
            Self::AllCores => vec![Change::Workers(f64::from(situation.profile.machine.logical_cores))],
            Self::OtherEngine => vec![Change::Forward(Alternative::Engine)],
            Self::MixedPrecision => situation.mixed_precision(),
            Self::Tabulate => {
                let infosets = situation.workload.infosets.filter(|&infosets| infosets > 0);
                infosets.map(|infosets| Change::Tabulate(infosets as f64)).into_iter().collect()
            }
            Self::DenseEvaluation => vec![Change::EvaluationEvery(5.0), Change::EvaluationGames(1000.0)],
            Self::LargerModel => {
                let next = next_size(situation.workload.network);
                next.map(|size| Change::Network(size.of(situation.workload.network))).into_iter().collect()
            }
            Self::LargerTrainingBatch => {
                let batch = f64::from(situation.workload.training.batch);
                let rows = situation.workload.training.rows_of(2.0 * batch);
                vec![Change::TrainingBatch(rows), Change::TrainingSteps(0.5)]
            }
        }
    }

    /// What has to be measured before a projection of it rests on more than a prior; `None` where
    /// that has been done, or where the cost model needs no more than timed calls.
    pub fn unmeasured(self, situation: &Situation) -> Option<&'static str> {
        let missing = |there: bool, what| (!there).then_some(what);
        match self {
            Self::OtherEngine => {
                missing(situation.forward_timed(&Alternative::Engine), "forward passes of another engine")
            }
            Self::MixedPrecision => missing(
                situation.mixed_precision_timed(),
                "calls in mixed precision at the run's own batch sizes",
            ),
            _ => None,
        }
    }
}

/// Another scheduler, with what follows from it for evaluation.
fn schedule(situation: &Situation, scheduler: Scheduler, lanes: f64) -> Vec<Change> {
    let (traversal, evaluation) = (&situation.workload.traversal, &situation.workload.evaluation);
    let mut changes = vec![Change::Schedule(scheduler, lanes)];
    let batched = scheduler.interleaves();
    if evaluation.follows_scheduler
        && evaluation.rows_per_game.is_some()
        && batched != traversal.scheduler.interleaves()
    {
        changes.push(Change::EvaluationBatch(if batched { EVALUATION_ROWS } else { 1.0 }));
    }
    changes
}

/// A size of [`MODEL_SIZES`].
#[derive(Clone, Copy, Debug)]
pub struct ModelSize {
    /// Neurons in a hidden layer.
    pub hidden_size: u32,
    /// Hidden layers.
    pub num_layers: u32,
}

/// The sizes that `deepcfr sweep model-size` compares, ascending.
pub const MODEL_SIZES: [ModelSize; 4] = [
    ModelSize { hidden_size: 512, num_layers: 3 },
    ModelSize { hidden_size: 768, num_layers: 4 },
    ModelSize { hidden_size: 1024, num_layers: 6 },
    ModelSize { hidden_size: 1536, num_layers: 8 },
];

/// The smallest of [`MODEL_SIZES`] with half as much arithmetic again as `network`.
pub fn next_size(network: NetworkShape) -> Option<ModelSize> {
    const NOTICEABLY_LARGER: f64 = 1.5;
    let least = NOTICEABLY_LARGER * network.flops_per_row();
    MODEL_SIZES.into_iter().find(|size| size.of(network).flops_per_row() >= least)
}

impl ModelSize {
    /// A network of this size with the inputs and outputs of `network`.
    pub fn of(self, network: NetworkShape) -> NetworkShape {
        NetworkShape { hidden_size: self.hidden_size, num_layers: self.num_layers, ..network }
    }
}

/// A lever.
#[derive(Clone, Debug, Serialize)]
pub struct Lever {
    /// Its name in commands and ledgers.
    pub id: LeverId,
    /// Its name for people.
    pub title: &'static str,
    /// What it does, in a sentence.
    pub what: &'static str,
    /// The keys of the configuration that pull it.
    pub keys: &'static [&'static str],
    /// The terms of the cost model that it changes.
    pub terms: &'static [Term],
    /// What it is pulled for.
    pub goal: Goal,
    /// When its turn comes.
    pub stage: Stage,
    /// Whether learning is the same afterwards.
    pub exactness: Exactness,
    /// What it does to the workload.
    pub effect: Effect,
    /// What must hold.
    pub preconditions: &'static [Precondition],
    /// Levers that are to be decided before it.
    pub after: &'static [LeverId],
    /// When to look at it again.
    pub trigger: &'static str,
}

#[cfg(test)]
mod tests;
