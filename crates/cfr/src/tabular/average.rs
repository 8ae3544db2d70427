//! The average of a sequence of strategies, weighed by own reach: what CFR's guarantee is about.
//!
//! Not here: which strategies are averaged.

use deepcfr_core::Player;

use super::policy::TabularPolicy;
use super::tree::GameTree;

/// Accumulates strategies. The average plays, at each infoset, what a player who drew one strategy
/// of the sequence in proportion to its weight and followed it throughout would play there:
/// `σ̄(I, a) = Σ_t w_t π_p^t(I) σ^t(I, a) / Σ_t w_t π_p^t(I)` (Zinkevich et al. 2007, eq. 4).
#[derive(Clone, Debug, PartialEq)]
pub struct AverageStrategy {
    sums: Vec<f64>,
    reach: Vec<f64>,
}

impl AverageStrategy {
    /// The average of nothing.
    pub fn new(tree: &GameTree) -> Self {
        Self { sums: vec![0.0; tree.num_slots()], reach: Vec::new() }
    }

    /// Adds `player`'s part of `policy`. Costs one pass over the player's infosets.
    pub fn add(&mut self, tree: &GameTree, player: Player, policy: &TabularPolicy, weight: f64) {
        let own = &tree.sequence_form().own[player];
        let slots = tree.slots_of(player);
        self.reach.resize(own.num_slots() + 1, 0.0);
        own.reaches(&policy.slots()[slots.clone()], &mut self.reach);
        self.sums[slots].iter_mut().zip(&self.reach).for_each(|(sum, reach)| *sum += weight * reach);
    }

    /// The reach-weighted sums by slot: all that has to be saved.
    pub fn sums(&self) -> &[f64] {
        &self.sums
    }

    /// Goes on from saved sums.
    ///
    /// # Panics
    /// If there is not one sum per slot.
    pub fn set_sums(&mut self, sums: Vec<f64>) {
        assert_eq!(sums.len(), self.sums.len(), "one sum per slot");
        self.sums = sums;
    }

    /// The average so far, uniform where no strategy arrives.
    pub fn policy(&self, tree: &GameTree) -> TabularPolicy {
        TabularPolicy::from_weights(tree, self.sums.clone())
    }
}
