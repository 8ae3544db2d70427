//! Gradients and batches, checked from the inside: against finite differences and by counting.

use std::sync::atomic::{AtomicUsize, Ordering};

use burn::tensor::Device;
use deepcfr_core::{
    Activation, Dense, Edition, FitContext, NetId, Purpose, SampleMeta, SampleShape, SampleSource, Stream,
};

use super::ahead::ahead;
use super::batch::{Batch, Batches};
use super::initial::initial_layers;
use super::loss::DeviceBatch;
use super::merge::KnownRows;
use super::{LearnerConfig, Loss};
use crate::device::Precision;
use crate::network::Network;

const SHAPE: SampleShape = SampleShape { num_features: 3, num_actions: 4 };
const CONTEXT: FitContext = FitContext { seed: 5, iteration: 10 };
const LOSSES: [Loss; 3] = [Loss::AdvantageMse, Loss::StrategyCrossEntropy, Loss::StrategyMse];

/// Samples on six distinct rows: action 3 is never legal, action 2 on every other row. Targets are
/// distributions, so that they suit every loss.
struct Memory(usize);

impl SampleSource for Memory {
    fn shape(&self) -> SampleShape {
        SHAPE
    }

    fn len(&self) -> usize {
        self.0
    }

    fn read(&self, index: usize, features: &mut [f32], targets: &mut [f32]) -> SampleMeta {
        let row = index % 7 % 6;
        features.copy_from_slice(&[row as f32 / 3.0 - 1.0, (row % 2) as f32, 0.5]);
        let first = (1 + index % 5) as f32 / 10.0;
        let last = if row % 2 == 1 { 0.3 } else { 0.0 };
        targets.copy_from_slice(&[first, 1.0 - first - last, last, 0.0]);
        let legal: &[u16] = if row % 2 == 1 { &[0, 1, 2] } else { &[0, 1] };
        SampleMeta { legal: legal.iter().copied().collect(), iteration: 1 + index as u32 % 10 }
    }
}

fn config(loss: Loss, merge_duplicates: bool, batch_size: usize) -> LearnerConfig {
    LearnerConfig {
        net: NetId(1),
        activation: Activation::Gelu,
        loss,
        gradient_clip: None,
        batch_size,
        merge_duplicates,
        ..LearnerConfig::plain(SHAPE, 5, 1)
    }
}

fn plan<'a>(memory: &'a dyn SampleSource, config: &'a LearnerConfig) -> Batches<'a> {
    Batches::new(memory, config, CONTEXT, &mut KnownRows::default())
}

fn next_batch(batches: &mut Batches<'_>, step: usize) -> Batch {
    let mut batch = Batch::default();
    batches.put(step, &mut batch);
    batch
}

fn loss_and_gradient(config: &LearnerConfig, layers: &[Dense], batch: &Batch) -> (f64, Vec<Vec<f32>>) {
    let device = Device::flex().autodiff();
    let network = Network::new(layers, config.activation, Precision::F32, &device);
    let batch = DeviceBatch::new(batch.clone(), SHAPE.num_features, SHAPE.num_actions, &device);
    let outputs = network.forward(batch.features.clone());
    let loss = batch.loss(config.loss, outputs);
    let gradient = network.gradient(&loss);
    (f64::from(loss.into_scalar::<f32>()), gradient)
}

/// The loss by its definition, in double precision, for a network without hidden layers.
fn linear_loss(loss: Loss, dense: &Dense, weight: &[f64], batch: &Batch) -> f64 {
    let actions = SHAPE.num_actions;
    let row_loss = |row: usize| {
        let output = |action: usize| {
            let features = &batch.features[row * SHAPE.num_features..][..SHAPE.num_features];
            let sum = features.iter().enumerate().map(|(k, &x)| f64::from(x) * weight[k * actions + action]);
            sum.sum::<f64>() + f64::from(dense.bias[action])
        };
        let weights = &batch.weights[row * actions..][..actions];
        let legal: Vec<usize> = (0..actions).filter(|&action| weights[action] > 0.0).collect();
        let total: f64 = legal.iter().map(|&action| output(action).exp()).sum();
        let action_loss = |&action: &usize| {
            let target = f64::from(batch.targets[row * actions + action]);
            let probability = output(action).exp() / total;
            f64::from(weights[action])
                * match loss {
                    Loss::AdvantageMse => (output(action) - target).powi(2),
                    Loss::StrategyCrossEntropy => -target * probability.ln(),
                    Loss::StrategyMse => (probability - target).powi(2),
                }
        };
        legal.iter().map(action_loss).sum::<f64>()
    };
    (0..batch.rows).map(row_loss).sum()
}

