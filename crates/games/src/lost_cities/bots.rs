//! Rule-based players of Lost Cities.
//!
//! Each decides from its own hand, what lies open, the deck's size and the scores. Not here:
//! matches and statistics. There is one implementation of each rule, allocation-free.

mod heuristic;
mod temper;
mod threshold;
mod worth;

use std::fmt;
use std::str::FromStr;

use deepcfr_core::{Game, Stream, Turn};

use super::layout::Layout;
use super::space::{ActionSpace, Slots, legal_actions, to_move};
use super::state::{Phase, State};
use super::{LostCities, Move};
use temper::Temper;

/// How often `heuristic-noisy` plays at random.
const NOISE: f64 = 0.15;

/// A rule-based player.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Bot {
    /// Uniform over the legal actions by hand slot (equal wagers count separately).
    Random,
    /// Discards its first card and draws from the deck: scores 0.
    DiscardOnly,
    /// The heuristic that opens late and with much.
    HeuristicCautious,
    /// The heuristic between the other two.
    HeuristicBalanced,
    /// The heuristic that opens early and with little.
    HeuristicAggressive,
    /// Balanced, but 15 % of its decisions are random.
    HeuristicNoisy,
    /// A simple public rule: small gaps, and opens a colour with 18 points in hand.
    Threshold,
}

/// A name that no bot has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no bot is called {name}; there are {}", Bot::ALL.map(Bot::name).join(", "))]
pub struct UnknownBot {
    /// The name.
    pub name: String,
}

impl Bot {
    /// Every bot.
    pub const ALL: [Self; 7] = [
        Self::Random,
        Self::DiscardOnly,
        Self::HeuristicCautious,
        Self::HeuristicBalanced,
        Self::HeuristicAggressive,
        Self::HeuristicNoisy,
        Self::Threshold,
    ];

    /// The bot's name, lower case with hyphens.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Random => "random",
            Self::DiscardOnly => "discard-only",
            Self::HeuristicCautious => "heuristic-cautious",
            Self::HeuristicBalanced => "heuristic-balanced",
            Self::HeuristicAggressive => "heuristic-aggressive",
            Self::HeuristicNoisy => "heuristic-noisy",
            Self::Threshold => "threshold",
        }
    }

    /// Decides for the player to move. Only [`Bot::Random`] and [`Bot::HeuristicNoisy`] draw from
    /// `rng`.
    ///
    /// # Panics
    /// If no player is to move.
    pub fn decide<A: ActionSpace>(self, game: &LostCities<A>, state: &State, rng: &mut Stream) -> Move {
        let layout = game.layout();
        assert!(matches!(state.phase, Phase::Card | Phase::Draw), "a player is to move");
        match self {
            Self::Random => random(layout, state, rng),
            Self::DiscardOnly => discard_only(state),
            Self::HeuristicCautious => heuristic::decide(layout, state, &Temper::CAUTIOUS),
            Self::HeuristicBalanced => heuristic::decide(layout, state, &Temper::BALANCED),
            Self::HeuristicAggressive => heuristic::decide(layout, state, &Temper::AGGRESSIVE),
            Self::HeuristicNoisy if rng.uniform() < NOISE => random(layout, state, rng),
            Self::HeuristicNoisy => heuristic::decide(layout, state, &Temper::BALANCED),
            Self::Threshold => threshold::decide(layout, state),
        }
    }
}

impl Bot {
    /// Plays both seats on to the end of the game; returns the decision and terminal nodes visited.
    pub fn play_out<A: ActionSpace>(self, game: &LostCities<A>, state: &mut State, rng: &mut Stream) -> u64 {
        let before = state.plies();
        loop {
            match game.turn(state) {
                Turn::Terminal => return 1 + (state.plies() - before) as u64,
                Turn::Chance => {
                    let kind = game.sample_chance(state, rng);
                    game.apply(state, kind);
                }
                Turn::Player(_) => {
                    let chosen = self.decide(game, state, rng);
                    game.apply_move(state, chosen);
                }
            }
        }
    }
}

impl fmt::Display for Bot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Bot {
    type Err = UnknownBot;

    /// Takes hyphens or underscores, in any case.
    fn from_str(name: &str) -> Result<Self, UnknownBot> {
        let plain = name.to_ascii_lowercase().replace('_', "-");
        let found = Self::ALL.into_iter().find(|bot| bot.name() == plain);
        found.ok_or_else(|| UnknownBot { name: name.to_owned() })
    }
}

fn random(layout: &Layout, state: &State, rng: &mut Stream) -> Move {
    let legal = legal_actions::<Slots>(layout, state);
    let action = legal.choose(|count| rng.below(count)).expect("a player has a legal action");
    to_move::<Slots>(layout, state, action)
}

fn discard_only(state: &State) -> Move {
    match state.phase {
        Phase::Card => Move::Discard { slot: 0 },
        _ => deck_or_first_pile(state),
    }
}

/// The draw from the deck, or from the first pile once the deck is empty.
fn deck_or_first_pile(state: &State) -> Move {
    match state.deck_len {
        0 => Move::DrawPile { colour: state.open_piles().trailing_zeros() as u8 },
        _ => Move::DrawDeck,
    }
}

/// The best candidate so far; a later one of equal value replaces it.
#[derive(Clone, Copy)]
struct Best {
    value: f64,
    index: Option<u8>,
}

impl Best {
    const NONE: Self = Self { value: f64::NEG_INFINITY, index: None };

    #[inline]
    fn offer(&mut self, index: usize, value: f64) {
        if value >= self.value {
            *self = Self { value, index: Some(index as u8) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_in_any_spelling() {
        for bot in Bot::ALL {
            assert_eq!(bot.name().parse(), Ok(bot));
            assert_eq!(bot.name().to_uppercase().replace('-', "_").parse(), Ok(bot));
        }
        let error = "heuristic".parse::<Bot>().unwrap_err();
        assert!(error.to_string().ends_with("heuristic-aggressive, heuristic-noisy, threshold"), "{error}");
    }
}
