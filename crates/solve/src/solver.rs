//! A tabular solver on the game's tree where that fits, on tables by infoset where it does not.
//!
//! Not here: the solvers themselves (`cfr`), and when they are evaluated.

use std::sync::Arc;

use crate::curve::ExactPoint;
use crate::error::SolveError;
use deepcfr_board::{Board, KeyedSolver};
use deepcfr_cfr::tabular::{
    Algorithm, BestResponse, GameTree, KeyedPolicy, SavedError, Solver, TreeError, TreeLimits,
};

/// A traversal of external sampling may visit about this many nodes.
const MAX_TRAVERSAL_NODES: f64 = 1e8;

/// A solver at work.
pub(crate) enum TableSolver {
    /// On the tree, with exact evaluation.
    Tree(Box<Solver>, BestResponse),
    /// Without one; nothing can be evaluated exactly.
    Keyed(Box<dyn KeyedSolver>),
}

impl TableSolver {
    /// A solver before its first iteration.
    ///
    /// # Errors
    /// If a parameter of `algorithm` is out of range, or it needs a tree that there is not.
    pub(crate) fn new(
        board: &dyn Board,
        ground: &Ground,
        algorithm: Algorithm,
        seed: u64,
    ) -> Result<Self, SolveError> {
        match ground {
            Ground::Tree(tree) => {
                let mut solver = Solver::new(Arc::clone(tree), algorithm, seed)?;
                solver.set_parallel(true);
                Ok(Self::Tree(Box::new(solver), BestResponse::parallel()))
            }
            Ground::TooBig { .. } => Ok(Self::Keyed(board.keyed_solver(algorithm, seed)?)),
        }
    }

    pub(crate) fn step(&mut self, iterations: u64) {
        match self {
            Self::Tree(solver, _) => solver.step(iterations),
            Self::Keyed(solver) => solver.step(iterations),
        }
    }

    pub(crate) fn iterations(&self) -> u64 {
        match self {
            Self::Tree(solver, _) => solver.iterations(),
            Self::Keyed(solver) => solver.iterations(),
        }
    }

    pub(crate) fn nodes(&self) -> u64 {
        match self {
            Self::Tree(solver, _) => solver.nodes(),
            Self::Keyed(solver) => solver.nodes(),
        }
    }

    /// Infosets of the game; of an unknown whole, those met so far.
    pub(crate) fn num_infosets(&self) -> usize {
        match self {
            Self::Tree(solver, _) => solver.tree().num_infosets(),
            Self::Keyed(solver) => solver.num_infosets(),
        }
    }

    pub(crate) fn average_policy(&self) -> KeyedPolicy {
        match self {
            Self::Tree(solver, _) => KeyedPolicy::from_tree(solver.tree(), &solver.average_policy()),
            Self::Keyed(solver) => solver.average_policy(),
        }
    }

    pub(crate) fn evaluate(&mut self) -> Option<ExactPoint> {
        match self {
            Self::Tree(solver, evaluator) => {
                Some(evaluator.evaluate(solver.tree(), &solver.average_policy()).into())
            }
            Self::Keyed(_) => None,
        }
    }

    pub(crate) fn save(&self) -> Vec<u8> {
        match self {
            Self::Tree(solver, _) => solver.save(),
            Self::Keyed(solver) => solver.save(),
        }
    }

    pub(crate) fn restore(&mut self, bytes: &[u8]) -> Result<(), SavedError> {
        match self {
            Self::Tree(solver, _) => solver.restore(bytes),
            Self::Keyed(solver) => solver.restore(bytes),
        }
    }
}

/// What solvers work on.
pub(crate) enum Ground {
    /// The game, laid out.
    Tree(Arc<GameTree>),
    /// The game itself, which is bigger than the limits allow.
    TooBig { game: &'static str, estimated_nodes: f64, refused: TreeError },
}

impl Ground {
    /// Lays the game out if it can be, for algorithms that can work on what comes of it.
    ///
    /// # Errors
    /// If the game is refused, or too big for one of the algorithms.
    pub(crate) fn of(
        board: &dyn Board,
        limits: TreeLimits,
        algorithms: &[Algorithm],
    ) -> Result<Self, SolveError> {
        match board.tree(limits) {
            Ok(tree) => Ok(Self::Tree(tree)),
            Err(refused) => match refused {
                TreeError::TooManyNodes { game, estimated_nodes, .. }
                | TreeError::TooManyInfosets { game, estimated_nodes, .. } => {
                    Self::TooBig { game, estimated_nodes, refused }.check(algorithms)
                }
                _ => Err(refused.into()),
            },
        }
    }

    fn check(self, algorithms: &[Algorithm]) -> Result<Self, SolveError> {
        let Self::TooBig { game, estimated_nodes, refused } = self else { return Ok(self) };
        if algorithms.iter().any(|algorithm| matches!(algorithm, Algorithm::FullTree(_))) {
            return Err(refused.into());
        }
        let traversal_nodes = estimated_nodes.sqrt();
        let external = [Algorithm::ExternalSampling, Algorithm::LinearExternalSampling];
        let walks_wide = algorithms.iter().any(|algorithm| external.contains(algorithm));
        if walks_wide && traversal_nodes > MAX_TRAVERSAL_NODES {
            return Err(SolveError::Traversal { game, estimated_nodes, traversal_nodes });
        }
        Ok(Self::TooBig { game, estimated_nodes, refused })
    }

    /// Infosets of both players, where they are known.
    pub(crate) fn num_infosets(&self) -> Option<usize> {
        match self {
            Self::Tree(tree) => Some(tree.num_infosets()),
            Self::TooBig { .. } => None,
        }
    }
}
