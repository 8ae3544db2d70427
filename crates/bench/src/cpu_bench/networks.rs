//! Networks on rows of a memory: forward passes by batch, training steps, batches.
//!
//! Not here: traversals.

use std::hint::black_box;
use std::sync::Arc;
use std::time::Duration;

use deepcfr_cfr::memory::Memory;
use deepcfr_core::{FitContext, FitReport, Learner, NetId, SampleShape, SampleSource, Weights};
use deepcfr_nn::MlpLearner;

use super::stage::{Bound, Stage};
use crate::error::BenchError;
use deepcfr_config::{Engine, Initialisation, RunConfig, Steps};
use deepcfr_timing::{Stretch, timed};
use deepcfr_train::networks::{factory_of, learner_config};

/// Rows of a forward pass.
pub(super) const BATCHES: [usize; 6] = [1, 4, 16, 64, 256, 1024];
/// A stretch of forward passes has about so many floating-point operations, counted densely.
const STRETCH_FLOPS: f64 = 1e8;
/// Rows of a training step.
const STEP_ROWS: usize = 1024;
/// Floating-point operations of a stretch of training steps.
const STEPS_FLOPS: f64 = 1e10;
/// Steps of a fit whose batches are timed: so many that its first look at the memory does not show.
const ASSEMBLED: usize = 200;
/// Steps that give a network its weights.
const FIRST_STEPS: usize = 2;
const CONTEXT: FitContext = FitContext { seed: 1, iteration: 2 };

/// A shape of networks and the memory whose rows they see.
#[derive(Clone)]
pub(super) struct Subject<'a> {
    config: RunConfig,
    memory: &'a Memory,
    weights: Arc<Weights>,
}

impl<'a> Subject<'a> {
    /// Networks of `num_layers` layers of `hidden_size`, with the weights of a short fit.
    pub(super) fn new(
        config: &RunConfig,
        (hidden_size, num_layers): (usize, usize),
        memory: &'a Memory,
    ) -> Result<Self, BenchError> {
        let mut config = config.clone();
        (config.network.hidden_size, config.network.num_layers) = (hidden_size, num_layers);
        let weights = learner(&config, memory, FIRST_STEPS)?.fit(memory, CONTEXT)?.0;
        Ok(Self { config, memory, weights })
    }

    /// The same with weights as they are drawn.
    pub(super) fn untrained(mut self, (hidden_size, num_layers): (usize, usize)) -> Result<Self, BenchError> {
        (self.config.network.hidden_size, self.config.network.num_layers) = (hidden_size, num_layers);
        self.weights = learner(&self.config, self.memory, 0)?.fit(self.memory, CONTEXT)?.0;
        Ok(self)
    }

    fn name(&self) -> String {
        format!("{}x{}", self.config.network.hidden_size, self.config.network.num_layers)
    }

    /// Multiply-adds of a row in each layer.
    fn layers(&self) -> Vec<f64> {
        let SampleShape { num_features, num_actions } = self.memory.shape();
        let mut widths = vec![self.config.network.hidden_size; self.config.network.num_layers + 2];
        widths[0] = num_features;
        *widths.last_mut().expect("there are two ends") = num_actions;
        widths.windows(2).map(|pair| (pair[0] * pair[1]) as f64).collect()
    }

    /// Floating-point operations of a row's forward pass, zeros counted too.
    pub(super) fn forward_flops(&self) -> f64 {
        2.0 * self.layers().iter().sum::<f64>()
    }

