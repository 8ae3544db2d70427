//! What an inference device offers: forward passes over rows.
//!
//! Not here: training (see `Learner`), batching (see `Evaluator`).

use std::sync::Arc;

use crate::{MlpWeights, Weights};

/// Names one of the networks that a model holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NetId(pub u16);

impl NetId {
    /// The advantage network of a player.
    pub const fn advantage(player: crate::Player) -> Self {
        Self(player as u16)
    }

    /// The average-strategy network.
    pub const STRATEGY: Self = Self(2);

    /// The network's position in tables indexed by network.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// The shape of a model and what it promises.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ModelSpec {
    /// The length of an input row.
    pub num_features: usize,
    /// The length of an output row: one value per action.
    pub num_outputs: usize,
    /// The number of networks that can be loaded, `NetId(0)..NetId(nets)`.
    pub num_nets: usize,
    /// Whether a row's result is bit-identical whatever rows share its batch.
    pub row_invariant: bool,
}

impl ModelSpec {
    /// Checks that the model holds `net`.
    ///
    /// # Errors
    /// [`ModelError::NoSuchNet`].
    pub fn check_net(&self, net: NetId) -> Result<(), ModelError> {
        let nets = self.num_nets;
        if net.index() < nets { Ok(()) } else { Err(ModelError::NoSuchNet { net, nets }) }
    }

    /// The perceptron in `weights`, if it fits the model and its layers fit each other.
    ///
    /// # Errors
    /// [`ModelError::Kind`] for anything but a perceptron, [`ModelError::Shape`] for one that does not fit.
    pub fn check_mlp<'w>(&self, weights: &'w Weights) -> Result<&'w MlpWeights, ModelError> {
        let Weights::Mlp(mlp) = weights else {
            return Err(ModelError::Kind { kind: weights.kind() });
        };
        check("inputs", self.num_features, weights.inputs())?;
        check("outputs", self.num_outputs, weights.outputs())?;
        mlp.check()?;
        Ok(mlp)
    }

    /// How many rows there are.
    ///
    /// # Panics
    /// If `rows` and `out` do not hold the same number of whole rows.
    pub fn check_rows(&self, rows: &[f32], out: &[f32]) -> usize {
        let count = rows.len() / self.num_features;
        assert_eq!(rows.len(), count * self.num_features, "rows must be whole");
        assert_eq!(out.len(), count * self.num_outputs, "one output row for each input row");
        count
    }
}

impl MlpWeights {
    /// Checks that there are layers, that each has as many numbers as it says, and that they fit each other.
    ///
    /// # Errors
    /// [`ModelError::Shape`].
    pub fn check(&self) -> Result<(), ModelError> {
        check("layers, at least", 1, self.layers.len().min(1))?;
        for dense in &self.layers {
            check("weight elements", dense.inputs * dense.outputs, dense.weight.len())?;
            check("bias elements", dense.outputs, dense.bias.len())?;
        }
        for pair in self.layers.windows(2) {
            check("layer inputs", pair[0].outputs, pair[1].inputs)?;
        }
        Ok(())
    }
}

fn check(what: &'static str, expected: usize, got: usize) -> Result<(), ModelError> {
    if expected == got { Ok(()) } else { Err(ModelError::Shape { what, expected, got }) }
}

/// Networks on a device, opened for one thread.
pub trait Model: Send {
    /// The shape.
    fn spec(&self) -> ModelSpec;

    /// Evaluates `rows` `[n, num_features]` with `net` into `out` `[n, num_outputs]`. `n` may be 0.
    ///
    /// # Errors
    /// [`ModelError::NotLoaded`] before the first load of `net`, [`ModelError::Device`] otherwise.
    ///
    /// # Panics
    /// If the slices' lengths do not fit each other.
    fn forward(&mut self, net: NetId, rows: &[f32], out: &mut [f32]) -> Result<(), ModelError>;

    /// Puts weights in force for `net`. Later forwards use them.
    ///
    /// # Errors
    /// If their shape or kind does not fit the model.
    fn load(&mut self, net: NetId, weights: &Arc<Weights>) -> Result<(), ModelError>;
}

/// Opens one [`Model`] per thread; models of a factory may share read-only weights.
pub trait ModelFactory: Send + Sync {
    /// The shape of the models.
    fn spec(&self) -> ModelSpec;

    /// Opens a model without weights.
    ///
    /// # Errors
    /// If the device cannot be opened.
    fn open(&self) -> Result<Box<dyn Model>, ModelError>;
}

/// Why a forward pass or a load failed.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
pub enum ModelError {
    /// `forward` before `load`.
    #[error("network {} has no weights yet", net.0)]
    NotLoaded {
        /// The network.
        net: NetId,
    },
    /// A network number beyond the model's.
    #[error("network {} does not exist: the model holds {nets}", net.0)]
    NoSuchNet {
        /// The network asked for.
        net: NetId,
        /// How many the model holds.
        nets: usize,
    },
    /// Weights of another shape.
    #[error("weights have {what} {got}, the model needs {expected}")]
    Shape {
        /// What differs, for example `inputs`.
        what: &'static str,
        /// The model's figure.
        expected: usize,
        /// The weights' figure.
        got: usize,
    },
    /// Weights of a kind that this model cannot run, for example a table on an MLP engine.
    #[error("this model cannot run {kind} weights")]
    Kind {
        /// The kind of the weights.
        kind: &'static str,
    },
    /// The device or its runtime failed.
    #[error("device {device}: {reason}")]
    Device {
        /// The device's name.
        device: &'static str,
        /// The runtime's own words.
        reason: String,
    },
}
