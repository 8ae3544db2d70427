//! The losses, on tensors.

use burn::tensor::{Device, Tensor, TensorData, activation};

use super::Loss;
use super::batch::Batch;
use crate::network::floats;

/// A batch on the device.
pub(super) struct DeviceBatch {
    /// `[rows, features]`.
    pub(super) features: Tensor<2>,
    targets: Tensor<2>,
    weights: Tensor<2>,
    logit_offsets: Option<Tensor<2>>,
}

impl DeviceBatch {
    /// Moves the batch's buffers.
    pub(super) fn new(batch: Batch, num_features: usize, num_actions: usize, device: &Device) -> Self {
        let tensor = |values, width| Tensor::from_data(TensorData::new(values, [batch.rows, width]), device);
        Self {
            features: tensor(batch.features, num_features),
            targets: tensor(batch.targets, num_actions),
            weights: tensor(batch.weights, num_actions),
            logit_offsets: (!batch.logit_offsets.is_empty())
                .then(|| tensor(batch.logit_offsets, num_actions)),
        }
    }

    /// The buffers again, once nothing else holds the tensors: then nothing is copied.
    pub(super) fn into_buffers(self) -> Batch {
        Batch {
            rows: self.features.dims()[0],
            features: floats(self.features),
            targets: floats(self.targets),
            weights: floats(self.weights),
            logit_offsets: self.logit_offsets.map(floats).unwrap_or_default(),
        }
    }

    /// The loss of `outputs` `[rows, actions]`. Illegal actions have weight 0 and no gradient.
    pub(super) fn loss(&self, loss: Loss, outputs: Tensor<2>) -> Tensor<1> {
        let (targets, weights) = (self.targets.clone(), self.weights.clone());
        let offsets = || self.logit_offsets.clone().expect("batches for softmax losses carry offsets");
        match loss {
            Loss::AdvantageMse => {
                let error = outputs - targets;
                (error.clone() * error * weights).sum()
            }
            Loss::StrategyCrossEntropy => {
                let log_probabilities = activation::log_softmax(outputs + offsets(), 1);
                (log_probabilities * (targets * weights)).sum().neg()
            }
            Loss::StrategyMse => {
                let error = activation::softmax(outputs + offsets(), 1) - targets;
                (error.clone() * error * weights).sum()
            }
        }
    }
}
