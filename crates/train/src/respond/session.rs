//! Learns a response in each seat and measures both.
//!
//! Not here: how (see `learn` and `measure`).

use std::time::Instant;

use deepcfr_cfr::matches::Watch;
use deepcfr_core::{Encoder, Game, Player, SampleShape};

use crate::arena::{Frozen, Nets};
use crate::error::TrainError;
use crate::machine::memory_bytes;
use crate::memory_plan::MemoryPlan;
use crate::networks::factory;
use crate::registry::{Setup, Visitor, with_game};

use super::learn::Responder;
use super::measure::{Measured, measure};
use super::opponent::FrozenOpponent;
use super::request::{Budget, RespondTask};

/// Sees a response being learned.
pub trait RespondObserver {
    /// The learner of `seat` has done `iteration` of `iterations`; `loss` of its last fit in the loss's
    /// own units.
    fn iteration(&mut self, _seat: Player, _iteration: u32, _iterations: u32, _loss: f64) {}

    /// Who sees the games that measure.
    fn watch(&self) -> &dyn Watch {
        &()
    }
}

/// A lower bound on exploitability, and what it took.
#[derive(Clone, Debug, PartialEq)]
pub struct Responded {
    /// The strategy that was responded to.
    pub name: String,
    /// The game and its rules.
    pub game: String,
    /// The bound.
    pub measured: Measured,
    /// What could be spent.
    pub budget: Budget,
    /// Nodes that both learners visited, chance and the opponent excluded.
    pub nodes: u64,
    /// Hidden layers and neurons of a layer of the learners' networks.
    pub network: (usize, usize),
    /// Seconds of learning, and of measuring.
    pub seconds: [f64; 2],
    /// The ante in points, for games whose exploitability is told in thousandths of it.
    pub ante: Option<f64>,
}

/// Learns and measures.
///
/// # Errors
/// If the subject cannot be read, the memories would not fit, or a device fails.
pub fn respond(task: &RespondTask, observer: &mut dyn RespondObserver) -> Result<Responded, TrainError> {
    crate::devices::check(&task.config)?;
    with_game(&task.config.game, Session { task, observer })
}

struct Session<'a> {
    task: &'a RespondTask,
    observer: &'a mut dyn RespondObserver,
}

impl Visitor for Session<'_> {
    type Output = Responded;

    fn visit<G: Game + 'static, E: Encoder<G> + 'static>(
        self,
        setup: Setup<G, E>,
    ) -> Result<Responded, TrainError> {
        let Self { task, observer } = self;
        let config = &task.config;
        let spec = setup.game.spec();
        let shape = SampleShape { num_features: setup.encoder.num_features(), num_actions: spec.num_actions };
        MemoryPlan::of(config, shape).check(memory_bytes())?;
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let workers = config.traversal.workers.or(config.run.threads).unwrap_or(cores);
        let mut nets = Nets::default();
        let frozen = Frozen::load(&task.subject, &setup.opponents, &mut nets)?;
        nets.check()?;
        let models = factory(config, shape, nets.len())?;
        let opponent = FrozenOpponent::new(&frozen, &nets, &setup.encoder, &*models, workers)?;
        let responder = Responder { task, setup: &setup, shape, workers };
        let begin = Instant::now();
        let first = responder.learn(0, &opponent, observer)?;
        let second = responder.learn(1, &opponent, observer)?;
        let learned = begin.elapsed().as_secs_f64();
        let responses = [&first.weights, &second.weights];
        let means = (config, &setup, shape, workers);
        let watch = observer.watch();
        let measured = measure(means, (&frozen, nets), responses, task.budget.deals, watch)?;
        Ok(Responded {
            name: frozen.name.clone(),
            game: config.game_line(),
            measured,
            budget: task.budget,
            nodes: first.nodes + second.nodes,
            network: (config.network.num_layers, config.network.hidden_size),
            seconds: [learned, begin.elapsed().as_secs_f64() - learned],
            ante: setup.ante,
        })
    }
}
