//! Advice on simulated runs: the truths that a calculus must not miss.

use deepcfr_core::{Purpose, Stream};

use super::*;
use crate::fit::Curve;
use crate::law::Scheduler;
use crate::profile::{Call, Variant};
use crate::simulation::{Truth, timings};

fn advisory(profile: &Profile) -> Advisory {
    Advisory::of(profile, &Question::default()).unwrap()
}

/// Intervals that promise 90 % hold a known effect in at least 85 of 100 independent measurements (90 less 1.7
/// standard deviations), without being so wide that they say nothing.
#[test]
fn a_lever_of_known_effect_is_covered_in_85_of_100_trials() {
    let truth = Truth::default();
    let mut world = Stream::new(21, Purpose::Test, 0, 0, 0);
    let (mut covered, mut widths) = (0, Vec::new());
    for trial in 0..100 {
        let profile = truth.profile(trial);
        let projected = advisory_of(&profile, LeverId::Interleaving).raw;
        // What the calculus cannot know: how full sweeps get, and what the formula leaves out.
        let fill = 0.7 + 0.3 * world.uniform();
        let lane_overhead = 1.0 + 0.15 * world.uniform();
        let logic_seconds = truth.logic_seconds * lane_overhead;
        let later = Truth { scheduler: Scheduler::Interleaved, lanes: 64, fill, logic_seconds, ..truth };
        let missed = later.traversal_seconds() * ((0.1 * world.normal()).exp() - 1.0);
        let outcome = truth.iteration_seconds() / (later.iteration_seconds() + missed);
        covered += u32::from(projected.contains(outcome));
        widths.push(projected.high / projected.low);
    }
    assert!(covered >= 85, "{covered} of 100");
    let widest = widths.into_iter().fold(0.0, f64::max);
    assert!(widest < 1.25, "×{widest}");
}

fn advisory_of(profile: &Profile, lever: LeverId) -> Projection {
    let ensemble = Ensemble::of(profile).unwrap();
    let decisions = Decisions { model_size_chosen: true };
    let situation = Situation { profile, workload: &profile.workload, ensemble: &ensemble, decisions };
    project(&situation, &[lever.lever().effect], &Calibration::default()).unwrap()
}

/// Another engine that is exactly as fast is recommended in at most 5 of 100 measurements.
#[test]
fn a_lever_without_effect_is_hardly_ever_recommended() {
    let truth =
        Truth { scheduler: Scheduler::Interleaved, a_seconds: 400e-6, b_seconds: 20e-6, ..Truth::default() };
    let curve = Curve::Linear { a_seconds: truth.a_seconds, b_seconds_per_row: truth.b_seconds };
    let mut recommended = 0;
    for trial in 0..100 {
        let mut profile = truth.profile(trial);
        let mut noise = Stream::new(31, Purpose::Test, trial, 0, 0);
        profile.calls.push(timings(Call::Forward, Variant::Plain, "other", &curve, &mut noise));
        recommended += u32::from(judged(&profile, LeverId::SpecialisedEngine) == Verdict::Recommended);
    }
    assert!(recommended <= 5, "{recommended} of 100");
}

/// Interleaving where calls have no dispatch to share is recommended in at most 5 of 100.
#[test]
fn interleaving_without_dispatch_is_hardly_ever_recommended() {
    let truth = Truth { a_seconds: 1e-6, b_seconds: 110e-6, ..Truth::default() };
    let recommended = (0..100)
        .filter(|&trial| judged(&truth.profile(trial), LeverId::Interleaving) == Verdict::Recommended);
    assert!(recommended.count() <= 5);
}

fn judged(profile: &Profile, lever: LeverId) -> Verdict {
    let ensemble = Ensemble::of(profile).unwrap();
    let decisions = Decisions { model_size_chosen: true };
    let situation = Situation { profile, workload: &profile.workload, ensemble: &ensemble, decisions };
    Advice::of(lever.lever(), &situation, &Calibration::default()).verdict
}

