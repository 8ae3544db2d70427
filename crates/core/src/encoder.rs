//! From an infoset to the row of features that a network sees.
//!
//! Not here: batching (see `Evaluator`) and networks.

use crate::{Game, Player};

/// Writes an infoset's features. A game may have several encoders.
pub trait Encoder<G: Game>: Send + Sync {
    /// The length of a row.
    fn num_features(&self) -> usize;

    /// Writes every element of `row` (length [`Encoder::num_features`]); reads nothing of it.
    ///
    /// Only what `player` knows may influence the row, and all values are finite. `player` is the
    /// one to move.
    fn encode(&self, game: &G, state: &G::State, player: Player, row: &mut [f32]);
}
