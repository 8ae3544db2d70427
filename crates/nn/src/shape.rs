//! Checks that every engine makes on what it is given.
//!
//! Not here: anything about an engine's own limits.

use deepcfr_core::{MlpWeights, ModelError, ModelSpec, NetId, Weights};

pub(crate) fn check_net(spec: ModelSpec, net: NetId) -> Result<(), ModelError> {
    spec.check_net(net)
}

/// The perceptron in `weights`, if it fits `spec` and its layers fit each other.
pub(crate) fn check_shape(spec: ModelSpec, weights: &Weights) -> Result<&MlpWeights, ModelError> {
    spec.check_mlp(weights)
}

/// # Panics
/// If the slices do not hold the same number of whole rows.
pub(crate) fn check_lengths(spec: ModelSpec, rows: &[f32], out: &[f32]) {
    spec.check_rows(rows, out);
}
