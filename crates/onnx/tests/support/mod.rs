//! What the tests share: the library, networks and rows.
#![allow(dead_code)] // Each test binary uses its own part of them.

use std::io::Write;
use std::sync::Arc;

use deepcfr_core::{Activation, Dense, MlpWeights, Model, ModelFactory, NetId, Purpose, Stream, Weights};
use deepcfr_onnx::{LIBRARY_VARIABLE, OnnxFactory, Provider, Runtime};

/// ONNX Runtime, or a message that there is none. A library that is named but does not load is an error.
pub(crate) fn runtime() -> Option<Runtime> {
    match Runtime::load(None) {
        Ok(runtime) => Some(runtime),
        Err(error) if std::env::var_os(LIBRARY_VARIABLE).is_none() => {
            skipped(&error);
            None
        }
        Err(error) => panic!("{error}"),
    }
}

/// Says so on standard error itself, which the test harness does not keep to itself.
pub(crate) fn skipped(why: &dyn std::fmt::Display) {
    writeln!(std::io::stderr(), "skipped: {why}").expect("standard error takes text");
}

pub(crate) fn factory(runtime: &Runtime, features: usize, outputs: usize, nets: usize) -> OnnxFactory {
    OnnxFactory::new(runtime.clone(), Provider::Cpu, [features, outputs, nets]).unwrap()
}

/// A random perceptron of the given widths.
pub(crate) fn random_mlp(widths: &[usize], activation: Activation, scale: f32, seed: u32) -> MlpWeights {
    let mut stream = Stream::new(u64::from(seed), Purpose::Test, 0, 0, 0);
    let layers = widths.windows(2).map(|width| {
        let bound = (6.0 / width[0] as f64).sqrt();
        let mut draw = |bound: f64| ((2.0 * stream.uniform() - 1.0) * bound) as f32;
        Dense {
            inputs: width[0],
            outputs: width[1],
            weight: (0..width[0] * width[1]).map(|_| draw(bound)).collect(),
            bias: (0..width[1]).map(|_| draw(0.1)).collect(),
        }
    });
    MlpWeights { layers: layers.collect(), activation, output_scale: scale }
}

/// `count` rows of which about a fifth of the values are set.
pub(crate) fn sparse_rows(count: usize, features: usize) -> Vec<f32> {
    let mut stream = Stream::new(2, Purpose::Test, 0, 0, 0);
    let value = |stream: &mut Stream| match stream.below(5) {
        0 => (2.0 * stream.uniform() - 1.0) as f32,
        _ => 0.0,
    };
    (0..count * features).map(|_| value(&mut stream)).collect()
}

pub(crate) fn open(factory: &dyn ModelFactory, weights: &Arc<Weights>) -> Box<dyn Model> {
    let mut model = factory.open().unwrap();
    model.load(NetId(0), weights).unwrap();
    model
}

pub(crate) fn forward(model: &mut dyn Model, rows: &[f32]) -> Vec<f32> {
    let spec = model.spec();
    let mut out = vec![f32::NAN; rows.len() / spec.num_features * spec.num_outputs];
    model.forward(NetId(0), rows, &mut out).unwrap();
    out
}
