//! What one worker more costs the others, measured end to end: an iteration's traversals, samples
//! handed over included, with as many workers as the run has and with one more, in turns.
//!
//! Not here: what follows from it (`deepcfr_levers::model`).

use deepcfr_levers::profile::{MeasuredEffect, Quantity};

use super::short_run::Watch;
use crate::error::BenchError;
use crate::walked::Walked;
use deepcfr_config::RunConfig;
use deepcfr_timing::{Stretch, Turns};
use deepcfr_train::Trainer;
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
    if now >= cores || tabulated || trainer.advantage_nets().is_none() {
        return Ok(None);
    }
    watch.say("measuring what a further worker costs");
    let factories = factories(config, trainer.shape(), NUM_NETS)?;
    let mut sides = Vec::new();
    for workers in [now, now + 1] {
        let mut side = Walked::new(trainer, config, &factories, workers, trainer.memories().empty(1))?;
        let mut lanes = Lanes::of(config, workers);
        lanes.adopt(trainer.lanes());
        side.set_lanes(lanes);
        sides.push(side);
    }
    let timings = Turns::new(TURNS, config.run.seed).take(sides.len(), |place| {
        watch.check()?;
        let stretch = sides[place].walk()?.0;
        // A row takes this share of every worker's time.
        Ok::<_, BenchError>(Stretch { seconds: stretch.seconds * sides[place].workers() as f64, ..stretch })
    })?;
    let ratios = timings[0].against(&timings[1]);
    Ok(Some(MeasuredEffect { quantity: Quantity::WorkerContention, ratios }))
}
