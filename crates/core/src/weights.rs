//! A network's parameters as plain numbers, between trainer, checkpoint and inference engines.
//!
//! Not here: optimiser state, file formats, any arithmetic.

use std::collections::HashMap;

/// The non-linearity after each hidden layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Activation {
    /// `max(x, 0)`.
    #[default]
    Relu,
    /// Gaussian error linear unit, exact form `x·Φ(x)`.
    Gelu,
}

/// One fully connected layer: `y = x·W + b`.
#[derive(Clone, Debug, PartialEq)]
pub struct Dense {
    /// Length of `x`.
    pub inputs: usize,
    /// Length of `y`.
    pub outputs: usize,
    /// `W`, row-major `[inputs, outputs]`.
    pub weight: Vec<f32>,
    /// `b`, `[outputs]`.
    pub bias: Vec<f32>,
}

/// A multi-layer perceptron. The last layer has no activation; its outputs are multiplied by
/// `output_scale` (targets are fitted in units of their own RMS).
#[derive(Clone, Debug, PartialEq)]
pub struct MlpWeights {
    /// At least one layer; each one's `inputs` is the one before's `outputs`.
    pub layers: Vec<Dense>,
    /// After every layer but the last.
    pub activation: Activation,
    /// Multiplies the outputs of the last layer.
    pub output_scale: f32,
}

/// A feature row by its exact bits, as the key of a table.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RowKey(Box<[u32]>);

impl RowKey {
    /// The key of a row; `-0.0` counts as `0.0`.
    pub fn new(row: &[f32]) -> Self {
        Self(row.iter().map(|&value| (value + 0.0).to_bits()).collect())
    }

    /// The row's values, in order.
    pub fn values(&self) -> impl ExactSizeIterator<Item = f32> + '_ {
        self.0.iter().map(|&bits| f32::from_bits(bits))
    }
}

/// A lookup table in place of a network: exact means per row, zeros for rows never seen.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct TableWeights {
    /// Length of a feature row.
    pub inputs: usize,
    /// Length of an output row.
    pub outputs: usize,
    /// Output row by feature row.
    pub rows: HashMap<RowKey, Box<[f32]>>,
}

/// The parameters of one network.
#[derive(Clone, Debug, PartialEq)]
pub enum Weights {
    /// A multi-layer perceptron.
    Mlp(MlpWeights),
    /// A table (the oracle learner).
    Table(TableWeights),
}

impl Weights {
    /// Length of an input row.
    pub fn inputs(&self) -> usize {
        match self {
            Self::Mlp(mlp) => mlp.layers.first().map_or(0, |layer| layer.inputs),
            Self::Table(table) => table.inputs,
        }
    }

    /// Length of an output row.
    pub fn outputs(&self) -> usize {
        match self {
            Self::Mlp(mlp) => mlp.layers.last().map_or(0, |layer| layer.outputs),
            Self::Table(table) => table.outputs,
        }
    }

    /// `mlp` or `table`, for messages.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Mlp(_) => "mlp",
            Self::Table(_) => "table",
        }
    }
}
