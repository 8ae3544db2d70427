//! A perceptron as an ONNX model: `Gemm` layers with their activations between.
//!
//! Field numbers are those of onnx.proto (ONNX 1.12, IR version 8). The batch is a dynamic dimension.
//! The last layer's `Gemm` has `alpha = beta = output_scale`, so that the model's outputs are in the
//! units of the targets. Not here: the encoding (see `protobuf`), running models (see `engine`).

use std::f32::consts::SQRT_2;

use deepcfr_core::{Activation, Dense, MlpWeights, ModelError};

use crate::protobuf::Message;

/// The version of the file's format.
pub const IR_VERSION: u64 = 8;
/// The version of the operators: read by ONNX Runtime 1.12 and TensorRT 8.5 or later.
pub const OPSET: u64 = 17;
/// The model's input, `[batch, num_features]`.
pub const INPUT: &str = "features";
/// The model's output, `[batch, num_outputs]`.
pub const OUTPUT: &str = "outputs";

/// The element type f32 and attribute types of onnx.proto.
const FLOAT: u64 = 1;
const ATTRIBUTE_FLOAT: u64 = 1;
/// Scalars of the exact GELU, x·Φ(x) = ½·x·(1 + erf(x/√2)).
const GELU_SCALARS: [(&str, f32); 3] = [("gelu.sqrt_2", SQRT_2), ("gelu.one", 1.0), ("gelu.half", 0.5)];

/// The bytes of an ONNX file that computes `mlp`, with `metadata` (key and value) beside the graph.
///
/// Weights stand under `layers.N.weight` `[inputs, outputs]` and `layers.N.bias` `[outputs]`.
///
/// # Errors
/// If the layers do not fit each other.
pub fn onnx_model(mlp: &MlpWeights, metadata: &[(&str, &str)]) -> Result<Vec<u8>, ModelError> {
    mlp.check()?;
    let entry = |(key, value): &(&str, &str)| Message::new().text(1, key).text(2, value);
    let model = Message::new()
        .int(1, IR_VERSION)
        .text(2, "deepcfr")
        .text(3, env!("CARGO_PKG_VERSION"))
        .message(7, &graph(mlp))
        .message(8, &Message::new().text(1, "").int(2, OPSET))
        .messages(14, metadata.iter().map(entry));
    Ok(model.finish())
}

/// A model with every operator of a hidden layer, to try a provider with.
pub(crate) fn smallest_model() -> Vec<u8> {
    let dense = || Dense { inputs: 1, outputs: 1, weight: vec![1.0], bias: vec![0.0] };
    let (layers, activation) = (vec![dense(), dense()], Activation::Gelu);
    onnx_model(&MlpWeights { layers, activation, output_scale: 1.0 }, &[]).expect("its layers fit")
}

fn graph(mlp: &MlpWeights) -> Message {
    let first = mlp.layers.first().map_or(0, |dense| dense.inputs);
    let last = mlp.layers.last().map_or(0, |dense| dense.outputs);
    let parameters = mlp.layers.iter().enumerate().flat_map(|(index, dense)| {
        let Dense { inputs, outputs, weight, bias } = dense;
        [
            tensor(&format!("layers.{index}.weight"), &[*inputs, *outputs], weight),
            tensor(&format!("layers.{index}.bias"), &[*outputs], bias),
        ]
    });
    let scalars = match mlp.activation {
        Activation::Gelu if mlp.layers.len() > 1 => GELU_SCALARS.as_slice(),
        Activation::Gelu | Activation::Relu => &[],
    };
    Message::new()
        .messages(1, nodes(mlp))
        .text(2, "mlp")
        .messages(5, parameters)
        .messages(5, scalars.iter().map(|(name, value)| tensor(name, &[], &[*value])))
        .message(11, &rows_of(INPUT, first))
        .message(12, &rows_of(OUTPUT, last))
}