#[test]
fn a_faster_engine_is_recommended_once_it_was_timed() {
    let truth =
        Truth { scheduler: Scheduler::Interleaved, a_seconds: 400e-6, b_seconds: 20e-6, ..Truth::default() };
    let mut profile = truth.profile(1);
    let Verdict::MeasureFirst { measure } = judged(&profile, LeverId::SpecialisedEngine) else { panic!() };
    assert_eq!(measure, "forward passes of another engine");
    let curve = Curve::Linear { a_seconds: 50e-6, b_seconds_per_row: 5e-6 };
    let mut noise = Stream::new(31, Purpose::Test, 0, 0, 0);
    profile.calls.push(timings(Call::Forward, Variant::Plain, "other", &curve, &mut noise));
    assert_eq!(judged(&profile, LeverId::SpecialisedEngine), Verdict::Recommended);
}

#[test]
fn the_fastest_timed_engine_is_in_force() {
    let truth =
        Truth { scheduler: Scheduler::Interleaved, a_seconds: 50e-6, b_seconds: 5e-6, ..Truth::default() };
    let mut profile = truth.profile(1);
    let slower = Curve::Linear { a_seconds: 800e-6, b_seconds_per_row: 40e-6 };
    let mut noise = Stream::new(31, Purpose::Test, 0, 0, 0);
    profile.calls.push(timings(Call::Forward, Variant::Plain, "other", &slower, &mut noise));
    assert_eq!(judged(&profile, LeverId::SpecialisedEngine), Verdict::InForce);
}

#[test]
fn of_several_engines_the_fastest_at_the_runs_own_batch_is_meant() {
    let truth = Truth { scheduler: Scheduler::Interleaved, lanes: 64, ..Truth::default() };
    let mut profile = truth.profile(1);
    assert_eq!(Ensemble::of(&profile).unwrap().other_engine, None);
    let mut noise = Stream::new(31, Purpose::Test, 0, 0, 0);
    // At 64 lanes calls hold tens of rows: dispatch counts for little.
    let engines = [("low dispatch", 1e-6, 30e-6), ("low kernel", 60e-6, 2e-6), ("neither", 500e-6, 40e-6)];
    for (name, a_seconds, b_seconds_per_row) in engines {
        let curve = Curve::Linear { a_seconds, b_seconds_per_row };
        profile.calls.push(timings(Call::Forward, Variant::Plain, name, &curve, &mut noise));
    }
    assert_eq!(Ensemble::of(&profile).unwrap().other_engine.as_deref(), Some("low kernel"));
}

#[test]
fn a_dispatch_bound_run_is_interleaved_before_its_model_grows() {
    let advisory = advisory(&Truth { workers: 4, ..Truth::default() }.profile(1));
    assert_eq!(advisory.advice[0].verdict, Verdict::Recommended);
    assert_eq!(advisory.lever(LeverId::Interleaving).verdict, Verdict::Recommended);
    // Four blocking workers and two networks: two rows a call.
    let server = advisory.lever(LeverId::Server);
    assert_eq!(server.verdict, Verdict::Slower, "{:?}", server.projection);
    for early in [LeverId::MixedPrecision, LeverId::SpecialisedEngine] {
        assert!(matches!(advisory.lever(early).verdict, Verdict::NotNow { .. }), "{early}");
    }
    assert!(matches!(advisory.lever(LeverId::TabulatedStrategy).verdict, Verdict::NotNow { .. }));
    assert_eq!(advisory.lever(LeverId::ModelSize).verdict, Verdict::Experiment);
    assert_eq!(advisory.lever(LeverId::Workers).verdict, Verdict::InForce);
    assert!(!advisory.order.contains(&LeverId::Workers));
    let place = |lever| advisory.order.iter().position(|&other| other == lever).unwrap();
    assert!(place(LeverId::Interleaving) < place(LeverId::ModelSize));
    assert!(place(LeverId::ModelSize) < place(LeverId::MixedPrecision));
}

