//! Which levers to pull now: projections through Amdahl with measured shares, a verdict for each with its
//! reason, useful pairs, the order, and what would change the answer.
//!
//! The rule: a lever is recommended if its preconditions hold, its effect was measured rather than
//! assumed, and the lower end of its 90 % interval exceeds [`WORTH_IT`]. Not here: how it is printed
//! (`text`).

mod extrapolation;
mod outlook;
mod verdict;

use serde::Serialize;

pub use extrapolation::Extrapolation;
pub use outlook::{Growth, Outlook, SCENARIOS};
pub use verdict::{State, Verdict, WORTH_IT};

use crate::catalogue::{CATALOGUE, Check, Decisions, Effect, Goal, Lever, LeverId, Precondition, Situation};
use crate::ledger::{Calibration, Ledger, Projection};
use crate::model::{Change, Costs, Ensemble, ModelError, WhatIf, WhatIfError};
use crate::profile::{PhaseSeconds, Profile};
use crate::sequence;
use crate::statistics::Estimate;

/// Pairs that are shown at most.
const PAIRS: usize = 8;

/// What is known of one lever.
#[derive(Clone, Debug, Serialize)]
pub struct Advice {
    /// The lever.
    pub lever: LeverId,
    /// Its preconditions and what was found.
    pub checks: Vec<(Precondition, Check)>,
    /// The projected speed-up of an iteration; `None` where what it needs was not timed.
    pub projection: Option<Projection>,
    /// What its effect rests on, where that is a prior and not a measurement.
    pub unmeasured: Option<&'static str>,
    /// The most that it could gain, where its effect rests on a prior.
    pub ceiling: Option<Estimate>,
    /// What to do.
    pub verdict: Verdict,
    /// Where it stands.
    pub state: State,
}

/// What is known of two levers pulled together.
#[derive(Clone, Debug, Serialize)]
pub struct PairAdvice {
    /// The levers, in the order in which they are pulled.
    pub levers: [LeverId; 2],
    /// The projected speed-up of an iteration.
    pub projection: Projection,
    /// Whether both are for speed and the lower end exceeds [`WORTH_IT`].
    pub recommended: bool,
}

/// The answer.
#[derive(Clone, Debug, Serialize)]
pub struct Advisory {
    /// The configuration asked about, where it is not the one that was run.
    pub what_if: Option<String>,
    /// The networks of that configuration, where the profile has not timed their size.
    pub extrapolation: Option<Extrapolation>,
    /// Seconds of an average iteration.
    pub iteration_seconds: Estimate,
    /// Its exclusive phases, medians in seconds.
    pub phases: PhaseSeconds,
    /// The share of the iteration that forward passes of traversals take.
    pub forward_share: Estimate,
    /// Every lever: recommended ones first, then by the projection's lower end.
    pub advice: Vec<Advice>,
    /// Useful pairs, by the projection's lower end.
    pub pairs: Vec<PairAdvice>,
    /// The order in which levers are to be decided.
    pub order: Vec<LeverId>,
    /// How right earlier projections were.
    pub calibration: Calibration,
    /// What would change the answer.
    pub outlook: Vec<Outlook>,
    /// What growth of the model would make calls kernel-bound.
    pub growth: Vec<Growth>,
    /// Measured iterations that all this rests on.
    pub iterations: usize,
}

/// An answer that cannot be given.
#[derive(Debug, thiserror::Error)]
pub enum AdviseError {
    /// The profile.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The what-if.
    #[error(transparent)]
    WhatIf(#[from] WhatIfError),
}

/// What the answer rests on beside the profile.
#[derive(Clone, Copy, Debug, Default)]
pub struct Question<'a> {
    /// A configuration that was not run.
    pub what_if: Option<&'a WhatIf>,
    /// Decisions taken before.
    pub decisions: Decisions,
    /// Earlier projections and outcomes.
    pub ledger: Option<&'a Ledger>,
}

