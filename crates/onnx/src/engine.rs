//! Inference through ONNX Runtime: one session for each network and thread.
//!
//! A session holds its network's weights, packed for the provider; loading a network builds a session
//! and then drops the one before. Sessions start no threads. Rows are not bit-invariant: ONNX Runtime
//! picks its kernels by the number of rows. Not here: finding the library (see `runtime`).

use std::sync::Arc;

use deepcfr_core::{Model, ModelError, ModelFactory, ModelSpec, NetId, Weights};
use ort::session::Session;
use ort::value::TensorRef;

use crate::graph::onnx_model;
use crate::runtime::{Provider, Runtime, RuntimeError};

/// ONNX Runtime picks its kernels by the number of rows, and no version promises equal bits.
pub const ROW_INVARIANT: bool = false;

const DEVICE: &str = "onnxruntime";

/// Opens models that run in ONNX Runtime.
#[derive(Clone, Debug)]
pub struct OnnxFactory {
    spec: ModelSpec,
    runtime: Runtime,
    provider: Provider,
}

impl OnnxFactory {
    /// A factory of models with `num_nets` networks from `num_features` inputs to `num_outputs`.
    ///
    /// # Errors
    /// If the library cannot compute with `provider` on this machine.
    pub fn new(
        runtime: Runtime,
        provider: Provider,
        [num_features, num_outputs, num_nets]: [usize; 3],
    ) -> Result<Self, RuntimeError> {
        runtime.check(provider)?;
        let spec = ModelSpec { num_features, num_outputs, num_nets, row_invariant: ROW_INVARIANT };
        Ok(Self { spec, runtime, provider })
    }
}

impl ModelFactory for OnnxFactory {
    fn spec(&self) -> ModelSpec {
        self.spec
    }

    fn open(&self) -> Result<Box<dyn Model>, ModelError> {
        let sessions = (0..self.spec.num_nets).map(|_| None).collect();
        Ok(Box::new(OnnxModel { factory: self.clone(), sessions }))
    }
}

struct OnnxModel {
    factory: OnnxFactory,
    sessions: Vec<Option<Session>>,
}

impl Model for OnnxModel {
    fn spec(&self) -> ModelSpec {
        self.factory.spec
    }

    fn forward(&mut self, net: NetId, rows: &[f32], out: &mut [f32]) -> Result<(), ModelError> {
        let spec = self.factory.spec;
        spec.check_net(net)?;
        let count = spec.check_rows(rows, out);
        let session = self.sessions[net.index()].as_mut().ok_or(ModelError::NotLoaded { net })?;
        if count == 0 {
            return Ok(());
        }
        let rows = TensorRef::from_array_view(([count, spec.num_features], rows)).map_err(failed)?;
        let outputs = session.run(ort::inputs![rows]).map_err(failed)?;
        let (_, outputs) = outputs[0].try_extract_tensor::<f32>().map_err(failed)?;
        out.copy_from_slice(outputs);
        Ok(())
    }

    fn load(&mut self, net: NetId, weights: &Arc<Weights>) -> Result<(), ModelError> {
        let OnnxFactory { spec, runtime, provider } = &self.factory;
        spec.check_net(net)?;
        let model = onnx_model(spec.check_mlp(weights)?, &[])?;
        self.sessions[net.index()] = Some(runtime.session(&model, *provider).map_err(failed)?);
        Ok(())
    }
}

fn failed(error: ort::Error) -> ModelError {
    ModelError::Device { device: DEVICE, reason: error.to_string() }
}
