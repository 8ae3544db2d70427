//! Plays a round robin: all games of all pairings as lanes over one set of networks.
//!
//! Not here: finding contestants (see `request`) and showing results (see `report`).

use deepcfr_board::{Board, Catalogue, Pairing};
use deepcfr_cfr::matches::{MatchPlan, Settled, Watch, round_robin};
use deepcfr_config::Problem;
use deepcfr_train::inference::Inference;
use deepcfr_train::lanes::Lanes;
use deepcfr_train::networks::factories;
use deepcfr_train::{Nets, devices};

use crate::error::ArenaError;
use crate::frozen::Frozen;
use crate::report::ArenaReport;
use crate::request::ArenaTask;

/// Chance streams of evaluations beside training are numbered by iteration; this is no iteration.
const EVALUATION: u32 = u32::MAX;

/// Plays the round robin of `task`. The result depends on it alone, not on threads or lanes.
///
/// # Errors
/// If a contestant cannot be read or does not exist in the game, or a device fails.
pub fn arena(catalogue: &Catalogue, task: &ArenaTask, watch: &dyn Watch) -> Result<ArenaReport, ArenaError> {
    devices::check(&task.config)?;
    let board = catalogue.board(&task.config.game)?;
    let mut nets = Nets::default();
    let named = task.contestants.iter();
    let contestants =
        named.map(|named| Frozen::load(named, &*board, &mut nets)).collect::<Result<Vec<_>, _>>()?;
    check_different(&contestants)?;
    nets.check()?;
    let schedule = round_robin(contestants.len(), task.mirrors);
    let settled = play(task, &*board, &contestants, &nets, &schedule, watch)?;
    Ok(ArenaReport::new(task, &contestants, &schedule, &settled))
}

fn play(
    task: &ArenaTask,
    board: &dyn Board,
    contestants: &[Frozen],
    nets: &Nets,
    schedule: &[(usize, usize)],
    watch: &dyn Watch,
) -> Result<Vec<Settled>, ArenaError> {
    let config = &task.config;
    let pairing = |&(subject, opponent): &(usize, usize)| Pairing {
        subject: contestants[subject].contestant(),
        opponent: contestants[opponent].contestant(),
    };
    let pairings: Vec<_> = schedule.iter().map(pairing).collect();
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let workers = config.traversal.workers.or(config.run.threads).unwrap_or(cores);
    let plan = MatchPlan {
        seed: config.run.seed,
        evaluation: EVALUATION,
        deals: 0,
        lanes: Lanes::of(config, workers).of_matches(nets.len()),
        groups: config.traversal.scheduler.groups(),
    };
    let factories = factories(config, board.facts().shape(), nets.len())?;
    let mut inference = Inference::open(config, &factories, workers)?;
    inference.publish(&nets.numbered())?;
    let settled = inference
        .with_workers(|workers| board.tournament(&plan, &pairings, &task.stopping, workers, watch))?;
    Ok(settled)
}

fn check_different(contestants: &[Frozen]) -> Result<(), ArenaError> {
    let names: Vec<&str> = contestants.iter().map(|one| one.name.as_str()).collect();
    match names.iter().enumerate().find(|(index, name)| names[..*index].contains(name)) {
        Some((_, name)) => {
            let remedy = "give each contestant once; --mirrors lets each also play itself";
            Err(Problem::new("contestant", name, remedy).into())
        }
        None => Ok(()),
    }
}