    /// Forward passes of `engine` by batch.
    pub(super) fn forward(&self, engine: Engine) -> Result<Vec<Stage<'a>>, BenchError> {
        BATCHES.iter().map(|&batch| self.forward_of(engine, batch)).collect()
    }

    /// Forward passes of `engine` on `batch` rows.
    pub(super) fn forward_of(&self, engine: Engine, batch: usize) -> Result<Stage<'a>, BenchError> {
        let shape = self.memory.shape();
        let mut model = factory_of(engine, &self.config.inference, shape, 1)?.open()?;
        model.load(NetId(0), &self.weights)?;
        let rows = rows_of(self.memory, batch);
        let mut out = vec![0.0; batch * shape.num_actions];
        let calls = (STRETCH_FLOPS / self.forward_flops() / batch as f64).ceil() as usize;
        Ok(Stage {
            name: format!("{} forward {}, batch {batch}", engine.word(), self.name()),
            item: "row",
            bounds: peaks(self.forward_flops()),
            run: Box::new(move || {
                timed(calls * batch, || {
                    for _ in 0..calls {
                        model.forward(NetId(0), black_box(&rows), &mut out)?;
                        black_box(&out);
                    }
                    Ok(())
                })
            }),
        })
    }

    /// Training steps on one thread, waiting for batches left out.
    pub(super) fn step(&self) -> Result<Stage<'a>, BenchError> {
        let layers = self.layers();
        // Backwards, every layer's weights and, but for the first layer's, its inputs have a gradient.
        let flops = 6.0 * layers.iter().sum::<f64>() - 2.0 * layers[0];
        let steps = (STEPS_FLOPS / flops / STEP_ROWS as f64).ceil() as usize;
        let name = format!("training step {}, batch {STEP_ROWS}", self.name());
        fits(&self.config, self.memory, (name, steps), peaks(flops), |report| {
            report.total - report.batch_assembly
        })
    }

    /// Putting batches together on the optimiser's own thread, for a network that costs little.
    pub(super) fn batch_assembly(&self) -> Result<Stage<'a>, BenchError> {
        let SampleShape { num_features, num_actions } = self.memory.shape();
        let bytes = (num_features + 2 * num_actions) * size_of::<f32>();
        let bound = Bound::new("writing the rows to memory", move |limits| {
            // A copy reads as much as it writes.
            limits.one.copy_bytes_per_second / 2.0 / bytes as f64
        });
        let mut config = self.config.clone();
        (config.network.hidden_size, config.network.num_layers) = (1, 1);
        let name = format!("batch assembly, batch {STEP_ROWS}");
        fits(&config, self.memory, (name, ASSEMBLED), vec![bound], |report| report.batch_assembly)
    }
}

/// What `flops` a row, zeros counted too, cannot be faster than without skipping any.
fn peaks(flops: f64) -> Vec<Bound> {
    vec![
        Bound::new("multiply-add peak, dense", move |limits| limits.one.flops_per_second / flops),
        Bound::new("sgemm", move |limits| limits.one.product_flops_per_second / flops),
    ]
}

/// Fits of so many steps as a stage, of which `part` is timed.
fn fits<'a>(
    config: &RunConfig,
    memory: &'a Memory,
    (name, steps): (String, usize),
    bounds: Vec<Bound>,
    part: fn(&FitReport) -> Duration,
) -> Result<Stage<'a>, BenchError> {
    let mut learner = learner(config, memory, steps)?;
    Ok(Stage {
        name,
        item: "row",
        bounds,
        run: Box::new(move || {
            let (_, report) = learner.fit(memory, CONTEXT)?;
            Ok(Stretch { items: (steps * STEP_ROWS) as f64, seconds: part(&report).as_secs_f64() })
        }),
    })
}

/// A learner on one thread whose fits go on from each other: drawing initial weights is not timed.
fn learner(config: &RunConfig, memory: &Memory, steps: usize) -> Result<MlpLearner, BenchError> {
    let mut config = config.clone();
    config.training.initialisation = Initialisation::WarmStart;
    config.training.batch_size = STEP_ROWS;
    config.training.steps = Steps::Fixed;
    config.training.advantage_steps = steps;
    Ok(MlpLearner::new(learner_config(&config, memory.shape(), 0, 1))?)
}

/// The first feature rows of a memory, from the start again where it has fewer.
pub(super) fn rows_of(memory: &Memory, count: usize) -> Vec<f32> {
    let SampleShape { num_features, num_actions } = memory.shape();
    let mut rows = vec![0.0; count * num_features];
    let mut targets = vec![0.0; num_actions];
    for (index, row) in rows.chunks_exact_mut(num_features).enumerate() {
        memory.read(index % memory.len(), row, &mut targets);
    }
    rows
}