impl Advisory {
    /// Advises on `profile`.
    ///
    /// # Errors
    /// [`AdviseError`] if the profile is unusable or the what-if cannot be answered from it.
    pub fn of(profile: &Profile, question: &Question) -> Result<Self, AdviseError> {
        let measured = Ensemble::of(profile)?;
        let (ensemble, workload) = match question.what_if {
            Some(what_if) => what_if.apply(&measured, &profile.workload)?,
            None => (measured.clone(), profile.workload.clone()),
        };
        let decisions = question.decisions;
        let situation = Situation { profile, workload: &workload, ensemble: &ensemble, decisions };
        let calibration = question.ledger.map(Ledger::calibration).unwrap_or_default();
        let mut advice = advise(&situation, &calibration);
        // The ledger knows of configurations that were run.
        if let (Some(ledger), None) = (question.ledger, question.what_if) {
            advice.iter_mut().for_each(|advice| advice.consult(ledger, profile));
        }
        Ok(Self {
            what_if: question.what_if.map(ToString::to_string),
            extrapolation: Extrapolation::of(&measured, profile.workload.network, workload.network),
            iteration_seconds: ensemble.estimate(Costs::iteration_seconds),
            phases: median_phases(&ensemble),
            forward_share: ensemble.estimate(Costs::forward_share),
            pairs: pairs(&situation, &advice, &calibration),
            order: order(&advice),
            outlook: outlook::scenarios(&situation, &advice, &calibration),
            growth: outlook::growth(&situation),
            iterations: ensemble.iterations,
            advice,
            calibration,
        })
    }

    /// What is known of `lever`.
    pub fn lever(&self, lever: LeverId) -> &Advice {
        self.advice.iter().find(|advice| advice.lever == lever).expect("every lever has advice")
    }
}

/// Every lever, recommended ones first, then by the projection's lower end.
fn advise(situation: &Situation, calibration: &Calibration) -> Vec<Advice> {
    let mut advice: Vec<Advice> =
        CATALOGUE.iter().map(|lever| Advice::of(lever, situation, calibration)).collect();
    advice.sort_by(|x, y| x.rank().total_cmp(&y.rank()));
    advice
}

impl Advice {
    fn of(lever: &Lever, situation: &Situation, calibration: &Calibration) -> Self {
        let checks: Vec<(Precondition, Check)> = lever
            .preconditions
            .iter()
            .map(|&precondition| (precondition, precondition.check(situation)))
            .collect();
        let projection = project(situation, &[lever.effect], calibration);
        let unmeasured = lever.effect.unmeasured(situation);
        let ceiling = unmeasured.and_then(|_| ceiling(lever.effect, situation));
        let mut advice = Self {
            lever: lever.id,
            checks,
            projection,
            unmeasured,
            ceiling,
            verdict: Verdict::InForce,
            state: State::NotMeasured,
        };
        advice.verdict = Verdict::of(lever, &advice, situation);
        advice.state = State::of(&advice.verdict);
        advice
    }

    /// The ledger's latest word on the lever.
    fn consult(&mut self, ledger: &Ledger, profile: &Profile) {
        let (machine, config) = (&profile.machine.name, &profile.build.config_hash);
        if let Some((observed, drift)) = ledger.latest(self.lever, machine, config) {
            self.state = State::verified(observed, drift);
        }
    }

    /// Smaller is earlier.
    fn rank(&self) -> f64 {
        const LAST: f64 = 1e3;
        let low = self.projection.map_or(0.0, |projection| projection.calibrated.low);
        self.verdict.rank() * LAST - low
    }

    /// The projected speed-up; 1 where there is none.
    pub fn gain(&self) -> f64 {
        self.projection.map_or(1.0, |projection| projection.calibrated.value)
    }
}

