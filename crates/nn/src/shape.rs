//! Checks that every engine makes on what it is given.
//!
//! Not here: anything about an engine's own limits.

use deepcfr_core::{MlpWeights, ModelError, ModelSpec, NetId, Weights};

pub(crate) fn check_net(spec: ModelSpec, net: NetId) -> Result<(), ModelError> {
    if net.index() < spec.num_nets { Ok(()) } else { Err(ModelError::NoSuchNet { net, nets: spec.num_nets }) }
}

/// The perceptron in `weights`, if it fits `spec` and its layers fit each other.
pub(crate) fn check_shape(spec: ModelSpec, weights: &Weights) -> Result<&MlpWeights, ModelError> {
    let Weights::Mlp(mlp) = weights else {
        return Err(ModelError::Kind { kind: weights.kind() });
    };
    check("inputs", spec.num_features, weights.inputs())?;
    check("outputs", spec.num_outputs, weights.outputs())?;
    for dense in &mlp.layers {
        check("weight elements", dense.inputs * dense.outputs, dense.weight.len())?;
        check("bias elements", dense.outputs, dense.bias.len())?;
    }
    for pair in mlp.layers.windows(2) {
        check("layer inputs", pair[0].outputs, pair[1].inputs)?;
    }
    Ok(mlp)
}

fn check(what: &'static str, expected: usize, got: usize) -> Result<(), ModelError> {
    if expected == got { Ok(()) } else { Err(ModelError::Shape { what, expected, got }) }
}

/// # Panics
/// If the slices do not hold the same number of whole rows.
pub(crate) fn check_lengths(spec: ModelSpec, rows: &[f32], out: &[f32]) {
    let count = rows.len() / spec.num_features;
    assert_eq!(rows.len(), count * spec.num_features, "rows must be whole");
    assert_eq!(out.len(), count * spec.num_outputs, "one output row for each input row");
}
