//! Fitting a multi-layer perceptron to a memory, on burn's autodiff over its CPU backend.
//!
//! The loss of a step is the mean over its rows of `weight · Σ_{legal a} loss(a)`. Parameters live in
//! host memory; each step lends them to burn for a forward and a backward pass and updates them in
//! one pass. Everything random comes from streams keyed by seed, iteration, network and step, and no
//! sum depends on the number of threads, so equal samples and context give equal weights, bit for
//! bit. Not here: sampling, schedules over iterations.

mod adam;
mod ahead;
mod batch;
mod config;
mod initial;
mod loss;
mod merge;
mod state;
#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::time::{Duration, Instant};

use burn::tensor::Device;
use deepcfr_core::{
    Dense, FitContext, FitReport, LearnError, Learner, MlpWeights, SampleShape, SampleSource, Weights,
};

pub use config::{Initialisation, LearnerConfig, Loss, OptimizerKind, StepRule, Weighting};

use crate::network::Network;
use adam::{Adam, global_norm};
use ahead::ahead;
use batch::{Batch, Batches};
use loss::DeviceBatch;
use state::Carried;

/// The weight of a sample of iteration `drawn` in a fit at iteration `now`.
fn weight(weighting: Weighting, drawn: u32, now: u32) -> f64 {
    match weighting {
        Weighting::Linear => 2.0 * f64::from(drawn) / f64::from(now),
        Weighting::Uniform => 1.0,
    }
}

/// Trains one network.
pub struct MlpLearner {
    config: LearnerConfig,
    pool: rayon::ThreadPool,
    carried: Option<Carried>,
}

impl MlpLearner {
    /// A learner that has not seen anything yet.
    ///
    /// # Errors
    /// If its threads cannot be started.
    pub fn new(config: LearnerConfig) -> Result<Self, LearnError> {
        let pool = crate::pool::private_pool(config.threads.max(1))
            .map_err(|reason| LearnError::Device { device: crate::pool::DEVICE, reason })?;
        Ok(Self { config, pool, carried: None })
    }

    /// What it was told.
    pub fn config(&self) -> &LearnerConfig {
        &self.config
    }

    /// The state that the fit starts from, its outputs in units of `target_rms`.
    fn start(&self, context: FitContext, target_rms: f64) -> Carried {
        match (&self.carried, self.config.initialisation) {
            (Some(carried), Initialisation::WarmStart) => carried.clone().in_units_of(target_rms),
            _ => {
                let layers = initial::initial_layers(&self.config, context.seed, context.iteration);
                Carried { adam: Adam::new(&layers), layers, target_rms }
            }
        }
    }
}

impl Learner for MlpLearner {
    fn fit(
        &mut self,
        samples: &dyn SampleSource,
        context: FitContext,
    ) -> Result<(Arc<Weights>, FitReport), LearnError> {
        let begin = Instant::now();
        if samples.is_empty() {
            return Err(LearnError::NoSamples);
        }
        let (carried, mut report) = self.pool.install(|| {
            let mut batches = Batches::new(samples, &self.config, context);
            let state = self.start(context, batches.target_rms());
            Fit::new(&self.config, state, begin.elapsed()).run(&mut batches, samples.len())
        })?;
        let mlp = MlpWeights {
            layers: carried.layers.clone(),
            activation: self.config.activation,
            output_scale: carried.target_rms as f32,
        };
        self.carried = (self.config.initialisation == Initialisation::WarmStart).then_some(carried);
        report.total = begin.elapsed();
        Ok((Arc::new(Weights::Mlp(mlp)), report))
    }

    fn save(&self) -> Result<Vec<u8>, LearnError> {
        Ok(state::encode(self.carried.as_ref()))
    }

    fn restore(&mut self, bytes: &[u8]) -> Result<(), LearnError> {
        self.carried = state::decode(bytes, &initial::initial_layers(&self.config, 0, 0))?;
        Ok(())
    }
}

/// One fit under way.
struct Fit<'a> {
    config: &'a LearnerConfig,
    state: Carried,
    device: Device,
    waited: Duration,
}

/// What a step found.
struct StepOutcome {
    loss: f64,
    grad_norm: f64,
}

impl<'a> Fit<'a> {
    fn new(config: &'a LearnerConfig, state: Carried, waited: Duration) -> Self {
        // Named, never the default: that is the first compiled-in backend, present or not.
        let device = Device::flex().autodiff();
        Self { config, state, device, waited }
    }