fn nodes(mlp: &MlpWeights) -> Vec<Message> {
    let last = mlp.layers.len() - 1;
    let mut nodes = Vec::new();
    let mut input = INPUT.to_owned();
    for index in 0..=last {
        let (weight, bias) = (format!("layers.{index}.weight"), format!("layers.{index}.bias"));
        if index == last {
            nodes.push(gemm([&input, &weight, &bias], OUTPUT, mlp.output_scale));
            break;
        }
        let sums = format!("layers.{index}.sums");
        nodes.push(gemm([&input, &weight, &bias], &sums, 1.0));
        input = format!("layers.{index}.outputs");
        match mlp.activation {
            Activation::Relu => nodes.push(node("Relu", &[&sums], &input)),
            Activation::Gelu => nodes.extend(gelu(&sums, &input)),
        }
    }
    nodes
}

/// `scale·(x·W + b)`.
fn gemm(inputs: [&str; 3], output: &str, scale: f32) -> Message {
    let attribute = |name: &str| Message::new().text(1, name).float(2, scale).int(20, ATTRIBUTE_FLOAT);
    let gemm = node("Gemm", &inputs, output);
    if scale == 1.0 { gemm } else { gemm.messages(5, ["alpha", "beta"].map(attribute)) }
}

fn gelu(x: &str, output: &str) -> [Message; 5] {
    let [sqrt_2, one, half] = GELU_SCALARS.map(|(name, _)| name);
    let step = |name: &str| format!("{output}.{name}");
    let (scaled, erf, plus_one, product) = (step("scaled"), step("erf"), step("plus_one"), step("product"));
    [
        node("Div", &[x, sqrt_2], &scaled),
        node("Erf", &[&scaled], &erf),
        node("Add", &[&erf, one], &plus_one),
        node("Mul", &[x, &plus_one], &product),
        node("Mul", &[&product, half], output),
    ]
}

fn node(operator: &str, inputs: &[&str], output: &str) -> Message {
    Message::new().texts(1, inputs).text(2, output).text(3, &format!("{output}.{operator}")).text(4, operator)
}

fn tensor(name: &str, shape: &[usize], values: &[f32]) -> Message {
    let shaped = shape.iter().fold(Message::new(), |tensor, &length| tensor.int(1, length as u64));
    shaped.int(2, FLOAT).text(8, name).raw_floats(9, values)
}

/// The declaration of a value `[batch, length]`.
fn rows_of(name: &str, length: usize) -> Message {
    let batch = Message::new().text(2, "batch");
    let shape = Message::new().message(1, &batch).message(1, &Message::new().int(1, length as u64));
    let tensor_type = Message::new().int(1, FLOAT).message(2, &shape);
    Message::new().text(1, name).message(2, &Message::new().message(1, &tensor_type))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one_layer(scale: f32) -> MlpWeights {
        let dense = Dense { inputs: 2, outputs: 1, weight: vec![1.0, -2.0], bias: vec![0.5] };
        MlpWeights { layers: vec![dense], activation: Activation::Gelu, output_scale: scale }
    }

    #[test]
    fn a_model_names_its_ends_its_operators_and_its_version() {
        let bytes = onnx_model(&one_layer(3.0), &[("game", "kuhn")]).unwrap();
        for text in ["deepcfr", INPUT, OUTPUT, "Gemm", "alpha", "layers.0.weight", "game", "kuhn", "batch"] {
            assert!(bytes.windows(text.len()).any(|window| window == text.as_bytes()), "{text}");
        }
        assert_eq!(bytes[..2], [0x08, IR_VERSION as u8]);
        // A network without hidden layers has no activation.
        assert!(!bytes.windows(3).any(|window| window == b"Erf"));
    }

    #[test]
    fn layers_that_do_not_fit_are_refused() {
        let mut mlp = one_layer(1.0);
        mlp.layers[0].bias.push(0.0);
        let error = onnx_model(&mlp, &[]).unwrap_err();
        assert_eq!(error, ModelError::Shape { what: "bias elements", expected: 1, got: 2 });
        mlp.layers.clear();
        assert!(onnx_model(&mlp, &[]).is_err());
    }
}
