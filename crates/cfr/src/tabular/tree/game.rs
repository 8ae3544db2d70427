//! A [`GameTree`] as a game: the same play as the original, on node numbers.
//!
//! Whatever walks a `Game` then walks flat arrays, with infoset indices in place of hashed keys.

use deepcfr_core::{Action, ActionSet, Game, GameSpec, InfosetKey, Player, Stream, Turn};

use super::{GameTree, NodeId, NodeKind};

impl Game for GameTree {
    type State = NodeId;

    fn spec(&self) -> GameSpec {
        self.spec.clone()
    }

    fn root(&self) -> NodeId {
        0
    }

    #[inline]
    fn turn(&self, &node: &NodeId) -> Turn {
        match self.kind(node) {
            NodeKind::Terminal => Turn::Terminal,
            NodeKind::Chance => Turn::Chance,
            NodeKind::First => Turn::Player(0),
            NodeKind::Second => Turn::Player(1),
        }
    }

    #[inline]
    fn legal_actions(&self, &node: &NodeId) -> ActionSet {
        self.infoset(node).legal
    }

    #[inline]
    fn chance_outcomes(&self, &node: &NodeId, mut visit: impl FnMut(Action, u32)) {
        self.actions(node)
            .iter()
            .zip(self.weights(node))
            .for_each(|(&outcome, &weight)| visit(outcome, weight));
    }

    #[inline]
    fn apply(&self, node: &mut NodeId, action: Action) {
        let position = self
            .actions(*node)
            .iter()
            .position(|&other| other == action)
            .expect("only legal actions and possible outcomes are played");
        *node = self.children(*node)[position];
    }

    #[inline]
    fn utility(&self, &node: &NodeId) -> f64 {
        self.payoff(node)
    }

    /// The infoset's index.
    #[inline]
    fn infoset_key(&self, &node: &NodeId, _player: Player) -> InfosetKey {
        InfosetKey(self.infoset_index(node) as u128)
    }

    #[inline]
    fn sample_chance(&self, &node: &NodeId, rng: &mut Stream) -> Action {
        self.actions(node)[self.sample_outcome(node, rng)]
    }

    fn truncated(&self, node: &NodeId) -> bool {
        self.truncated.binary_search(node).is_ok()
    }
}

impl GameTree {
    /// The position, among a chance node's children, of an outcome drawn with one number of `rng`,
    /// by the rule of [`Game::sample_chance`].
    #[inline]
    pub fn sample_outcome(&self, node: NodeId, rng: &mut Stream) -> usize {
        let (weights, total) = (self.weights(node), self.total_weight(node));
        let mut left = rng.below(total);
        if total as usize == weights.len() {
            // Every weight is 1.
            return left as usize;
        }
        let past = |&weight: &u32| {
            let found = left < weight;
            left = left.wrapping_sub(weight);
            found
        };
        weights.iter().position(past).expect("the draw is below the total weight")
    }
}
