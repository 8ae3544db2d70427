//! Fits through the public API: what is learnt, and that it repeats.

mod support;

use deepcfr_core::{FitContext, FitReport, LearnError, Learner, RowKey, TableWeights, Weights};
use deepcfr_nn::{
    Initialisation, LearnerConfig, Loss, MlpLearner, OptimizerKind, StepRule, Weighting, decode_weights,
    encode_weights,
};
use support::{Memory, forward_f64, mlp, noisy_memory, small_config};

const CONTEXT: FitContext = FitContext { seed: 11, iteration: 10 };

fn fit(config: LearnerConfig, memory: &Memory) -> (Weights, FitReport) {
    let (weights, report) = MlpLearner::new(config).expect("starts").fit(memory, CONTEXT).expect("fits");
    ((*weights).clone(), report)
}

/// The weighted mean targets of legal actions, by distinct row: what a perfect fit outputs.
fn weighted_means(memory: &Memory) -> Vec<(Vec<f32>, Vec<Option<f64>>)> {
    let mut rows: Vec<(Vec<f32>, Vec<Option<f64>>, f64)> = Vec::new();
    for (index, meta) in memory.metas.iter().enumerate() {
        let features = &memory.features[index * 4..][..4];
        let at = rows.iter().position(|(row, ..)| row == features).unwrap_or_else(|| {
            let legal = (0..3).map(|action| meta.legal.contains(action).then_some(0.0));
            rows.push((features.to_vec(), legal.collect(), 0.0));
            rows.len() - 1
        });
        let weight = f64::from(meta.iteration);
        rows[at].2 += weight;
        for (sum, &target) in rows[at].1.iter_mut().zip(&memory.targets[index * 3..][..3]) {
            *sum = sum.map(|sum| sum + weight * f64::from(target));
        }
    }
    let divide = |(row, sums, weight): (Vec<f32>, Vec<Option<f64>>, f64)| {
        (row, sums.into_iter().map(|sum| sum.map(|sum| sum / weight)).collect())
    };
    rows.into_iter().map(divide).collect()
}

#[test]
fn advantages_are_learnt_in_points() {
    let memory = noisy_memory(3000, 8);
    let config = LearnerConfig {
        merge_duplicates: true,
        steps: StepRule::Fixed(3000),
        final_learning_rate: 0.0,
        ..small_config(memory.shape)
    };
    let (weights, report) = fit(config, &memory);
    assert_eq!((report.distinct_rows, report.steps, report.skipped), (8, 3000, 0));
    assert!(report.target_rms > 3.0 && report.target_rms < 10.0, "{}", report.target_rms);
    for (row, means) in weighted_means(&memory) {
        for (output, mean) in forward_f64(mlp(&weights), &row).into_iter().zip(means) {
            let mean = mean.unwrap_or(output);
            assert!((output - mean).abs() < 0.1, "output {output}, weighted mean {mean}");
        }
    }
}

#[test]
fn the_unit_of_the_targets_only_scales_the_output() {
    let memory = noisy_memory(300, 20);
    let mut larger = noisy_memory(300, 20);
    larger.targets.iter_mut().for_each(|target| *target *= 1024.0);
    for merge_duplicates in [false, true] {
        let config = LearnerConfig { merge_duplicates, ..small_config(memory.shape) };
        let ((points, _), (units, _)) = (fit(config.clone(), &memory), fit(config, &larger));
        assert_eq!(mlp(&points).layers, mlp(&units).layers);
        assert_eq!(mlp(&points).output_scale * 1024.0, mlp(&units).output_scale);
    }
}

