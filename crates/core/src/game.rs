//! The rules of a game: a two-player, zero-sum, turn-based game of perfect recall.
//!
//! Not here: features for networks (see `Encoder`) and anything that walks a tree.

use crate::{Action, ActionSet, Stream};

/// A player's seat, `0` or `1`.
pub type Player = usize;

/// The most facts of a game's end.
pub const MAX_FACTS: usize = 4;

/// The number of players of every game that this system trains on.
pub const NUM_PLAYERS: usize = 2;

/// Who moves at a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// Nobody: the game is over and [`Game::utility`] is defined.
    Terminal,
    /// Nature: an outcome is drawn from [`Game::chance_outcomes`].
    Chance,
    /// The player in this seat.
    Player(Player),
}

/// Names an information set of one player within one game.
///
/// Two states of a player have equal keys exactly when the player cannot tell them apart. Small
/// games pack the whole observation history; large ones may hash it to 128 bits (a collision among
/// 1e12 infosets then has probability below 1e-14).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct InfosetKey(pub u128);

/// The static facts of a configured game.
#[derive(Clone, Debug, PartialEq)]
pub struct GameSpec {
    /// Short lower-case name, for example `leduc`.
    pub name: &'static str,
    /// The number of seats. Anything but 2 is refused by the solvers and the trainer.
    pub num_players: usize,
    /// Whether players may move at the same time. Such games are refused.
    pub simultaneous: bool,
    /// Player actions are `0..num_actions`.
    pub num_actions: usize,
    /// The lowest and highest utility that a player can get, in the game's points.
    pub utility_range: (f64, f64),
    /// An upper bound on the number of actions (chance included) from root to end.
    pub max_depth: usize,
}

/// Why a game cannot be used here.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum GameError {
    /// More or fewer than two seats.
    #[error("{game} has {players} players; solvers and training need exactly 2")]
    NotTwoPlayers {
        /// The game's name.
        game: &'static str,
        /// Its number of seats.
        players: usize,
    },
    /// Players move at the same time.
    #[error(
        "{game} has simultaneous moves; give it in turn-based form, hiding the first player's move from the second"
    )]
    Simultaneous {
        /// The game's name.
        game: &'static str,
    },
    /// More actions than an action set holds.
    #[error("{game} has {actions} actions; at most {max} are supported", max = crate::MAX_ACTIONS)]
    TooManyActions {
        /// The game's name.
        game: &'static str,
        /// Its number of actions.
        actions: usize,
    },
}

impl GameSpec {
    /// Checks that the game is one that solvers and the trainer can take.
    ///
    /// # Errors
    /// Names the first property that rules it out.
    pub fn check(&self) -> Result<(), GameError> {
        let game = self.name;
        if self.num_players != NUM_PLAYERS {
            return Err(GameError::NotTwoPlayers { game, players: self.num_players });
        }
        if self.simultaneous {
            return Err(GameError::Simultaneous { game });
        }
        if self.num_actions > crate::MAX_ACTIONS {
            return Err(GameError::TooManyActions { game, actions: self.num_actions });
        }
        Ok(())
    }
}

/// A configured rule set. The position itself is a separate, small [`Game::State`].
///
/// Contract, checked for every game by the conformance kit (`deepcfr-games`, feature `testkit`):
/// legal actions are a non-empty subset of `0..num_actions` at every player state; utilities are
/// within `utility_range` and sum to zero; play ends within `max_depth` actions; players have
/// perfect recall, and legal actions are the same throughout an infoset.
pub trait Game: Send + Sync {
    /// A position. Cloned per branch of a traversal, so keep it small and free of heap memory.
    type State: Clone + Send + Sync;

    /// The static facts.
    fn spec(&self) -> GameSpec;

    /// The position before anything has happened (cards not dealt: dealing is chance).
    fn root(&self) -> Self::State;

    /// Who moves.
    fn turn(&self, state: &Self::State) -> Turn;

    /// The legal actions of the player to move; never empty at a player state, unspecified elsewhere.
    fn legal_actions(&self, state: &Self::State) -> ActionSet;

    /// Calls `visit(outcome, weight)` for each outcome of a chance state, outcomes ascending. The
    /// probability of an outcome is its weight over the sum of weights; weights are positive. A game
    /// without chance leaves it out.
    fn chance_outcomes(&self, _state: &Self::State, _visit: impl FnMut(Action, u32)) {}

    /// Plays a legal action or a chance outcome. Total over legal input; may panic otherwise.
    fn apply(&self, state: &mut Self::State, action: Action);

    /// What player 0 gets at a terminal state, in points; player 1 gets the negative.
    fn utility(&self, state: &Self::State) -> f64;

    /// The infoset of `player`, who is to move.
    fn infoset_key(&self, state: &Self::State, player: Player) -> InfosetKey;

    /// Draws an outcome of a chance state, consuming exactly one number from `rng`.
    ///
    /// An implementor may replace this by something faster that returns the same outcome for the
    /// same `rng`: outcome `i` where `i` is the first index whose cumulative weight exceeds
    /// `rng.below(total)`.
    fn sample_chance(&self, state: &Self::State, rng: &mut Stream) -> Action {
        let mut total = 0;
        self.chance_outcomes(state, |_, weight| total += weight);
        let mut left = i64::from(rng.below(total));
        let mut drawn = None;
        self.chance_outcomes(state, |outcome, weight| {
            if drawn.is_none() {
                left -= i64::from(weight);
                if left < 0 {
                    drawn = Some(outcome);
                }
            }
        });
        drawn.expect("the draw is below the total weight")
    }

    /// Whether a terminal state was reached by a cap on the number of plies, not by the rules.
    fn truncated(&self, _state: &Self::State) -> bool {
        false
    }

    /// What each player has scored on their own at a terminal state, in points, where the utility is
    /// the difference of two scores; `None` in games without scores.
    fn scores(&self, _state: &Self::State) -> Option<[f64; NUM_PLAYERS]> {
        None
    }

    /// Names of the classes of action that reports tell apart (fold, call, raise), at most 256.
    fn action_classes(&self) -> &'static [&'static str] {
        &["all actions"]
    }

    /// Which of [`Game::action_classes`] a legal action is.
    fn action_class(&self, _state: &Self::State, _action: Action) -> usize {
        0
    }

    /// Names of what a game's end shows of how each player played (expeditions opened), at most
    /// [`MAX_FACTS`]; reports average them.
    fn fact_names(&self) -> &'static [&'static str] {
        &[]
    }

    /// The facts of `player` at a terminal state, in the order of their names; the rest is 0.
    fn facts(&self, _state: &Self::State, _player: Player) -> [f64; MAX_FACTS] {
        [0.0; MAX_FACTS]
    }

    /// An action in words, for people; `state` is the one that it is about to be played in.
    fn describe_action(&self, _state: &Self::State, action: Action) -> String {
        format!("action {action}")
    }

    /// What each player action stands for, whatever the state, for people; as many as there are actions.
    fn action_names(&self) -> Vec<String> {
        (0..self.spec().num_actions).map(|action| format!("action {action}")).collect()
    }

    /// What `player` knows at a state, in words, for people. Never used as a key.
    fn describe_infoset(&self, state: &Self::State, player: Player) -> String {
        format!("{:x}", self.infoset_key(state, player).0)
    }
}
