//! A game small enough to be laid out as a tree: what the networks answer is tabulated once per
//! version, the strategies they imply are exact tables, and traversals walk the tree.
//!
//! Not here: solvers, which run on the tree unchanged.

use std::sync::Arc;

use deepcfr_cfr::regret::{AllNegative, masked_softmax, regret_matching};
use deepcfr_cfr::tabular::{FeatureTable, GameTree, TabularPolicy, TreeError, TreeLimits};
use deepcfr_cfr::traversal::evaluators::TableEvaluator;
use deepcfr_cfr::traversal::{self, TraversalError, TraversalPlan, TraversalStats};
use deepcfr_core::{ActionSet, Game, Model, ModelError, NUM_PLAYERS, NetId, Player, SampleSink};

use crate::face::{Board, Sampling};

/// A small game's tree and the features of its infosets.
pub struct SmallGame {
    /// The tree.
    pub tree: Arc<GameTree>,
    /// A feature row for each of its infosets.
    pub features: FeatureTable,
}

/// Whether a game cannot be laid out because of its size, or because its keys name positions rather than
/// everything that was seen (perfect recall is what exact values rest on), as those of large games may.
pub(crate) fn too_big(error: &TreeError) -> bool {
    matches!(
        error,
        TreeError::TooManyNodes { .. }
            | TreeError::TooManyInfosets { .. }
            | TreeError::ImperfectRecall { .. }
    )
}

impl SmallGame {
    /// Lays the game of `board` out; `None` where it has more infosets or nodes than `limits` allow, or where
    /// its keys name positions rather than everything that was seen.
    ///
    /// # Errors
    /// If the game breaks a rule that trees rest on.
    pub fn lay_out(board: &dyn Board, limits: TreeLimits) -> Result<Option<Self>, TreeError> {
        match board.tree(limits) {
            Ok(tree) => Ok(Some(Self { features: board.features(&tree), tree })),
            Err(error) if too_big(&error) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Runs the traversals of `plan` on the tree with so many threads; `advantages` are tabulated outputs, of
    /// which only those of players with a network are read. There is nobody to play games out, so rollout
    /// sampling is refused.
    ///
    /// # Errors
    /// If the plan cannot be run.
    pub fn traverse(
        &self,
        plan: &TraversalPlan,
        sampling: &Sampling,
        advantages: &[f32],
        workers: usize,
        sink: &mut dyn SampleSink,
    ) -> Result<TraversalStats, TraversalError> {
        let actions = self.tree.spec().num_actions;
        let evaluator = |_| TableEvaluator::new(advantages, actions);
        let mut workers: Vec<_> = (0..workers).map(evaluator).collect();
        let sampling = match *sampling {
            Sampling::External => traversal::Sampling::External,
            // A running score is the game's own, and a tree has none.
            Sampling::Outcome { parameters, .. } => traversal::Sampling::outcome(parameters),
            Sampling::Rollout { .. } => return Err(TraversalError::NoRolloutPolicy),
        };
        traversal::run(&*self.tree, &self.features, sampling, plan, &mut workers, sink)
    }

    /// The names of the classes of action that reports tell apart.
    pub fn action_classes(&self) -> &'static [&'static str] {
        self.tree.action_classes()
    }

    /// Every infoset's outputs `[infosets, actions]`, from the network that `net_of` gives its owner.
    ///
    /// # Errors
    /// If the model fails.
    pub fn tabulate(
        &self,
        model: &mut dyn Model,
        net_of: impl Fn(usize) -> NetId,
    ) -> Result<Vec<f32>, ModelError> {
        let mut outputs = vec![0.0; self.tree.num_infosets() * model.spec().num_outputs];
        (0..NUM_PLAYERS)
            .try_for_each(|player| self.tabulate_player(model, player, net_of(player), &mut outputs))?;
        Ok(outputs)
    }

    /// Replaces the outputs at `player`'s infosets among those of all by what the network `net` answers.
    ///
    /// # Errors
    /// If the model fails.
    pub fn tabulate_player(
        &self,
        model: &mut dyn Model,
        player: Player,
        net: NetId,
        outputs: &mut [f32],
    ) -> Result<(), ModelError> {
        let (width, actions) = (model.spec().num_features, model.spec().num_outputs);
        let infosets = self.tree.infosets_of(player);
        let rows = &self.features.rows()[infosets.start * width..infosets.end * width];
        model.forward(net, rows, &mut outputs[infosets.start * actions..infosets.end * actions])
    }

    /// Regret matching on tabulated advantages.
    pub fn strategy(&self, advantages: &[f32], rule: AllNegative) -> TabularPolicy {
        self.policy(advantages, |outputs, legal, row| regret_matching(outputs, legal, rule, row))
    }

    /// The softmax over legal actions of tabulated logits.
    pub fn softmax(&self, logits: &[f32]) -> TabularPolicy {
        self.policy(logits, masked_softmax)
    }

    fn policy(&self, outputs: &[f32], mut rule: impl FnMut(&[f32], ActionSet, &mut [f32])) -> TabularPolicy {
        let actions = self.tree.spec().num_actions;
        let mut row = vec![0.0f32; actions];
        let mut weights = Vec::with_capacity(self.tree.num_slots());
        for (infoset, outputs) in self.tree.infosets().iter().zip(outputs.chunks_exact(actions)) {
            rule(outputs, infoset.legal, &mut row);
            weights.extend(infoset.legal.iter().map(|action| f64::from(row[action as usize])));
        }
        TabularPolicy::from_weights(&self.tree, weights)
    }
}
