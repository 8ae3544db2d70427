//! The catalogue is complete and its preconditions read what was measured.

use super::*;
use crate::fit::Curve;
use crate::model::Ensemble;
use crate::profile::{Profile, Variant};
use crate::simulation::Truth;

fn check(profile: &Profile, precondition: Precondition) -> Check {
    let ensemble = Ensemble::of(profile).unwrap();
    let decisions = Decisions::default();
    let workload = &profile.workload;
    precondition.check(&Situation { profile, workload, ensemble: &ensemble, decisions })
}

fn met(profile: &Profile, precondition: Precondition) -> bool {
    matches!(check(profile, precondition), Check::Met { .. })
}

#[test]
fn every_lever_has_one_entry_and_is_found_by_name() {
    for lever in CATALOGUE {
        assert_eq!(CATALOGUE.iter().filter(|other| other.id == lever.id).count(), 1, "{}", lever.id);
        assert_eq!(LeverId::parse(&lever.id.to_string()), Some(lever.id));
        assert_eq!(lever.id.lever().title, lever.title);
    }
    assert_eq!(LeverId::parse("a-after-b"), None);
    assert_eq!(CATALOGUE.len(), LeverId::TrainingBatch as usize + 1);
}

/// The default configuration lists every key.
#[test]
fn every_lever_is_pulled_by_keys_that_the_configuration_has() {
    let configuration = include_str!("../../../../configs/default.toml");
    for lever in CATALOGUE {
        assert!(!lever.keys.is_empty(), "{}", lever.id);
        for key in lever.keys {
            let (section, name) = key.split_once('.').unwrap();
            let after = configuration.split_once(&format!("\n[{section}]\n")).unwrap().1;
            let section = after.split("\n[").next().unwrap();
            let there =
                section.lines().any(|line| line.trim_start_matches("# ").starts_with(&format!("{name} =")));
            assert!(there, "{}: {key}", lever.id);
        }
    }
}

#[test]
fn kernel_and_dispatch_shares_decide_instead_of_model_sizes() {
    // Recursive: one row a call, of which 100 of 110 µs are dispatch.
    let dispatch = Truth::default().profile(1);
    assert!(met(&dispatch, Precondition::ForwardNotKernelBound));
    // The simulated training step of 256 rows is 300 µs dispatch and 512 µs kernel.
    let Check::Met { evidence } = check(&dispatch, Precondition::KernelCounts) else { panic!() };
    assert!(evidence.contains("training step of 256 rows 6"), "{evidence}");
    assert!(met(&dispatch, Precondition::StepDispatchCounts));
}

#[test]
fn a_kernel_bound_forward_pass_stops_interleaving() {
    let kernel = Truth { a_seconds: 2e-6, b_seconds: 100e-6, ..Truth::default() }.profile(1);
    let Check::NotMet { reason } = check(&kernel, Precondition::ForwardNotKernelBound) else { panic!() };
    assert!(reason.starts_with("a forward pass of 1.0 rows is kernel-bound ("), "{reason}");
    let mut untimed = kernel;
    untimed.calls.clear();
    let unknown = check(&untimed, Precondition::ForwardNotKernelBound);
    assert_eq!(unknown, Check::Unknown { measure: "forward passes at several batch sizes" });
}

#[test]
fn the_in_flight_law_decides_what_a_server_can_reach() {
    let two = Truth::default().profile(1);
    let server = Precondition::ReachableBatch { scheduler: Scheduler::Server, times: 2.0 };
    let Check::NotMet { reason } = check(&two, server) else { panic!() };
    assert_eq!(reason, "2 workers × 1 row / 2.0 networks: at most 1.0 rows a call, against 1.0 now");
    assert!(met(&Truth { workers: 8, ..Truth::default() }.profile(1), server));
}

#[test]
fn facts_of_the_workload_are_checked() {
    let mut profile = Truth { scheduler: Scheduler::Interleaved, ..Truth::default() }.profile(1);
    assert!(met(&profile, Precondition::SpareCores) && met(&profile, Precondition::SpareTraversals));
    assert!(met(&profile, Precondition::MemoryFree) && met(&profile, Precondition::Evaluates));
    assert!(!met(&profile, Precondition::Accelerator) && !met(&profile, Precondition::InfosetsAtMost(10)));
    assert!(!met(&profile, Precondition::ModelSizeChosen));
    profile.workload.infosets = Some(9);
    profile.workload.traversal.workers = 4;
    profile.workload.memory.capacity_rows = 1 << 40;
    profile.workload.evaluation.every_iterations = 0;
    assert!(met(&profile, Precondition::InfosetsAtMost(10)) && !met(&profile, Precondition::SpareCores));
    assert!(!met(&profile, Precondition::MemoryFree) && !met(&profile, Precondition::Evaluates));
    profile.machine.memory_bytes = None;
    assert_eq!(
        check(&profile, Precondition::MemoryFree),
        Check::Unknown { measure: "the memory that a run may use" }
    );
}

#[test]
fn what_was_not_timed_is_named() {
    let profile = Truth::default().profile(1);
    let ensemble = Ensemble::of(&profile).unwrap();
    let decisions = Decisions::default();
    let situation =
        Situation { profile: &profile, workload: &profile.workload, ensemble: &ensemble, decisions };
    let half = Effect::MixedPrecision;
    assert!(half.unmeasured(&situation).unwrap().starts_with("calls in mixed precision"));
    assert_eq!(Effect::Schedule(Scheduler::Interleaved).unmeasured(&situation), None);
    let mut timed = profile.clone();
    let mut noise = deepcfr_core::Stream::new(1, deepcfr_core::Purpose::Test, 0, 0, 0);
    let curve = Curve::Linear { a_seconds: 1e-4, b_seconds_per_row: 5e-6 };
    let call = crate::profile::Call::Forward;
    timed.calls.push(crate::simulation::timings(call, Variant::MixedPrecision, "native", &curve, &mut noise));
    let ensemble = Ensemble::of(&timed).unwrap();
    let situation = Situation { profile: &timed, workload: &timed.workload, ensemble: &ensemble, decisions };
    assert_eq!(half.unmeasured(&situation), None);
    // Only what was timed in the variant changes.
    assert_eq!(half.changes(&situation), [Change::Forward(Alternative::MixedPrecision)]);
}