#[test]
fn gradients_are_those_of_the_loss_by_its_definition() {
    for loss in LOSSES {
        let config = LearnerConfig { num_layers: 0, ..config(loss, false, 64) };
        let layers = initial_layers(&config, 5, 10);
        let batch = next_batch(&mut plan(&Memory(40), &config), 0);
        let (value, gradient) = loss_and_gradient(&config, &layers, &batch);
        let weight: Vec<f64> = layers[0].weight.iter().map(|&value| f64::from(value)).collect();
        let expected = linear_loss(loss, &layers[0], &weight, &batch);
        assert!((value - expected).abs() < 1e-6 * expected, "{loss:?}: {value}, {expected}");
        for index in 0..weight.len() {
            let moved = |by: f64| {
                let mut weight = weight.clone();
                weight[index] += by;
                linear_loss(loss, &layers[0], &weight, &batch)
            };
            let slope = (moved(1e-4) - moved(-1e-4)) / 2e-4;
            let got = f64::from(gradient[0][index]);
            assert!((got - slope).abs() < 1e-6 + 1e-5 * slope.abs(), "{loss:?}: {got}, {slope}");
        }
    }
}

#[test]
fn an_illegal_action_gets_no_gradient() {
    for loss in LOSSES {
        let config = config(loss, false, 64);
        let batch = next_batch(&mut plan(&Memory(40), &config), 0);
        let (_, gradient) = loss_and_gradient(&config, &initial_layers(&config, 5, 10), &batch);
        let [_, _, weight, bias] = &gradient[..] else { panic!("two layers have four parameters") };
        let by_action = |action| weight.iter().chain(bias).skip(action).step_by(SHAPE.num_actions);
        assert!(by_action(3).all(|&value| value == 0.0), "{loss:?}");
        assert!((0..3).all(|action| by_action(action).any(|&value| value != 0.0)), "{loss:?}");
    }
}

#[test]
fn merging_keeps_the_gradient_of_the_whole_memory() {
    for loss in LOSSES {
        let (whole, merged) = (config(loss, false, 1000), config(loss, true, 1000));
        let layers = initial_layers(&whole, 5, 10);
        let memory = Memory(900);
        let expected = next_batch(&mut plan(&memory, &whole), 0);
        let mut batches = plan(&memory, &merged);
        let got = next_batch(&mut batches, 0);
        assert_eq!((expected.rows, got.rows, batches.distinct_rows()), (900, 6, 6));
        assert!(batches.is_constant());
        let (_, expected) = loss_and_gradient(&whole, &layers, &expected);
        let (_, got) = loss_and_gradient(&merged, &layers, &got);
        let norm = super::adam::global_norm(&expected);
        for (expected, got) in expected.iter().flatten().zip(got.iter().flatten()) {
            assert!(f64::from((expected - got).abs()) < 1e-6 * norm, "{loss:?}: {expected}, {got}");
        }
    }
}

#[test]
fn linear_weights_are_2t_over_t_now_and_batches_take_the_mean() {
    let config = config(Loss::AdvantageMse, false, 64);
    let mut batches = plan(&Memory(40), &config);
    let batch = next_batch(&mut batches, 0);
    let mut got: Vec<f32> = batch.weights.chunks_exact(SHAPE.num_actions).map(|row| row[0]).collect();
    let mut expected: Vec<f32> =
        (0..40).map(|index| (2.0 * f64::from(1 + index % 10) / 10.0 / 40.0) as f32).collect();
    got.sort_by(f32::total_cmp);
    expected.sort_by(f32::total_cmp);
    assert_eq!(got, expected);
}

