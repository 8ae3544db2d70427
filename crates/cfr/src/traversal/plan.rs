//! What one call of the traversal driver is asked to do.

use deepcfr_core::{NUM_PLAYERS, Player};

use super::TraversalError;
use crate::lanes;
use crate::regret::AllNegative;

/// Where a player's strategy comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum StrategySource {
    /// Regret matching on the outputs of the player's advantage network.
    #[default]
    Networks,
    /// That of the first iteration, before there is any network: uniform over legal actions, or under
    /// rollout sampling what the rollout policy plays.
    Initial,
}

/// Limits on nodes (decision and terminal nodes; chance is not counted).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budgets {
    /// A traversal that would visit more ends there and its samples are discarded: the rest of the
    /// tree is unknown, and any value put in its place would be a bias at every node above. Its
    /// nodes count. Traversals that are cut are counted.
    pub max_nodes_per_traversal: u64,
    /// Traversals are committed in order until their nodes reach this; the others are dropped.
    pub max_nodes_per_iteration: u64,
}

impl Budgets {
    /// No limits.
    pub const UNLIMITED: Self = Self { max_nodes_per_traversal: u64::MAX, max_nodes_per_iteration: u64::MAX };
}

/// The traversals of one iteration for one traverser.
///
/// `seed` to `budgets`, and the [`Sampling`](super::Sampling) beside the plan, decide the samples; `lanes` and `groups` only the
/// speed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TraversalPlan {
    /// The run's seed.
    pub seed: u64,
    /// The iteration `t ≥ 1`: a coordinate of the random streams, and part of every sample.
    pub iteration: u32,
    /// Whose advantages are sampled.
    pub traverser: Player,
    /// The number of traversals.
    pub count: u32,
    /// Regret matching's rule where no advantage is positive.
    pub all_negative: AllNegative,
    /// By player, networks or uniform play: where players are updated in turn, one has a network before the
    /// other.
    pub strategy: [StrategySource; NUM_PLAYERS],
    /// Limits on nodes.
    pub budgets: Budgets,
    /// Traversals in flight per worker, at least 1.
    pub lanes: usize,
    /// 1: rows are handed over when nothing else can advance. 2: the lanes of a worker form two
    /// groups, one of which advances while the other's rows are under way (worth it only where the
    /// evaluator answers from another thread or device).
    pub groups: usize,
}

impl TraversalPlan {
    pub(super) fn check(&self, workers: usize) -> Result<(), TraversalError> {
        if workers == 0 {
            return Err(TraversalError::NoWorkers);
        }
        if self.lanes == 0 {
            return Err(TraversalError::NoLanes);
        }
        if !lanes::GROUPS.contains(&self.groups) {
            return Err(TraversalError::Groups { got: self.groups });
        }
        if self.traverser >= NUM_PLAYERS {
            return Err(TraversalError::Traverser { got: self.traverser });
        }
        Ok(())
    }

    /// Lanes per worker, at least 1.
    pub(super) fn lanes_per_worker(&self, workers: usize) -> usize {
        lanes::per_worker(self.lanes, self.count as usize, workers).max(1)
    }
}
