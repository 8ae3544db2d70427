//! One optimiser step: forward pass, backward pass, clipping, update.
//!
//! On the processor, parameters live in host memory and each step lends them to burn; elsewhere they
//! stay on the device for the whole fit ([`Resident`]). Not here: which rows a step takes.

use burn::tensor::Device;
use deepcfr_core::LearnError;

use super::LearnerConfig;
use super::adam::global_norm;
use super::loss::DeviceBatch;
use super::loss_scale::LossScale;
use super::resident::{Resident, loss_and_norm};
use super::state::Carried;
use crate::device::Placement;
use crate::network::Network;

/// What a step found.
pub(super) struct StepOutcome {
    pub(super) loss: f64,
    pub(super) grad_norm: f64,
}

/// Takes the steps of one fit.
pub(super) struct Steps<'a> {
    config: &'a LearnerConfig,
    placement: Placement,
    /// Tracks gradients.
    device: Device,
    loss_scale: LossScale,
    resident: Option<Resident>,
}

impl<'a> Steps<'a> {
    /// Steps on `device`, with the parameters in host memory or on the device.
    pub(super) fn new(
        config: &'a LearnerConfig,
        placement: Placement,
        device: Device,
        carried: &Carried,
        on_device: bool,
    ) -> Self {
        let device = device.autodiff();
        let resident = on_device.then(|| Resident::upload(carried, &device));
        Self { config, placement, device, loss_scale: LossScale::of(placement.precision), resident }
    }

    /// Where batches must lie.
    pub(super) fn device(&self) -> &Device {
        &self.device
    }

    /// Whether batches' buffers stay in host memory.
    pub(super) fn is_in_host_memory(&self) -> bool {
        self.resident.is_none()
    }

    /// Takes a step, or skips it and returns nothing if the loss or the gradient is not finite.
    pub(super) fn take(
        &mut self,
        carried: &mut Carried,
        batch: &DeviceBatch,
        learning_rate: f64,
    ) -> Result<Option<StepOutcome>, LearnError> {
        let taken = match self.resident.take() {
            None => self.in_host_memory(carried, batch, learning_rate),
            Some(mut resident) => {
                let taken = self.on_device(&mut resident, batch, learning_rate)?;
                self.resident = Some(resident);
                taken
            }
        };
        self.loss_scale.update(taken.is_some());
        Ok(taken)
    }

    fn in_host_memory(
        &self,
        carried: &mut Carried,
        batch: &DeviceBatch,
        learning_rate: f64,
    ) -> Option<StepOutcome> {
        let LearnerConfig { activation, loss, optimizer, .. } = self.config;
        let network = Network::new(&carried.layers, *activation, self.placement.precision, &self.device);
        let outputs = network.forward(batch.features.clone());
        let loss = batch.loss(*loss, outputs);
        let factor = self.loss_scale.factor();
        let gradient = network.gradient(&loss.clone().mul_scalar(factor));
        // The CPU backend has finished both by now: reading them waits for nothing.
        let loss = f64::from(loss.into_scalar::<f32>());
        let (outcome, scale) = self.outcome(loss, global_norm(&gradient))?;
        carried.adam.step(*optimizer, learning_rate, scale, &mut carried.layers, &gradient);
        Some(outcome)
    }

    fn on_device(
        &self,
        resident: &mut Resident,
        batch: &DeviceBatch,
        learning_rate: f64,
    ) -> Result<Option<StepOutcome>, LearnError> {
        let network = resident.network(self.config.activation, self.placement.precision);
        let outputs = network.forward(batch.features.clone());
        let loss = batch.loss(self.config.loss, outputs);
        let gradient = network.gradient_tensors(&loss.clone().mul_scalar(self.loss_scale.factor()));
        let [loss, norm] = loss_and_norm(loss, &gradient).map_err(|error| self.failed(&error))?;
        let Some((outcome, scale)) = self.outcome(loss, norm) else { return Ok(None) };
        resident.step(self.config.optimizer, learning_rate, scale, gradient);
        Ok(Some(outcome))
    }

    /// The figures in the loss's own units, and what the scaled gradient is to be multiplied by.
    fn outcome(&self, loss: f64, scaled_norm: f64) -> Option<(StepOutcome, f32)> {
        let factor = f64::from(self.loss_scale.factor());
        let grad_norm = scaled_norm / factor;
        let clip = self.config.gradient_clip.map_or(f64::INFINITY, f64::from);
        let shorten = if grad_norm > clip { clip / grad_norm } else { 1.0 };
        let finite = loss.is_finite() && grad_norm.is_finite();
        finite.then_some((StepOutcome { loss, grad_norm }, (shorten / factor) as f32))
    }

    /// Brings the parameters back where they were away; tells the loss scale at the end.
    pub(super) fn finish(mut self, carried: &mut Carried) -> Result<Option<f64>, LearnError> {
        if let Some(resident) = self.resident.take() {
            resident.download(carried).map_err(|error| self.failed(&error))?;
        }
        Ok(self.loss_scale.reported())
    }

    fn failed(&self, error: &dyn std::error::Error) -> LearnError {
        LearnError::Device { device: self.placement.device.kind(), reason: error.to_string() }
    }
}
