//! Inference through burn: on the processor the reference that other engines are checked against, and
//! the only engine of other devices.
//!
//! Rows are not bit-invariant: matrix products pick their blocking by batch size. On an accelerator,
//! rows are padded to a few batch classes ([`classes`]), so that kernels are compiled and tuned once
//! each, which a factory does when it opens its first model ([`warm_up`]). Not here: training.

mod classes;
mod warm_up;

use std::sync::Arc;

use burn::tensor::{Device, Tensor, TensorData};
use deepcfr_core::{Activation, Model, ModelError, ModelFactory, ModelSpec, NetId, Weights};

pub use warm_up::{WarmUp, warm_up_so_far};

use crate::device::{DeviceError, DeviceName, DeviceProblem, Placement, Precision, guarded, open};
use crate::network::{Network, floats};
use crate::shape::{check_lengths, check_net, check_shape};
use classes::BatchClasses;

/// The largest batch class, unless [`BurnFactory::batches`] says otherwise.
const MAX_BATCH: usize = 256;

/// Opens models that run on burn: on its CPU backend, each with a private pool of one thread, or on
/// another device.
#[derive(Clone, Debug)]
pub struct BurnFactory {
    spec: ModelSpec,
    placement: Placement,
    classes: BatchClasses,
    hidden: Option<Hidden>,
}

/// The hidden layers of the networks that will be loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Hidden {
    size: usize,
    layers: usize,
    gelu: bool,
}

impl BurnFactory {
    /// A factory of models with `num_nets` networks from `num_features` inputs to `num_outputs`, on
    /// the processor, in 32 bits.
    pub fn new(num_features: usize, num_outputs: usize, num_nets: usize) -> Self {
        let spec = ModelSpec { num_features, num_outputs, num_nets, row_invariant: false };
        Self { spec, placement: Placement::default(), classes: BatchClasses::up_to(MAX_BATCH), hidden: None }
    }

    /// Elsewhere, or in another precision.
    #[must_use]
    pub fn placed(self, placement: Placement) -> Self {
        Self { placement, ..self }
    }

    /// The most rows of a call on an accelerator; more are run in several.
    #[must_use]
    pub fn batches(self, max_batch: usize) -> Self {
        Self { classes: BatchClasses::up_to(max_batch), ..self }
    }

    /// The hidden layers of the networks that will be loaded, for accelerators to be warmed up with.
    #[must_use]
    pub fn warmed_up_for(self, size: usize, layers: usize, activation: Activation) -> Self {
        Self { hidden: Some(Hidden { size, layers, gelu: activation == Activation::Gelu }), ..self }
    }

    /// The sizes that a call on an accelerator is padded to, ascending.
    pub fn batch_classes(&self) -> &[usize] {
        self.classes.sizes()
    }

    fn model(&self) -> Result<BurnModel, ModelError> {
        let name = self.placement.device;
        let place = if name.is_cpu() {
            let pool = crate::pool::private_pool(1)
                .map_err(|reason| ModelError::Device { device: crate::pool::DEVICE, reason })?;
            Place::Processor(pool)
        } else {
            Place::Accelerator(name, self.classes.clone())
        };
        let nets = (0..self.spec.num_nets).map(|_| None).collect();
        let precision = self.placement.precision;
        Ok(BurnModel { spec: self.spec, device: open(name)?, precision, place, nets })
    }
}

impl ModelFactory for BurnFactory {
    fn spec(&self) -> ModelSpec {
        self.spec
    }

    fn open(&self) -> Result<Box<dyn Model>, ModelError> {
        let model = self.model()?;
        if let (Place::Accelerator(name, classes), Some(hidden)) = (&model.place, self.hidden) {
            warm_up::run(*name, self.placement.precision, self.spec, hidden, classes, &model.device)?;
        }
        Ok(Box::new(model))
    }
}

struct BurnModel {
    spec: ModelSpec,
    device: Device,
    precision: Precision,
    place: Place,
    nets: Vec<Option<(Network, f32)>>,
}

enum Place {
    /// Matrix products run in this pool.
    Processor(rayon::ThreadPool),
    /// Rows are padded to these sizes.
    Accelerator(DeviceName, BatchClasses),
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
        let ModelSpec { num_features, num_outputs, .. } = self.spec;
        match &self.place {
            Place::Processor(pool) => {
                let shape = [rows.len() / num_features, num_features];
                let outputs = pool.install(|| {
                    let rows = Tensor::from_data(TensorData::new(rows.to_vec(), shape), &self.device);
                    floats(network.forward(rows))
                });
                write_scaled(out, &outputs, *scale);
            }
            Place::Accelerator(name, classes) => {
                let rows = rows.chunks(classes.largest() * num_features);
                for (rows, out) in rows.zip(out.chunks_mut(classes.largest() * num_outputs)) {
                    let class = classes.of(rows.len() / num_features);
                    let outputs = padded_forward(*name, network, rows, [class, num_features], &self.device)?;
                    write_scaled(out, &outputs, *scale);
                }
            }
        }
        Ok(())
    }

    fn load(&mut self, net: NetId, weights: &Arc<Weights>) -> Result<(), ModelError> {
        check_net(self.spec, net)?;
        let mlp = check_shape(self.spec, weights)?;
        let copy = || Network::new(&mlp.layers, mlp.activation, self.precision, &self.device);
        let network = match &self.place {
            Place::Processor(_) => copy(),
            Place::Accelerator(name, _) => guarded(*name, copy)?,
        };
        self.nets[net.index()] = Some((network, mlp.output_scale));
        Ok(())
    }
}

/// The outputs for `rows` and for the rows of zeros that make them `shape`. One transfer there, one
/// back, which is what waits for the device.
fn padded_forward(
    name: DeviceName,
    network: &Network,
    rows: &[f32],
    shape: [usize; 2],
    device: &Device,
) -> Result<Vec<f32>, DeviceError> {
    let mut padded = Vec::with_capacity(shape[0] * shape[1]);
    padded.extend_from_slice(rows);
    padded.resize(shape[0] * shape[1], 0.0);
    let read = guarded(name, || {
        let rows = Tensor::from_data(TensorData::new(padded, shape), device);
        network.forward(rows).try_into_data()
    })?;
    let failed = |reason: String| DeviceError { device: name, problem: DeviceProblem::Failed { reason } };
    let outputs = read.map_err(|error| failed(error.to_string()))?;
    outputs.try_into_vec().map_err(|error| failed(format!("{error:?}")))
}

/// The first outputs, as many as `out` takes, in points.
fn write_scaled(out: &mut [f32], outputs: &[f32], scale: f32) {
    for (to, from) in out.iter_mut().zip(outputs) {
        *to = from * scale;
    }
}
