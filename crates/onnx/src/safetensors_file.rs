//! A perceptron as a safetensors file, with PyTorch's layout and names.
//!
//! `layers.N.weight` `[outputs, inputs]` and `layers.N.bias` `[outputs]` are what a `torch.nn.Linear` has;
//! `output_scale` `[1]` multiplies the outputs of the last layer. Not here: the activation, which the file
//! does not hold (its metadata may tell), and files on disk.

use std::collections::HashMap;

use deepcfr_core::{Activation, Dense, MlpWeights, ModelError};
use safetensors::tensor::{Dtype, SafeTensorError, SafeTensors, TensorView, serialize};

/// The tensor `[1]` that multiplies the outputs of the last layer.
pub const OUTPUT_SCALE: &str = "output_scale";

/// Why a network and a safetensors file do not become each other.
#[derive(Debug, thiserror::Error)]
pub enum SafetensorsError {
    /// The layers do not fit each other.
    #[error(transparent)]
    Layers(#[from] ModelError),
    /// The file's format.
    #[error(transparent)]
    Format(#[from] SafeTensorError),
    /// A tensor of another shape or type.
    #[error("tensor {name} is {got_type:?} {got:?}, expected F32 with {expected} dimensions")]
    Tensor {
        /// Its name.
        name: String,
        /// How many dimensions it should have.
        expected: usize,
        /// The dimensions it has.
        got: Vec<usize>,
        /// The type of its elements.
        got_type: Dtype,
    },
}

/// The bytes of a safetensors file that holds `mlp`, with one entry (key and value) of metadata.
///
/// # Errors
/// If the layers do not fit each other.
pub fn safetensors_file(mlp: &MlpWeights, (key, value): (&str, &str)) -> Result<Vec<u8>, SafetensorsError> {
    mlp.check()?;
    let mut tensors = vec![(OUTPUT_SCALE.to_owned(), vec![1], bytes([mlp.output_scale]))];
    for (index, Dense { inputs, outputs, weight, bias }) in mlp.layers.iter().enumerate() {
        let (weight, bias) = (bytes(transposed(weight, *outputs)), bytes(bias.iter().copied()));
        tensors.push((format!("layers.{index}.weight"), vec![*outputs, *inputs], weight));
        tensors.push((format!("layers.{index}.bias"), vec![*outputs], bias));
    }
    let views = tensors
        .iter()
        .map(|(name, shape, bytes)| Ok((name.as_str(), TensorView::new(Dtype::F32, shape.clone(), bytes)?)));
    let views = views.collect::<Result<Vec<_>, SafeTensorError>>()?;
    // One entry only: several would be written in any order.
    let metadata = HashMap::from([(key.to_owned(), value.to_owned())]);
    Ok(serialize(views, Some(metadata))?)
}

/// The perceptron in `file`, with `activation` after every layer but the last.
///
/// # Errors
/// If the bytes are no safetensors file, or hold no layers that fit each other.
pub fn read_safetensors(file: &[u8], activation: Activation) -> Result<MlpWeights, SafetensorsError> {
    let tensors = SafeTensors::deserialize(file)?;
    let mut layers = Vec::new();
    while tensors.tensor(&format!("layers.{}.weight", layers.len())).is_ok() {
        let index = layers.len();
        let (shape, weight) = floats(&tensors, &format!("layers.{index}.weight"), 2)?;
        let (outputs, inputs) = (shape[0], shape[1]);
        let (_, bias) = floats(&tensors, &format!("layers.{index}.bias"), 1)?;
        layers.push(Dense { inputs, outputs, weight: transposed(&weight, inputs).collect(), bias });
    }
    let (_, scale) = floats(&tensors, OUTPUT_SCALE, 1)?;
    let mlp = MlpWeights { layers, activation, output_scale: scale.first().copied().unwrap_or(1.0) };
    mlp.check()?;
    Ok(mlp)
}

fn floats(
    tensors: &SafeTensors<'_>,
    name: &str,
    dimensions: usize,
) -> Result<(Vec<usize>, Vec<f32>), SafetensorsError> {
    let tensor = tensors.tensor(name)?;
    let (got, got_type) = (tensor.shape().to_vec(), tensor.dtype());
    if got.len() != dimensions || got_type != Dtype::F32 {
        return Err(SafetensorsError::Tensor { name: name.to_owned(), expected: dimensions, got, got_type });
    }
    let (words, _) = tensor.data().as_chunks();
    Ok((got, words.iter().map(|&word| f32::from_le_bytes(word)).collect()))
}

/// A row-major matrix of `columns` columns, read column by column.
fn transposed(matrix: &[f32], columns: usize) -> impl Iterator<Item = f32> {
    (0..columns).flat_map(move |column| matrix.iter().skip(column).step_by(columns).copied())
}

fn bytes(floats: impl IntoIterator<Item = f32>) -> Vec<u8> {
    floats.into_iter().flat_map(f32::to_le_bytes).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn network() -> MlpWeights {
        let dense = |inputs: usize, outputs: usize| Dense {
            inputs,
            outputs,
            weight: (0..inputs * outputs).map(|value| value as f32 / 7.0).collect(),
            bias: (0..outputs).map(|value| -(value as f32)).collect(),
        };
        MlpWeights { layers: vec![dense(3, 5), dense(5, 2)], activation: Activation::Gelu, output_scale: 0.3 }
    }

    #[test]
    fn what_is_written_is_read_back_bit_for_bit() {
        let file = safetensors_file(&network(), ("card", "{}")).unwrap();
        assert_eq!(read_safetensors(&file, Activation::Gelu).unwrap(), network());
        assert_eq!(file, safetensors_file(&network(), ("card", "{}")).unwrap());
    }

    #[test]
    fn tensors_have_the_shapes_and_the_order_of_torch() {
        let file = safetensors_file(&network(), ("card", "{}")).unwrap();
        let tensors = SafeTensors::deserialize(&file).unwrap();
        let weight = tensors.tensor("layers.0.weight").unwrap();
        assert_eq!(weight.shape(), [5, 3]);
        let (_, values) = floats(&tensors, "layers.0.weight", 2).unwrap();
        // Output 0's weights for inputs 0, 1, 2: elements 0, 5, 10 of the [inputs, outputs] matrix.
        assert_eq!(values[..3], [0.0, 5.0 / 7.0, 10.0 / 7.0]);
        let (_, metadata) = SafeTensors::read_metadata(&file).unwrap();
        assert_eq!(metadata.metadata().as_ref().unwrap()["card"], "{}");
    }

    #[test]
    fn files_without_a_network_are_refused() {
        assert!(matches!(read_safetensors(b"nothing", Activation::Relu), Err(SafetensorsError::Format(_))));
        let empty = serialize(Vec::<(&str, TensorView<'_>)>::new(), None).unwrap();
        assert!(read_safetensors(&empty, Activation::Relu).is_err());
    }
}