#[test]
fn targets_have_a_weighted_rms_of_one() {
    for merge in [false, true] {
        let config = config(Loss::AdvantageMse, merge, 40);
        let mut batches = plan(&Memory(40), &config);
        let (mut squares, mut weights) = (0.0, 0.0);
        let (mut features, mut targets) = ([0.0; 3], [0.0; 4]);
        for index in 0..40 {
            let meta = Memory(40).read(index, &mut features, &mut targets);
            let weight = f64::from(meta.iteration);
            for action in meta.legal {
                squares += weight * f64::from(targets[usize::from(action)]).powi(2);
                weights += weight;
            }
        }
        assert!((batches.target_rms() - (squares / weights).sqrt()).abs() < 1e-9);
        let largest =
            next_batch(&mut batches, 0).targets.iter().fold(0f32, |largest, target| largest.max(*target));
        assert!(f64::from(largest) <= 0.9 / batches.target_rms() && largest > 1.0);
    }
}

#[test]
fn merged_rows_are_drawn_in_proportion_to_their_weight() {
    let (config, memory) = (config(Loss::StrategyMse, true, 4), Memory(700));
    let all = LearnerConfig { batch_size: 6, ..config.clone() };
    let whole = next_batch(&mut plan(&memory, &all), 0);
    let expected: Vec<f64> = whole.weights.chunks_exact(4).map(|row| f64::from(row[0])).collect();
    let mut batches = plan(&memory, &config);
    let mut got = [0.0; 6];
    let steps = 4000;
    for step in 0..steps {
        let batch = next_batch(&mut batches, step);
        assert_eq!(batch.rows, 4);
        for (features, weights) in batch.features.chunks_exact(3).zip(batch.weights.chunks_exact(4)) {
            let row = whole.features.chunks_exact(3).position(|known| known == features);
            got[row.expect("a known row")] += f64::from(weights[0]) / steps as f64;
        }
    }
    // A draw's frequency has a standard error below √(1/4 / 4000) = 0.008 of the total weight, 1.1.
    for (got, expected) in got.iter().zip(&expected) {
        assert!((got - expected).abs() < 0.03, "{got}, {expected}");
    }
}

#[test]
fn samples_are_drawn_without_replacement_and_evenly() {
    let mut order: Vec<u32> = (0..10).collect();
    let mut counts = [0u32; 10];
    let mut stream = Stream::new(1, Purpose::Test, 0, 0, 0);
    for _ in 0..20_000 {
        super::batch::shuffle_front(&mut order, 3, &mut stream);
        order[..3].iter().for_each(|&index| counts[index as usize] += 1);
        let mut sorted = order.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, (0..10).collect::<Vec<_>>());
    }
    // χ² with 9 degrees of freedom; drawing without replacement only makes it smaller.
    let chi2: f64 = counts.iter().map(|&count| (f64::from(count) - 6000.0).powi(2) / 6000.0).sum();
    assert!(chi2 < 33.7, "chi2 {chi2}");
}

/// What a batch holds, as bits.
fn bits(batch: &Batch) -> Vec<u32> {
    let Batch { rows, features, targets, weights, logit_offsets } = batch;
    let numbers = features.iter().chain(targets).chain(weights).chain(logit_offsets);
    std::iter::once(*rows as u32).chain(numbers.map(|number| number.to_bits())).collect()
}

#[test]
fn batches_put_together_ahead_are_the_same() {
    for loss in LOSSES {
        for merge in [false, true] {
            let config = config(loss, merge, 4);
            let memory = Memory(700);
            let mut batches = plan(&memory, &config);
            let expected: Vec<_> = (0..50).map(|step| bits(&next_batch(&mut batches, step))).collect();
            let mut batches = plan(&memory, &config);
            let got = ahead(&mut batches, 50, |exchange| {
                let mut batch = Batch::default();
                let mut exchanged = || {
                    batch = exchange(std::mem::take(&mut batch));
                    bits(&batch)
                };
                (0..50).map(|_| exchanged()).collect::<Vec<_>>()
            });
            assert_eq!(got, expected, "{loss:?}, merged: {merge}");
        }
    }
}

#[test]
fn an_optimiser_that_leaves_early_leaves_nobody_behind() {
    let config = config(Loss::AdvantageMse, false, 4);
    let memory = Memory(700);
    let mut batches = plan(&memory, &config);
    let rows = ahead(&mut batches, 1_000_000, |exchange| exchange(Batch::default()).rows);
    assert_eq!(rows, 4);
}

