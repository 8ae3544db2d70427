//! Traversals of a preset, with its own networks and with answers that cost nothing.
//!
//! Not here: schedulers against each other.

use std::sync::Arc;

use deepcfr_cfr::memory::Memories;
use deepcfr_core::{Model, ModelError, ModelFactory, ModelSpec, NetId, Weights};

use super::networks::Subject;
use super::sizes::{self, SizeCost};
use super::stage::{Bound, Stage, Timed, take_turns};
use super::trainer;
use crate::error::BenchError;
use crate::walked::Walked;
use deepcfr_config::{Engine, NashConv, RunConfig};
use deepcfr_train::Trainer;
use deepcfr_train::networks::{Factories, NUM_NETS, factories};

/// Steps of the fit that gives traversals their networks.
const STEPS: usize = 50;
/// The other measured size: hidden units and layers.
const LARGER: (usize, usize) = (1024, 6);
/// Turns of stages that take a second each.
const SLOW_TURNS: usize = 5;
/// The batch whose forward passes are the roofline of traversals.
const ROOFLINE_BATCH: &str = "batch 256";

/// Measures networks and traversals of `config`.
pub(super) struct Bench<'a> {
    pub(super) config: &'a RunConfig,
    pub(super) threads: usize,
    pub(super) turns: usize,
    pub(super) say: &'a mut dyn FnMut(&str),
}

impl Bench<'_> {
    pub(super) fn run(self) -> Result<(Vec<Timed>, Vec<SizeCost>), BenchError> {
        let mut trainer = trainer(shortened(self.config, STEPS))?;
        (self.say)("a first iteration, for samples and networks");
        trainer.iterate()?;
        let memory = &trainer.memories().advantage[0];
        let own = (self.config.network.hidden_size, self.config.network.num_layers);
        let small = Subject::new(self.config, own, memory)?;
        let large = Subject::new(self.config, LARGER, memory)?;
        (self.say)("forward passes");
        let mut forward = small.forward(Engine::Native)?;
        forward.extend(small.forward(Engine::Burn)?);
        forward.extend(large.forward(Engine::Native)?);
        let mut speeds = take_turns(forward, self.turns)?;
        (self.say)("training steps");
        let fits = vec![small.step()?, small.batch_assembly()?, large.step()?];
        speeds.extend(take_turns(fits, self.turns.min(SLOW_TURNS))?);
        (self.say)("networks of other sizes");
        let sizes = sizes::measure(&small, self.turns.min(SLOW_TURNS))?;
        (self.say)("traversals");
        let roofline = roofline(&speeds);
        let traversals = stages(&trainer, self.config, self.threads, roofline)?;
        speeds.extend(take_turns(traversals, self.turns.min(SLOW_TURNS))?);
        Ok((speeds, sizes))
    }
}

/// Rows a second of one thread in large batches.
fn roofline(speeds: &[Timed]) -> f64 {
    let large = speeds.iter().find(|stage| stage.speed.name.ends_with(ROOFLINE_BATCH));
    large.expect("a batch of 256 is measured").speed.fastest_per_second
}

/// `config` without what traversals do not need, and with short fits.
pub(super) fn shortened(config: &RunConfig, steps: usize) -> RunConfig {
    let mut config = config.clone();
    config.training.advantage_steps = steps;
    config.average.policy_network = false;
    config.average.sd_cfr = true;
    config.traversal.tabulate_below = None;
    config.evaluation.every = u32::MAX;
    config.evaluation.nash_conv = NashConv::Off;
    config.run.iterations = u32::MAX;
    config
}

/// Traversals of one and of all threads, with networks and without their cost.
fn stages<'a>(
    trainer: &'a Trainer,
    config: &RunConfig,
    threads: usize,
    roofline: f64,
) -> Result<Vec<Stage<'a>>, BenchError> {
    let networks = factories(config, trainer.shape(), NUM_NETS)?;
    let mut free = Factories::new();
    networks.iter().for_each(|factory| free.push(Box::new(FreeFactory(factory.spec()))));
    let mut stages = Vec::new();
    let mut counts = vec![1, threads];
    counts.dedup();
    for workers in counts {
        let name = |with: &str| {
            format!("traversal, {workers} worker{}, {with}", if workers == 1 { "" } else { "s" })
        };
        stages.push(stage(trainer, config, name("answers for nothing"), (&free, workers), None)?);
        let limit = Some(roofline * workers as f64);
        stages.push(stage(trainer, config, name("networks"), (&networks, workers), limit)?);
    }
    Ok(stages)
}

/// One iteration's traversals as a stage. `rows_per_second` is what networks alone could answer.
fn stage<'a>(
    trainer: &'a Trainer,
    config: &RunConfig,
    name: String,
    (factories, workers): (&[Box<dyn ModelFactory>], usize),
    rows_per_second: Option<f64>,
) -> Result<Stage<'a>, BenchError> {
    // Small memories of the run's own shape: what is kept of the samples is not measured.
    let memories = Memories::new(trainer.shape(), 1 << 16, 1 << 16, 1);
    let mut walked = Walked::new(trainer, config, factories, workers, memories)?;
    let (first, collected) = walked.walk()?;
    let rows = collected.batches().rows;
    let bounds = rows_per_second.map(|rows_per_second| {
        let per_second = rows_per_second * first.items / rows as f64;
        Bound::new("forward passes of 256 rows alone", move |_| per_second)
    });
    let bounds = bounds.into_iter().collect();
    Ok(Stage { name, item: "node", bounds, run: Box::new(move || Ok(walked.walk()?.0)) })
}

/// Models that answer every row with zeros at once.
struct FreeFactory(ModelSpec);

impl ModelFactory for FreeFactory {
    fn spec(&self) -> ModelSpec {
        self.0
    }

    fn open(&self) -> Result<Box<dyn Model>, ModelError> {
        Ok(Box::new(Free(self.0)))
    }
}

struct Free(ModelSpec);

impl Model for Free {
    fn spec(&self) -> ModelSpec {
        self.0
    }

    fn forward(&mut self, _: NetId, _: &[f32], out: &mut [f32]) -> Result<(), ModelError> {
        out.fill(0.0);
        Ok(())
    }

    fn load(&mut self, _: NetId, _: &Arc<Weights>) -> Result<(), ModelError> {
        Ok(())
    }
}
