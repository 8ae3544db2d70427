//! A game small enough to be laid out as a tree: what the networks answer is tabulated once per
//! version, and the strategies they imply are exact tables.
//!
//! Not here: traversals and solvers, which run on the tree unchanged.

use std::sync::Arc;

use deepcfr_cfr::regret::{AllNegative, masked_softmax, regret_matching};
use deepcfr_cfr::tabular::{FeatureTable, GameTree, TabularPolicy, TreeError, TreeLimits};
use deepcfr_core::{Encoder, Game, Model, ModelError, NUM_PLAYERS, NetId};

/// A small game's tree and the features of its infosets.
pub(crate) struct SmallGame {
    pub(crate) tree: Arc<GameTree>,
    pub(crate) features: FeatureTable,
}

impl SmallGame {
    /// Lays `game` out; `None` where it has more infosets or nodes than `limits` allow, or where its
    /// keys name positions rather than everything that was seen (perfect recall is what exact values
    /// rest on), as those of large games may.
    pub(crate) fn build<G: Game>(
        game: &G,
        encoder: &impl Encoder<G>,
        limits: TreeLimits,
    ) -> Result<Option<Self>, TreeError> {
        match GameTree::build(game, limits) {
            Ok(tree) => {
                let features = tree.encode_infosets(game, encoder);
                Ok(Some(Self { tree: Arc::new(tree), features }))
            }
            Err(
                TreeError::TooManyNodes { .. }
                | TreeError::TooManyInfosets { .. }
                | TreeError::ImperfectRecall { .. },
            ) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Every infoset's outputs `[infosets, actions]`, from the network that `net_of` gives its owner.
    pub(crate) fn tabulate(
        &self,
        model: &mut dyn Model,
        net_of: impl Fn(usize) -> NetId,
    ) -> Result<Vec<f32>, ModelError> {
        let (width, actions) = (model.spec().num_features, model.spec().num_outputs);
        let mut outputs = vec![0.0; self.tree.num_infosets() * actions];
        for player in 0..NUM_PLAYERS {
            let infosets = self.tree.infosets_of(player);
            let rows = &self.features.rows()[infosets.start * width..infosets.end * width];
            let answers = &mut outputs[infosets.start * actions..infosets.end * actions];
            model.forward(net_of(player), rows, answers)?;
        }
        Ok(outputs)
    }

    /// Regret matching on tabulated advantages.
    pub(crate) fn strategy(&self, advantages: &[f32], rule: AllNegative) -> TabularPolicy {
        self.policy(advantages, |outputs, legal, row| regret_matching(outputs, legal, rule, row))
    }

    /// The softmax over legal actions of tabulated logits.
    pub(crate) fn softmax(&self, logits: &[f32]) -> TabularPolicy {
        self.policy(logits, masked_softmax)
    }

    fn policy(
        &self,
        outputs: &[f32],
        mut rule: impl FnMut(&[f32], deepcfr_core::ActionSet, &mut [f32]),
    ) -> TabularPolicy {
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
