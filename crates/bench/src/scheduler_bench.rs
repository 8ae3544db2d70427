//! The schedulers against each other: the same traversals, with real networks, in turns.
//!
//! Not here: what one forward pass costs (see the benches) and training.

use std::time::Instant;

use deepcfr_board::Catalogue;
use serde::Serialize;

use crate::error::BenchError;
use deepcfr_config::{RunConfig, Scheduler};
use deepcfr_runs::metrics::BatchMetrics;
use deepcfr_train::Trainer;
use deepcfr_train::collect::{Collector, Walk};
use deepcfr_train::diagnostics::Watched;
use deepcfr_train::inference::Inference;
use deepcfr_train::networks::{NUM_NETS, factories};

/// Steps of the fit that gives the networks their weights: enough that hidden units are no longer
/// as they were drawn.
const STEPS: usize = 50;

/// What one scheduler did over all turns.
#[derive(Clone, Debug, Serialize)]
pub struct SchedulerTiming {
    /// The scheduler's word in a configuration.
    pub scheduler: &'static str,
    /// Nodes (decisions and ends) of each turn; the same for every scheduler.
    pub nodes: u64,
    /// Seconds of each turn.
    pub seconds: Vec<f64>,
    /// Nodes a second, the median over the turns.
    pub nodes_per_second: f64,
    /// How many times as fast as `recursive`, turn by turn: lowest, median, highest.
    pub against_recursive: [f64; 3],
    /// The batches of the last turn.
    pub batches: BatchMetrics,
}

/// Runs the traversals of one iteration of `config` under every scheduler, `turns` times in turns
/// (A B C D A B C D …), networks answering every row. The networks come from one short fit.
///
/// # Errors
/// See [`BenchError`].
pub fn bench_schedulers(
    catalogue: &Catalogue,
    config: &RunConfig,
    turns: usize,
) -> Result<Vec<SchedulerTiming>, BenchError> {
    let config = shortened(config);
    let mut trainer = Trainer::new(config.clone(), catalogue.board(&config.game)?)?;
    trainer.iterate()?;
    let mut contenders = Vec::new();
    for &scheduler in Scheduler::ALL {
        contenders.push(contender(&trainer, scheduler)?);
    }
    let mut timings: Vec<SchedulerTiming> = Vec::new();
    for turn in 0..turns.max(1) {
        for (place, (collector, inference)) in contenders.iter_mut().enumerate() {
            let mut memories = trainer.memories().empty(1);
            let begin = Instant::now();
            let mut sink = Watched { memories: &mut memories, probe: None };
            let collected = collector.on_board(trainer.board(), Walk::of_both(2), inference, &mut sink)?;
            let seconds = begin.elapsed().as_secs_f64();
            if turn == 0 {
                timings.push(SchedulerTiming::new(Scheduler::ALL[place].word(), collected.nodes));
            }
            timings[place].seconds.push(seconds);
            timings[place].batches = collected.batches();
        }
    }
    let recursive = timings[0].seconds.clone();
    timings.iter_mut().for_each(|timing| timing.finish(&recursive));
    Ok(timings)
}

/// `config` with one short fit, and without what is not compared.
fn shortened(config: &RunConfig) -> RunConfig {
    let mut config = config.clone();
    let training = &mut config.training;
    training.advantage_steps = training.advantage_steps.min(STEPS);
    training.min_steps = training.min_steps.min(STEPS);
    config.average.policy_network = false;
    config.average.sd_cfr = true;
    // What is compared is how networks answer: no table, no evaluation.
    config.traversal.tabulate_below = None;
    config.evaluation.every = u32::MAX;
    config.run.iterations = u32::MAX;
    config.evaluation.nash_conv = deepcfr_config::NashConv::Off;
    config
}

/// The traversals of `trainer` under `scheduler`, with the networks that it has fitted.
fn contender(trainer: &Trainer, scheduler: Scheduler) -> Result<(Collector, Inference), BenchError> {
    let mut config = trainer.config().clone();
    config.traversal.scheduler = scheduler;
    let workers = config.traversal.workers.unwrap_or(trainer.threads());
    let mut collector = Collector::new(&config, trainer.board(), workers);
    let mut lanes = *collector.lanes();
    if lanes.are_open() {
        trainer.measure_lanes(&mut lanes)?;
        collector.set_lanes(lanes);
    }
    let factories = factories(&config, trainer.shape(), NUM_NETS)?;
    let mut inference = Inference::open(&config, &factories, workers)?;
    inference.publish(&trainer.advantage_nets().expect("the first iteration fits networks"))?;
    Ok((collector, inference))
}

impl SchedulerTiming {
    fn new(scheduler: &'static str, nodes: u64) -> Self {
        Self {
            scheduler,
            nodes,
            seconds: Vec::new(),
            nodes_per_second: 0.0,
            against_recursive: [1.0; 3],
            batches: BatchMetrics::default(),
        }
    }

    /// One line of JSON.
    ///
    /// # Panics
    /// Never: the figures have a JSON form.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("figures have a JSON form")
    }

    fn finish(&mut self, recursive: &[f64]) {
        let ratios = sorted(recursive.iter().zip(&self.seconds).map(|(theirs, ours)| theirs / ours));
        self.against_recursive = [ratios[0], ratios[ratios.len() / 2], ratios[ratios.len() - 1]];
        let seconds = sorted(self.seconds.iter().copied());
        self.nodes_per_second = self.nodes as f64 / seconds[seconds.len() / 2];
    }
}

fn sorted(values: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values
}
