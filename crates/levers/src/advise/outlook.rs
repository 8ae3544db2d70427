//! What would change the answer: the same questions under other configurations, and how much larger a
//! model must be for its calls to become kernel-bound.
//!
//! Not here: the answer itself.

use serde::Serialize;

use super::{Advice, Extrapolation, advise, for_speed};
use crate::catalogue::{LeverId, MODEL_SIZES, Situation};
use crate::ledger::Calibration;
use crate::model::{Costs, WhatIf};
use crate::profile::{Call, PhaseSeconds};
use crate::statistics::Estimate;

/// Configurations that the outlook looks at.
pub const SCENARIOS: [&str; 3] = [
    "network.hidden_size=1024,network.num_layers=6",
    "evaluation.every=5,evaluation.games=1000",
    "network.hidden_size=1024,network.num_layers=6,evaluation.every=5,evaluation.games=1000",
];

/// The answer under another configuration, as far as it differs.
#[derive(Clone, Debug, Serialize)]
pub struct Outlook {
    /// The configuration.
    pub what_if: String,
    /// Its networks, where the profile has not timed their size.
    pub extrapolation: Option<Extrapolation>,
    /// Seconds of an iteration then.
    pub iteration_seconds: Estimate,
    /// Phases then, medians in seconds.
    pub phases: PhaseSeconds,
    /// The share of forward passes of traversals then.
    pub forward_share: Estimate,
    /// Levers whose verdict differs: before and then, in words.
    pub changes: Vec<(LeverId, String, String)>,
}

/// How much larger a model must be for a call to become kernel-bound (B = n½).
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Growth {
    /// Which call.
    pub call: Call,
    /// Its present rows.
    pub rows: f64,
    /// Its present n½ in rows.
    pub half_rate_rows: Estimate,
    /// By what arithmetic a row must grow for n½ to fall to the present rows, if dispatch stayed.
    pub arithmetic_factor: f64,
    /// The smallest size of the model-size grid that does it.
    pub first_size: Option<(u32, u32)>,
}

pub(super) fn scenarios(situation: &Situation, now: &[Advice], calibration: &Calibration) -> Vec<Outlook> {
    let timed = situation.profile.workload.network;
    let scenarios = SCENARIOS.iter().filter_map(|text| {
        let what_if = WhatIf::parse(text).expect("scenarios are written in this file");
        let (ensemble, workload) = what_if.apply(situation.ensemble, situation.workload).ok()?;
        if workload == *situation.workload {
            return None;
        }
        let then = Situation { ensemble: &ensemble, workload: &workload, ..*situation };
        let advice = advise(&then, calibration);
        Some(Outlook {
            what_if: what_if.to_string(),
            extrapolation: Extrapolation::of(situation.ensemble, timed, workload.network),
            iteration_seconds: ensemble.estimate(Costs::iteration_seconds),
            phases: super::median_phases(&ensemble),
            forward_share: ensemble.estimate(Costs::forward_share),
            changes: differences(now, &advice),
        })
    });
    scenarios.collect()
}

/// Speed levers whose kind of verdict differs.
fn differences(now: &[Advice], then: &[Advice]) -> Vec<(LeverId, String, String)> {
    let pairs = now.iter().filter(|advice| for_speed(advice.lever)).filter_map(|before| {
        let after = then.iter().find(|advice| advice.lever == before.lever)?;
        (before.verdict.rank() != after.verdict.rank())
            .then(|| (before.lever, before.verdict.to_string(), after.verdict.to_string()))
    });
    pairs.collect()
}

pub(super) fn growth(situation: &Situation) -> Vec<Growth> {
    let (ensemble, batch) = (situation.ensemble, situation.batch());
    let step_batch = situation.workload.training.rows_of_a_step();
    let forward = ensemble.forward.as_ref().map(|_| (Call::Forward, batch));
    let step = ensemble.step.as_ref().map(|_| (Call::TrainingStep, step_batch));
    [forward, step].into_iter().flatten().map(|(call, rows)| growth_of(situation, call, rows)).collect()
}

fn growth_of(situation: &Situation, call: Call, rows: f64) -> Growth {
    let half_rate_rows = situation.ensemble.estimate(|costs| {
        let cost = if call == Call::Forward { &costs.calls.forward } else { &costs.calls.step };
        cost.as_ref().map_or(f64::INFINITY, |cost| cost.curve.half_rate_batch())
    });
    let factor = (half_rate_rows.value / rows).max(1.0);
    let present = situation.workload.network;
    let sizes = MODEL_SIZES.iter().map(|size| size.of(present));
    let mut enough = sizes.filter(|size| size.flops_per_row() >= factor * present.flops_per_row());
    let first_size = if factor > 1.0 { enough.next() } else { None };
    Growth {
        call,
        rows,
        half_rate_rows,
        arithmetic_factor: factor,
        first_size: first_size.map(|size| (size.hidden_size, size.num_layers)),
    }
}
