//! Exported models, read and computed by a small interpreter that shares nothing with the export, against
//! the native engine. Needs no ONNX Runtime: these are the tests of the export that run everywhere.
//!
//! Why not an interpreter off the shelf: `tract-onnx` 0.23.9 without default features brings 94 packages,
//! 22 of them new to the lock file, and had used 14 minutes of processor time (release, two cores) before
//! `tract-core` was compiled. Six operators are not worth that. Messages are parsed by `prost`, which the
//! lock file has anyway.
//! Not here: how ONNX Runtime computes the same files (see `engine`).

use std::sync::Arc;

use deepcfr_core::{Activation, Dense, MlpWeights, Weights};
use deepcfr_nn::NativeFactory;
use deepcfr_onnx::{INPUT, IR_VERSION, OPSET, OUTPUT, onnx_model};
use prost::Message;

use evaluation::{Refusal, Tensor, evaluate};
use messages::Model;
use support::{forward, open, random_mlp, sparse_rows};

#[path = "interpreter/evaluation.rs"]
mod evaluation;
#[path = "interpreter/messages.rs"]
mod messages;
mod support;

const SHAPES: [&[usize]; 5] =
    [&[5, 3], &[30, 64, 64, 3], &[365, 128, 22], &[530, 96, 96, 106], &[67, 33, 17, 9, 5]];
const SCALES: [f32; 2] = [1.0, 3.7];
const BATCHES: [usize; 3] = [1, 7, 64];
/// Largest difference relative to the largest output.
const PARITY: f64 = 1e-5;

/// The model in `file`, of which nothing may be left over: what it was read as is written as the same bytes.
fn read(file: &[u8]) -> Model {
    let model = Model::decode(file).expect("a protocol-buffer message");
    assert!(model.encode_to_vec() == file, "the file has fields that the interpreter does not know");
    model
}

fn export(mlp: &MlpWeights) -> Model {
    read(&onnx_model(mlp, &[("game", "none")]).expect("its layers fit"))
}

fn outputs(model: &Model, rows: &[f32], features: usize) -> Result<Vec<f64>, Refusal> {
    let values = rows.iter().map(|&value| f64::from(value)).collect();
    Ok(evaluate(model, Tensor { shape: vec![rows.len() / features, features], values })?.values)
}

/// The largest difference over the largest expected value.
fn difference(got: &[f64], expected: &[f32]) -> f64 {
    assert_eq!(got.len(), expected.len());
    let largest = expected.iter().fold(0.0f64, |most, value| most.max(f64::from(value.abs())));
    let apart = got.iter().zip(expected).map(|(got, &expected)| (got - f64::from(expected)).abs());
    apart.fold(0.0, f64::max) / largest
}

fn assert_parity(widths: &[usize], activation: Activation, scale: f32) {
    let (features, num_outputs) = (widths[0], widths[widths.len() - 1]);
    let mlp = random_mlp(widths, activation, scale, 1);
    let model = export(&mlp);
    let weights = Arc::new(Weights::Mlp(mlp));
    let mut native = open(&NativeFactory::new(features, num_outputs, 1), &weights);
    for batch in BATCHES {
        let rows = sparse_rows(batch, features);
        let got = outputs(&model, &rows, features).expect("a model that can be computed");
        let apart = difference(&got, &forward(&mut *native, &rows));
        assert!(apart <= PARITY, "{activation:?} {widths:?} ·{scale} x {batch}: {apart:.1e}");
    }
}

#[test]
fn exported_models_compute_what_the_native_engine_does() {
    for activation in [Activation::Relu, Activation::Gelu] {
        for widths in SHAPES {
            SCALES.iter().for_each(|&scale| assert_parity(widths, activation, scale));
        }
    }
}

