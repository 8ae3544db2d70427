//! Which sampling a traversal follows, with its parameters and whom it consults.
//!
//! Not here: how the schemes walk (`external`, `outcome`, `rollout`).

use deepcfr_core::Game;

use super::TraversalError;
use crate::matches::Bot;

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

/// A guess at the value of each action of the traverser. Targets stay unbiased whatever it says, as
/// long as it does not depend on the action that will be sampled; the closer it is, the smaller
/// their variance.
pub trait Baseline<G: Game>: Sync {
    /// Writes every element of `values` (one per action of the game): the expected utility of the
    /// player to move, in points, after each legal action; elements of illegal actions are not read.
    fn write(&self, game: &G, state: &G::State, values: &mut [f64]);
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
