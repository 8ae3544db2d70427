//! The multi-layer perceptron as burn tensors: forward pass and gradients.
//!
//! Not here: losses, optimisers, which thread pool burn's matrix products run in.

use burn::tensor::{Device, Tensor, TensorData, activation};
use deepcfr_core::{Activation, Dense};

/// A network's parameters on a device.
pub(crate) struct Network {
    layers: Vec<(Tensor<2>, Tensor<1>)>,
    activation: Activation,
}

impl Network {
    /// Copies `layers` to `device`; on an autodiff device they track gradients.
    pub(crate) fn new(layers: &[Dense], activation: Activation, device: &Device) -> Self {
        let layers = layers.iter().map(|dense| {
            let weight = TensorData::new(dense.weight.clone(), [dense.inputs, dense.outputs]);
            let bias = TensorData::new(dense.bias.clone(), [dense.outputs]);
            let (weight, bias) = (Tensor::from_data(weight, device), Tensor::from_data(bias, device));
            if device.is_autodiff() { (weight.require_grad(), bias.require_grad()) } else { (weight, bias) }
        });
        Self { layers: layers.collect(), activation }
    }

    /// The outputs `[n, outputs]` for `rows` `[n, inputs]`, in the network's own units.
    pub(crate) fn forward(&self, rows: Tensor<2>) -> Tensor<2> {
        let last = self.layers.len() - 1;
        self.layers.iter().enumerate().fold(rows, |rows, (index, (weight, bias))| {
            let sums = burn::tensor::module::linear(rows, weight.clone(), Some(bias.clone()));
            match self.activation {
                _ if index == last => sums,
                Activation::Relu => activation::relu(sums),
                Activation::Gelu => activation::gelu(sums),
            }
        })
    }

    /// The gradient of `loss`, a weight and a bias per layer, from input to output.
    pub(crate) fn gradient(&self, loss: &Tensor<1>) -> Vec<Vec<f32>> {
        let mut gradients = loss.backward();
        let mut all = Vec::with_capacity(2 * self.layers.len());
        for (weight, bias) in &self.layers {
            all.push(floats(weight.grad_remove(&mut gradients).expect("the loss depends on every weight")));
            all.push(floats(bias.grad_remove(&mut gradients).expect("the loss depends on every bias")));
        }
        all
    }
}

/// The elements of a tensor, row-major.
pub(crate) fn floats<const D: usize>(tensor: Tensor<D>) -> Vec<f32> {
    tensor.into_data().try_into_vec().expect("networks compute in f32")
}
