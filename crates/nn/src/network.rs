//! The multi-layer perceptron as burn tensors: forward pass and gradients.
//!
//! In a lower precision, the factors of matrix products are cast to it and the products back; biases,
//! activations, and sums over rows in their gradients stay 32-bit, as parameters do. Not here:
//! losses, optimisers, which thread pool burn's matrix products run in.

use burn::tensor::{Device, FloatDType, Gradients, Tensor, TensorData, activation};
use deepcfr_core::{Activation, Dense};

use crate::device::{Precision, dtype, lower};

/// A network's parameters on a device.
pub(crate) struct Network {
    layers: Vec<(Tensor<2>, Tensor<1>)>,
    activation: Activation,
    precision: Precision,
}

impl Network {
    /// Copies `layers` to `device`; on an autodiff device they track gradients.
    pub(crate) fn new(
        layers: &[Dense],
        activation: Activation,
        precision: Precision,
        device: &Device,
    ) -> Self {
        let layers = layers.iter().map(|dense| {
            let weight = TensorData::new(dense.weight.clone(), [dense.inputs, dense.outputs]);
            let bias = TensorData::new(dense.bias.clone(), [dense.outputs]);
            let (weight, bias) = (Tensor::from_data(weight, device), Tensor::from_data(bias, device));
            if device.is_autodiff() {
                (weight.require_grad(), bias.require_grad())
            } else {
                // Weights that are only read are cast once.
                (weight.cast(dtype(precision)), bias)
            }
        });
        Self { layers: layers.collect(), activation, precision }
    }

    /// A network of parameters that are on their device already, and track gradients if it is to.
    pub(crate) fn of_tensors(
        layers: Vec<(Tensor<2>, Tensor<1>)>,
        activation: Activation,
        precision: Precision,
    ) -> Self {
        Self { layers, activation, precision }
    }

    /// The outputs `[n, outputs]` for `rows` `[n, inputs]`, in the network's own units.
    pub(crate) fn forward(&self, rows: Tensor<2>) -> Tensor<2> {
        let last = self.layers.len() - 1;
        self.layers.iter().enumerate().fold(rows, |rows, (index, (weight, bias))| {
            let sums = match lower(self.precision) {
                None => burn::tensor::module::linear(rows, weight.clone(), Some(bias.clone())),
                Some(lower) => mixed(rows, weight.clone(), lower) + bias.clone().unsqueeze(),
            };
            match self.activation {
                _ if index == last => sums,
                Activation::Relu => activation::relu(sums),
                Activation::Gelu => activation::gelu(sums),
            }
        })
    }

    /// The gradient of `loss`, a weight and a bias per layer, from input to output.
    pub(crate) fn gradient(&self, loss: &Tensor<1>) -> Vec<Vec<f32>> {
        let gradients = self.gradient_tensors(loss).into_iter();
        gradients.flat_map(|(weight, bias)| [floats(weight), floats(bias)]).collect()
    }

    /// The same, left on the device.
    pub(crate) fn gradient_tensors(&self, loss: &Tensor<1>) -> Vec<(Tensor<2>, Tensor<1>)> {
        let mut gradients = loss.backward();
        self.layers
            .iter()
            .map(|(weight, bias)| (removed(weight, &mut gradients), removed(bias, &mut gradients)))
            .collect()
    }
}

fn removed<const D: usize>(parameter: &Tensor<D>, gradients: &mut Gradients) -> Tensor<D> {
    parameter.grad_remove(gradients).expect("the loss depends on every parameter")
}

/// `rows · weight`, the factors in `lower`, the product back in 32 bits.
fn mixed(rows: Tensor<2>, weight: Tensor<2>, lower: FloatDType) -> Tensor<2> {
    rows.cast(lower).matmul(weight.cast(lower)).cast(FloatDType::F32)
}

/// The elements of a tensor, row-major.
pub(crate) fn floats<const D: usize>(tensor: Tensor<D>) -> Vec<f32> {
    tensor.into_data().try_into_vec().expect("networks compute in f32")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layers() -> Vec<Dense> {
        let dense = |inputs: usize, outputs: usize| Dense {
            inputs,
            outputs,
            weight: (0..inputs * outputs).map(|k| ((k * 37 % 19) as f32 - 9.0) / 13.0).collect(),
            bias: (0..outputs).map(|k| k as f32 / 10.0 - 0.1).collect(),
        };
        vec![dense(5, 8), dense(8, 3)]
    }

    fn rows(device: &Device) -> Tensor<2> {
        let rows: Vec<f32> = (0..20).map(|k| (k as f32 * 0.7).sin()).collect();
        Tensor::from_data(TensorData::new(rows, [4, 5]), device)
    }

    /// The largest distance of `precision`'s outputs and gradients from those in 32 bits, over the
    /// largest of these.
    fn distances(precision: Precision) -> [f32; 2] {
        let device = Device::flex().autodiff();
        let of = |precision| {
            let network = Network::new(&layers(), Activation::Relu, precision, &device);
            let outputs = network.forward(rows(&device));
            let gradient = network.gradient(&(outputs.clone() * outputs.clone()).sum());
            (floats(outputs), gradient.concat())
        };
        let (exact, lower) = (of(Precision::F32), of(precision));
        let distance = |exact: &[f32], lower: &[f32]| {
            let scale = exact.iter().fold(0f32, |most, value| most.max(value.abs()));
            let most = exact.iter().zip(lower).fold(0f32, |most, (a, b)| most.max((a - b).abs()));
            most / scale
        };
        [distance(&exact.0, &lower.0), distance(&exact.1, &lower.1)]
    }

    /// Rounding moves each factor by at most half a unit in the last of 8 or 11 bits: it shows, and
    /// it stays a few units over sums of at most 8 products in two layers.
    #[test]
    fn lower_precisions_round_and_no_more() {
        assert_eq!(distances(Precision::F32), [0.0, 0.0]);
        for (precision, unit) in [(Precision::Bf16, 1.0 / 256.0), (Precision::F16, 1.0 / 2048.0)] {
            for distance in distances(precision) {
                assert!(distance > unit / 100.0 && distance < 4.0 * unit, "{precision:?}: {distance}");
            }
        }
    }

    #[test]
    fn weights_that_are_cast_once_give_the_same_outputs() {
        for precision in Precision::ALL {
            let outputs = |device: &Device| {
                floats(Network::new(&layers(), Activation::Relu, precision, device).forward(rows(device)))
            };
            assert_eq!(outputs(&Device::flex()), outputs(&Device::flex().autodiff()), "{precision:?}");
        }
    }
}
