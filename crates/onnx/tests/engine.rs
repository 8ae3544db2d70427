//! ONNX Runtime against the native engine, and what a model promises. Skipped where there is no library.

use std::path::Path;
use std::sync::Arc;

use deepcfr_core::{Activation, MlpWeights, Model, ModelError, ModelFactory, NetId, TableWeights, Weights};
use deepcfr_nn::NativeFactory;
use deepcfr_onnx::{OnnxFactory, Provider, Runtime, RuntimeError};

use support::{factory, forward, open, random_mlp, runtime, sparse_rows};

mod support;

/// Inputs, hidden layers, outputs: games of all sizes, from no hidden layer to six.
const SHAPES: [&[usize]; 6] = [
    &[5, 3],
    &[30, 64, 64, 3],
    &[365, 512, 512, 512, 22],
    &[530, 128, 106],
    &[365, 1024, 1024, 1024, 1024, 1024, 1024, 22],
    &[67, 33, 17, 9, 5],
];
const BATCHES: [usize; 4] = [1, 7, 64, 1000];
/// Largest difference relative to the largest output.
const PARITY: f64 = 1e-5;

fn shared(mlp: MlpWeights) -> Arc<Weights> {
    Arc::new(Weights::Mlp(mlp))
}

/// The largest difference over the largest expected value.
fn difference(got: &[f32], expected: &[f32]) -> f64 {
    assert_eq!(got.len(), expected.len());
    let largest = expected.iter().fold(0.0f64, |most, value| most.max(f64::from(value.abs())));
    let apart = got.iter().zip(expected).map(|(a, b)| (f64::from(*a) - f64::from(*b)).abs());
    apart.fold(0.0, f64::max) / largest
}

#[test]
fn outputs_are_those_of_the_native_engine() {
    let Some(runtime) = runtime() else { return };
    for activation in [Activation::Relu, Activation::Gelu] {
        for widths in SHAPES {
            let (features, outputs) = (widths[0], widths[widths.len() - 1]);
            let weights = shared(random_mlp(widths, activation, 3.7, 1));
            let mut native = open(&NativeFactory::new(features, outputs, 1), &weights);
            let mut onnx = open(&factory(&runtime, features, outputs, 1), &weights);
            for batch in BATCHES {
                let rows = sparse_rows(batch, features);
                let apart = difference(&forward(&mut *onnx, &rows), &forward(&mut *native, &rows));
                println!("{activation:?} {widths:?} x {batch}: {apart:.1e}");
                assert!(apart <= PARITY, "{activation:?} {widths:?} x {batch}: {apart:.1e}");
            }
        }
    }
}

/// Rows of one batch that come out otherwise in smaller ones, and by how much at most.
fn differing_rows(model: &mut dyn Model, batch: usize) -> (usize, f64) {
    let (features, outputs) = (model.spec().num_features, model.spec().num_outputs);
    let rows = sparse_rows(1024, features);
    let together = forward(model, &rows);
    let apart: Vec<f32> = rows.chunks(features * batch).flat_map(|part| forward(model, part)).collect();
    let pairs = apart.chunks(outputs).zip(together.chunks(outputs));
    (pairs.filter(|(a, b)| a != b).count(), difference(&apart, &together))
}

#[test]
fn a_row_depends_on_its_batch_by_rounding_at_most_and_the_spec_promises_no_more() {
    let Some(runtime) = runtime() else { return };
    let mut differing = 0;
    for activation in [Activation::Relu, Activation::Gelu] {
        for widths in SHAPES.into_iter().filter(|widths| widths.len() < 8) {
            let weights = shared(random_mlp(widths, activation, 1.0, 1));
            let factory = factory(&runtime, widths[0], widths[widths.len() - 1], 1);
            assert!(!factory.spec().row_invariant, "ONNX Runtime promises nothing of the kind");
            let mut model = open(&factory, &weights);
            for batch in [1, 2, 3, 4, 7, 16, 64, 256] {
                let (rows, worst) = differing_rows(&mut *model, batch);
                assert!(worst <= PARITY, "{widths:?}, batch {batch}: {worst:.1e}");
                differing += rows;
                if rows > 0 {
                    println!(
                        "{activation:?} {widths:?} x {batch}: {rows} of 1024 rows, by {worst:.1e} at most"
                    );
                }
            }
        }
    }
    println!("{differing} rows differ from what they are in a batch of 1024");
}