/// The speed-up of `effects` together; `None` where what they need was not timed.
pub fn project(situation: &Situation, effects: &[Effect], calibration: &Calibration) -> Option<Projection> {
    let changes: Vec<Change> = effects.iter().flat_map(|effect| effect.changes(situation)).collect();
    if changes.is_empty() {
        return None;
    }
    let after = situation.ensemble.after(&changes)?;
    Some(Projection::new(situation.ensemble.speed_up(&after), calibration))
}

/// The most that an effect which rests on a prior could gain: Amdahl's limit of the part it touches.
fn ceiling(effect: Effect, situation: &Situation) -> Option<Estimate> {
    let ensemble = situation.ensemble;
    match effect {
        Effect::MixedPrecision => Some(ensemble.speed_up(&ensemble.after(&[Change::FreeKernels])?)),
        Effect::OtherEngine => {
            let rest = |costs: &Costs| 1.0 - costs.forward_share().clamp(0.0, 0.999);
            Some(ensemble.estimate(|costs| 1.0 / rest(costs)))
        }
        _ => None,
    }
}

fn pairs(situation: &Situation, advice: &[Advice], calibration: &Calibration) -> Vec<PairAdvice> {
    let useful: Vec<&Advice> = advice
        .iter()
        .filter(|advice| advice.verdict.useful_in_pairs() && advice.unmeasured.is_none())
        .collect();
    let mut pairs = Vec::new();
    for (index, first) in useful.iter().enumerate() {
        for second in &useful[index + 1..] {
            pairs.extend(pair(situation, [first, second], calibration));
        }
    }
    pairs.sort_by(|x, y| y.projection.calibrated.low.total_cmp(&x.projection.calibrated.low));
    pairs.truncate(PAIRS);
    pairs
}

fn pair(situation: &Situation, pair: [&Advice; 2], calibration: &Calibration) -> Option<PairAdvice> {
    let effects = pair.map(|advice| advice.lever.lever().effect);
    // One scheduler at a time.
    if effects.iter().all(|effect| matches!(effect, Effect::Schedule(_) | Effect::Tabulate)) {
        return None;
    }
    let projection = project(situation, &effects, calibration)?;
    let speed = pair.iter().all(|advice| for_speed(advice.lever));
    Some(PairAdvice {
        levers: pair.map(|advice| advice.lever),
        projection,
        recommended: speed && projection.calibrated.low > WORTH_IT,
    })
}

fn order(advice: &[Advice]) -> Vec<LeverId> {
    let gain = |lever| advice.iter().find(|advice| advice.lever == lever).map_or(1.0, Advice::gain);
    let open = advice.iter().filter(|advice| advice.verdict != Verdict::InForce).map(|advice| advice.lever);
    sequence::order(&open.collect::<Vec<_>>(), gain).expect("the catalogue has no circles: a test shows it")
}

fn median_phases(ensemble: &Ensemble) -> PhaseSeconds {
    let median = |place: usize| ensemble.estimate(|costs| costs.phases().as_array()[place]).value;
    PhaseSeconds::from_array(std::array::from_fn(median))
}

/// What is already so in `situation`. `advice` says what a change would bring.
fn in_force(lever: &Lever, advice: &Advice, situation: &Situation) -> bool {
    let (workload, cores) = (situation.workload, situation.profile.machine.logical_cores);
    let load = &workload.traversal;
    match lever.effect {
        Effect::Schedule(scheduler) => load.scheduler == scheduler && !load.tabulated,
        Effect::Tabulate => load.tabulated,
        Effect::AllCores => load.workers >= cores,
        // The run has the fastest of the engines that were timed.
        Effect::OtherEngine => {
            advice.unmeasured.is_none() && advice.projection.is_some_and(|other| other.raw.high < 1.0)
        }
        Effect::DenseEvaluation => {
            workload.evaluation.every_iterations > 0
                && workload.evaluation.every_iterations <= 5
                && workload.evaluation.games >= 1000
        }
        _ => false,
    }
}

/// Whether a lever is for speed.
fn for_speed(lever: LeverId) -> bool {
    lever.lever().goal == Goal::Speed
}

#[cfg(test)]
mod tests;
