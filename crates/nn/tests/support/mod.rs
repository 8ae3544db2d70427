//! Networks, rows and memories that the tests share.
#![allow(dead_code)] // Each test binary uses its own part of them.

use deepcfr_core::{
    Activation, Dense, MlpWeights, Purpose, SampleMeta, SampleShape, SampleSource, Stream, Weights,
};
use deepcfr_nn::{LearnerConfig, StepRule};

/// A random perceptron of the given widths, some biases negative zero.
pub(crate) fn random_mlp(widths: &[usize], activation: Activation, scale: f32) -> MlpWeights {
    let mut stream = Stream::new(1, Purpose::Test, 0, 0, 0);
    let layers = widths.windows(2).map(|width| {
        let bound = (6.0 / width[0] as f64).sqrt();
        let mut draw = |bound: f64| ((2.0 * stream.uniform() - 1.0) * bound) as f32;
        Dense {
            inputs: width[0],
            outputs: width[1],
            weight: (0..width[0] * width[1]).map(|_| draw(bound)).collect(),
            bias: (0..width[1]).map(|unit| if unit % 3 == 0 { -0.0 } else { draw(0.1) }).collect(),
        }
    });
    MlpWeights { layers: layers.collect(), activation, output_scale: scale }
}

/// The outputs of a perceptron, in double precision.
pub(crate) fn forward_f64(mlp: &MlpWeights, row: &[f32]) -> Vec<f64> {
    let mut values: Vec<f64> = row.iter().map(|&value| f64::from(value)).collect();
    for (index, dense) in mlp.layers.iter().enumerate() {
        let mut sums: Vec<f64> = dense.bias.iter().map(|&bias| f64::from(bias)).collect();
        for (value, weights) in values.iter().zip(dense.weight.chunks_exact(dense.outputs)) {
            sums.iter_mut().zip(weights).for_each(|(sum, &weight)| *sum += value * f64::from(weight));
        }
        if index + 1 < mlp.layers.len() {
            assert_eq!(mlp.activation, Activation::Relu, "the reference has this one only");
            sums.iter_mut().for_each(|sum| *sum = sum.max(0.0));
        }
        values = sums;
    }
    values.iter().map(|value| value * f64::from(mlp.output_scale)).collect()
}

/// `count` rows of which about a fifth of the values are set, among them negative zeros.
pub(crate) fn sparse_rows(count: usize, features: usize) -> Vec<f32> {
    let mut stream = Stream::new(2, Purpose::Test, 0, 0, 0);
    let value = |stream: &mut Stream| match stream.below(20) {
        0..4 => (2.0 * stream.uniform() - 1.0) as f32,
        4 => -0.0,
        _ => 0.0,
    };
    (0..count * features).map(|_| value(&mut stream)).collect()
}

/// A memory in plain vectors.
pub(crate) struct Memory {
    pub(crate) shape: SampleShape,
    pub(crate) metas: Vec<SampleMeta>,
    pub(crate) features: Vec<f32>,
    pub(crate) targets: Vec<f32>,
}

impl Memory {
    pub(crate) fn new(num_features: usize, num_actions: usize) -> Self {
        let shape = SampleShape { num_features, num_actions };
        Self { shape, metas: Vec::new(), features: Vec::new(), targets: Vec::new() }
    }

    pub(crate) fn push(&mut self, legal: &[u16], iteration: u32, features: &[f32], targets: &[f32]) {
        self.metas.push(SampleMeta { legal: legal.iter().copied().collect(), iteration });
        self.features.extend(features);
        self.targets.extend(targets);
    }
}

impl SampleSource for Memory {
    fn shape(&self) -> SampleShape {
        self.shape
    }

    fn len(&self) -> usize {
        self.metas.len()
    }

    fn read(&self, index: usize, features: &mut [f32], targets: &mut [f32]) -> SampleMeta {
        features.copy_from_slice(&self.features[index * features.len()..][..features.len()]);
        targets.copy_from_slice(&self.targets[index * targets.len()..][..targets.len()]);
        self.metas[index]
    }
}

/// A memory of noisy samples on few distinct rows: 4 features, 3 actions, the last one illegal on
/// every other row, iterations 1 to 10.
pub(crate) fn noisy_memory(samples: usize, distinct: u32) -> Memory {
    let mut stream = Stream::new(3, Purpose::Test, 0, 0, 0);
    let mut memory = Memory::new(4, 3);
    for sample in 0..samples {
        let row = stream.below(distinct);
        let features = [row as f32 / distinct as f32, (row % 2) as f32, (row % 5) as f32, 1.0];
        let noise = stream.normal() as f32;
        let even = row.is_multiple_of(2);
        let legal: &[u16] = if even { &[0, 1, 2] } else { &[0, 1] };
        let last = if even { 3.0 * noise } else { 0.0 };
        memory.push(legal, 1 + sample as u32 % 10, &features, &[10.0 + noise, -4.0 * features[0], last]);
    }
    memory
}

/// A small network fitted with plain Adam.
pub(crate) fn small_config(shape: SampleShape) -> LearnerConfig {
    LearnerConfig {
        learning_rate: 3e-3,
        batch_size: 64,
        steps: StepRule::Fixed(200),
        ..LearnerConfig::plain(shape, 16, 2)
    }
}

/// The perceptron in `weights`.
pub(crate) fn mlp(weights: &Weights) -> &MlpWeights {
    match weights {
        Weights::Mlp(mlp) => mlp,
        Weights::Table(_) => panic!("learners here train perceptrons"),
    }
}
