//! From a state to action probabilities, for evaluation and play.

use crate::Game;

/// A behaviour strategy for both seats of a game.
pub trait Policy<G: Game>: Sync {
    /// Writes the probability of every action for the player to move, `probabilities.len()` being
    /// the game's `num_actions`: non-negative, 0 at illegal actions, summing to 1. Depends on the
    /// player's infoset only.
    fn probabilities(&self, game: &G, state: &G::State, probabilities: &mut [f64]);
}
