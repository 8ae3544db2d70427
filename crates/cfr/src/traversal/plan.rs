//! What one call of the traversal driver is asked to do.

use deepcfr_core::{Game, NUM_PLAYERS, Player};

use super::{Baseline, TraversalError};
use crate::lanes;
use crate::matches::Bot;
use crate::regret::AllNegative;

/// How a traversal chooses what to walk, with whom it consults beside the networks.
pub enum Sampling<'a, G: Game> {
    /// Every action at the traverser's nodes, one sampled action elsewhere (Lanctot et al. 2009).
    External,
    /// One trajectory (Lanctot et al. 2009), exploring at the traverser's nodes only.
    Outcome {
        /// Its parameters.
        parameters: OutcomeSampling,
        /// Lowers the variance; `None` is a guess of 0 everywhere, without its cost.
        baseline: Option<&'a dyn Baseline<G>>,
    },
    /// One trajectory, every action of the traverser played out by a fixed policy.
    Rollout {
        /// Its parameters.
        parameters: RolloutSampling,
        /// Plays the games out.
        policy: &'a dyn Bot<G>,
    },
}

impl<G: Game> Sampling<'_, G> {
    /// Outcome sampling without a baseline.
    pub const fn outcome(parameters: OutcomeSampling) -> Self {
        Self::Outcome { parameters, baseline: None }
    }

    pub(super) fn check(&self) -> Result<(), TraversalError> {
        match self {
            Self::External => Ok(()),
            Self::Outcome { parameters, .. } => parameters.check(),
            Self::Rollout { parameters, .. } => parameters.check(),
        }
    }
}

impl<G: Game> Copy for Sampling<'_, G> {}

impl<G: Game> Clone for Sampling<'_, G> {
    fn clone(&self) -> Self {
        *self
    }
}

/// Rollout sampling's parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RolloutSampling {
    /// The traverser's share of uniform play along the trajectory, in `[0, 1]`.
    pub epsilon: f64,
    /// Games per action, at least 1. All actions of a node meet the same chance numbers.
    pub rollouts: u32,
}

/// Outcome sampling's parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OutcomeSampling {
    /// The traverser plays `ξ = ε·uniform + (1 − ε)·σ`; in `(0, 1]`.
    pub epsilon: f64,
    /// Bounds the importance-weighted value of a sampled action to `±clip` points. **A bias**: targets
    /// are no longer advantages in the mean. `None` leaves them unbiased.
    pub clip: Option<f64>,
    /// Whose later decisions the values assume.
    pub continuation: Continuation,
}

/// Whose later decisions the values of outcome sampling assume, where those are the traverser's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Continuation {
    /// The strategy's: `v̂(I) = Σ σ(a)·v̂(a)`. Unbiased, but the ratios `σ/ξ` of a trajectory multiply:
    /// over dozens of decisions most values are 0 and the others are huge.
    #[default]
    Strategy,
    /// Those of the sampling policy: `v̂(I) = Σ ξ(a)·v̂(a)`, without any ratio. **A bias** for the game
    /// as it is; unbiased for the game in which the traverser's hand trembles, playing `ξ` where it
    /// means `σ` (a behaviourally constrained game: Farina, Kroer, Sandholm 2017), which a small
    /// `epsilon` leaves close to it.
    Sampling,
}

impl Default for OutcomeSampling {
    fn default() -> Self {
        Self { epsilon: 0.5, clip: None, continuation: Continuation::Strategy }
    }
}

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
/// `seed` to `budgets`, and the [`Sampling`] beside the plan, decide the samples; `lanes` and `groups` only the
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

impl RolloutSampling {
    fn check(&self) -> Result<(), TraversalError> {
        if !(0.0..=1.0).contains(&self.epsilon) {
            return Err(TraversalError::RolloutEpsilon { got: self.epsilon });
        }
        if self.rollouts == 0 { Err(TraversalError::NoRollouts) } else { Ok(()) }
    }
}

impl OutcomeSampling {
    fn check(&self) -> Result<(), TraversalError> {
        if !(self.epsilon > 0.0 && self.epsilon <= 1.0) {
            return Err(TraversalError::Epsilon { got: self.epsilon });
        }
        match self.clip {
            Some(clip) if clip.is_nan() || clip <= 0.0 => Err(TraversalError::Clip { got: clip }),
            _ => Ok(()),
        }
    }
}
