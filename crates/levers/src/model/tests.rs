//! The cost model on simulated profiles, and against measured figures.

use super::*;
use crate::fit::NetworkShape;
use crate::law::Scheduler;
use crate::simulation::{Truth, network};

#[test]
fn an_ensemble_reproduces_the_run_that_it_was_measured_on() {
    for scheduler in Scheduler::ALL {
        let truth = Truth { scheduler, ..Truth::default() };
        let ensemble = Ensemble::of(&truth.profile(3)).unwrap();
        let seconds = ensemble.estimate(Costs::iteration_seconds);
        let expected = truth.iteration_seconds();
        assert!((seconds.value / expected - 1.0).abs() < 0.03, "{scheduler}: {seconds:?} against {expected}");
        assert!(seconds.contains(expected) && seconds.high / seconds.low < 1.15, "{scheduler}: {seconds:?}");
    }
}

/// What interleaving gains is what the true device says, whichever share calls have.
#[test]
fn interleaving_gains_what_the_device_allows() {
    for a_seconds in [5e-6, 100e-6, 400e-6] {
        let truth = Truth { a_seconds, ..Truth::default() };
        let before = Ensemble::of(&truth.profile(1)).unwrap();
        let after = before.after(&[Change::Schedule(Scheduler::Interleaved, 32.0)]).unwrap();
        let gain = before.speed_up(&after);
        let later = Truth { scheduler: Scheduler::Interleaved, lanes: 32, fill: 0.85, ..truth };
        let expected = truth.iteration_seconds() / later.iteration_seconds();
        assert!(gain.contains(expected), "a = {a_seconds}: {gain:?} against {expected}");
    }
}

/// Blocking workers on a server: batches of two rows do not pay for serving one after the other.
#[test]
fn a_server_for_blocking_workers_loses() {
    let before = Ensemble::of(&Truth { workers: 4, ..Truth::default() }.profile(1)).unwrap();
    let after = before.after(&[Change::Schedule(Scheduler::Server, 1.0)]).unwrap();
    assert!(before.speed_up(&after).high < 1.0, "{:?}", before.speed_up(&after));
}

/// Forward passes of 512×3 and 1024×6 on a 2-core CPU (microseconds a row, as the predecessor published
/// them): the larger network's times follow from the smaller one's.
#[test]
fn a_larger_network_is_predicted_from_a_smaller_one() {
    let small = [(1, 308.0), (16, 102.0), (64, 58.0), (256, 47.0), (1024, 45.0)];
    let large = [(1, 2613.0), (16, 678.0), (64, 437.0), (256, 359.0), (1024, 361.0)];
    let mut profile = Truth::default().profile(1);
    for calls in profile.calls.iter_mut().filter(|calls| calls.call == crate::profile::Call::Forward) {
        let blocks = 0..5;
        calls.timings = blocks.flat_map(|block| small.map(|point| timing(block, point))).collect();
    }
    profile.workload.network = NetworkShape { features: 365, actions: 22, hidden_size: 512, num_layers: 3 };
    profile.calls.iter_mut().for_each(|calls| calls.network = profile.workload.network);
    let before = Ensemble::of(&profile).unwrap();
    let shape = NetworkShape { hidden_size: 1024, num_layers: 6, ..profile.workload.network };
    let after = before.after(&[Change::Network(shape)]).unwrap();
    for (rows, us) in large {
        let rows = f64::from(rows);
        let per_row =
            after.estimate(|costs| costs.calls.forward.as_ref().unwrap().seconds(rows) / rows * 1e6);
        assert!(per_row.contains(us), "batch {rows}: {per_row:?} against {us}");
        assert!(per_row.high / per_row.low < 3.0, "{per_row:?}");
    }
}

fn timing(block: u32, (rows, us): (u32, f64)) -> crate::fit::Timing {
    let seconds = us * f64::from(rows) * 1e-6 * (1.0 + 0.01 * f64::from(block));
    crate::fit::Timing { block, rows, seconds, enqueue_seconds: None }
}

#[test]
fn a_shape_that_was_timed_is_not_guessed() {
    let truth = Truth::default();
    let mut profile = truth.profile(1);
    let shape = NetworkShape { hidden_size: 128, ..network() };
    for mut calls in profile.calls.clone() {
        calls.network = shape;
        calls.timings.iter_mut().for_each(|timing| timing.seconds *= 3.0);
        profile.calls.push(calls);
    }
    let before = Ensemble::of(&profile).unwrap();
    let after = before.after(&[Change::Network(shape)]).unwrap();
    let ratio =
        |ensemble: &Ensemble| ensemble.estimate(|costs| costs.calls.forward.as_ref().unwrap().seconds(8.0));
    assert!((ratio(&after).value / ratio(&before).value - 3.0).abs() < 1e-6);
    let training = |ensemble: &Ensemble| ensemble.estimate(|costs| costs.advantage.seconds).value;
    assert!((training(&after) / training(&before) - 3.0).abs() < 1e-6);
}

