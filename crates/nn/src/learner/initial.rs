//! Initial weights from the run's own random streams.

use deepcfr_core::{Dense, MlpWeights, Purpose, Stream};

use super::LearnerConfig;

impl LearnerConfig {
    /// The weights that a fit in iteration 0 of a run with `seed` starts from: hidden layers He-uniform, the
    /// output layer in `±1/√inputs`, biases 0, outputs not scaled.
    pub fn fresh_network(&self, seed: u64) -> MlpWeights {
        let layers = initial_layers(self, seed, 0);
        MlpWeights { layers, activation: self.activation, output_scale: 1.0 }
    }
}

/// Fresh layers: He-uniform hidden weights, an output layer in `±1/√inputs`, biases 0.
///
/// Each layer has its own stream, keyed by (seed, iteration, network, layer).
pub(super) fn initial_layers(config: &LearnerConfig, seed: u64, iteration: u32) -> Vec<Dense> {
    let mut widths = vec![config.hidden_size; config.num_layers + 2];
    widths[0] = config.shape.num_features;
    widths[config.num_layers + 1] = config.shape.num_actions;
    let layers = widths.windows(2).enumerate().map(|(layer, width)| {
        let (inputs, outputs) = (width[0], width[1]);
        let variance_gain: f64 = if layer == config.num_layers { 1.0 } else { 6.0 };
        let bound = (variance_gain / inputs as f64).sqrt();
        let net = u32::from(config.net.0);
        let mut stream = Stream::new(seed, Purpose::Weights, iteration, net, layer as u32);
        let mut draw = || ((2.0 * stream.uniform() - 1.0) * bound) as f32;
        let weight = (0..inputs * outputs).map(|_| draw()).collect();
        Dense { inputs, outputs, weight, bias: vec![0.0; outputs] }
    });
    layers.collect()
}
