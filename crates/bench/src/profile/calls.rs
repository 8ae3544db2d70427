//! Forward passes and training steps against their batch: interleaved, warmed blocks of timings with
//! the weights and rows of a run.
//!
//! A block times every call at every batch once, in an order of its own, so that a disturbance of the
//! machine falls on all alike. Not here: fitting the timings. On a CPU the host computes, so there is
//! no time at which a call is enqueued but not finished, and none is recorded.

use std::time::Duration;

use deepcfr_cfr::memory::Memory;
use deepcfr_core::{FitContext, Learner, Model, NetId, SampleShape, SampleSource, Weights};
use deepcfr_levers::fit::{NetworkShape, Timing};
use deepcfr_levers::profile::{Call, CallTimings, Device, Variant};
use deepcfr_nn::MlpLearner;
use deepcfr_timing::{Stretch, Turns, repeated};

use super::{ProfilePlan, Watch, workload};
use crate::error::BenchError;
use deepcfr_config::{Engine, RunConfig, Steps};
use deepcfr_runs::metrics::IterationMetrics;
use deepcfr_train::Trainer;
use deepcfr_train::networks::{factory_of, learner_config, usable_engines};

/// A forward pass is repeated for about so long, and a fit takes about so long, for one timing.
const FORWARD_TIMED: Duration = Duration::from_millis(4);
const FIT_TIMED: Duration = Duration::from_millis(40);
/// Steps of a timed fit: enough that its start does not show.
const FIT_STEPS: (usize, usize) = (3, 60);
/// Steps that give a network of another size its weights.
const FIRST_STEPS: usize = 2;
/// The largest batch of timed forward passes, if the run's own is smaller.
const LARGEST_FORWARD: usize = 256;
/// Timed training batches, as multiples of what the run's own computes.
const STEP_BATCHES: [f64; 6] = [0.0625, 0.125, 0.25, 0.5, 1.0, 2.0];
/// The name of the engine that trains.
const TRAINING_ENGINE: &str = "burn";

/// Calls of so many rows each.
type Calls<'a> = Box<dyn FnMut(usize) -> Result<Stretch, BenchError> + 'a>;

/// One kind of call, ready to be timed.
pub(crate) struct Timed<'a> {
    call: Call,
    engine: &'static str,
    network: NetworkShape,
    batches: Vec<usize>,
    stretch: Calls<'a>,
    timings: Vec<Timing>,
}

/// Times all calls that levers are judged by.
pub(super) fn time_calls(
    trainer: &Trainer,
    config: &RunConfig,
    plan: &ProfilePlan,
    lines: &[IterationMetrics],
    watch: &mut Watch<'_>,
) -> Result<Vec<CallTimings>, BenchError> {
    let held = workload::distinct_rows(lines);
    let engines = usable_engines(config, &mut |words| watch.say(words));
    let own = (config.network.hidden_size, config.network.num_layers);
    let mut timed = Vec::new();
    for &size in std::iter::once(&own).chain(plan.sizes.iter().filter(|size| **size != own)) {
        let mut sized = config.clone();
        (sized.network.hidden_size, sized.network.num_layers) = size;
        let weights = match &trainer.networks().weights[0] {
            Some(weights) if size == own => weights.clone(),
            _ => first_weights(trainer, &sized)?,
        };
        for &engine in &engines {
            // Other sizes are asked about with the engine that runs use.
            if size == own || engine == config.inference.engine {
                timed.push(forward(trainer, &sized, engine, &weights)?);
            }
        }
        timed.push(step(trainer, &sized, held));
    }
    time_blocks(&mut timed, plan.blocks, config.run.seed, || watch.check())?;
    Ok(timed.into_iter().map(Timed::finish).collect())
}

