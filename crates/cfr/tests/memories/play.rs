//! Advantage samples of untrained play, for tests of memories.

use deepcfr_cfr::matches::PolicyBot;
use deepcfr_cfr::regret::AllNegative;
use deepcfr_cfr::traversal::evaluators::ConstantEvaluator;
use deepcfr_cfr::traversal::{
    self, Budgets, Continuation, Guides, NoBaseline, OutcomeSampling, RolloutSampling, Sampling,
    StrategySource, TraversalPlan,
};
use deepcfr_core::{Encoder, Game, SampleShape, SampleSink};
use deepcfr_games::bots::RandomPolicy;

pub(super) const OUTCOME: Sampling =
    Sampling::Outcome(OutcomeSampling { epsilon: 0.5, clip: None, continuation: Continuation::Strategy });
pub(super) const ROLLOUT: Sampling = Sampling::Rollout(RolloutSampling { epsilon: 0.5, rollouts: 1 });

pub(super) fn shape<G: Game, E: Encoder<G>>(game: &G, encoder: &E) -> SampleShape {
    SampleShape { num_features: encoder.num_features(), num_actions: game.spec().num_actions }
}

/// Hands the samples of 10 traversals to `sink`.
pub(super) fn play<G: Game, E: Encoder<G>>(
    game: &G,
    encoder: &E,
    sampling: Sampling,
    iteration: u32,
    sink: &mut dyn SampleSink,
) {
    let plan = TraversalPlan {
        seed: 1,
        iteration,
        traverser: iteration as usize % 2,
        count: 10,
        sampling,
        all_negative: AllNegative::Argmax,
        strategy: [StrategySource::Networks; 2],
        budgets: Budgets::UNLIMITED,
        lanes: 16,
        groups: 1,
    };
    let outputs = (0..game.spec().num_actions).map(|action| 1.0 + (action % 3) as f32).collect();
    let rollout = PolicyBot(RandomPolicy);
    let guides = Guides { baseline: &NoBaseline, rollout: Some(&rollout) };
    let workers = &mut [ConstantEvaluator::new(outputs)];
    traversal::run_guided(game, encoder, &plan, &guides, workers, sink).expect("nothing fails");
}
