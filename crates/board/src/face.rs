//! The face of a board: one method a phase.
//!
//! Not here: who answers the rows of networks (see `worker`), and what is done with samples and results.

use std::ops::Range;
use std::sync::Arc;

use deepcfr_cfr::matches::{MatchError, MatchPlan, NetworkStrategy, PairOutcome, Settled, Stopping, Watch};
use deepcfr_cfr::tabular::{
    Algorithm, AlgorithmError, FeatureTable, GameTree, KeyedPolicy, TreeError, TreeLimits,
};
use deepcfr_cfr::traversal::{
    OutcomeSampling, RolloutSampling, TraversalError, TraversalPlan, TraversalStats,
};
use deepcfr_core::SampleSink;

use crate::facts::BoardFacts;
use crate::fixed::FixedPlayer;
use crate::keyed_solver::KeyedSolver;
use crate::position::Position;
use crate::worker::Worker;

/// A configured game with its encoder and its rule-based players, set up and ready.
///
/// A call takes a whole phase, so that calling through a pointer costs nothing that could be measured.
pub trait Board: Send + Sync {
    /// What is known without walking the game.
    fn facts(&self) -> &BoardFacts;

    /// Runs the traversals of `plan` with a thread for each of `workers` and hands their samples to `sink` in
    /// the order of traversals.
    ///
    /// # Errors
    /// If the plan cannot be run or a worker fails; the sink may then hold part of the samples.
    fn traverse(
        &self,
        plan: &TraversalPlan,
        sampling: &Sampling,
        workers: &mut [Worker],
        sink: &mut dyn SampleSink,
    ) -> Result<TraversalStats, TraversalError>;

    /// The same in the game that the traverser of `plan` meets whose opponent is `opponent`: regrets there
    /// lead to a best response.
    ///
    /// # Errors
    /// As [`Board::traverse`]; ask [`FixedPlayer::failure`] too.
    fn traverse_against(
        &self,
        opponent: &FixedPlayer<'_>,
        plan: &TraversalPlan,
        sampling: &Sampling,
        workers: &mut [Worker],
        sink: &mut dyn SampleSink,
    ) -> Result<TraversalStats, TraversalError>;

    /// Plays deals `deals[i]` of pairing `i`, each in both seats.
    ///
    /// # Errors
    /// If the plan or the game cannot be played, a bot chooses an illegal action, or a worker fails.
    ///
    /// # Panics
    /// If there is not one range for each pairing, or a bot has no place in [`BoardFacts::bots`].
    fn play(
        &self,
        plan: &MatchPlan,
        pairings: &[Pairing<'_>],
        deals: &[Range<u32>],
        workers: &mut [Worker],
        watch: &dyn Watch,
    ) -> Result<Vec<Vec<PairOutcome>>, MatchError>;

    /// Plays every pairing as `stopping` says.
    ///
    /// # Errors
    /// As [`Board::play`], or if the rule makes no sense.
    fn tournament(
        &self,
        plan: &MatchPlan,
        pairings: &[Pairing<'_>],
        stopping: &Stopping,
        workers: &mut [Worker],
        watch: &dyn Watch,
    ) -> Result<Vec<Settled>, MatchError>;

    /// Lays the game out as a tree.
    ///
    /// # Errors
    /// If it is bigger than `limits`, or breaks a rule that trees rest on.
    fn tree(&self, limits: TreeLimits) -> Result<Arc<GameTree>, TreeError>;

    /// The feature rows of all infosets of `tree`, which must be this board's.
    fn features(&self, tree: &GameTree) -> FeatureTable;

    /// A sampling solver that keeps what it meets in tables by infoset, for games that are too big for a tree.
    ///
    /// # Errors
    /// If the algorithm needs a tree, or a parameter is out of range.
    fn keyed_solver(&self, algorithm: Algorithm, seed: u64) -> Result<Box<dyn KeyedSolver>, AlgorithmError>;

    /// The position before anything has happened, to be played step by step.
    fn root(&self) -> Box<dyn Position>;

    /// Feature rows `[count, num_features]` of the players to move in games of uniformly random play.
    fn rows(&self, count: usize, seed: u64) -> Vec<f32>;
}

/// How traversals choose what to walk, with whom they consult.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Sampling {
    /// Every action of the traverser, one of everybody else.
    External,
    /// One path.
    Outcome {
        /// Its parameters.
        parameters: OutcomeSampling,
        /// Whether sampled values are compared with the lead in points; without effect in games that have
        /// no running score.
        scored: bool,
    },
    /// One path, every action of the traverser played out by a rule-based player.
    Rollout {
        /// Its parameters.
        parameters: RolloutSampling,
        /// The player's place in [`BoardFacts::bots`].
        policy: usize,
    },
}

/// Someone who plays.
#[derive(Clone, Copy, Debug)]
pub enum Contestant<'a> {
    /// The rule-based player in this place of [`BoardFacts::bots`].
    Bot(usize),
    /// A table of probabilities; infosets that it lacks play uniformly.
    Table(&'a KeyedPolicy),
    /// Networks, answered by the workers.
    Networks(&'a NetworkStrategy),
}

/// Who plays against whom.
#[derive(Clone, Copy, Debug)]
pub struct Pairing<'a> {
    /// Whose results are reported; sits in seat 0 first.
    pub subject: Contestant<'a>,
    /// The other one.
    pub opponent: Contestant<'a>,
}
