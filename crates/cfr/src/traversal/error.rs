//! Why traversals could not be run.

use deepcfr_core::EvaluatorError;

/// Why traversals could not be run to their end.
#[derive(Clone, Debug, thiserror::Error)]
pub enum TraversalError {
    /// No evaluator was given.
    #[error("traversals need at least one worker")]
    NoWorkers,
    /// No lanes.
    #[error("a worker needs at least one lane")]
    NoLanes,
    /// A number of lane groups that does not exist.
    #[error("lanes form 1 or 2 groups, not {got}")]
    Groups {
        /// The number asked for.
        got: usize,
    },
    /// A seat that the game does not have.
    #[error("the traverser is player 0 or 1, not {got}")]
    Traverser {
        /// The number asked for.
        got: usize,
    },
    /// An exploration rate that leaves actions unsampled or is no probability.
    #[error("outcome sampling explores with a probability above 0 and at most 1, not {got}")]
    Epsilon {
        /// The rate asked for.
        got: f64,
    },
    /// An exploration rate of rollout sampling that is no probability.
    #[error("rollout sampling explores with a probability from 0 to 1, not {got}")]
    RolloutEpsilon {
        /// The rate asked for.
        got: f64,
    },
    /// No games per action.
    #[error("rollout sampling needs at least one rollout for each action")]
    NoRollouts,
    /// No policy to play games out with: a game laid out as a tree has no players of its own.
    #[error("rollout sampling needs a rollout policy, and a game laid out as a tree has none")]
    NoRolloutPolicy,
    /// A bound on sampled values that is not positive.
    #[error("sampled values are clipped at a positive bound, not {got}")]
    Clip {
        /// The bound asked for.
        got: f64,
    },
    /// An evaluator failed.
    #[error(transparent)]
    Evaluator(#[from] EvaluatorError),
}