/// On the way to a timed size, a what-if guesses at none that was not.
#[test]
fn width_and_depth_are_one_change() {
    let mut profile = Truth::default().profile(1);
    let shape = NetworkShape { hidden_size: 128, num_layers: 5, ..network() };
    for mut calls in profile.calls.clone() {
        calls.network = shape;
        profile.calls.push(calls);
    }
    let before = Ensemble::of(&profile).unwrap();
    assert!(before.has_timed(shape) && !before.has_timed(NetworkShape { num_layers: 3, ..shape }));
    let expected = before.after(&[Change::Network(shape)]).unwrap();
    for text in
        ["network.hidden_size=128,network.num_layers=5", "network.num_layers=5,network.hidden_size=128"]
    {
        let (after, load) = WhatIf::parse(text).unwrap().apply(&before, &profile.workload).unwrap();
        assert_eq!(load.network, shape);
        let seconds = |ensemble: &Ensemble| ensemble.estimate(|costs| costs.advantage.seconds);
        assert_eq!(seconds(&after), seconds(&expected), "{text}");
        assert_eq!(before.speed_up(&after), before.speed_up(&expected), "{text}");
    }
}

#[test]
fn evaluation_scales_with_games_and_spacing() {
    let truth = Truth::default();
    let profile = truth.profile(1);
    let what_if = WhatIf::parse("evaluation.every = 1, evaluation.games=1000").unwrap();
    let before = Ensemble::of(&profile).unwrap();
    let (after, load) = what_if.apply(&before, &profile.workload).unwrap();
    let seconds = |ensemble: &Ensemble| ensemble.estimate(|costs| costs.evaluation.seconds()).value;
    let games = 1000.0 / f64::from(profile.workload.evaluation.games);
    let every = f64::from(profile.workload.evaluation.every_iterations);
    assert!((seconds(&after) / seconds(&before) - games * every).abs() < 1e-9 * games * every);
    assert_eq!((load.evaluation.every_iterations, load.evaluation.games), (1, 1000));
    assert_eq!(what_if.to_string(), "evaluation.every = 1, evaluation.games = 1000");
}

#[test]
fn a_what_if_that_cannot_be_answered_says_why() {
    let error = |text: &str| WhatIf::parse(text).unwrap_err().to_string();
    assert_eq!(error("network.hidden_size"), "`network.hidden_size` is not key=value");
    assert!(error("run.seed=3").starts_with("the cost model does not know `run.seed`; it knows network."));
    assert_eq!(error("traversal.lanes=0"), "traversal.lanes = `0` is not a whole number above 0");
    assert_eq!(error("traversal.scheduler=fast"), "traversal.scheduler = `fast` is not a scheduler");
    let mut profile = Truth::default().profile(1);
    profile.calls.retain(|calls| calls.call == crate::profile::Call::Forward);
    let ensemble = Ensemble::of(&profile).unwrap();
    let larger = WhatIf::parse("network.num_layers=6").unwrap();
    let refusal = larger.apply(&ensemble, &profile.workload).unwrap_err().to_string();
    assert!(refusal.contains("timed forward passes and training steps"), "{refusal}");
}

#[test]
fn more_lanes_than_traversals_change_nothing() {
    let truth = Truth { scheduler: Scheduler::Interleaved, lanes: 16, ..Truth::default() };
    let mut profile = truth.profile(1);
    profile.workload.traversal.traversals_per_player = 16 * profile.workload.traversal.workers;
    let before = Ensemble::of(&profile).unwrap();
    let after = before.after(&[Change::Lanes(512.0)]).unwrap();
    assert_eq!(before.speed_up(&after).value, 1.0);
}

#[test]
fn a_profile_without_timed_calls_keeps_its_seconds_and_projects_nothing() {
    let mut profile = Truth::default().profile(1);
    profile.calls.clear();
    let ensemble = Ensemble::of(&profile).unwrap();
    let expected = Truth::default().iteration_seconds();
    assert!((ensemble.estimate(Costs::iteration_seconds).value / expected - 1.0).abs() < 0.05);
    assert!(ensemble.after(&[Change::Schedule(Scheduler::Interleaved, 8.0)]).is_none());
    assert!(ensemble.after(&[Change::Rows(2.0)]).is_some());
}

