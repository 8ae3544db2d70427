//! Fitting a multi-layer perceptron to a memory, on burn's autodiff.
//!
//! The loss of a step is the mean over its rows of `weight · Σ_{legal a} loss(a)`. On the processor,
//! parameters live in host memory; each step lends them to burn for a forward and a backward pass and
//! updates them in one pass. On another device they stay there for a fit. Everything random comes
//! from streams keyed by seed, iteration, network and step, and no sum depends on the number of
//! threads, so equal samples and context give equal weights, bit for bit. Not here: sampling, schedules over iterations.

mod adam;
mod ahead;
mod batch;
mod config;
mod initial;
mod loss;
mod loss_scale;
mod merge;
mod resident;
mod state;
mod step;
#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::time::{Duration, Instant};

use deepcfr_core::{
    Dense, FitContext, FitReport, LearnError, Learner, MlpWeights, SampleShape, SampleSource, Weighting,
    Weights,
};

pub use config::{Initialisation, LearnerConfig, Loss, OptimizerKind, StepRule};

use crate::device::{Placement, check_device, guarded, open};
use adam::Adam;
use ahead::ahead;
use batch::{Batch, Batches};
use loss::DeviceBatch;
use merge::KnownRows;
use state::Carried;
use step::{StepOutcome, Steps};

/// The weight of a sample of iteration `drawn` in a fit at iteration `now`.
fn weight(weighting: Weighting, drawn: u32, now: u32) -> f64 {
    weighting.scaled(weighting.unscaled(drawn), now)
}

/// Trains one network.
pub struct MlpLearner {
    config: LearnerConfig,
    placement: Placement,
    /// Whether parameters stay on the device for a whole fit.
    resident: bool,
    pool: rayon::ThreadPool,
    carried: Option<Carried>,
    known_rows: KnownRows,
}

impl MlpLearner {
    /// A learner on the processor, in 32 bits, that has not seen anything yet.
    ///
    /// # Errors
    /// If its threads cannot be started.
    pub fn new(config: LearnerConfig) -> Result<Self, LearnError> {
        Self::placed(config, Placement::default())
    }

    /// The same elsewhere, or in another precision. What it saves does not depend on either.
    ///
    /// # Errors
    /// If its threads cannot be started or the device cannot be used.
    pub fn placed(config: LearnerConfig, placement: Placement) -> Result<Self, LearnError> {
        check_device(placement)?;
        let pool = crate::pool::private_pool(config.threads.max(1))
            .map_err(|reason| LearnError::Device { device: crate::pool::DEVICE, reason })?;
        let (resident, known_rows) = (!placement.device.is_cpu(), KnownRows::default());
        Ok(Self { config, placement, resident, pool, carried: None, known_rows })
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

    /// Runs a fit where it is placed; panics of another device's runtime are its errors.
    fn run(
        &self,
        mut batches: Batches<'_>,
        state: Carried,
        waited: Duration,
    ) -> Result<(Carried, FitReport), LearnError> {
        let Placement { device, .. } = self.placement;
        let burn_device = open(device)?;
        let fit = move || {
            let steps = Steps::new(&self.config, self.placement, burn_device, &state, self.resident);
            Fit { config: &self.config, state, steps, waited }.run(&mut batches)
        };
        if device.is_cpu() { fit() } else { guarded(device, fit)? }
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
        let mut known_rows = std::mem::take(&mut self.known_rows);
        let (carried, mut report) = self.pool.install(|| {
            let batches = Batches::new(samples, &self.config, context, &mut known_rows);
            let state = self.start(context, batches.target_rms());
            self.run(batches, state, begin.elapsed())
        })?;
        self.known_rows = known_rows;
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
    steps: Steps<'a>,
    waited: Duration,
}

impl Fit<'_> {
    fn run(mut self, batches: &mut Batches<'_>) -> Result<(Carried, FitReport), LearnError> {
        let steps = self.config.steps.steps(batches.samples(), self.config.batch_size);
        let outcomes = if batches.is_constant() {
            self.constant_steps(batches, steps)?
        } else {
            self.varied_steps(batches, steps)?
        };
        if outcomes.is_empty() && steps > 0 {
            return Err(LearnError::NeverFinite { steps });
        }
        let loss_scale = self.steps.finish(&mut self.state)?;
        let last = &outcomes[outcomes.len() - outcomes.len().div_ceil(10)..];
        let mean =
            |value: fn(&StepOutcome) -> f64| last.iter().map(value).sum::<f64>() / last.len().max(1) as f64;
        let report = FitReport {
            steps: outcomes.len(),
            skipped: steps - outcomes.len(),
            loss_scale,
            loss: mean(|outcome| outcome.loss),
            distinct_rows: batches.distinct_rows(),
            target_spread: batches.target_spread(),
            grad_norm: mean(|outcome| outcome.grad_norm),
            target_rms: batches.target_rms(),
            batch_assembly: self.waited,
            total: Duration::ZERO,
        };
        Ok((self.state, report))
    }

    /// Steps that all take the same batch.
    fn constant_steps(
        &mut self,
        batches: &mut Batches<'_>,
        steps: usize,
    ) -> Result<Vec<StepOutcome>, LearnError> {
        let begin = Instant::now();
        let mut batch = Batch::default();
        batches.put(0, &mut batch);
        let batch = self.to_device(batch);
        self.waited += begin.elapsed();
        let mut outcomes = Vec::with_capacity(steps);
        for step in 0..steps {
            outcomes.extend(self.step(&batch, step, steps)?);
        }
        Ok(outcomes)
    }

    /// Steps that take a batch each.
    fn varied_steps(
        &mut self,
        batches: &mut Batches<'_>,
        steps: usize,
    ) -> Result<Vec<StepOutcome>, LearnError> {
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
    fn follow(
        &mut self,
        steps: usize,
        exchange: &mut dyn FnMut(Batch) -> Batch,
    ) -> Result<Vec<StepOutcome>, LearnError> {
        let mut batch = Batch::default();
        let mut outcomes = Vec::with_capacity(steps);
        for step in 0..steps {
            let begin = Instant::now();
            batch = exchange(batch);
            self.waited += begin.elapsed();
            let on_device = self.to_device(batch);
            outcomes.extend(self.step(&on_device, step, steps)?);
            // Another device has the buffers now: reading them back would copy them.
            batch = if self.steps.is_in_host_memory() { on_device.into_buffers() } else { Batch::default() };
        }
        Ok(outcomes)
    }

    fn to_device(&self, batch: Batch) -> DeviceBatch {
        let SampleShape { num_features, num_actions } = self.config.shape;
        DeviceBatch::new(batch, num_features, num_actions, self.steps.device())
    }

    fn learning_rate(&self, step: usize, steps: usize) -> f64 {
        let progress = step as f64 / steps as f64;
        self.config.learning_rate * (1.0 - (1.0 - self.config.final_learning_rate) * progress)
    }

    /// Takes a step, or skips it and returns nothing if the loss or the gradient is not finite.
    fn step(
        &mut self,
        batch: &DeviceBatch,
        step: usize,
        steps: usize,
    ) -> Result<Option<StepOutcome>, LearnError> {
        let learning_rate = self.learning_rate(step, steps);
        self.steps.take(&mut self.state, batch, learning_rate)
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
