//! How much arithmetic and traffic a call is, and how near it comes to what the device can do.
//!
//! Not here: measuring the ceilings.

use serde::{Deserialize, Serialize};

const BYTES_PER_F32: f64 = 4.0;
/// A training step is a forward pass, and a backward pass of twice its arithmetic.
const TRAINING_FLOPS_FACTOR: f64 = 3.0;

/// The shape of a multi-layer perceptron.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NetworkShape {
    /// Length of an input row.
    pub features: u32,
    /// Length of an output row.
    pub actions: u32,
    /// Neurons in a hidden layer.
    pub hidden_size: u32,
    /// Hidden layers.
    pub num_layers: u32,
}

impl NetworkShape {
    /// Weights of the matrices, biases excluded.
    pub fn weights(&self) -> f64 {
        let [features, actions, hidden, layers] =
            [self.features, self.actions, self.hidden_size, self.num_layers].map(f64::from);
        if layers == 0.0 {
            return features * actions;
        }
        features * hidden + (layers - 1.0) * hidden * hidden + hidden * actions
    }

    /// Parameters, biases included.
    pub fn parameters(&self) -> f64 {
        self.weights() + f64::from(self.num_layers) * f64::from(self.hidden_size) + f64::from(self.actions)
    }

    /// Floating-point operations of a forward pass, a row: a multiplication and an addition a weight.
    pub fn flops_per_row(&self) -> f64 {
        2.0 * self.weights()
    }

    /// Bytes that a forward pass of `rows` moves at least: the weights once, each row in and out.
    pub fn bytes(&self, rows: f64) -> f64 {
        BYTES_PER_F32 * (self.parameters() + rows * f64::from(self.features + self.actions))
    }
}

/// What a device can do at most, as measured.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ceilings {
    /// Floating-point operations a second of a large matrix product.
    pub flops_per_second: f64,
    /// Bytes a second of a large copy.
    pub bytes_per_second: f64,
}

/// What a call achieved.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Achieved {
    /// Rows of the call.
    pub rows: f64,
    /// Floating-point operations a second.
    pub flops_per_second: f64,
    /// Bytes a second.
    pub bytes_per_second: f64,
    /// Operations a byte.
    pub intensity: f64,
}

impl Achieved {
    /// A forward pass of `rows` that took `seconds`.
    pub fn forward(shape: &NetworkShape, rows: f64, seconds: f64) -> Self {
        let (flops, bytes) = (shape.flops_per_row() * rows, shape.bytes(rows));
        Self {
            rows,
            flops_per_second: flops / seconds,
            bytes_per_second: bytes / seconds,
            intensity: flops / bytes,
        }
    }

    /// A training step of `rows` that took `seconds`; its traffic is counted as three passes.
    pub fn training_step(shape: &NetworkShape, rows: f64, seconds: f64) -> Self {
        Self::forward(shape, rows, seconds / TRAINING_FLOPS_FACTOR)
    }

    /// The share of the roof min(FLOP ceiling, intensity × byte ceiling) that was reached.
    pub fn share_of_roof(&self, ceilings: &Ceilings) -> f64 {
        self.flops_per_second / ceilings.flops_per_second.min(self.intensity * ceilings.bytes_per_second)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_and_arithmetic_of_a_small_network() {
        let shape = NetworkShape { features: 10, actions: 3, hidden_size: 8, num_layers: 2 };
        assert_eq!((shape.weights(), shape.parameters()), (168.0, 187.0));
        assert_eq!(shape.flops_per_row(), 336.0);
        assert_eq!(shape.bytes(2.0), 4.0 * (187.0 + 26.0));
        let bare = NetworkShape { num_layers: 0, ..shape };
        assert_eq!((bare.weights(), bare.parameters()), (30.0, 33.0));
    }

    #[test]
    fn the_roof_is_the_lower_ceiling() {
        let shape = NetworkShape { features: 512, actions: 22, hidden_size: 512, num_layers: 3 };
        let ceilings = Ceilings { flops_per_second: 33e9, bytes_per_second: 10e9 };
        // One row streams all weights: half an operation a byte, so memory is the roof.
        let one = Achieved::forward(&shape, 1.0, shape.bytes(1.0) / 10e9);
        assert!((one.share_of_roof(&ceilings) - 1.0).abs() < 1e-12 && one.intensity < 0.6);
        let many = Achieved::forward(&shape, 4096.0, 4096.0 * shape.flops_per_row() / 16.5e9);
        assert!((many.share_of_roof(&ceilings) - 0.5).abs() < 1e-12);
        let step = Achieved::training_step(&shape, 1024.0, 0.1);
        assert_eq!(step.flops_per_second, 3.0 * Achieved::forward(&shape, 1024.0, 0.1).flops_per_second);
    }
}
