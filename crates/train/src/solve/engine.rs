//! A tabular solver on the game's tree where that fits, on hashed tables where it does not.
//!
//! Not here: the solvers themselves (`cfr`), and when they are evaluated.

use std::sync::Arc;

use deepcfr_cfr::tabular::{
    Algorithm, BestResponse, GameTree, HashedSolver, KeyedPolicy, SavedError, Solver, TreeError, TreeLimits,
};
use deepcfr_core::Game;

use super::curve::ExactPoint;
use super::error::SolveError;
use crate::error::TrainError;

/// A traversal of external sampling may visit about this many nodes.
const MAX_TRAVERSAL_NODES: f64 = 1e8;

/// A solver at work.
pub(super) enum Engine<G: Game> {
    /// On the tree, with exact evaluation.
    Tree(Box<Solver>, BestResponse),
    /// Without one; nothing can be evaluated exactly.
    Hashed(Box<HashedSolver<G>>),
}

impl<G: Game> Engine<G> {
    /// A solver before its first iteration.
    ///
    /// # Errors
    /// If a parameter of `algorithm` is out of range, or it needs a tree that there is not.
    pub(super) fn new(
        game: &Arc<G>,
        board: &Board,
        algorithm: Algorithm,
        seed: u64,
    ) -> Result<Self, SolveError> {
        match board {
            Board::Tree(tree) => {
                let mut solver = Solver::new(Arc::clone(tree), algorithm, seed)?;
                solver.set_parallel(true);
                Ok(Self::Tree(Box::new(solver), BestResponse::parallel()))
            }
            Board::TooBig { .. } => {
                Ok(Self::Hashed(Box::new(HashedSolver::shared(Arc::clone(game), algorithm, seed)?)))
            }
        }
    }

    pub(super) fn step(&mut self, iterations: u64) {
        match self {
            Self::Tree(solver, _) => solver.step(iterations),
            Self::Hashed(solver) => solver.step(iterations),
        }
    }

    pub(super) fn iterations(&self) -> u64 {
        match self {
            Self::Tree(solver, _) => solver.iterations(),
            Self::Hashed(solver) => solver.iterations(),
        }
    }

    pub(super) fn nodes(&self) -> u64 {
        match self {
            Self::Tree(solver, _) => solver.nodes(),
            Self::Hashed(solver) => solver.nodes(),
        }
    }

    /// Infosets of the game; of an unknown whole, those met so far.
    pub(super) fn num_infosets(&self) -> usize {
        match self {
            Self::Tree(solver, _) => solver.tree().num_infosets(),
            Self::Hashed(solver) => solver.num_infosets(),
        }
    }

    pub(super) fn average_policy(&self) -> KeyedPolicy {
        match self {
            Self::Tree(solver, _) => KeyedPolicy::from_tree(solver.tree(), &solver.average_policy()),
            Self::Hashed(solver) => solver.average_policy(),
        }
    }

    pub(super) fn evaluate(&mut self) -> Option<ExactPoint> {
        match self {
            Self::Tree(solver, evaluator) => {
                Some(evaluator.evaluate(solver.tree(), &solver.average_policy()).into())
            }
            Self::Hashed(_) => None,
        }
    }

    pub(super) fn save(&self) -> Vec<u8> {
        match self {
            Self::Tree(solver, _) => solver.save(),
            Self::Hashed(solver) => solver.save(),
        }
    }

    pub(super) fn restore(&mut self, bytes: &[u8]) -> Result<(), SavedError> {
        match self {
            Self::Tree(solver, _) => solver.restore(bytes),
            Self::Hashed(solver) => solver.restore(bytes),
        }
    }
}

/// What solvers work on.
pub(super) enum Board {
    /// The game, laid out.
    Tree(Arc<GameTree>),
    /// The game itself, which is bigger than the limits allow.
    TooBig { game: &'static str, estimated_nodes: f64, refused: TreeError },
}

impl Board {
    /// Lays the game out if it can be, for algorithms that can work on what comes of it.
    ///
    /// # Errors
    /// If the game is refused, or too big for one of the algorithms.
    pub(super) fn new<G: Game>(
        game: &G,
        limits: TreeLimits,
        algorithms: &[Algorithm],
    ) -> Result<Self, TrainError> {
        match GameTree::build(game, limits) {
            Ok(tree) => Ok(Self::Tree(Arc::new(tree))),
            Err(refused) => match refused {
                TreeError::TooManyNodes { game, estimated_nodes, .. }
                | TreeError::TooManyInfosets { game, estimated_nodes, .. } => {
                    Self::TooBig { game, estimated_nodes, refused }.check(algorithms)
                }
                _ => Err(refused.into()),
            },
        }
    }

    fn check(self, algorithms: &[Algorithm]) -> Result<Self, TrainError> {
        let Self::TooBig { game, estimated_nodes, refused } = self else { return Ok(self) };
        if algorithms.iter().any(|algorithm| matches!(algorithm, Algorithm::FullTree(_))) {
            return Err(refused.into());
        }
        let traversal_nodes = estimated_nodes.sqrt();
        if algorithms.contains(&Algorithm::ExternalSampling) && traversal_nodes > MAX_TRAVERSAL_NODES {
            return Err(SolveError::Traversal { game, estimated_nodes, traversal_nodes }.into());
        }
        Ok(Self::TooBig { game, estimated_nodes, refused })
    }

    /// Infosets of both players, where they are known.
    pub(super) fn num_infosets(&self) -> Option<usize> {
        match self {
            Self::Tree(tree) => Some(tree.num_infosets()),
            Self::TooBig { .. } => None,
        }
    }
}
