//! Deep CFR for one player whose opponent does not change: regrets against a fixed opponent are led to a
//! best response.
//!
//! Not here: the opponent, and measuring.

use std::sync::Arc;

use deepcfr_board::{Board, FixedPlayer};
use deepcfr_cfr::memory::Memories;
use deepcfr_cfr::traversal::{StrategySource, TraversalPlan};
use deepcfr_core::{FitContext, Learner, NUM_PLAYERS, NetId, Player, Weights};
use deepcfr_nn::{LearnerConfig, MlpLearner};
use deepcfr_train::collect::Collector;
use deepcfr_train::inference::Inference;
use deepcfr_train::memory_kinds;
use deepcfr_train::networks::{NUM_NETS, factories, learner_config};

use super::observer::RespondObserver;
use super::request::RespondTask;
use crate::error::ArenaError;

/// One seat's learner.
pub(super) struct Responder<'a> {
    pub(super) task: &'a RespondTask,
    pub(super) board: &'a dyn Board,
    pub(super) workers: usize,
}

/// What a seat's learner learned, and what it took.
pub(super) struct Response {
    pub(super) weights: Arc<Weights>,
    pub(super) nodes: u64,
}

impl Responder<'_> {
    /// Learns to play in `seat` against `opponent`.
    pub(super) fn learn(
        &self,
        seat: Player,
        opponent: &FixedPlayer<'_>,
        observer: &mut dyn RespondObserver,
    ) -> Result<Response, ArenaError> {
        let (config, budget) = (&self.task.config, self.task.budget);
        let shape = self.board.facts().shape();
        let [advantages, _] = memory_kinds(config, None);
        let mut memories = Memories::new(shape, advantages, 1, config.run.seed);
        let mut inference = Inference::open(config, &factories(config, shape, NUM_NETS)?, self.workers)?;
        let threads = config.run.threads.unwrap_or(self.workers);
        // Its fits have nothing beside them.
        let learner = LearnerConfig { threads, ..learner_config(config, shape, seat, threads) };
        let mut learner = MlpLearner::new(learner)?;
        let collector = Collector::new(config, self.board, self.workers);
        let (mut response, mut nodes) = (None, 0);
        for iteration in 1..=budget.iterations {
            let strategy = match response {
                Some(_) => [StrategySource::Networks; NUM_PLAYERS],
                None => [StrategySource::Initial; NUM_PLAYERS],
            };
            let count = budget.traversals;
            let plan = TraversalPlan { iteration, traverser: seat, count, strategy, ..collector.plan() };
            let stats = inference.with_workers(|workers| {
                let sampling = collector.sampling();
                self.board.traverse_against(opponent, &plan, sampling, workers, &mut memories)
            })?;
            // A network that did not answer has played uniformly: what was learned against that counts nothing.
            opponent.failure().map_or(Ok(()), Err)?;
            nodes += stats.nodes;
            let context = FitContext { seed: config.run.seed, iteration };
            let (weights, report) = learner.fit(&memories.advantage[seat], context)?;
            inference.publish(&[(NetId::advantage(seat), Arc::clone(&weights))])?;
            response = Some(weights);
            observer.iteration(seat, iteration, budget.iterations, report.loss);
        }
        let weights = response.expect("there is at least one iteration");
        Ok(Response { weights, nodes })
    }
}
