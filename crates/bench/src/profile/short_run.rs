//! A shortened but real run: the trainer's own iterations with evaluations and checkpoints close
//! enough together that both are seen.
//!
//! Not here: the report of a run, and what its figures say.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use deepcfr_levers::profile::{IterationSample, PhaseSeconds};

use crate::error::{BenchError, ProfilingError};
use deepcfr_config::RunConfig;
use deepcfr_runs::checkpoint::{CheckpointStore, Keep};
use deepcfr_runs::metrics::{IterationMetrics, Phase};
use deepcfr_train::Trainer;

/// A shortened run evaluates and saves at least this often.
const EVERY: u32 = 3;

/// How long a shortened run is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Length {
    /// Iterations that are run but not counted: the first has no networks to ask.
    pub warm_up: u32,
    /// Counted iterations at least.
    pub least: u32,
    /// Counted iterations at most.
    pub most: u32,
    /// Seconds after which no iteration beyond the least is begun.
    pub seconds: f64,
}

impl Length {
    /// Exactly so many counted iterations after one of warm-up.
    pub const fn exactly(iterations: u32) -> Self {
        Self { warm_up: 1, least: iterations, most: iterations, seconds: f64::INFINITY }
    }
}

/// Hears what is going on.
pub trait Progress {
    /// Something begins.
    fn say(&mut self, what: &str);
}

/// What a measurement is watched through: who hears of it, and who may end it.
pub(crate) struct Watch<'a> {
    pub(crate) progress: &'a mut dyn Progress,
    pub(crate) stop: &'a AtomicBool,
}

impl Watch<'_> {
    pub(crate) fn say(&mut self, what: &str) {
        self.progress.say(what);
    }

    /// # Errors
    /// [`ProfilingError::Interrupted`] if somebody wants to stop.
    pub(crate) fn check(&self) -> Result<(), BenchError> {
        if self.stop.load(Ordering::Relaxed) { Err(ProfilingError::Interrupted.into()) } else { Ok(()) }
    }
}

/// What a shortened run did.
pub(crate) struct ShortRun {
    /// Counted iterations.
    pub(crate) lines: Vec<IterationMetrics>,
    /// The share of its checkpoints that the whole run has.
    checkpoint_share: f64,
}

/// `config` as a shortened run has it: only what decides when something is done differs.
pub(super) fn shortened(config: &RunConfig, length: Length) -> RunConfig {
    let mut short = config.clone();
    short.run.iterations = length.warm_up + length.most;
    short.evaluation.every = short.evaluation.every.min(EVERY);
    // Its turn comes too seldom to be timed.
    short.evaluation.extended_every = None;
    short.checkpoint.every = short.checkpoint.every.min(EVERY);
    short.checkpoint.keep = None;
    short
}

/// Runs a trainer of `config` [`shortened`]. Checkpoints go to `folder`.
pub(super) fn run(
    trainer: &mut Trainer,
    config: &RunConfig,
    length: Length,
    folder: &Path,
    watch: &mut Watch<'_>,
) -> Result<ShortRun, BenchError> {
    let store = CheckpointStore::open(&folder.join("checkpoints"), Keep { every: 0 })?;
    let every = trainer.config().checkpoint.every;
    let (mut lines, begin) = (Vec::new(), Instant::now());
    for iteration in 1..=length.warm_up + length.most {
        watch.check()?;
        let metrics = trainer.iterate()?;
        if iteration > length.warm_up {
            lines.push(metrics);
        }
        if iteration.is_multiple_of(every) {
            save(trainer, &store)?;
        }
        // Evaluations come every few iterations; stop behind one.
        let evaluated = lines.last().is_some_and(|line: &IterationMetrics| line.evaluation.is_some());
        let enough = lines.len() as u32 >= length.least && evaluated;
        if enough && begin.elapsed().as_secs_f64() > length.seconds {
            break;
        }
    }
    Ok(ShortRun { lines, checkpoint_share: f64::from(every) / f64::from(config.checkpoint.every) })
}

fn save(trainer: &mut Trainer, store: &CheckpointStore) -> Result<(), BenchError> {
    trainer.switch(Phase::Checkpoint);
    let header = trainer.header();
    store.write(&header, |writer| trainer.save(writer))?;
    trainer.switch(Phase::Other);
    Ok(())
}

impl ShortRun {
    /// The counted iterations, with checkpoints as often as the whole run has them.
    pub(super) fn samples(&self) -> Vec<IterationSample> {
        self.lines.iter().map(|line| sample(line, self.checkpoint_share)).collect()
    }
}

fn sample(line: &IterationMetrics, checkpoint_share: f64) -> IterationSample {
    let phases = &line.phases;
    IterationSample {
        iteration: line.iteration,
        phases: PhaseSeconds {
            traversal_seconds: phases.traversal,
            memory_seconds: phases.memory,
            batch_assembly_seconds: phases.batch_assembly,
            advantage_training_seconds: phases.advantage_training,
            strategy_training_seconds: phases.strategy_training,
            evaluation_seconds: phases.evaluation,
            checkpoint_seconds: phases.checkpoint * checkpoint_share,
            other_seconds: phases.other,
        },
        evaluated: line.evaluation.is_some(),
        nodes: line.nodes,
        rows: line.batches.rows,
        calls: line.batches.batches,
        forward_thread_seconds: forward_seconds(line),
    }
}

/// Seconds of forward passes in the terms of the phase: without a server the workers run them, whose
/// clocks also count what other threads took of their cores, so their share of the workers' time is
/// taken instead.
fn forward_seconds(line: &IterationMetrics) -> f64 {
    let batches = &line.batches;
    if batches.device_busy_share.is_some() {
        return batches.forward_seconds;
    }
    batches.worker_wait_share * batches.workers as f64 * line.phases.traversal
}
