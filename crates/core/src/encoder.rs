//! From an infoset to the row of features that a network sees.
//!
//! Not here: batching (see `Evaluator`) and networks.

use crate::{Game, Player};

/// Features of a row that belong together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FeatureBlock {
    /// What they say, in a few words.
    pub name: String,
    /// How many there are.
    pub len: usize,
}

impl FeatureBlock {
    /// `len` features called `name`.
    pub fn new(name: impl Into<String>, len: usize) -> Self {
        Self { name: name.into(), len }
    }
}

/// Writes an infoset's features. A game may have several encoders.
pub trait Encoder<G: Game>: Send + Sync {
    /// The length of a row.
    fn num_features(&self) -> usize;

    /// Writes every element of `row` (length [`Encoder::num_features`]); reads nothing of it.
    ///
    /// Only what `player` knows may influence the row, and all values are finite. `player` is the
    /// one to move.
    fn encode(&self, game: &G, state: &G::State, player: Player, row: &mut [f32]);

    /// The row from its start to its end, block by block, for people who feed a network themselves.
    fn layout(&self) -> Vec<FeatureBlock> {
        vec![FeatureBlock::new("features", self.num_features())]
    }
}
