//! CPU inference through burn's flex backend: the reference that other engines are checked against.
//!
//! Rows are not bit-invariant: matrix products pick their blocking by batch size. Not here: training.

use std::sync::Arc;

use burn::tensor::{Device, Tensor, TensorData};
use deepcfr_core::{Model, ModelError, ModelFactory, ModelSpec, NetId, Weights};

use crate::network::{Network, floats};
use crate::shape::{check_lengths, check_net, check_shape};

/// Opens models that run on burn's CPU backend, each with a private pool of one thread.
#[derive(Clone, Debug)]
pub struct BurnFactory {
    spec: ModelSpec,
}

impl BurnFactory {
    /// A factory of models with `num_nets` networks from `num_features` inputs to `num_outputs`.
    pub fn new(num_features: usize, num_outputs: usize, num_nets: usize) -> Self {
        Self { spec: ModelSpec { num_features, num_outputs, num_nets, row_invariant: false } }
    }
}

impl ModelFactory for BurnFactory {
    fn spec(&self) -> ModelSpec {
        self.spec
    }

    fn open(&self) -> Result<Box<dyn Model>, ModelError> {
        let pool = crate::pool::private_pool(1)
            .map_err(|reason| ModelError::Device { device: crate::pool::DEVICE, reason })?;
        let nets = (0..self.spec.num_nets).map(|_| None).collect();
        Ok(Box::new(BurnModel { spec: self.spec, device: Device::flex(), pool, nets }))
    }
}

struct BurnModel {
    spec: ModelSpec,
    device: Device,
    pool: rayon::ThreadPool,
    nets: Vec<Option<(Network, f32)>>,
}

impl Model for BurnModel {
    fn spec(&self) -> ModelSpec {
        self.spec
    }

    fn forward(&mut self, net: NetId, rows: &[f32], out: &mut [f32]) -> Result<(), ModelError> {
        check_net(self.spec, net)?;
        check_lengths(self.spec, rows, out);
        let (network, scale) = self.nets[net.index()].as_ref().ok_or(ModelError::NotLoaded { net })?;
        if rows.is_empty() {
            return Ok(());
        }
        let shape = [rows.len() / self.spec.num_features, self.spec.num_features];
        let outputs = self.pool.install(|| {
            let rows = Tensor::from_data(TensorData::new(rows.to_vec(), shape), &self.device);
            floats(network.forward(rows))
        });
        for (to, from) in out.iter_mut().zip(outputs) {
            *to = from * scale;
        }
        Ok(())
    }

    fn load(&mut self, net: NetId, weights: &Arc<Weights>) -> Result<(), ModelError> {
        check_net(self.spec, net)?;
        let mlp = check_shape(self.spec, weights)?;
        let network = Network::new(&mlp.layers, mlp.activation, &self.device);
        self.nets[net.index()] = Some((network, mlp.output_scale));
        Ok(())
    }
}
