//! What one worker more costs the others, measured end to end: an iteration's traversals, samples
//! handed over included, with as many workers as the run has and with one more, in turns.
//!
//! Not here: what follows from it (`deepcfr_levers::model`).

use std::time::Instant;

use deepcfr_levers::profile::{MeasuredEffect, Quantity};

use super::short_run::Watch;
use crate::error::BenchError;
use deepcfr_config::RunConfig;
use deepcfr_train::Trainer;
use deepcfr_train::collect::{Collector, Walk};
use deepcfr_train::diagnostics::Watched;
use deepcfr_train::inference::Inference;
use deepcfr_train::lanes::Lanes;
use deepcfr_train::networks::{NUM_NETS, factories};

/// Turns of each side, after one that warms up.
const TURNS: usize = 4;

/// Seconds of a worker a row with one worker more over those now; nothing where no core is left for
/// it, where traversals read a table, and before there are networks.
pub(super) fn measure(
    trainer: &Trainer,
    config: &RunConfig,
    watch: &mut Watch<'_>,
) -> Result<Option<MeasuredEffect>, BenchError> {
    let now = config.traversal.workers.unwrap_or(trainer.threads());
    let tabulated = trainer.laid_out().is_some_and(|(_, on_tree)| on_tree);
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let Some(nets) = trainer.advantage_nets().filter(|_| now < cores && !tabulated) else {
        return Ok(None);
    };
    watch.say("measuring what a further worker costs");
    let mut sides = Vec::new();
    for workers in [now, now + 1] {
        let mut collector = Collector::new(config, trainer.board(), workers);
        let mut lanes = Lanes::of(config, workers);
        lanes.adopt(trainer.lanes());
        collector.set_lanes(lanes);
        let mut inference = Inference::open(config, &factories(config, trainer.shape(), NUM_NETS)?, workers)?;
        inference.publish(&nets)?;
        sides.push((collector, inference, Vec::new()));
    }
    for turn in 0..=TURNS {
        for (collector, inference, seconds) in &mut sides {
            watch.check()?;
            let mut memories = trainer.memories().empty(1);
            let mut sink = Watched { memories: &mut memories, probe: None };
            let begin = Instant::now();
            collector.on_board(trainer.board(), Walk::of_both(2), inference, &mut sink)?;
            if turn > 0 {
                // A row takes this share of every worker's time.
                seconds.push(begin.elapsed().as_secs_f64() * collector.workers() as f64);
            }
        }
    }
    let ratios = sides[0].2.iter().zip(&sides[1].2).map(|(now, more)| more / now).collect();
    Ok(Some(MeasuredEffect { quantity: Quantity::WorkerContention, ratios }))
}