#[test]
fn eight_threads_share_one_policy_with_identical_outputs() {
    let Some(runtime) = runtime() else { return };
    let weights = shared(random_mlp(&[365, 256, 256, 22], Activation::Gelu, 2.0, 1));
    let factory = factory(&runtime, 365, 22, 1);
    let rows = sparse_rows(200, 365);
    let expected = forward(&mut *open(&factory, &weights), &rows);
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                let mut model = open(&factory, &weights);
                for _ in 0..20 {
                    assert_eq!(forward(&mut *model, &rows), expected);
                }
            });
        }
    });
}

#[test]
fn the_newest_weights_are_in_force_and_networks_are_apart() {
    let Some(runtime) = runtime() else { return };
    let network = |seed| shared(random_mlp(&[10, 16, 2], Activation::Relu, 1.0, seed));
    let (first, second) = (network(1), network(2));
    let rows = sparse_rows(9, 10);
    let expected = forward(&mut *open(&NativeFactory::new(10, 2, 1), &second), &rows);
    let mut model = open(&factory(&runtime, 10, 2, 2), &first);
    model.load(NetId(0), &second).unwrap();
    model.load(NetId(1), &first).unwrap();
    assert!(difference(&forward(&mut *model, &rows), &expected) <= PARITY);
    let mut out = vec![0.0; 18];
    model.forward(NetId(1), &rows, &mut out).unwrap();
    assert!(difference(&out, &expected) > 0.1);
}

#[test]
fn what_a_model_cannot_run_is_refused() {
    let Some(runtime) = runtime() else { return };
    let factory = factory(&runtime, 10, 2, 2);
    let mut model = factory.open().unwrap();
    let (rows, mut out) = (sparse_rows(1, 10), [0.0; 2]);
    let none = model.forward(NetId(0), &rows, &mut out);
    assert_eq!(none, Err(ModelError::NotLoaded { net: NetId(0) }));
    assert_eq!(
        model.forward(NetId(7), &rows, &mut out),
        Err(ModelError::NoSuchNet { net: NetId(7), nets: 2 })
    );
    let table = Arc::new(Weights::Table(TableWeights::default()));
    assert_eq!(model.load(NetId(0), &table), Err(ModelError::Kind { kind: "table" }));
    let wide = shared(random_mlp(&[11, 4, 2], Activation::Relu, 1.0, 1));
    assert_eq!(model.load(NetId(0), &wide), Err(ModelError::Shape { what: "inputs", expected: 10, got: 11 }));
    model.load(NetId(0), &shared(random_mlp(&[10, 4, 2], Activation::Relu, 1.0, 1))).unwrap();
    model.forward(NetId(0), &[], &mut []).unwrap();
}

#[test]
fn a_provider_or_a_second_library_that_is_not_there_is_said_at_once() {
    let Some(runtime) = runtime() else { return };
    let other = Runtime::load(Some(Path::new("/another/libonnxruntime.so"))).unwrap_err();
    assert!(matches!(other, RuntimeError::OtherLibrary { .. }), "{other}");
    for provider in [Provider::Cuda, Provider::TensorRt] {
        match OnnxFactory::new(runtime.clone(), provider, [10, 2, 1]) {
            Ok(_) => println!("{provider} is there"),
            Err(error) => {
                let text = error.to_string();
                println!("{text}");
                let named = format!("inference.provider = \"{provider}\"");
                assert!(text.contains(&named) && text.contains("onnxruntime-gpu"), "{text}");
            }
        }
    }
}
