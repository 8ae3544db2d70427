//! A fit whose parameters and optimiser stay on an accelerator: they go there when it begins and come
//! back when it ends, and of each step only the loss and the gradient's norm are read.
//!
//! The arithmetic is that of [`super::adam`], as tensor operations in 32 bits. Not here: the fit on
//! the processor, which keeps both in host memory.

use burn::tensor::{Device, Tensor, TensorData, TensorReadError};
use deepcfr_core::{Activation, Dense};

use super::OptimizerKind;
use super::adam::{Adam, BETA_1, BETA_2, Rates};
use super::state::Carried;
use crate::device::Precision;
use crate::network::Network;

/// A parameter with its first and second moment.
struct Parameter<const D: usize> {
    value: Tensor<D>,
    first: Tensor<D>,
    second: Tensor<D>,
}

/// Parameters and optimiser of a fit.
pub(super) struct Resident {
    layers: Vec<(Parameter<2>, Parameter<1>)>,
    time: u32,
}

/// The gradient of a step, a weight and a bias per layer.
pub(super) type Gradient = Vec<(Tensor<2>, Tensor<1>)>;

impl Resident {
    /// Copies what is carried to `device`.
    pub(super) fn upload(carried: &Carried, device: &Device) -> Self {
        let device = device.clone().without_autodiff();
        let Adam { time, first, second } = &carried.adam;
        let parameter =
            |shape: Vec<usize>, values: [&[f32]; 3]| values.map(|values| (values.to_vec(), shape.clone()));
        let layers = carried.layers.iter().enumerate().map(|(layer, dense)| {
            let (weight, bias) = (2 * layer, 2 * layer + 1);
            let weight = parameter(
                vec![dense.inputs, dense.outputs],
                [&dense.weight, &first[weight], &second[weight]],
            );
            let bias = parameter(vec![dense.outputs], [&dense.bias, &first[bias], &second[bias]]);
            (Parameter::upload(weight, &device), Parameter::upload(bias, &device))
        });
        Self { layers: layers.collect(), time: *time }
    }

    /// Copies parameters and optimiser back.
    ///
    /// # Errors
    /// If the device fails.
    pub(super) fn download(self, carried: &mut Carried) -> Result<(), TensorReadError> {
        carried.adam.time = self.time;
        let Carried { layers, adam, .. } = carried;
        for (layer, (weight, bias)) in self.layers.into_iter().enumerate() {
            let Dense { weight: to_weight, bias: to_bias, .. } = &mut layers[layer];
            let (first, second) = (&mut adam.first[2 * layer..], &mut adam.second[2 * layer..]);
            [*to_weight, first[0], second[0]] = weight.download()?;
            [*to_bias, first[1], second[1]] = bias.download()?;
        }
        Ok(())
    }

    /// The network as it is now, tracking gradients.
    pub(super) fn network(&self, activation: Activation, precision: Precision) -> Network {
        let layers = self.layers.iter().map(|(weight, bias)| (weight.tracked(), bias.tracked()));
        Network::of_tensors(layers.collect(), activation, precision)
    }

    /// One step along `gradient`, multiplied by `scale`.
    pub(super) fn step(&mut self, kind: OptimizerKind, learning_rate: f64, scale: f32, gradient: Gradient) {
        self.time += 1;
        let rates = Rates::at(self.time, kind, learning_rate);
        for ((weight, bias), (by_weight, by_bias)) in self.layers.iter_mut().zip(gradient) {
            weight.step(by_weight, scale, &rates, rates.decay);
            bias.step(by_bias, scale, &rates, 1.0);
        }
    }
}

impl<const D: usize> Parameter<D> {
    fn upload([value, first, second]: [(Vec<f32>, Vec<usize>); 3], device: &Device) -> Self {
        let tensor = |(values, shape): (Vec<f32>, Vec<usize>)| {
            Tensor::from_data(TensorData::new(values, shape), device)
        };
        Self { value: tensor(value), first: tensor(first), second: tensor(second) }
    }

    fn download(self) -> Result<[Vec<f32>; 3], TensorReadError> {
        let read = |tensor: Tensor<D>| tensor.try_into_vec_as::<f32>();
        Ok([read(self.value)?, read(self.first)?, read(self.second)?])
    }

    fn tracked(&self) -> Tensor<D> {
        self.value.clone().autodiff().require_grad()
    }