/// A server behind interleaved workers, from a run that interleaves: the true overlap is 0.8.
#[test]
fn a_server_behind_interleaved_workers_is_projected_from_interleaving() {
    for a_seconds in [50e-6, 400e-6] {
        let truth = Truth { scheduler: Scheduler::Interleaved, workers: 3, a_seconds, ..Truth::default() };
        let before = Ensemble::of(&truth.profile(1)).unwrap();
        let after = before.after(&[Change::Schedule(Scheduler::InterleavedServer, 32.0)]).unwrap();
        let gain = before.speed_up(&after);
        let later = Truth { scheduler: Scheduler::InterleavedServer, ..truth };
        let expected = truth.iteration_seconds() / later.iteration_seconds();
        assert!(gain.contains(expected), "a = {a_seconds}: {gain:?} against {expected}");
    }
}

#[test]
fn workers_that_do_not_disturb_each_other_share_the_traversal() {
    let mut profile = Truth::default().profile(1);
    let quantity = crate::profile::Quantity::WorkerContention;
    profile.effects.push(crate::profile::MeasuredEffect { quantity, ratios: vec![1.0; 3] });
    let before = Ensemble::of(&profile).unwrap();
    let traversal = |ensemble: &Ensemble| ensemble.estimate(|costs| costs.phases().traversal_seconds).value;
    let four = before.after(&[Change::Workers(4.0)]).unwrap();
    assert!((traversal(&before) / traversal(&four) - 2.0).abs() < 0.02);
    // There are four cores: eight workers take turns.
    let eight = before.after(&[Change::Workers(8.0)]).unwrap();
    assert!((traversal(&before) / traversal(&eight) - 2.0).abs() < 0.02);
    // What was not measured is a range below that.
    let assumed = Ensemble::of(&Truth::default().profile(1)).unwrap();
    let gain = traversal(&assumed) / traversal(&assumed.after(&[Change::Workers(4.0)]).unwrap());
    assert!((1.4..1.9).contains(&gain), "{gain}");
}

/// Without calls a traversal of 40,000 rows by two workers of 15 µs a row takes 0.3 s.
#[test]
fn a_table_leaves_the_logic() {
    let before = Ensemble::of(&Truth::default().profile(1)).unwrap();
    let after = before.after(&[Change::Tabulate(500.0)]).unwrap();
    let traversal = after.estimate(|costs| costs.phases().traversal_seconds);
    // 2 networks × 500 infosets in calls of 256 rows: about 11 ms of two workers.
    assert!(traversal.contains(0.305) && traversal.high / traversal.low < 1.8, "{traversal:?}");
}

#[test]
fn evaluation_in_batches_pays_for_the_dispatch_of_one_call() {
    // 200 games of 20 rows, one a call of 110 µs: 0.44 s of 2 s; in calls of 64 rows 11.6 µs a row.
    let before = Ensemble::of(&Truth::default().profile(1)).unwrap();
    let after = before.after(&[Change::EvaluationBatch(64.0)]).unwrap();
    let each = after.estimate(|costs| costs.evaluation.seconds_each);
    let expected = 2.0 - 4000.0 * (110e-6 - 11.6e-6);
    assert!(
        each.contains(expected) && (each.value / expected - 1.0).abs() < 0.05,
        "{each:?} against {expected}"
    );
    let again = after.after(&[Change::EvaluationBatch(64.0)]).unwrap();
    assert_eq!(after.speed_up(&again).value, 1.0);
}

/// The simulated step is 300 µs + 2 µs a sample: 812 µs at 256, 1324 µs at 512.
#[test]
fn half_the_steps_of_twice_the_batch_save_dispatch() {
    let before = Ensemble::of(&Truth::default().profile(1)).unwrap();
    let after = before.after(&[Change::TrainingBatch(512.0), Change::TrainingSteps(0.5)]).unwrap();
    let training = |ensemble: &Ensemble| ensemble.estimate(|costs| costs.advantage.seconds).value;
    let ratio = training(&after) / training(&before);
    assert!((ratio / (1324.0 / 812.0 / 2.0) - 1.0).abs() < 0.05, "{ratio}");
    let assembly = |ensemble: &Ensemble| ensemble.estimate(|costs| costs.batch_assembly_seconds).value;
    assert!((assembly(&after) / assembly(&before) - 1.0).abs() < 1e-9);
}

#[test]
fn an_accelerator_is_never_faster_than_its_kernels() {
    let mut profile = Truth { scheduler: Scheduler::Interleaved, ..Truth::default() }.profile(1);
    profile.workload.traversal.device = crate::profile::Device::Accelerator;
    let before = Ensemble::of(&profile).unwrap();
    let many = before.after(&[Change::Workers(4.0), Change::Lanes(200.0)]).unwrap();
    let traversal = many.estimate(|costs| costs.phases().traversal_seconds);
    // 40,000 rows of 10 µs on one device.
    assert!(traversal.value > 0.38, "{traversal:?}");
}
