//! Deep CFR for one player whose opponent does not change: regrets against a fixed opponent are led to a
//! best response.
//!
//! Not here: the opponent, and measuring.

use std::sync::Arc;

use deepcfr_cfr::reservoir::Memories;
use deepcfr_cfr::response::{Against, FixedStrategy, Inner};
use deepcfr_cfr::traversal::{self, Guides, NoBaseline, StrategySource, TraversalPlan};
use deepcfr_core::{Encoder, FitContext, Game, Learner, NetId, Player, SampleShape, Weights};
use deepcfr_nn::MlpLearner;

use crate::collect::Collector;
use crate::error::TrainError;
use crate::inference::Inference;
use crate::networks::{NUM_NETS, factories, learner_config};
use crate::registry::{ScoreLead, Setup};

use super::request::RespondTask;
use super::session::RespondObserver;

/// One seat's learner.
pub(super) struct Responder<'a, G: Game, E> {
    pub(super) task: &'a RespondTask,
    pub(super) setup: &'a Setup<G, E>,
    pub(super) shape: SampleShape,
    pub(super) workers: usize,
}

/// What a seat's learner learned, and what it took.
pub(super) struct Response {
    pub(super) weights: Arc<Weights>,
    pub(super) nodes: u64,
}

impl<G: Game, E: Encoder<G>> Responder<'_, G, E> {
    /// Learns to play in `seat` against `opponent`.
    pub(super) fn learn<S: FixedStrategy<G>>(
        &self,
        seat: Player,
        opponent: &S,
        observer: &mut dyn RespondObserver,
    ) -> Result<Response, TrainError> {
        let (config, budget) = (&self.task.config, self.task.budget);
        let game = Against::new(&self.setup.game, opponent, seat);
        let memory = &config.memory;
        let mut memories = Memories::new(self.shape, memory.advantage_capacity, 1, config.run.seed);
        let mut inference = Inference::open(config, &factories(config, self.shape, NUM_NETS)?, self.workers)?;
        let threads = config.run.threads.unwrap_or(self.workers);
        let mut learner = MlpLearner::new(learner_config(config, self.shape, seat, 2 * threads))?;
        let (mut response, mut nodes) = (None, 0);
        for iteration in 1..=budget.iterations {
            let strategy =
                if response.is_some() { StrategySource::Networks } else { StrategySource::Initial };
            let plan = TraversalPlan {
                iteration,
                traverser: seat,
                count: budget.traversals,
                strategy,
                ..Collector::new(config, self.workers).plan()
            };
            nodes += self.collect(&game, &plan, &mut inference, &mut memories)?;
            let context = FitContext { seed: config.run.seed, iteration };
            let (weights, report) = learner.fit(&memories.advantage[seat], context)?;
            inference.publish(&[(NetId::advantage(seat), Arc::clone(&weights))])?;
            response = Some(weights);
            observer.iteration(seat, iteration, budget.iterations, report.loss);
        }
        let weights = response.expect("there is at least one iteration");
        Ok(Response { weights, nodes })
    }

    fn collect<S: FixedStrategy<G>>(
        &self,
        game: &Against<'_, G, S>,
        plan: &TraversalPlan,
        inference: &mut Inference,
        memories: &mut Memories,
    ) -> Result<u64, TrainError> {
        let Setup { encoder, score_lead, .. } = self.setup;
        let encoder = Inner(encoder);
        let bot = self.setup.opponent(&self.task.config.traversal.rollout_policy).map(Inner);
        let rollout = bot.as_ref().map(|bot| bot as _);
        let scored = Collector::new(&self.task.config, self.workers).is_scored();
        let stats = inference.with_workers(|workers| match score_lead {
            Some(lead) if scored => {
                let guides = Guides { baseline: &Inner(&ScoreLead(*lead)), rollout };
                traversal::run_guided(game, &encoder, plan, &guides, workers, memories)
            }
            _ => {
                let guides = Guides { baseline: &Inner(&NoBaseline), rollout };
                traversal::run_guided(game, &encoder, plan, &guides, workers, memories)
            }
        })?;
        Ok(stats.nodes)
    }
}