#[test]
fn a_warm_start_keeps_its_function_when_the_unit_changes() {
    let mut memory = noisy_memory(300, 20);
    let config = LearnerConfig { initialisation: Initialisation::WarmStart, ..small_config(memory.shape) };
    let mut learner =
        MlpLearner::new(LearnerConfig { steps: StepRule::Fixed(50), ..config.clone() }).expect("starts");
    let (before, _) = learner.fit(&memory, CONTEXT).expect("fits");
    memory.targets.iter_mut().for_each(|target| *target *= 7.0);
    let mut idle = MlpLearner::new(LearnerConfig { steps: StepRule::Fixed(0), ..config }).expect("starts");
    idle.restore(&learner.save().expect("saves")).expect("restores");
    let (after, report) = idle.fit(&memory, CONTEXT).expect("fits");
    assert_eq!(report.steps, 0);
    assert_ne!(mlp(&before).output_scale, mlp(&after).output_scale);
    let row = [0.25, 1.0, 3.0, 1.0];
    for (before, after) in forward_f64(mlp(&before), &row).iter().zip(forward_f64(mlp(&after), &row)) {
        assert!((before - after).abs() < 1e-5 * before.abs().max(1.0), "{before}, {after}");
    }
}

#[test]
fn strategies_are_learnt_by_both_losses() {
    let mut memory = Memory::new(2, 3);
    for sample in 0..400 {
        let pure = if sample % 4 == 0 { [1.0, 0.0, 0.0] } else { [0.0, 1.0, 0.0] };
        memory.push(&[0, 1], 1, &[1.0, 0.0], &pure);
        memory.push(&[0, 1, 2], 1, &[0.0, 1.0], &[0.2, 0.3, 0.5]);
    }
    for (loss, merge_duplicates) in
        [(Loss::StrategyCrossEntropy, false), (Loss::StrategyMse, false), (Loss::StrategyMse, true)]
    {
        let config = LearnerConfig {
            loss,
            merge_duplicates,
            steps: StepRule::Fixed(1500),
            batch_size: 800,
            ..small_config(memory.shape)
        };
        let (weights, _) = fit(config, &memory);
        for (row, expected) in [([1.0, 0.0], vec![0.25, 0.75]), ([0.0, 1.0], vec![0.2, 0.3, 0.5])] {
            let logits = forward_f64(mlp(&weights), &row);
            let powers: Vec<f64> = logits[..expected.len()].iter().map(|logit| logit.exp()).collect();
            for (power, expected) in powers.iter().zip(&expected) {
                let probability = power / powers.iter().sum::<f64>();
                assert!((probability - expected).abs() < 0.01, "{loss:?}: {probability}, {expected}");
            }
        }
    }
}

#[test]
fn threads_do_not_change_a_bit() {
    let memory = noisy_memory(2000, 500);
    for merge_duplicates in [false, true] {
        let config = |threads| LearnerConfig {
            hidden_size: 256,
            batch_size: 256,
            steps: StepRule::Fixed(8),
            merge_duplicates,
            threads,
            assemble_ahead: threads > 1,
            ..small_config(memory.shape)
        };
        let (one, two) = (fit(config(1), &memory), fit(config(2), &memory));
        assert_eq!(encode_weights(&one.0), encode_weights(&two.0));
        assert_eq!((one.1.loss, one.1.grad_norm), (two.1.loss, two.1.grad_norm));
    }
}

#[test]
fn seeds_iterations_and_nets_change_the_fit() {
    let memory = noisy_memory(300, 100);
    let config = LearnerConfig { steps: StepRule::Fixed(2), ..small_config(memory.shape) };
    let with = |context| {
        let mut learner = MlpLearner::new(config.clone()).expect("starts");
        encode_weights(&learner.fit(&memory, context).expect("fits").0)
    };
    let base = with(CONTEXT);
    assert_eq!(base, with(CONTEXT));
    assert_ne!(base, with(FitContext { seed: 12, ..CONTEXT }));
    assert_ne!(base, with(FitContext { iteration: 11, ..CONTEXT }));
}

#[test]
fn a_restored_warm_start_continues_bit_for_bit() {
    let memory = noisy_memory(500, 50);
    for optimizer in [OptimizerKind::Adam, OptimizerKind::AdamW { weight_decay: 0.01 }] {
        let config = LearnerConfig {
            initialisation: Initialisation::WarmStart,
            steps: StepRule::Fixed(20),
            optimizer,
            ..small_config(memory.shape)
        };
        let mut whole = MlpLearner::new(config.clone()).expect("starts");
        whole.fit(&memory, CONTEXT).expect("fits");
        let mut resumed = MlpLearner::new(config).expect("starts");
        resumed.restore(&whole.save().expect("saves")).expect("restores");
        let next = FitContext { iteration: 11, ..CONTEXT };
        let (expected, got) =
            (whole.fit(&memory, next).expect("fits"), resumed.fit(&memory, next).expect("fits"));
        assert_eq!(encode_weights(&expected.0), encode_weights(&got.0));
        assert_eq!(whole.save(), resumed.save());
    }
}

