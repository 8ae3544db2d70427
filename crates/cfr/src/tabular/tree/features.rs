//! The feature rows of all infosets of a tree, written once by the game's own encoder.

use deepcfr_core::{Encoder, Game, Player};

use super::{GameTree, NodeId};

/// The feature rows of all infosets, an [`Encoder`] of the tree that hands out stored rows.
#[derive(Clone, Debug, PartialEq)]
pub struct FeatureTable {
    num_features: usize,
    rows: Vec<f32>,
}

impl FeatureTable {
    /// All rows `[infosets, num_features]`, by infoset index: one forward pass over them tabulates
    /// a network.
    pub fn rows(&self) -> &[f32] {
        &self.rows
    }

    /// One infoset's row.
    #[inline]
    pub fn row(&self, infoset: usize) -> &[f32] {
        &self.rows[infoset * self.num_features..(infoset + 1) * self.num_features]
    }
}

impl Encoder<GameTree> for FeatureTable {
    fn num_features(&self) -> usize {
        self.num_features
    }

    #[inline]
    fn encode(&self, tree: &GameTree, &node: &NodeId, _player: Player, row: &mut [f32]) {
        row.copy_from_slice(self.row(tree.infoset_index(node)));
    }
}

impl GameTree {
    /// Encodes every infoset once. `game` is the one that the tree was built from.
    pub fn encode_infosets<G: Game>(&self, game: &G, encoder: &impl Encoder<G>) -> FeatureTable {
        let num_features = encoder.num_features();
        let mut rows = vec![0.0; self.num_infosets() * num_features];
        for (index, infoset) in self.infosets().iter().enumerate() {
            let state = self.replay(game, infoset.representative);
            let row = &mut rows[index * num_features..(index + 1) * num_features];
            encoder.encode(game, &state, infoset.owner, row);
        }
        FeatureTable { num_features, rows }
    }
}
