//! Rules and encoders of the games, one folder or file a game, and rule-based bots.
//!
//! Deliberately absent: search, training, serialisation. Depends on `deepcfr-core` alone.

pub mod kuhn;
pub mod leduc;
pub mod lost_cities;
