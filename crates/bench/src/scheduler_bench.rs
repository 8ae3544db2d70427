//! The schedulers against each other: the same traversals, with real networks, in turns.
//!
//! Not here: what one forward pass costs (see the benches) and training.

use deepcfr_board::Catalogue;
use serde::Serialize;

use crate::error::BenchError;
use crate::walked::Walked;
use deepcfr_config::{RunConfig, Scheduler};
use deepcfr_runs::metrics::BatchMetrics;
use deepcfr_timing::{Turns, median};
use deepcfr_train::Trainer;
use deepcfr_train::collect::Collected;
use deepcfr_train::networks::{NUM_NETS, factories};

/// Steps of the fit that gives the networks their weights: enough that hidden units are no longer
/// as they were drawn.
const STEPS: usize = 50;

/// What one scheduler did over all turns.
#[derive(Clone, Debug, Serialize)]
pub struct SchedulerTiming {
    /// The scheduler's word in a configuration.
    pub scheduler: &'static str,
    /// Nodes (decisions and ends) of a turn; the same for every scheduler.
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
/// after one that warms up, networks answering every row. The networks come from one short fit.
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
    let mut last: Vec<Option<Collected>> = contenders.iter().map(|_| None).collect();
    let timings = Turns::new(turns, config.run.seed).take(contenders.len(), |place| {
        let (stretch, collected) = contenders[place].walk()?;
        last[place] = Some(collected);
        Ok::<_, BenchError>(stretch)
    })?;
    let told = |(place, collected): (usize, Collected)| {
        let own = &timings[place];
        let mut ratios = own.against(&timings[0]);
        ratios.sort_by(f64::total_cmp);
        SchedulerTiming {
            scheduler: Scheduler::ALL[place].word(),
            nodes: collected.nodes,
            seconds: own.stretches().iter().map(|stretch| stretch.seconds).collect(),
            nodes_per_second: own.per_second(),
            against_recursive: [ratios[0], median(ratios.iter().copied()), ratios[ratios.len() - 1]],
            batches: collected.batches(),
        }
    };
    Ok(last.into_iter().flatten().enumerate().map(told).collect())
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
fn contender(trainer: &Trainer, scheduler: Scheduler) -> Result<Walked<'_>, BenchError> {
    let mut config = trainer.config().clone();
    config.traversal.scheduler = scheduler;
    let workers = config.traversal.workers.unwrap_or(trainer.threads());
    let factories = factories(&config, trainer.shape(), NUM_NETS)?;
    Walked::new(trainer, &config, &factories, workers, trainer.memories().empty(1))
}

impl SchedulerTiming {
    /// One line of JSON.
    ///
    /// # Panics
    /// Never: the figures have a JSON form.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("figures have a JSON form")
    }
}