/// The buffers go to burn and come back: no copy, no allocation a step.
#[test]
fn a_steps_buffers_come_back_from_the_tensors() {
    for loss in LOSSES {
        let config = config(loss, false, 64);
        let layers = initial_layers(&config, 5, 10);
        let batch = next_batch(&mut plan(&Memory(700), &config), 0);
        let places = |batch: &Batch| {
            let Batch { features, targets, weights, logit_offsets, .. } = batch;
            [features, targets, weights, logit_offsets].map(|buffer| buffer.as_ptr())
        };
        let (before, contents) = (places(&batch), bits(&batch));
        let device = Device::flex().autodiff();
        let network = Network::new(&layers, config.activation, Precision::F32, &device);
        let batch = DeviceBatch::new(batch, SHAPE.num_features, SHAPE.num_actions, &device);
        let loss = batch.loss(config.loss, network.forward(batch.features.clone()));
        drop(network.gradient(&loss));
        drop((network, loss));
        let batch = batch.into_buffers();
        assert_eq!(bits(&batch), contents);
        assert_eq!(places(&batch)[..3], before[..3]);
        assert!(config.loss == Loss::AdvantageMse || places(&batch)[3] == before[3]);
    }
}

/// Samples of [`Memory`] in any order, whose changes are counted.
struct Changing {
    identity: u64,
    samples: Vec<usize>,
    changes: Vec<u32>,
    features_read: AtomicUsize,
}

impl Changing {
    fn put(&mut self, index: usize, sample: usize) {
        self.samples.resize(self.samples.len().max(index + 1), 0);
        self.samples[index] = sample;
        self.changes.push(index as u32);
    }
}

impl SampleSource for Changing {
    fn shape(&self) -> SampleShape {
        SHAPE
    }

    fn len(&self) -> usize {
        self.samples.len()
    }

    fn read(&self, index: usize, features: &mut [f32], targets: &mut [f32]) -> SampleMeta {
        self.features_read.fetch_add(1, Ordering::Relaxed);
        Memory(usize::MAX).read(self.samples[index], features, targets)
    }

    fn read_targets(&self, first: usize, metas: &mut [SampleMeta], targets: &mut [f32]) {
        let rows = metas.iter_mut().zip(targets.chunks_exact_mut(SHAPE.num_actions));
        for (sample, (meta, targets)) in self.samples[first..].iter().zip(rows) {
            *meta = Memory(usize::MAX).read(*sample, &mut [0.0; 3], targets);
        }
    }

    fn edition(&self) -> Option<Edition> {
        Some(Edition { identity: self.identity, offered: self.changes.len() as u64 })
    }

    fn changed_since(&self, edition: Edition) -> Option<Vec<u32>> {
        (edition.identity == self.identity).then(|| self.changes[edition.offered as usize..].to_vec())
    }
}

#[test]
fn rows_known_from_earlier_fits_change_no_batch_and_are_not_read_again() {
    let config = config(Loss::AdvantageMse, true, 1000);
    let mut memory =
        Changing { identity: 1, samples: vec![], changes: vec![], features_read: AtomicUsize::new(0) };
    (0..40).for_each(|index| memory.put(index, 3 * index));
    let mut known = KnownRows::default();
    let mut check = |memory: &Changing, read: usize| {
        memory.features_read.store(0, Ordering::Relaxed);
        let mut batches = Batches::new(memory, &config, CONTEXT, &mut known);
        assert_eq!(memory.features_read.load(Ordering::Relaxed), read);
        let (got, fresh) = (next_batch(&mut batches, 0), next_batch(&mut plan(memory, &config), 0));
        assert_eq!((got.features, got.targets, got.weights), (fresh.features, fresh.targets, fresh.weights));
        assert_eq!(batches.distinct_rows(), plan(memory, &config).distinct_rows());
    };
    check(&memory, 40);
    check(&memory, 0);
    // The row of sample 0 comes later now, and all samples of one row go.
    for (index, sample) in [(0, 5), (17, 2), (1, 1), (17, 4)] {
        memory.put(index, sample);
    }
    (0..40).filter(|index| 3 * index % 7 == 2).for_each(|index| memory.put(index, 8));
    (40..45).for_each(|index| memory.put(index, 2 * index));
    check(&memory, memory.changes.len() - 40);
    // Another memory, shorter than the first, after as many changes.
    memory.identity = 2;
    memory.samples.truncate(20);
    memory.samples.reverse();
    check(&memory, 20);
}