#[test]
fn foreign_and_damaged_states_are_refused() {
    let memory = noisy_memory(100, 10);
    let config = LearnerConfig {
        initialisation: Initialisation::WarmStart,
        steps: StepRule::Fixed(1),
        ..small_config(memory.shape)
    };
    let mut learner = MlpLearner::new(config.clone()).expect("starts");
    learner.fit(&memory, CONTEXT).expect("fits");
    let bytes = learner.save().expect("saves");
    let mut wider = MlpLearner::new(LearnerConfig { hidden_size: 17, ..config }).expect("starts");
    assert!(matches!(wider.restore(&bytes), Err(LearnError::State { .. })));
    for len in [0, 7, 20, bytes.len() - 1] {
        assert!(matches!(learner.restore(&bytes[..len]), Err(LearnError::State { .. })));
    }
    learner.restore(&bytes).expect("whole bytes are fine");
}

#[test]
fn steps_that_are_not_finite_are_counted_and_skipped() {
    let mut memory = noisy_memory(200, 20);
    memory.targets[0] = f32::INFINITY;
    let config = LearnerConfig { steps: StepRule::Fixed(40), batch_size: 8, ..small_config(memory.shape) };
    let (weights, report) = fit(config.clone(), &memory);
    assert!(report.skipped > 0 && report.steps > 20, "{report:?}");
    assert_eq!(report.skipped + report.steps, 40);
    assert!(mlp(&weights).layers.iter().all(|dense| dense.weight.iter().all(|value| value.is_finite())));

    let all = LearnerConfig { batch_size: 200, ..config };
    let failed = MlpLearner::new(all).expect("starts").fit(&memory, CONTEXT).map(|_| ());
    assert_eq!(failed, Err(LearnError::NeverFinite { steps: 40 }));
}

#[test]
fn a_fit_without_steps_ends_with_the_fresh_network() {
    let memory = noisy_memory(50, 8);
    let none = LearnerConfig {
        steps: StepRule::Fixed(0),
        weighting: Weighting::Uniform,
        ..small_config(memory.shape)
    };
    let (fresh, other) = (none.fresh_network(7), none.fresh_network(8));
    let context = FitContext { seed: 7, iteration: 0 };
    let (weights, _) = MlpLearner::new(none).expect("starts").fit(&memory, context).expect("fits");
    assert_eq!(mlp(&weights).layers, fresh.layers);
    assert_eq!(fresh.output_scale, 1.0);
    assert_ne!(other.layers, fresh.layers);
}

#[test]
fn an_empty_memory_is_refused() {
    let memory = Memory::new(4, 3);
    let mut learner = MlpLearner::new(small_config(memory.shape)).expect("starts");
    assert_eq!(learner.fit(&memory, CONTEXT).map(|_| ()), Err(LearnError::NoSamples));
}

#[test]
fn tables_survive_their_bytes() {
    let rows =
        [[0.0, 1.0], [2.0, -3.0], [0.5, 0.0]].iter().map(|row| (RowKey::new(row), Box::from([row[1]])));
    let table = Weights::Table(TableWeights { inputs: 2, outputs: 1, rows: rows.collect() });
    let bytes = encode_weights(&table);
    assert_eq!(decode_weights(&bytes), Ok(table.clone()));
    assert_eq!(bytes, encode_weights(&decode_weights(&bytes).expect("whole")));
}

#[test]
fn weights_survive_their_bytes() {
    let memory = noisy_memory(100, 10);
    let (weights, _) = fit(small_config(memory.shape), &memory);
    let bytes = encode_weights(&weights);
    assert_eq!(decode_weights(&bytes), Ok(weights));
    assert!(decode_weights(&bytes[..bytes.len() - 1]).is_err());
    assert!(decode_weights(&[&bytes[..], &[0]].concat()).is_err());
}
