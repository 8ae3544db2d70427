//! From a state to action probabilities, for evaluation and play.

use crate::Game;

/// A behaviour strategy for both seats of a game.
pub trait Policy<G: Game>: Sync {
    /// Writes the probability of every action for the player to move, `probabilities.len()` being
    /// the game's `num_actions`: non-negative, 0 at illegal actions, summing to 1. Depends on the
    /// player's infoset only.
    fn probabilities(&self, game: &G, state: &G::State, probabilities: &mut [f64]);
}

impl<G: Game, P: Policy<G>> Policy<G> for &P {
    fn probabilities(&self, game: &G, state: &G::State, probabilities: &mut [f64]) {
        (**self).probabilities(game, state, probabilities);
    }
}

/// Plays every legal action with the same probability, in any game.
#[derive(Clone, Copy, Debug, Default)]
pub struct RandomPolicy;

impl<G: Game> Policy<G> for RandomPolicy {
    fn probabilities(&self, game: &G, state: &G::State, probabilities: &mut [f64]) {
        let legal = game.legal_actions(state);
        probabilities.fill(0.0);
        let share = 1.0 / legal.len() as f64;
        legal.iter().for_each(|action| probabilities[usize::from(action)] = share);
    }
}
