//! What the lanes of a run have in common. Not here: what differs from lane to lane (see `lane`).

use deepcfr_core::{Encoder, Game, NUM_PLAYERS, Player, SampleShape};

use super::plan::{StrategySource, TraversalPlan};
use crate::regret::AllNegative;

/// What all lanes of a run share.
pub(super) struct Context<'a, G, E> {
    pub(super) game: &'a G,
    pub(super) encoder: &'a E,
    pub(super) shape: SampleShape,
    pub(super) seed: u64,
    pub(super) iteration: u32,
    pub(super) traverser: Player,
    pub(super) strategy: [StrategySource; NUM_PLAYERS],
    pub(super) all_negative: AllNegative,
    pub(super) max_nodes: u64,
}

impl<'a, G: Game, E: Encoder<G>> Context<'a, G, E> {
    pub(super) fn new(game: &'a G, encoder: &'a E, plan: &TraversalPlan) -> Self {
        let shape =
            SampleShape { num_features: encoder.num_features(), num_actions: game.spec().num_actions };
        Self {
            game,
            encoder,
            shape,
            seed: plan.seed,
            iteration: plan.iteration,
            traverser: plan.traverser,
            strategy: plan.strategy,
            all_negative: plan.all_negative,
            max_nodes: plan.budgets.max_nodes_per_traversal,
        }
    }
}
