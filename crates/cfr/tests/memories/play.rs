//! Advantage samples of untrained play, for tests of memories.

use deepcfr_cfr::matches::PolicyBot;
use deepcfr_cfr::regret::AllNegative;
use deepcfr_cfr::traversal::evaluators::ConstantEvaluator;
use deepcfr_cfr::traversal::{
    self, Budgets, Continuation, OutcomeSampling, RolloutSampling, Sampling, StrategySource, TraversalPlan,
};
use deepcfr_core::{Encoder, Game, SampleShape, SampleSink};
use deepcfr_games::bots::RandomPolicy;

const OUTCOME: OutcomeSampling =
    OutcomeSampling { epsilon: 0.5, clip: None, continuation: Continuation::Strategy };
const ROLLOUT: RolloutSampling = RolloutSampling { epsilon: 0.5, rollouts: 1 };

/// How the players of a test walk their game.
#[allow(dead_code, reason = "not every test walks in every way")]
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Walk {
    External,
    Outcome,
    Rollout,
}

pub(super) fn shape<G: Game, E: Encoder<G>>(game: &G, encoder: &E) -> SampleShape {
    SampleShape { num_features: encoder.num_features(), num_actions: game.spec().num_actions }
}

/// Hands the samples of 10 traversals to `sink`.
pub(super) fn play<G: Game, E: Encoder<G>>(
    game: &G,
    encoder: &E,
    walk: Walk,
    iteration: u32,
    sink: &mut dyn SampleSink,
) {
    let plan = TraversalPlan {
        seed: 1,
        iteration,
        traverser: iteration as usize % 2,
        count: 10,
        all_negative: AllNegative::Argmax,
        strategy: [StrategySource::Networks; 2],
        budgets: Budgets::UNLIMITED,
        lanes: 16,
        groups: 1,
    };
    let outputs = (0..game.spec().num_actions).map(|action| 1.0 + (action % 3) as f32).collect();
    let policy = PolicyBot(RandomPolicy);
    let sampling = match walk {
        Walk::External => Sampling::External,
        Walk::Outcome => Sampling::outcome(OUTCOME),
        Walk::Rollout => Sampling::Rollout { parameters: ROLLOUT, policy: &policy },
    };
    let workers = &mut [ConstantEvaluator::new(outputs)];
    traversal::run(game, encoder, sampling, &plan, workers, sink).expect("nothing fails");
}
