//! Matches in which nobody asks a network.
//!
//! Not here: the bots, and how matches go on (see the module above).

use deepcfr_core::{Encoder, Evaluator, EvaluatorError, Game, ModelError, NetId, Player, Query};

use super::{MatchError, MatchPlan, MatchRecord, Pairing, play};

/// What answers rows, and shows a game to networks, where there are no networks: a row that somebody sends
/// all the same is refused.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NoNetworks;

impl Evaluator for NoNetworks {
    fn submit<Q: Query>(&mut self, _lane: usize, net: NetId, _query: &Q) -> Result<(), EvaluatorError> {
        Err(ModelError::NoSuchNet { net, nets: 0 }.into())
    }

    fn wait(&mut self) -> Result<(), EvaluatorError> {
        Ok(())
    }

    fn next_ready(&mut self) -> Option<usize> {
        None
    }

    fn output(&self, _lane: usize) -> &[f32] {
        &[]
    }
}

impl<G: Game> Encoder<G> for NoNetworks {
    fn num_features(&self) -> usize {
        0
    }

    fn encode(&self, _game: &G, _state: &G::State, _player: Player, _row: &mut [f32]) {}
}

/// [`play`] for bots alone, on `threads` threads: the same games without an encoder and evaluators.
///
/// # Errors
/// As [`play`], and if a contestant asks a network.
///
/// # Panics
/// If the game or a bot panics.
pub fn play_bots<G: Game>(
    game: &G,
    plan: &MatchPlan,
    pairings: &[Pairing<'_, G>],
    threads: usize,
) -> Result<Vec<MatchRecord>, MatchError> {
    play(game, &NoNetworks, plan, pairings, &mut vec![NoNetworks; threads])
}