/// Times every call once a block, after one block that warms up and is forgotten, in the order that `seed`
/// draws; asks `check` before each call whether to go on.
pub(crate) fn time_blocks(
    timed: &mut [Timed<'_>],
    blocks: u32,
    seed: u64,
    mut check: impl FnMut() -> Result<(), BenchError>,
) -> Result<(), BenchError> {
    let mut places = Vec::new();
    for (call, timed) in timed.iter().enumerate() {
        places.extend(timed.batches.iter().map(|&rows| (call, rows)));
    }
    let timings = Turns::new(blocks as usize, seed).take(places.len(), |place| {
        check()?;
        let (call, rows) = places[place];
        (timed[call].stretch)(rows)
    })?;
    for (&(call, rows), timings) in places.iter().zip(&timings) {
        for (block, stretch) in (0..).zip(timings.stretches()) {
            let seconds = stretch.seconds / stretch.items;
            timed[call].timings.push(Timing { block, rows: rows as u32, seconds, enqueue_seconds: None });
        }
    }
    Ok(())
}

impl<'a> Timed<'a> {
    /// Forward passes of `engine` with networks of `size`.
    pub(crate) fn forward(
        engine: Engine,
        shape: SampleShape,
        (hidden_size, num_layers): (usize, usize),
        batches: Vec<usize>,
        stretch: Calls<'a>,
    ) -> Self {
        Self {
            call: Call::Forward,
            engine: engine.word(),
            network: workload::network(shape, hidden_size, num_layers),
            batches,
            stretch,
            timings: Vec::new(),
        }
    }

    pub(crate) fn finish(self) -> CallTimings {
        let mut timings = self.timings;
        timings.sort_by_key(|timing| (timing.block, timing.rows));
        CallTimings {
            call: self.call,
            engine: self.engine.to_owned(),
            variant: Variant::Plain,
            device: Device::Cpu,
            network: self.network,
            timings,
        }
    }
}

/// Forward passes of `engine` on rows of the first player's memory.
fn forward<'a>(
    trainer: &Trainer,
    config: &RunConfig,
    engine: Engine,
    weights: &std::sync::Arc<Weights>,
) -> Result<Timed<'a>, BenchError> {
    let shape = trainer.shape();
    let mut model = factory_of(engine, &config.inference, shape, 1)?.open()?;
    model.load(NetId(0), weights)?;
    let most = config.traversal.max_batch.max(LARGEST_FORWARD);
    let batches: Vec<usize> = (0..).map(|power| 1 << power).take_while(|&rows| rows <= most).collect();
    let largest = batches.last().copied().unwrap_or(1);
    let rows = memory_rows(&trainer.memories().advantage[0], shape, largest);
    let mut out = vec![0.0; largest * shape.num_actions];
    let stretch = move |count: usize| {
        let (rows, out) = (&rows[..count * shape.num_features], &mut out[..count * shape.num_actions]);
        repeat(&mut *model, rows, out)
    };
    let size = (config.network.hidden_size, config.network.num_layers);
    Ok(Timed::forward(engine, shape, size, batches, Box::new(stretch)))
}

/// A call repeated for [`FORWARD_TIMED`].
pub(crate) fn repeat(model: &mut dyn Model, rows: &[f32], out: &mut [f32]) -> Result<Stretch, BenchError> {
    repeated(FORWARD_TIMED, || Ok(model.forward(NetId(0), rows, out)?))
}

/// So many feature rows of a memory, from the start again where it has fewer.
fn memory_rows(memory: &Memory, shape: SampleShape, count: usize) -> Vec<f32> {
    let SampleShape { num_features, num_actions } = shape;
    let held = memory.len().min(count);
    let mut rows = vec![0.0; count * num_features];
    let mut targets = vec![0.0; num_actions];
    for (index, row) in rows.chunks_exact_mut(num_features).enumerate().take(count) {
        if held > 0 {
            memory.read(index % held, row, &mut targets);
        }
    }
    rows
}

/// Training steps on the first player's memory, batch assembly left out.
fn step<'a>(trainer: &'a Trainer, config: &RunConfig, held: f64) -> Timed<'a> {
    let (shape, threads) = (trainer.shape(), trainer.threads());
    // A step computes no more rows than there are.
    let own = (config.training.batch_size as f64).min(held);
    let sizes = STEP_BATCHES.iter().map(|times| (own * times).round().clamp(1.0, held) as usize);
    let mut batches: Vec<usize> = sizes.collect();
    batches.dedup();
    let network = workload::network(shape, config.network.hidden_size, config.network.num_layers);
    let config = config.clone();
    let mut steps = vec![FIRST_STEPS; batches.len()];
    let places = batches.clone();
    let stretch = move |rows: usize| {
        let place = places.iter().position(|&batch| batch == rows).expect("only listed batches are timed");
        let seconds = fit(trainer, &fixed(&config, rows, steps[place]), threads)?.1;
        let wanted = FIT_TIMED.as_secs_f64() / seconds;
        steps[place] = (wanted as usize).clamp(FIT_STEPS.0, FIT_STEPS.1);
        Ok(Stretch { items: 1.0, seconds })
    };
    Timed {
        call: Call::TrainingStep,
        engine: TRAINING_ENGINE,
        network,
        batches,
        stretch: Box::new(stretch),
        timings: Vec::new(),
    }
}

/// Weights of a network of another size, after a few steps.
fn first_weights(trainer: &Trainer, config: &RunConfig) -> Result<std::sync::Arc<Weights>, BenchError> {
    let config = fixed(config, config.training.batch_size, FIRST_STEPS);
    Ok(fit(trainer, &config, trainer.threads())?.0)
}

/// `config` with so many rows a step and so many steps.
fn fixed(config: &RunConfig, batch: usize, steps: usize) -> RunConfig {
    let mut config = config.clone();
    config.training.batch_size = batch;
    config.training.steps = Steps::Fixed;
    config.training.advantage_steps = steps;
    config
}

/// A fit of the first player's network; its weights, and seconds of a step without batch assembly.
fn fit(
    trainer: &Trainer,
    config: &RunConfig,
    threads: usize,
) -> Result<(std::sync::Arc<Weights>, f64), BenchError> {
    let mut learner = MlpLearner::new(learner_config(config, trainer.shape(), 0, threads))?;
    let context = FitContext { seed: config.run.seed, iteration: trainer.iteration() };
    let (weights, report) = learner.fit(&trainer.memories().advantage[0], context)?;
    let computing = (report.total - report.batch_assembly).as_secs_f64();
    Ok((weights, computing / (report.steps + report.skipped).max(1) as f64))
}
