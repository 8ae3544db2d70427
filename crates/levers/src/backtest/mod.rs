//! The back-test: would this calculus have judged rightly what was once done without it?
//!
//! The program before this one, the *predecessor*, published figures before and after nine changes. Each is
//! projected from the figures before it alone. The figures and what is not known of them (as ranges) are
//! data, `testdata/levers/predecessor.json`; they become worlds of the same cost model that advises on
//! profiles. A case is judged if its interval excludes 1; a case that is not says what is missing.
//!
//! What no key of this program does (another runtime, fused kernels, split memories, matches side by side)
//! is modelled in this module alone, and nothing that advises uses it. Not here: advice.

mod before;
mod change;
mod table;

use serde::{Deserialize, Serialize};

pub use before::{Before, EvaluationRange, ForwardRange, Phases, Range, StepRange};
pub use change::PastChange;
pub use table::table;

use crate::model::World;
use crate::statistics::Estimate;

const DATA: &str = include_str!("../../testdata/predecessor.json");
const WORLDS: usize = 2000;

/// The predecessor's changes.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BackTest {
    /// Where the figures come from.
    pub provenance: String,
    /// The changes.
    pub cases: Vec<Case>,
}

/// One change: what was known before it, and what was measured.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// Its short name.
    pub id: String,
    /// What was changed.
    pub title: String,
    /// What was known before.
    pub before: Before,
    /// What it means in the cost model.
    pub changes: Vec<PastChange>,
    /// What was measured.
    pub measured: Vec<Measurement>,
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
pub struct Measurement {
    /// Of what.
    pub measure: Measure,
    /// Before.
    pub before: f64,
    /// After.
    pub after: f64,
    /// In which unit.
    pub unit: String,
}

impl Measurement {
    /// Above 1: the change was for the better.
    pub fn ratio(&self) -> f64 {
        self.before / self.after
    }
}

/// What a measurement is the time of.
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

/// What the calculus says about a case's direction.
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

/// One measurement, judged.
#[derive(Clone, Debug, Serialize)]
pub struct Judgement {
    /// The case's short name.
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
    /// Whether the interval holds what was measured.
    pub covered: bool,
    /// What is missing, for a case that cannot be judged; else what to know about it.
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

    /// Judges every measurement; `seed` draws what was not known.
    pub fn judge(&self, seed: u64) -> Vec<Judgement> {
        self.cases.iter().flat_map(|case| case.judge(seed)).collect()
    }
}

impl Case {
    fn judge(&self, seed: u64) -> Vec<Judgement> {
        let before: Vec<World> = (0..WORLDS).map(|index| self.before.world(seed, index)).collect();
        let after: Option<Vec<World>> =
            before.iter().enumerate().map(|(index, world)| self.after(world, seed, index)).collect();
        let judge = |measured: &Measurement| self.judgement(measured, &before, after.as_deref());
        self.measured.iter().map(judge).collect()
    }

    fn after(&self, world: &World, seed: u64, index: usize) -> Option<World> {
        self.changes.iter().try_fold(world.clone(), |world, change| change.apply(world, seed, index))
    }

    fn judgement(&self, measured: &Measurement, before: &[World], after: Option<&[World]>) -> Judgement {
        let ratios = after.and_then(|after| {
            let pairs = before.iter().zip(after);
            let ratio = |(before, after): (&World, &World)| {
                Some(measured.measure.seconds(before)? / measured.measure.seconds(after)? / self.asked)
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
            measure: measured.measure,
            projected,
            observed: measured.ratio(),
            sign,
            covered: projected.is_some_and(|interval| interval.contains(measured.ratio())),
            remark: missing.or_else(|| self.note.clone()),
        }
    }
}

#[cfg(test)]
mod tests;
