//! Plays a round robin: all games of all pairings as lanes over one set of networks.
//!
//! Not here: finding contestants (see `request`) and showing results (see `report`).

use deepcfr_cfr::matches::{MatchPlan, Pairing, Settled, Watch, round_robin, tournament};
use deepcfr_core::{Encoder, Game, SampleShape};

use crate::error::TrainError;
use crate::inference::Inference;
use crate::networks::factories;
use crate::registry::{Setup, Visitor, with_game};

use super::report::ArenaReport;
use super::request::ArenaTask;
use super::{ArenaError, Frozen, Nets};
use crate::config::Problem;

/// Games in flight in each worker for every network, so that batches are worth their dispatch, within
/// these bounds.
const LANES_PER_NETWORK: usize = 64;
const LANES: std::ops::RangeInclusive<usize> = 128..=4096;
/// Chance streams of evaluations beside training are numbered by iteration; this is no iteration.
const EVALUATION: u32 = u32::MAX;

/// Plays the round robin of `task`. The result depends on it alone, not on threads or lanes.
///
/// # Errors
/// If a contestant cannot be read or does not exist in the game, or a device fails.
pub fn arena(task: &ArenaTask, watch: &dyn Watch) -> Result<ArenaReport, TrainError> {
    crate::devices::check(&task.config)?;
    with_game(&task.config.game, Session { task, watch })
}

struct Session<'a> {
    task: &'a ArenaTask,
    watch: &'a dyn Watch,
}

impl Visitor for Session<'_> {
    type Output = ArenaReport;

    fn visit<G: Game + 'static, E: Encoder<G> + 'static>(
        self,
        setup: Setup<G, E>,
    ) -> Result<ArenaReport, TrainError> {
        let task = self.task;
        let mut nets = Nets::default();
        let named = task.contestants.iter();
        let contestants = named
            .map(|named| Frozen::load(named, &setup.opponents, &mut nets))
            .collect::<Result<Vec<_>, _>>()?;
        check_different(&contestants)?;
        nets.check()?;
        let schedule = round_robin(contestants.len(), task.mirrors);
        let settled = self.play(&setup, &contestants, &nets, &schedule)?;
        Ok(ArenaReport::new(task, &contestants, &schedule, &settled))
    }
}

impl Session<'_> {
    fn play<G: Game, E: Encoder<G>>(
        &self,
        setup: &Setup<G, E>,
        contestants: &[Frozen<'_, G>],
        nets: &Nets,
        schedule: &[(usize, usize)],
    ) -> Result<Vec<Settled>, TrainError> {
        let config = &self.task.config;
        let pairing = |&(subject, opponent): &(usize, usize)| Pairing {
            subject: contestants[subject].contestant(),
            opponent: contestants[opponent].contestant(),
        };
        let pairings: Vec<_> = schedule.iter().map(pairing).collect();
        let traversal = &config.traversal;
        let lanes = (LANES_PER_NETWORK * nets.len()).clamp(*LANES.start(), *LANES.end());
        let plan = MatchPlan {
            seed: config.run.seed,
            evaluation: EVALUATION,
            deals: 0,
            lanes: if traversal.scheduler.is_one_lane() { 1 } else { traversal.lanes.unwrap_or(lanes) },
            groups: traversal.scheduler.groups(),
        };
        let spec = setup.game.spec();
        let shape = SampleShape { num_features: setup.encoder.num_features(), num_actions: spec.num_actions };
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let workers = traversal.workers.or(config.run.threads).unwrap_or(cores);
        let mut inference = Inference::open(config, &factories(config, shape, nets.len())?, workers)?;
        inference.publish(&nets.numbered())?;
        let (game, encoder, stopping) = (&setup.game, &setup.encoder, &self.task.stopping);
        inference.with_workers(|workers| {
            tournament(game, encoder, &plan, &pairings, stopping, workers, self.watch)
        })
    }
}

fn check_different<G: Game>(contestants: &[Frozen<'_, G>]) -> Result<(), ArenaError> {
    let names: Vec<&str> = contestants.iter().map(|one| one.name.as_str()).collect();
    match names.iter().enumerate().find(|(index, name)| names[..*index].contains(name)) {
        Some((_, name)) => {
            let remedy = "give each contestant once; --mirrors lets each also play itself";
            Err(Problem::new("contestant", name, remedy).into())
        }
        None => Ok(()),
    }
}