    fn step(&mut self, gradient: Tensor<D>, scale: f32, rates: &Rates, decay: f32) {
        let gradient = gradient.mul_scalar(scale);
        self.first = self.first.clone().mul_scalar(BETA_1) + gradient.clone().mul_scalar(1.0 - BETA_1);
        self.second = self.second.clone().mul_scalar(BETA_2) + gradient.square().mul_scalar(1.0 - BETA_2);
        let change = self.first.clone() / self.second.clone().sqrt().add_scalar(rates.epsilon);
        self.value = self.value.clone().mul_scalar(decay) - change.mul_scalar(rates.step_size);
    }
}

/// The loss and the Euclidean norm of all gradients together, in one transfer.
///
/// # Errors
/// If the device fails.
pub(super) fn loss_and_norm(loss: Tensor<1>, gradient: &Gradient) -> Result<[f64; 2], TensorReadError> {
    let squares = gradient
        .iter()
        .flat_map(|(weight, bias)| [weight.clone().square().sum(), bias.clone().square().sum()]);
    let norm = Tensor::cat(squares.collect(), 0).sum().sqrt();
    let both = Tensor::cat(vec![loss.without_autodiff(), norm], 0).try_into_vec_as::<f32>()?;
    Ok([f64::from(both[0]), f64::from(both[1])])
}

#[cfg(test)]
mod tests {
    use deepcfr_core::{
        ActionSet, FitContext, Learner, MlpWeights, SampleMeta, SampleShape, SampleSource, Weights,
    };

    use super::super::{Initialisation, LearnerConfig, MlpLearner, StepRule};
    use super::*;
    use crate::{Placement, Precision};

    struct Memory;

    impl SampleSource for Memory {
        fn shape(&self) -> SampleShape {
            SampleShape { num_features: 3, num_actions: 2 }
        }

        fn len(&self) -> usize {
            90
        }

        fn read(&self, index: usize, features: &mut [f32], targets: &mut [f32]) -> SampleMeta {
            let at = index as f32 / 90.0;
            features.copy_from_slice(&[at, (7.0 * at).sin(), 1.0]);
            targets.copy_from_slice(&[3.0 * at - 1.0, (index % 5) as f32 - 2.0]);
            SampleMeta { legal: ActionSet::first(2), iteration: 1 + index as u32 % 4 }
        }
    }

    fn config(optimizer: OptimizerKind, gradient_clip: Option<f32>) -> LearnerConfig {
        LearnerConfig {
            activation: Activation::Gelu,
            optimizer,
            learning_rate: 1e-2,
            final_learning_rate: 0.1,
            gradient_clip,
            batch_size: 32,
            steps: StepRule::Fixed(25),
            initialisation: Initialisation::WarmStart,
            ..LearnerConfig::plain(Memory.shape(), 12, 2)
        }
    }

    /// Two fits in a row, so that the second starts from what the first brought back.
    fn fitted(config: &LearnerConfig, precision: Precision, resident: bool) -> (MlpWeights, f64, f64) {
        let placement = Placement { precision, ..Placement::default() };
        let mut learner = MlpLearner::placed(config.clone(), placement).expect("starts");
        learner.resident = resident;
        learner.fit(&Memory, FitContext { seed: 3, iteration: 4 }).expect("fits");
        let (weights, report) = learner.fit(&Memory, FitContext { seed: 3, iteration: 5 }).expect("fits");
        let Weights::Mlp(mlp) = &*weights else { panic!("learners here train perceptrons") };
        (mlp.clone(), report.loss, report.grad_norm)
    }

    /// The tensor operations are those of the loops over host memory, whatever is on.
    #[test]
    fn fits_that_stay_on_the_device_are_those_in_host_memory() {
        for optimizer in [OptimizerKind::Adam, OptimizerKind::AdamW { weight_decay: 0.1 }] {
            for gradient_clip in [None, Some(0.5)] {
                for precision in Precision::ALL {
                    let config = config(optimizer, gradient_clip);
                    let (host, host_loss, host_norm) = fitted(&config, precision, false);
                    let (device, loss, norm) = fitted(&config, precision, true);
                    assert!((loss / host_loss - 1.0).abs() < 1e-3, "{precision:?}: {loss}, {host_loss}");
                    assert!((norm / host_norm - 1.0).abs() < 1e-2, "{precision:?}: {norm}, {host_norm}");
                    let parameters = |mlp: &MlpWeights| -> Vec<f32> {
                        mlp.layers
                            .iter()
                            .flat_map(|dense| dense.weight.iter().chain(&dense.bias))
                            .copied()
                            .collect()
                    };
                    for (there, here) in parameters(&host).into_iter().zip(parameters(&device)) {
                        assert!((there - here).abs() < 2e-3, "{optimizer:?}, {precision:?}: {there}, {here}");
                    }
                }
            }
        }
    }
}
