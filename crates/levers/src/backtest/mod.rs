//! The back-test: nine changes that the predecessor measured, judged from the figures before each alone.
//!
//! The figures and what is not known of them (as ranges) are data, `testdata/levers/predecessor.json`; they
//! become worlds of the same cost model that advises on profiles, changed by the same changes. A row is
//! judged if its interval excludes 1; a row that is not says what is missing. Not here: advice.

mod before;

use serde::{Deserialize, Serialize};

pub use before::{Before, Range, Step};

use crate::catalogue::LeverId;
use crate::law::Scheduler;
use crate::model::{Alternative, Change, World};
use crate::profile::Variant;
use crate::statistics::Estimate;

const DATA: &str = include_str!("../../../../testdata/levers/predecessor.json");
const WORLDS: usize = 2000;

/// The predecessor's changes.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BackTest {
    /// Where the figures come from.
    pub provenance: String,
    /// The changes.
    pub rows: Vec<Row>,
}

/// One change.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    /// Its short name.
    pub id: String,
    /// What was changed.
    pub title: String,
    /// The lever that it is.
    pub lever: LeverId,
    /// What was known before.
    pub before: Before,
    /// What it means in the cost model.
    pub changes: Vec<Step>,
    /// What was measured.
    pub outcomes: Vec<Outcome>,
    /// By what a projected speed-up is divided: how much was asked, where that is not 1.
    #[serde(default = "one")]
    pub asked: f64,
    /// What keeps the calculus from judging it.
    #[serde(default)]
    pub missing: Option<String>,
    /// What else to know about it.
    #[serde(default)]
    pub note: Option<String>,
}

fn one() -> f64 {
    1.0
}

/// What was measured before and after.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Outcome {
    /// Of what.
    pub measure: Measure,
    /// Before.
    pub before: f64,
    /// After.
    pub after: f64,
    /// In which unit.
    pub unit: String,
}

impl Outcome {
    /// Above 1: the change was for the better.
    pub fn ratio(&self) -> f64 {
        self.before / self.after
    }
}

/// What an outcome is the time of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Measure {
    /// An iteration.
    Iteration,
    /// Its traversal phase.
    Traversal,
    /// Advantage training with its batch assembly.
    AdvantageTraining,
    /// One evaluation.
    Evaluation,
    /// One call of a network.
    Call,
}

impl Measure {
    /// The name for tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Iteration => "iteration",
            Self::Traversal => "traversal",
            Self::AdvantageTraining => "advantage training",
            Self::Evaluation => "evaluation",
            Self::Call => "call",
        }
    }

    fn seconds(self, world: &World) -> Option<f64> {
        let costs = &world.costs;
        Some(match self {
            Self::Iteration => costs.iteration_seconds(),
            Self::Traversal => costs.phases().traversal_seconds,
            Self::AdvantageTraining => costs.advantage.seconds + costs.batch_assembly_seconds,
            Self::Evaluation => costs.evaluation.seconds_each,
            Self::Call => {
                let call = costs.calls.step.as_ref().or(costs.calls.forward.as_ref())?;
                call.seconds(costs.advantage.batch)
            }
        })
    }
}

/// What the calculus says about a row's direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Sign {
    /// The whole interval is above 1.
    Better,
    /// The whole interval is below 1.
    Worse,
    /// The interval holds 1, or there is none.
    CannotJudge,
}

/// One outcome, judged.
#[derive(Clone, Debug, Serialize)]
pub struct Judgement {
    /// The row's short name.
    pub id: String,
    /// What was changed.
    pub title: String,
    /// Of what.
    pub measure: Measure,
    /// Projected before over after; `None` where what it needs was not known.
    pub projected: Option<Estimate>,
    /// Measured before over after.
    pub observed: f64,
    /// What the calculus says.
    pub sign: Sign,
    /// Whether the interval holds the outcome.
    pub covered: bool,
    /// What is missing, for a row that cannot be judged; else what to know about it.
    pub remark: Option<String>,
}

impl Judgement {
    /// Whether the direction is right; `None` where it is not judged.
    pub fn right(&self) -> Option<bool> {
        match self.sign {
            Sign::Better => Some(self.observed > 1.0),
            Sign::Worse => Some(self.observed < 1.0),
            Sign::CannotJudge => None,
        }
    }
}

impl BackTest {
    /// The predecessor's changes, as this crate ships them.
    pub fn predecessor() -> Self {
        serde_json::from_str(DATA).expect("the shipped data fits its types: a test reads it")
    }

    /// Judges every outcome; `seed` draws what was not known.
    pub fn judge(&self, seed: u64) -> Vec<Judgement> {
        self.rows.iter().flat_map(|row| row.judge(seed)).collect()
    }
}

impl Row {
    fn judge(&self, seed: u64) -> Vec<Judgement> {
        let before: Vec<World> = (0..WORLDS).map(|index| self.before.world(seed, index)).collect();
        let after: Option<Vec<World>> =
            before.iter().enumerate().map(|(index, world)| self.after(world, seed, index)).collect();
        let judge = |outcome: &Outcome| self.judgement(outcome, &before, after.as_deref());
        self.outcomes.iter().map(judge).collect()
    }

    fn after(&self, world: &World, seed: u64, index: usize) -> Option<World> {
        self.changes.iter().try_fold(world.clone(), |world, step| step.apply(&world, seed, index))
    }

    fn judgement(&self, outcome: &Outcome, before: &[World], after: Option<&[World]>) -> Judgement {
        let ratios = after.and_then(|after| {
            let pairs = before.iter().zip(after);
            let ratio = |(before, after): (&World, &World)| {
                Some(outcome.measure.seconds(before)? / outcome.measure.seconds(after)? / self.asked)
            };
            pairs.map(ratio).collect::<Option<Vec<f64>>>()
        });
        let projected = ratios.map(|ratios| Estimate::of_distribution(&ratios, 1));
        let sign = match projected {
            Some(interval) if interval.low > 1.0 => Sign::Better,
            Some(interval) if interval.high < 1.0 => Sign::Worse,
            _ => Sign::CannotJudge,
        };
        let missing = self.missing.clone().filter(|_| sign == Sign::CannotJudge);
        Judgement {
            id: self.id.clone(),
            title: self.title.clone(),
            measure: outcome.measure,
            projected,
            observed: outcome.ratio(),
            sign,
            covered: projected.is_some_and(|interval| interval.contains(outcome.ratio())),
            remark: missing.or_else(|| self.note.clone()),
        }
    }
}

impl Step {
    fn apply(&self, world: &World, seed: u64, index: usize) -> Option<World> {
        let change = match *self {
            Self::Accelerator { a_us, b_us } => {
                return Some(before::on_accelerator(world, a_us, b_us, seed, index));
            }
            Self::Schedule { scheduler, lanes } => Change::Schedule(scheduler, lanes),
            Self::Workers { count } => Change::Workers(count),
            Self::Fused {} => Change::Step(Alternative::Variant(Variant::Fused)),
            Self::MixedPrecision {} => Change::Step(Alternative::Variant(Variant::MixedPrecision)),
            Self::Runtime {} => Change::Forward(Alternative::Runtime),
            Self::SplitMemories {} => Change::SplitMemories,
            Self::EvaluationBatch { rows } => Change::EvaluationBatch(rows),
            Self::EvaluationParallel { matches } => Change::EvaluationParallel(matches),
        };
        world.after(&change)
    }
}

/// The scheduler of the predecessor's default.
const BEFORE: Scheduler = Scheduler::Recursive;

#[cfg(test)]
mod tests;
