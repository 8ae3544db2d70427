//! Learns a response in each seat and measures both.
//!
//! Not here: how (see `learn` and `measure`).

use std::time::Instant;

use deepcfr_board::{Board, Catalogue, FixedNetworks, FixedPlayer};
use deepcfr_cfr::matches::NetworkStrategy;
use deepcfr_config::RunConfig;
use deepcfr_runs::machine::memory_bytes;
use deepcfr_train::networks::factory;
use deepcfr_train::{MemoryPlan, Nets, devices, memory_kinds};

use super::learn::Responder;
use super::measure::{Measured, measure};
use super::observer::RespondObserver;
use super::request::{Budget, RespondTask};
use crate::error::ArenaError;
use crate::frozen::{Frozen, Player as FrozenPlayer};

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
pub fn respond(
    catalogue: &Catalogue,
    task: &RespondTask,
    observer: &mut dyn RespondObserver,
) -> Result<Responded, ArenaError> {
    let config = &task.config;
    devices::check(config)?;
    let board = catalogue.board(&config.game)?;
    let board = &*board;
    MemoryPlan::of(config, board.facts().shape(), memory_kinds(config, None)).check(memory_bytes())?;
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let workers = config.traversal.workers.or(config.run.threads).unwrap_or(cores);
    let mut nets = Nets::default();
    let frozen = Frozen::load(&task.subject, board, &mut nets)?;
    nets.check()?;
    let networks;
    let opponent = match &frozen.player {
        FrozenPlayer::Table(policy) => FixedPlayer::Table(policy),
        FrozenPlayer::Networks(strategy) => {
            networks = fixed(strategy, &nets, config, board, workers)?;
            FixedPlayer::Networks(&networks)
        }
        FrozenPlayer::Bot(_) => unreachable!("bots are refused when the task is made"),
    };
    let responder = Responder { task, board, workers };
    let begin = Instant::now();
    let first = responder.learn(0, &opponent, observer)?;
    let second = responder.learn(1, &opponent, observer)?;
    let learned = begin.elapsed().as_secs_f64();
    let responses = [&first.weights, &second.weights];
    let watch = observer.watch();
    let measured = measure((config, board, workers), (&frozen, nets), responses, task.budget.deals, watch)?;
    Ok(Responded {
        name: frozen.name.clone(),
        game: config.game_line(),
        measured,
        budget: task.budget,
        nodes: first.nodes + second.nodes,
        network: (config.network.num_layers, config.network.hidden_size),
        seconds: [learned, begin.elapsed().as_secs_f64() - learned],
        ante: board.facts().ante,
    })
}

/// `strategy` with a model for each of `threads`.
fn fixed(
    strategy: &NetworkStrategy,
    nets: &Nets,
    config: &RunConfig,
    board: &dyn Board,
    threads: usize,
) -> Result<FixedNetworks, ArenaError> {
    let factory = factory(config, board.facts().shape(), nets.len())?;
    let mut models = Vec::with_capacity(threads);
    for _ in 0..threads {
        let mut model = factory.open()?;
        for (net, weights) in nets.numbered() {
            model.load(net, &weights)?;
        }
        models.push(model);
    }
    Ok(FixedNetworks::new(strategy, models))
}
