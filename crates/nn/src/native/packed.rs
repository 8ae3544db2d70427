//! A network's weights in the order in which the kernels read them.
//!
//! A layer is cut into *panels* of up to [`PANEL_VECTORS`] vectors of outputs. Within a panel, the
//! weights of one input lie side by side, and inputs follow each other: a kernel that holds the
//! panel's sums in registers streams through memory. Not here: arithmetic.

use deepcfr_core::{Activation, Dense, MlpWeights, ModelError};

use super::aligned::AlignedBuffer;

/// The most vectors of outputs that a kernel sums at once.
pub(super) const PANEL_VECTORS: usize = 8;

/// The bytes of a layer from which its weights come from afar.
const LARGE: usize = 2 << 20;

/// A layer whose outputs are padded to whole vectors of `lanes` floats.
#[derive(Debug)]
pub(super) struct PackedLayer {
    /// Length of an input row.
    pub(super) inputs: usize,
    /// Length of an output row, padding excluded.
    pub(super) outputs: usize,
    /// Vectors in an output row.
    pub(super) vectors: usize,
    weights: AlignedBuffer,
    bias: AlignedBuffer,
}

/// All layers of a network, packed for vectors of `lanes` floats.
#[derive(Debug)]
pub(super) struct PackedMlp {
    /// From input to output.
    pub(super) layers: Vec<PackedLayer>,
    /// After every layer but the last.
    pub(super) activation: Activation,
    /// Multiplies the outputs.
    pub(super) output_scale: f32,
    /// Floats in a vector.
    pub(super) lanes: usize,
}

impl PackedMlp {
    /// Packs `mlp`, whose layers fit each other. Refuses numbers that are not finite.
    pub(super) fn new(mlp: &MlpWeights, lanes: usize) -> Result<Self, ModelError> {
        let numbers = mlp.layers.iter().flat_map(|dense| dense.weight.iter().chain(&dense.bias));
        if !numbers.chain([&mlp.output_scale]).all(|number| number.is_finite()) {
            let reason = "the weights are not finite".to_owned();
            return Err(ModelError::Device { device: super::DEVICE, reason });
        }
        Ok(Self {
            layers: mlp.layers.iter().map(|dense| PackedLayer::new(dense, lanes)).collect(),
            activation: mlp.activation,
            output_scale: mlp.output_scale,
            lanes,
        })
    }

    /// The widest row of any layer, inputs included, padded.
    pub(super) fn widest(&self) -> usize {
        self.layers.iter().map(|layer| layer.inputs.max(layer.vectors * self.lanes)).max().unwrap_or(0)
    }
}

impl PackedLayer {
    fn new(dense: &Dense, lanes: usize) -> Self {
        let vectors = dense.outputs.div_ceil(lanes);
        let mut weights = AlignedBuffer::zeros(vectors * lanes * dense.inputs);
        let mut bias = AlignedBuffer::zeros(vectors * lanes);
        // Adding 0.0 turns -0.0 into 0.0: see the module's guarantee about skipped zeros.
        for (to, from) in bias.as_mut_slice().iter_mut().zip(&dense.bias) {
            *to = from + 0.0;
        }
        let mut rest = weights.as_mut_slice();
        for first in (0..vectors).step_by(PANEL_VECTORS) {
            let width = PANEL_VECTORS.min(vectors - first) * lanes;
            let (panel, after) = rest.split_at_mut(width * dense.inputs);
            fill_panel(panel, width, first * lanes, dense);
            rest = after;
        }
        Self { inputs: dense.inputs, outputs: dense.outputs, vectors, weights, bias }
    }

    /// The weights `[inputs, width]` of the panel that starts at vector `first`.
    #[inline]
    pub(super) fn panel(&self, first: usize, width: usize, lanes: usize) -> &[f32] {
        let start = first * lanes * self.inputs;
        &self.weights.as_slice()[start..start + width * lanes * self.inputs]
    }

    /// All weights from the panel that starts at vector `first` on, if the layer is so large that they come
    /// from afar; those of smaller ones stay in a near cache.
    #[inline]
    pub(super) fn far(&self, first: usize) -> &[f32] {
        let weights = self.weights.as_slice();
        if size_of_val(weights) < LARGE {
            return &[];
        }
        &weights[first * (weights.len() / self.vectors)..]
    }

    /// The biases, padded.
    #[inline]
    pub(super) fn bias(&self) -> &[f32] {
        self.bias.as_slice()
    }
}

fn fill_panel(panel: &mut [f32], width: usize, first_output: usize, dense: &Dense) {
    let kept = width.min(dense.outputs - first_output);
    for (to, from) in panel.chunks_exact_mut(width).zip(dense.weight.chunks_exact(dense.outputs)) {
        to[..kept].copy_from_slice(&from[first_output..first_output + kept]);
    }
}