#[test]
fn pairs_gain_more_than_their_parts_and_one_scheduler_is_enough() {
    let advisory = advisory(&Truth::default().profile(1));
    let pair = &advisory.pairs[0];
    let best = advisory.advice[0].projection.unwrap().calibrated.value;
    assert!(pair.projection.calibrated.value > best && pair.recommended, "{pair:?}");
    for pair in &advisory.pairs {
        let schedulers =
            pair.levers.iter().filter(|lever| matches!(lever.lever().effect, Effect::Schedule(_)));
        assert!(schedulers.count() < 2, "{pair:?}");
    }
}

#[test]
fn a_small_share_caps_what_an_unmeasured_lever_can_gain() {
    let mut profile = Truth { workers: 4, ..Truth::default() }.profile(1);
    for sample in &mut profile.iterations {
        sample.phases.other_seconds = 200.0;
    }
    let Verdict::NoMeasurableGain { reason } = judged(&profile, LeverId::SpecialisedEngine) else { panic!() };
    assert_eq!(reason, "at its very best ×1.01");
}

#[test]
fn the_outlook_names_what_would_change() {
    let advisory = advisory(&Truth::default().profile(1));
    assert_eq!(advisory.outlook.len(), SCENARIOS.len());
    let dense = &advisory.outlook[1];
    assert!(dense.iteration_seconds.value > advisory.iteration_seconds.value);
    assert!(dense.phases.evaluation_seconds > advisory.phases.evaluation_seconds * 4.9);
    let larger = &advisory.outlook[0];
    assert!(larger.forward_share.value > advisory.forward_share.value);
    let forward = advisory.growth[0];
    assert_eq!(forward.call, Call::Forward);
    assert!(forward.arithmetic_factor > 8.0 && forward.first_size == Some((512, 3)), "{forward:?}");
}

#[test]
fn the_ledger_has_the_last_word_on_a_levers_state() {
    use crate::ledger::{Entry, Setting};
    use crate::verify::{Drift, Observed};
    let profile = Truth::default().profile(1);
    let folder = std::env::temp_dir().join(format!("deepcfr-advise-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    let mut ledger = Ledger::open(&folder.join("levers.jsonl")).unwrap();
    let projection = advisory(&profile).lever(LeverId::Interleaving).projection.unwrap();
    let levers = vec![LeverId::Interleaving.into()];
    let (machine, config_hash) = (profile.machine.name.clone(), profile.build.config_hash.clone());
    let setting = Setting { machine, commit: None, config_hash, seeds: vec![1] };
    let speed_up = Estimate { value: 3.0, low: 2.9, high: 3.1, samples: 4 };
    let observed = Observed { speed_up, turns: 4, iterations: 12 };
    let projected =
        Entry::Projected { levers: levers.clone(), projection, setting: setting.clone(), unix_seconds: 1 };
    ledger.append(projected).unwrap();
    let drift = Drift::Identical { compared: 12 };
    ledger.append(Entry::verified(levers, projection, observed, drift, setting, 2)).unwrap();
    let question = Question { ledger: Some(&ledger), ..Question::default() };
    let later = Advisory::of(&profile, &question).unwrap();
    let advice = later.lever(LeverId::Interleaving);
    assert_eq!(advice.state, State::Verified);
    // The miss widened the interval.
    assert!(later.calibration.scale > 1.0 && later.calibration.coverage() == Some(0.0));
    let (before, after) = (projection.calibrated, advice.projection.unwrap().calibrated);
    assert!(after.low < before.low && after.high > before.high);
}

#[test]
fn the_same_profile_gives_the_same_advice() {
    let profile = Truth::default().profile(1);
    let json = |profile: &Profile| serde_json::to_string(&advisory(profile)).unwrap();
    assert_eq!(json(&profile), json(&profile));
}