/// Two layers small enough for a head: inputs 1 and 2, hidden sums -1 and 4, outputs `2·(h₀ + 3·h₁ + 1)`.
#[test]
fn a_model_by_hand() {
    let dense = |inputs, outputs, weight: &[f32], bias: &[f32]| Dense {
        inputs,
        outputs,
        weight: weight.to_vec(),
        bias: bias.to_vec(),
    };
    let layers = vec![dense(2, 2, &[1.0, 2.0, -1.0, 1.0], &[0.0, 0.0]), dense(2, 1, &[1.0, 3.0], &[1.0])];
    let mlp = |activation| MlpWeights { layers: layers.clone(), activation, output_scale: 2.0 };
    let relu = outputs(&export(&mlp(Activation::Relu)), &[1.0, 2.0], 2).expect("six operators");
    assert_eq!(relu, [26.0]);
    // Φ(-1) and Φ(4), from tables.
    let hidden = [-0.158_655_253_931, 4.0 * 0.999_968_328_758];
    let gelu = outputs(&export(&mlp(Activation::Gelu)), &[1.0, 2.0], 2).expect("six operators");
    assert!((gelu[0] - 2.0 * (hidden[0] + 3.0 * hidden[1] + 1.0)).abs() < 1e-6, "{gelu:?}");
}

#[test]
fn a_file_says_what_reads_it() {
    let model = export(&random_mlp(&[4, 3, 2], Activation::Relu, 1.0, 1));
    let opsets: Vec<_> = model.opset_import.iter().map(|set| (set.domain(), set.version())).collect();
    assert_eq!((model.ir_version() as u64, opsets), (IR_VERSION, vec![("", OPSET as i64)]));
    assert_eq!(model.producer_name(), "deepcfr");
    let metadata: Vec<_> = model.metadata_props.iter().map(|entry| (entry.key(), entry.value())).collect();
    assert_eq!(metadata, [("game", "none")]);
    let graph = model.graph.expect("a graph");
    assert_eq!((graph.input[0].name(), graph.output[0].name()), (INPUT, OUTPUT));
    let parameters: Vec<_> =
        graph.initializer.iter().map(|tensor| (tensor.name(), &tensor.dims[..])).collect();
    let expected: [(&str, &[i64]); 4] = [
        ("layers.0.weight", &[4, 3]),
        ("layers.0.bias", &[3]),
        ("layers.1.weight", &[3, 2]),
        ("layers.1.bias", &[2]),
    ];
    assert_eq!(parameters, expected);
}

/// An interpreter that makes do would hide a file that other programs refuse.
#[test]
fn what_the_standard_does_not_allow_is_refused() {
    let sound = export(&random_mlp(&[4, 3, 2], Activation::Gelu, 2.0, 1));
    let refusal = |damage: fn(&mut messages::Graph)| {
        let mut model = sound.clone();
        damage(model.graph.as_mut().expect("a graph"));
        outputs(&model, &[0.0; 4], 4).expect_err("a damaged graph")
    };
    let renamed = refusal(|graph| graph.node[0].op_type = Some("Gemm2".into()));
    assert_eq!(renamed, Refusal::Operator("Gemm2".into()));
    assert_eq!(refusal(|graph| graph.node.swap(0, 1)), Refusal::UnknownValue("layers.0.sums".into()));
    assert_eq!(refusal(|graph| drop(graph.node.pop())), Refusal::UnknownValue(OUTPUT.into()));
    assert_eq!(
        refusal(|graph| graph.node.push(graph.node[0].clone())),
        Refusal::Twice("layers.0.sums".into())
    );
    let transposed = refusal(|graph| graph.node[6].attribute[0].name = Some("transA".into()));
    assert_eq!(transposed, Refusal::Attribute("transA".into()));
    let short = refusal(|graph| graph.initializer[0].raw_data.as_mut().expect("floats").truncate(4));
    assert_eq!(short, Refusal::Tensor("layers.0.weight".into()));
    let shape = refusal(|graph| graph.initializer[0].dims = vec![3, 4]);
    assert_eq!(
        shape,
        Refusal::Shapes { operator: "Gemm".into(), shapes: vec![vec![1, 4], vec![3, 4], vec![3]] }
    );
    let wide = refusal(|graph| graph.output[0].r#type = graph.input[0].r#type.clone());
    assert!(matches!(wide, Refusal::Declared { .. }), "{wide:?}");
}