    fn run(mut self, batches: &mut Batches<'_>, samples: usize) -> Result<(Carried, FitReport), LearnError> {
        let steps = self.config.steps.steps(samples, self.config.batch_size);
        let outcomes: Vec<StepOutcome> = if batches.is_constant() {
            self.constant_steps(batches, steps)
        } else {
            self.steps(batches, steps)
        };
        if outcomes.is_empty() && steps > 0 {
            return Err(LearnError::NeverFinite { steps });
        }
        let last = &outcomes[outcomes.len() - outcomes.len().div_ceil(10)..];
        let mean =
            |value: fn(&StepOutcome) -> f64| last.iter().map(value).sum::<f64>() / last.len().max(1) as f64;
        let report = FitReport {
            steps: outcomes.len(),
            skipped: steps - outcomes.len(),
            loss: mean(|outcome| outcome.loss),
            distinct_rows: batches.distinct_rows(),
            grad_norm: mean(|outcome| outcome.grad_norm),
            target_rms: batches.target_rms(),
            batch_assembly: self.waited,
            total: Duration::ZERO,
        };
        Ok((self.state, report))
    }

    /// Steps that all take the same batch.
    fn constant_steps(&mut self, batches: &mut Batches<'_>, steps: usize) -> Vec<StepOutcome> {
        let begin = Instant::now();
        let mut batch = Batch::default();
        batches.put(0, &mut batch);
        let batch = self.to_device(batch);
        self.waited += begin.elapsed();
        (0..steps).filter_map(|step| self.step(&batch, self.learning_rate(step, steps))).collect()
    }

    /// Steps that take a batch each.
    fn steps(&mut self, batches: &mut Batches<'_>, steps: usize) -> Vec<StepOutcome> {
        if self.config.assemble_ahead {
            return ahead(batches, steps, |exchange| self.follow(steps, exchange));
        }
        let mut step = 0..;
        self.follow(steps, &mut |mut batch| {
            batches.put(step.next().expect("there is no last number"), &mut batch);
            batch
        })
    }

    /// Steps on the batches that come out of `exchange`, into which used ones go.
    fn follow(&mut self, steps: usize, exchange: &mut dyn FnMut(Batch) -> Batch) -> Vec<StepOutcome> {
        let mut batch = Batch::default();
        let mut outcomes = Vec::with_capacity(steps);
        for step in 0..steps {
            let begin = Instant::now();
            batch = exchange(batch);
            self.waited += begin.elapsed();
            let on_device = self.to_device(batch);
            outcomes.extend(self.step(&on_device, self.learning_rate(step, steps)));
            batch = on_device.into_buffers();
        }
        outcomes
    }

    fn to_device(&self, batch: Batch) -> DeviceBatch {
        let SampleShape { num_features, num_actions } = self.config.shape;
        DeviceBatch::new(batch, num_features, num_actions, &self.device)
    }

    fn learning_rate(&self, step: usize, steps: usize) -> f64 {
        let progress = step as f64 / steps as f64;
        self.config.learning_rate * (1.0 - (1.0 - self.config.final_learning_rate) * progress)
    }

    /// Takes a step, or skips it and returns nothing if the loss or the gradient is not finite.
    fn step(&mut self, batch: &DeviceBatch, learning_rate: f64) -> Option<StepOutcome> {
        let network = Network::new(&self.state.layers, self.config.activation, &self.device);
        let outputs = network.forward(batch.features.clone());
        let loss = batch.loss(self.config.loss, outputs);
        let gradients = network.gradient(&loss);
        // The CPU backend has finished both by now: reading them waits for nothing.
        let loss = f64::from(loss.into_scalar::<f32>());
        let grad_norm = global_norm(&gradients);
        if !(loss.is_finite() && grad_norm.is_finite()) {
            return None;
        }
        let clip = self.config.gradient_clip.map_or(f64::INFINITY, f64::from);
        let scale = if grad_norm > clip { (clip / grad_norm) as f32 } else { 1.0 };
        let Carried { layers, adam, .. } = &mut self.state;
        adam.step(self.config.optimizer, learning_rate, scale, layers, &gradients);
        Some(StepOutcome { loss, grad_norm })
    }
}

impl Carried {
    /// The same function with its outputs in units of `target_rms`.
    fn in_units_of(mut self, target_rms: f64) -> Self {
        let factor = (self.target_rms / target_rms) as f32;
        if let Some(Dense { weight, bias, .. }) = self.layers.last_mut() {
            weight.iter_mut().chain(bias).for_each(|value| *value *= factor);
        }
        self.target_rms = target_rms;
        self
    }
}
