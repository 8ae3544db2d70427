//! Rules and encoders of the games, one folder or file a game, and rule-based bots.
//!
//! Deliberately absent: search, training, serialisation. Depends on `deepcfr-core` alone.

pub mod bots;
pub mod goofspiel;
pub mod kuhn;
pub mod leduc;
pub mod liars_dice;
pub mod lost_cities;
pub mod play;
#[cfg(feature = "testkit")]
pub mod testkit;
