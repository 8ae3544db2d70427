//! CPU inference for multi-layer perceptrons: weights packed once a version, inputs that are zero
//! skipped, bias and activation fused.
//!
//! One model belongs to one thread and starts none. Models of a factory share packed weights, which
//! are never written again.
//!
//! # Guarantee: a row's result does not depend on its batch
//! Every output element is `bias + Σ x[k]·w[k]`, summed from the bias over ascending `k` with one
//! fused multiply-add per non-zero `x[k]` (and with a few zeros, the same for the same row), in one accumulator. Which rows share a call changes only
//! when each of these operations happens. Leaving out zero inputs does not change a sum either: with
//! finite weights, `0·w` is a zero, and adding a zero can at most change the sign of a sum that is
//! itself zero; biases and outputs are freed of `-0.0` (and an activation's zero is an input that is
//! skipped). So results are bit-identical for all batch sizes and positions on one machine. Machines
//! whose vector units differ (fused or not) may differ from each other.
//!
//! Not here: training, tables, batching, threads.

mod aligned;
mod compress;
mod entries;
mod gelu;
mod kernel;
mod packed;

use std::sync::{Arc, Mutex, PoisonError, Weak};

use deepcfr_core::{MlpWeights, Model, ModelError, ModelFactory, ModelSpec, NetId, Weights};
use pulp::{Arch, Simd, WithSimd};

use kernel::{Forward, Scratch};
use packed::PackedMlp;

use crate::shape::{check_lengths, check_net, check_shape};

const DEVICE: &str = "native";

/// Opens CPU models that share their packed weights.
#[derive(Debug)]
pub struct NativeFactory {
    spec: ModelSpec,
    packed: Arc<PackedCache>,
}

impl NativeFactory {
    /// A factory of models with `num_nets` networks from `num_features` inputs to `num_outputs`.
    pub fn new(num_features: usize, num_outputs: usize, num_nets: usize) -> Self {
        let spec = ModelSpec { num_features, num_outputs, num_nets, row_invariant: true };
        Self { spec, packed: Arc::default() }
    }
}

impl ModelFactory for NativeFactory {
    fn spec(&self) -> ModelSpec {
        self.spec
    }

    fn open(&self) -> Result<Box<dyn Model>, ModelError> {
        Ok(Box::new(NativeModel {
            spec: self.spec,
            arch: Arch::new(),
            packed: Arc::clone(&self.packed),
            nets: vec![None; self.spec.num_nets],
            scratch: Scratch::new(0),
            widest: 0,
        }))
    }
}

struct NativeModel {
    spec: ModelSpec,
    arch: Arch,
    packed: Arc<PackedCache>,
    nets: Vec<Option<Arc<PackedMlp>>>,
    scratch: Scratch,
    widest: usize,
}

impl Model for NativeModel {
    fn spec(&self) -> ModelSpec {
        self.spec
    }

    fn forward(&mut self, net: NetId, rows: &[f32], out: &mut [f32]) -> Result<(), ModelError> {
        check_net(self.spec, net)?;
        check_lengths(self.spec, rows, out);
        let mlp = self.nets[net.index()].as_deref().ok_or(ModelError::NotLoaded { net })?;
        self.arch.dispatch(Forward { mlp, scratch: &mut self.scratch, rows, out });
        Ok(())
    }

    fn load(&mut self, net: NetId, weights: &Arc<Weights>) -> Result<(), ModelError> {
        check_net(self.spec, net)?;
        let mlp = check_shape(self.spec, weights)?;
        let packed = self.packed.get(weights, mlp, self.arch.dispatch(Lanes))?;
        if packed.widest() > self.widest {
            self.widest = packed.widest();
            self.scratch = Scratch::new(self.widest);
        }
        self.nets[net.index()] = Some(packed);
        Ok(())
    }
}

/// What is packed and still in use somewhere, by the identity of the weights.
#[derive(Debug, Default)]
struct PackedCache(Mutex<Vec<(Weak<Weights>, Weak<PackedMlp>)>>);

impl PackedCache {
    /// The packed form of `weights`. The lock is held while packing, so that others wait for the
    /// result in place of packing the same again.
    fn get(
        &self,
        weights: &Arc<Weights>,
        mlp: &MlpWeights,
        lanes: usize,
    ) -> Result<Arc<PackedMlp>, ModelError> {
        let mut cached = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        cached.retain(|(weights, packed)| weights.strong_count() > 0 && packed.strong_count() > 0);
        let same = cached.iter().find(|(known, _)| known.as_ptr() == Arc::as_ptr(weights));
        if let Some(packed) = same.and_then(|(_, packed)| packed.upgrade()) {
            return Ok(packed);
        }
        let packed = Arc::new(PackedMlp::new(mlp, lanes)?);
        cached.push((Arc::downgrade(weights), Arc::downgrade(&packed)));
        Ok(packed)
    }
}

/// Asks for the number of floats in a vector of this machine.
struct Lanes;

impl WithSimd for Lanes {
    type Output = usize;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _simd: S) -> usize {
        S::F32_LANES
    }
}
