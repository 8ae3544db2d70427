//! Strategies as one probability per infoset and legal action of a tree.
//!
//! Not here: strategies keyed by the game's own infoset keys (see `keyed`) and how good one is (see
//! `evaluation`).

use deepcfr_core::{Game, Policy};

use super::tree::{GameTree, NodeId};

/// A strategy of both players on a [`GameTree`], one probability per slot.
///
/// It belongs to the tree that it was made for; with another one its numbers mean nothing.
#[derive(Clone, Debug, PartialEq)]
pub struct TabularPolicy {
    slots: Vec<f64>,
}

impl TabularPolicy {
    /// All legal actions alike.
    pub fn uniform(tree: &GameTree) -> Self {
        Self::from_weights(tree, vec![0.0; tree.num_slots()])
    }

    /// From probabilities by slot that already sum to 1 at every infoset.
    pub(super) fn from_slots(slots: Vec<f64>) -> Self {
        Self { slots }
    }

    /// From weights per slot, normalised per infoset; uniform where all are 0. Weights that sum to 1
    /// within 1e-12 are kept, bit for bit.
    ///
    /// # Panics
    /// If there is not one weight per slot, or one is negative or not finite.
    pub fn from_weights(tree: &GameTree, mut weights: Vec<f64>) -> Self {
        assert_eq!(weights.len(), tree.num_slots(), "one weight per slot");
        assert!(weights.iter().all(|w| w.is_finite() && *w >= 0.0), "weights are finite and not negative");
        tree.infosets().iter().for_each(|infoset| distribute(&mut weights[infoset.slots()]));
        Self { slots: weights }
    }

    /// Asks `policy` at one history of every infoset.
    ///
    /// `states` holds the positions of `game` by infoset index: [`GameTree::representatives`].
    /// Probabilities are normalised in double precision.
    ///
    /// # Panics
    /// If `policy` answers with a negative or infinite number.
    pub fn from_policy<G: Game>(
        tree: &GameTree,
        game: &G,
        states: &[G::State],
        policy: &impl Policy<G>,
    ) -> Self {
        let mut row = vec![0.0; game.spec().num_actions];
        let mut slots = Vec::with_capacity(tree.num_slots());
        for (infoset, state) in tree.infosets().iter().zip(states) {
            policy.probabilities(game, state, &mut row);
            slots.extend(infoset.legal.iter().map(|action| row[usize::from(action)]));
        }
        Self::from_weights(tree, slots)
    }

    /// The probabilities at an infoset, in ascending order of its legal actions.
    #[inline]
    pub fn at(&self, tree: &GameTree, infoset: usize) -> &[f64] {
        &self.slots[tree.infosets()[infoset].slots()]
    }

    /// All probabilities by slot.
    pub fn slots(&self) -> &[f64] {
        &self.slots
    }
}

impl Policy<GameTree> for TabularPolicy {
    fn probabilities(&self, tree: &GameTree, &node: &NodeId, probabilities: &mut [f64]) {
        let infoset = tree.infoset(node);
        probabilities.fill(0.0);
        for (action, &probability) in infoset.legal.iter().zip(&self.slots[infoset.slots()]) {
            probabilities[usize::from(action)] = probability;
        }
    }
}

/// Normalises weights that are not probabilities yet, so that those that are survive copying.
pub(super) fn distribute(weights: &mut [f64]) {
    if (weights.iter().sum::<f64>() - 1.0).abs() > 1e-12 {
        normalise(weights);
    }
}

/// Divides by the sum; all alike where that is 0.
#[inline]
pub(super) fn normalise(weights: &mut [f64]) {
    let total: f64 = weights.iter().sum();
    if total > f64::MIN_POSITIVE {
        let scale = 1.0 / total;
        weights.iter_mut().for_each(|weight| *weight *= scale);
    } else if total > 0.0 {
        // The reciprocal of so small a number may be infinite.
        weights.iter_mut().for_each(|weight| *weight /= total);
    } else {
        weights.fill(1.0 / weights.len() as f64);
    }
}
