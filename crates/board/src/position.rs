//! A position of a board's game with the game's types hidden: for whoever steps through a game by hand.
//!
//! Not here: phases that walk thousands of positions, which go through [`Board`](crate::Board) and stay compiled
//! for the game's own types.

use std::sync::Arc;

use deepcfr_core::{Action, ActionSet, Encoder, Game, InfosetKey, Player, Turn};

/// A position. What it answers is what the game and its encoder answer.
pub trait Position: Send + Sync {
    /// Who moves.
    fn turn(&self) -> Turn;

    /// The legal actions of the player to move; empty where nobody is.
    fn legal_actions(&self) -> ActionSet;

    /// The outcomes of a chance position with their weights, ascending; empty elsewhere.
    fn chance_outcomes(&self) -> Vec<(Action, u32)>;

    /// Plays an action or a chance outcome, which must be one of those that are listed.
    ///
    /// # Panics
    /// Possibly, if it is not.
    fn apply(&mut self, action: Action);

    /// What player 0 gets at a terminal position, in points; 0 elsewhere.
    fn utility(&self) -> f64;

    /// The infoset of `player`, who is to move.
    fn infoset_key(&self, player: Player) -> InfosetKey;

    /// An action that is about to be played here, or a chance outcome, in words.
    fn describe_action(&self, action: Action) -> String;

    /// What `player`, who is to move, knows here, in words.
    fn describe_infoset(&self, player: Player) -> String;

    /// Writes every element of `row`, the features of `player`, who is to move.
    ///
    /// # Panics
    /// Possibly, if `row` does not have as many elements as a feature row.
    fn write_row(&self, player: Player, row: &mut [f32]);

    /// A copy that goes its own way.
    fn fork(&self) -> Box<dyn Position>;
}

/// A position with its types.
pub(crate) struct Stepped<G: Game, E> {
    game: Arc<G>,
    encoder: Arc<E>,
    state: G::State,
}

impl<G: Game, E> Stepped<G, E> {
    /// The position before anything has happened.
    pub(crate) fn root(game: &Arc<G>, encoder: &Arc<E>) -> Self {
        Self { state: game.root(), game: Arc::clone(game), encoder: Arc::clone(encoder) }
    }
}

impl<G: Game + 'static, E: Encoder<G> + 'static> Position for Stepped<G, E> {
    fn turn(&self) -> Turn {
        self.game.turn(&self.state)
    }

    fn legal_actions(&self) -> ActionSet {
        match self.turn() {
            Turn::Player(_) => self.game.legal_actions(&self.state),
            _ => ActionSet::EMPTY,
        }
    }

    fn chance_outcomes(&self) -> Vec<(Action, u32)> {
        let mut outcomes = Vec::new();
        if self.turn() == Turn::Chance {
            self.game.chance_outcomes(&self.state, |outcome, weight| outcomes.push((outcome, weight)));
        }
        outcomes
    }

    fn apply(&mut self, action: Action) {
        self.game.apply(&mut self.state, action);
    }

    fn utility(&self) -> f64 {
        if self.turn() == Turn::Terminal { self.game.utility(&self.state) } else { 0.0 }
    }

    fn infoset_key(&self, player: Player) -> InfosetKey {
        self.game.infoset_key(&self.state, player)
    }

    fn describe_action(&self, action: Action) -> String {
        self.game.describe_action(&self.state, action)
    }

    fn describe_infoset(&self, player: Player) -> String {
        self.game.describe_infoset(&self.state, player)
    }

    fn write_row(&self, player: Player, row: &mut [f32]) {
        self.encoder.encode(&self.game, &self.state, player, row);
    }

    fn fork(&self) -> Box<dyn Position> {
        let (game, encoder) = (Arc::clone(&self.game), Arc::clone(&self.encoder));
        Box::new(Self { game, encoder, state: self.state.clone() })
    }
}

#[cfg(test)]
mod tests {
    use deepcfr_core::Turn;
    use deepcfr_games::kuhn::{Kuhn, KuhnEncoder};

    use crate::Setup;

    #[test]
    fn a_game_is_played_step_by_step_and_copies_go_their_own_way() {
        let board = Setup::new(Kuhn, KuhnEncoder).board();
        let mut position = board.root();
        assert_eq!((position.turn(), position.chance_outcomes().len()), (Turn::Chance, 3));
        assert!(position.legal_actions().is_empty());
        [2, 0].into_iter().for_each(|card| position.apply(card));
        assert_eq!((position.turn(), position.legal_actions().len()), (Turn::Player(0), 2));
        let mut row = vec![f32::NAN; board.facts().num_features];
        position.write_row(0, &mut row);
        assert!(row.iter().all(|feature| feature.is_finite()));
        let mut copy = position.fork();
        // The higher card bets and is paid, or takes the antes after two passes.
        [1, 1].into_iter().for_each(|action| copy.apply(action));
        [0, 0].into_iter().for_each(|action| position.apply(action));
        assert_eq!((copy.turn(), copy.utility()), (Turn::Terminal, 2.0));
        assert_eq!((position.turn(), position.utility()), (Turn::Terminal, 1.0));
    }

    #[test]
    fn infosets_are_told_apart_by_key_and_in_words() {
        let board = Setup::new(Kuhn, KuhnEncoder).board();
        let dealt = |cards: [u16; 2]| {
            let mut position = board.root();
            cards.into_iter().for_each(|card| position.apply(card));
            (position.infoset_key(0), position.describe_infoset(0))
        };
        assert_eq!(dealt([2, 0]), dealt([2, 1]));
        assert_ne!(dealt([2, 0]).0, dealt([1, 0]).0);
        assert_ne!(dealt([2, 0]).1, dealt([1, 0]).1);
    }
}
