//! Tabular solvers and exact evaluation: the ground truth for games whose tree can be walked.
//!
//! [`GameTree`] lays a game out in flat arrays; everything exact here runs on it. Not here: networks
//! and the sampled traversals of Deep CFR (see `traversal`).

mod algorithm;
mod average;
mod evaluation;
mod full;
mod keyed;
#[cfg(feature = "testkit")]
pub mod oracle;
mod policy;
mod sampling;
mod saved;
mod solver;
mod tree;

pub use algorithm::{Algorithm, AlgorithmError, FullTree, RegretRule, Updates};
pub use average::AverageStrategy;
pub use evaluation::{BestResponse, Evaluation, evaluate};
pub use keyed::{Coverage, KeyedPolicy};
pub use policy::TabularPolicy;
pub use sampling::HashedSolver;
pub use saved::SavedError;
pub use solver::{Solver, SolverLimits};
pub use tree::{
    FeatureTable, GameTree, Infoset, NodeId, NodeKind, Sequence, TreeCounts, TreeError, TreeLimits,
};
