//! Tabular solvers and exact evaluation: the ground truth for games whose tree can be walked.
//!
//! [`GameTree`] lays a game out in flat arrays; everything exact here runs on it. Not here: networks
//! and the sampled traversals of Deep CFR (see `traversal`).

mod tree;

pub use tree::{
    FeatureTable, GameTree, Infoset, NodeId, NodeKind, Sequence, TreeCounts, TreeError, TreeLimits,
};
