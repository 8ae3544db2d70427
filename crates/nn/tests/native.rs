//! The native engine: the same bits whatever the batch, and burn's results.

mod support;

use std::sync::Arc;

use deepcfr_core::{Activation, Model, ModelError, ModelFactory, NetId, Stream, Weights};
use deepcfr_core::{Purpose, TableWeights};
use deepcfr_nn::{BurnFactory, NativeFactory};
use support::{forward_f64, random_mlp, sparse_rows};

fn open(factory: &dyn ModelFactory, weights: &Arc<Weights>) -> Box<dyn Model> {
    let mut model = factory.open().expect("opens");
    model.load(NetId(0), weights).expect("loads");
    model
}

fn forward(model: &mut dyn Model, rows: &[f32]) -> Vec<f32> {
    let spec = model.spec();
    let mut out = vec![f32::NAN; rows.len() / spec.num_features * spec.num_outputs];
    model.forward(NetId(0), rows, &mut out).expect("runs");
    out
}

fn bits(values: &[f32]) -> Vec<u32> {
    values.iter().map(|value| value.to_bits()).collect()
}

fn check_batches(widths: &[usize], activation: Activation, sizes: impl Iterator<Item = usize>) {
    let (features, outputs) = (widths[0], widths[widths.len() - 1]);
    let weights = Arc::new(Weights::Mlp(random_mlp(widths, activation, 3.0)));
    let mut model = open(&NativeFactory::new(features, outputs, 1), &weights);
    let rows = sparse_rows(300, features);
    let row = |index: usize| &rows[index * features..][..features];
    let alone: Vec<Vec<u32>> = (0..300).map(|index| bits(&forward(&mut *model, row(index)))).collect();
    let mut stream = Stream::new(4, Purpose::Test, 0, 0, 0);
    let mut order: Vec<usize> = (0..300).collect();
    for size in sizes {
        (0..size).for_each(|i| order.swap(i, i + stream.below((300 - i) as u32) as usize));
        let batch: Vec<f32> = order[..size].iter().flat_map(|&index| row(index).to_vec()).collect();
        let together = forward(&mut *model, &batch);
        for (&index, out) in order.iter().zip(together.chunks_exact(outputs)) {
            assert_eq!(bits(out), alone[index], "row {index} in a batch of {size}");
        }
    }
}

#[test]
fn a_rows_bits_do_not_depend_on_its_batch() {
    check_batches(&[37, 96, 40, 5], Activation::Relu, 1..=300);
    check_batches(&[37, 72, 24, 11], Activation::Gelu, 1..=300);
    check_batches(&[365, 512, 512, 512, 22], Activation::Relu, [1, 2, 3, 7, 16, 63, 64, 65, 300].into_iter());
}

#[test]
fn every_output_width_agrees_with_double_precision() {
    let rows = sparse_rows(70, 67);
    for outputs in [1, 3, 8, 9, 22, 31, 40, 44, 56, 64, 65, 130] {
        let mlp = random_mlp(&[67, outputs + 1, outputs], Activation::Relu, 2.0);
        let weights = Arc::new(Weights::Mlp(mlp.clone()));
        let out = forward(&mut *open(&NativeFactory::new(67, outputs, 1), &weights), &rows);
        for (row, out) in rows.chunks_exact(67).zip(out.chunks_exact(outputs)) {
            for (&got, expected) in out.iter().zip(forward_f64(&mlp, row)) {
                assert!(
                    (f64::from(got) - expected).abs() < 1e-5 * (1.0 + expected.abs()),
                    "{got} {expected}"
                );
            }
        }
    }
}

#[test]
fn native_agrees_with_burn() {
    for (widths, activation) in [
        (vec![365, 512, 512, 512, 22], Activation::Relu),
        (vec![365, 128, 128, 22], Activation::Gelu),
        (vec![30, 64, 64, 64, 3], Activation::Relu),
        (vec![30, 3], Activation::Relu),
    ] {
        let (features, outputs) = (widths[0], widths[widths.len() - 1]);
        let weights = Arc::new(Weights::Mlp(random_mlp(&widths, activation, 5.0)));
        let rows = sparse_rows(100, features);
        let native = forward(&mut *open(&NativeFactory::new(features, outputs, 1), &weights), &rows);
        let burn = forward(&mut *open(&BurnFactory::new(features, outputs, 1), &weights), &rows);
        let scale = burn.iter().fold(0f32, |largest, value| largest.max(value.abs()));
        for (native, burn) in native.iter().zip(&burn) {
            assert!((native - burn).abs() <= 1e-5 * burn.abs().max(0.1 * scale), "{native} {burn}");
        }
    }
}

#[test]
fn models_of_a_factory_see_their_own_loads() {
    let factory = NativeFactory::new(10, 2, 2);
    let first = Arc::new(Weights::Mlp(random_mlp(&[10, 8, 2], Activation::Relu, 1.0)));
    let second = Arc::new(Weights::Mlp(random_mlp(&[10, 24, 2], Activation::Relu, 1.0)));
    let rows = sparse_rows(5, 10);
    let (mut one, mut two) = (open(&factory, &first), open(&factory, &first));
    let before = forward(&mut *one, &rows);
    assert_eq!(before, forward(&mut *two, &rows));
    two.load(NetId(0), &second).expect("loads");
    assert_eq!(before, forward(&mut *one, &rows));
    assert_ne!(before, forward(&mut *two, &rows));
}

#[test]
fn what_does_not_fit_is_refused() {
    let factory = NativeFactory::new(10, 2, 1);
    let mut model = factory.open().expect("opens");
    let (row, mut out) = ([0.0; 10], [0.0; 2]);
    assert_eq!(model.forward(NetId(0), &row, &mut out), Err(ModelError::NotLoaded { net: NetId(0) }));
    let fits = Arc::new(Weights::Mlp(random_mlp(&[10, 2], Activation::Relu, 1.0)));
    assert_eq!(model.load(NetId(1), &fits), Err(ModelError::NoSuchNet { net: NetId(1), nets: 1 }));
    let narrow = Arc::new(Weights::Mlp(random_mlp(&[9, 2], Activation::Relu, 1.0)));
    assert!(matches!(model.load(NetId(0), &narrow), Err(ModelError::Shape { what: "inputs", .. })));
    let table = Arc::new(Weights::Table(TableWeights { inputs: 10, outputs: 2, ..TableWeights::default() }));
    assert_eq!(model.load(NetId(0), &table), Err(ModelError::Kind { kind: "table" }));
    let infinite = Arc::new(Weights::Mlp(random_mlp(&[10, 2], Activation::Relu, f32::INFINITY)));
    assert!(matches!(model.load(NetId(0), &infinite), Err(ModelError::Device { .. })));
    model.load(NetId(0), &fits).expect("loads");
    model.forward(NetId(0), &[], &mut []).expect("no rows are fine");
}
