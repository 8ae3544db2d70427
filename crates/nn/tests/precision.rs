//! Fits in lower precisions: what they learn, what an overflow does, and that their weights are
//! everybody's. On the processor, which emulates the types.

mod support;

use std::sync::Arc;

use deepcfr_core::{FitContext, FitReport, Learner, Weights};
use deepcfr_nn::{
    DeviceName, Initialisation, LearnerConfig, MlpLearner, Placement, Precision, StepRule, encode_weights,
};
use support::{Memory, mlp, noisy_memory, small_config};

const CONTEXT: FitContext = FitContext { seed: 11, iteration: 10 };

/// The loss scale of a fit's first step.
const FIRST_SCALE: f64 = 65_536.0;

fn fit(config: LearnerConfig, precision: Precision, memory: &Memory) -> (Arc<Weights>, FitReport) {
    let placement = Placement { device: DeviceName::Cpu, precision };
    MlpLearner::placed(config, placement).expect("starts").fit(memory, CONTEXT).expect("fits")
}

#[test]
fn every_precision_learns_the_same_function() {
    let memory = noisy_memory(3000, 8);
    let config =
        LearnerConfig { steps: StepRule::Fixed(400), final_learning_rate: 0.0, ..small_config(memory.shape) };
    let (exact, in_f32) = fit(config.clone(), Precision::F32, &memory);
    assert_eq!(in_f32.loss_scale, None);
    for precision in [Precision::Bf16, Precision::F16] {
        let (weights, report) = fit(config.clone(), precision, &memory);
        assert_ne!(encode_weights(&weights), encode_weights(&exact), "{precision:?} computes in f32");
        assert!((report.loss / in_f32.loss - 1.0).abs() < 0.05, "{precision:?}: {report:?}, {in_f32:?}");
        assert_eq!(report.loss_scale.is_some(), precision == Precision::F16);
    }
}

/// One row a step whose error of one unit is a gradient of 2 at the outputs: times 65,536 it is beyond
/// the largest half float.
#[test]
fn an_overflow_halves_the_scale_skips_the_step_is_counted_and_training_recovers() {
    let memory = noisy_memory(300, 8);
    let config = LearnerConfig { steps: StepRule::Fixed(150), batch_size: 1, ..small_config(memory.shape) };
    let (weights, report) = fit(config.clone(), Precision::F16, &memory);
    let scale = report.loss_scale.expect("losses are scaled in f16");
    assert!(report.skipped > 0, "{report:?}");
    assert_eq!(report.steps + report.skipped, 150);
    assert_eq!(scale, FIRST_SCALE / 2f64.powi(report.skipped as i32), "{report:?}");
    assert!(report.skipped < 15, "after a few overflows the scale fits: {report:?}");
    assert!(mlp(&weights).layers.iter().all(|dense| dense.weight.iter().all(|value| value.is_finite())));
    // As good as the fit that never overflowed, up to the luck of its last 15 rows.
    let (_, in_f32) = fit(config, Precision::F32, &memory);
    assert_eq!(in_f32.skipped, 0);
    assert!(report.loss < 2.0 * in_f32.loss + 0.1, "{report:?}, {in_f32:?}");
}

#[test]
fn a_target_that_is_not_finite_halves_the_scale_too() {
    let mut memory = noisy_memory(200, 20);
    memory.targets[0] = f32::INFINITY;
    let config = LearnerConfig { steps: StepRule::Fixed(40), batch_size: 8, ..small_config(memory.shape) };
    let (_, report) = fit(config, Precision::F16, &memory);
    assert!(report.skipped > 0, "{report:?}");
    assert!(report.loss_scale.expect("scaled") < FIRST_SCALE, "{report:?}");
}

#[test]
fn what_is_saved_under_one_precision_goes_on_under_any() {
    let memory = noisy_memory(500, 50);
    let config = LearnerConfig {
        initialisation: Initialisation::WarmStart,
        steps: StepRule::Fixed(30),
        ..small_config(memory.shape)
    };
    let started = |precision| {
        MlpLearner::placed(config.clone(), Placement { device: DeviceName::Cpu, precision }).expect("starts")
    };
    for first in Precision::ALL {
        let mut begun = started(first);
        let (_, before) = begun.fit(&memory, CONTEXT).expect("fits");
        let saved = begun.save().expect("saves");
        for second in Precision::ALL {
            let mut resumed = started(second);
            resumed.restore(&saved).expect("restores");
            assert_eq!(resumed.save().expect("saves"), saved, "{first:?} to {second:?}");
            let (_, after) = resumed.fit(&memory, FitContext { iteration: 11, ..CONTEXT }).expect("fits");
            assert!(
                after.loss < before.loss,
                "{first:?} to {second:?}: {} after {}",
                after.loss,
                before.loss
            );
        }
    }
}
