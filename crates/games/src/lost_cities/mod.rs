//! Lost Cities: rules, three action spaces, two encoders and rule-based bots.
//!
//! Not here: search, matches, training. [`LostCities`] is the game; its type parameter chooses how
//! actions are numbered: [`Cards`] (by card, the default), [`Sorted`] (by card, colours in the order of
//! what they promise) or [`Slots`] (by place in the hand).
//!
//! Cards come in *kinds*: `colour·(ranks + 1) + rank`, rank 0 being the colour's wagers (which are
//! identical and counted) and rank `r ≥ 1` the number `min_rank + r − 1`. The state holds what the
//! deck contains but no order: every card that leaves it is a chance outcome over kinds. A player's
//! draws from the deck do not change what is left for later draws in any other way than by leaving
//! it, so one chance stream fixes one deck order whatever the players do.

mod bots;
mod cards_encoder;
mod describe;
mod game;
mod key;
mod layout;
mod moves;
mod order;
mod play;
mod row;
mod rules;
mod slots_encoder;
mod space;
mod state;
mod view;

pub use bots::{Bot, UnknownBot};
pub use cards_encoder::CardsEncoder;
pub use game::LostCities;
pub use moves::{Expedition, Move};
pub use rules::{Rules, RulesError, Setting, Violation};
pub use slots_encoder::SlotsEncoder;
pub use space::{ActionSpace, Cards, Slots, Sorted};
pub use state::{Phase, State};
