//! The arena: bots, runs, checkpoints and solutions against each other over mirrored deals.
//!
//! Not here: playing, stopping rules and ratings (`cfr`), and words for people (the command line).

mod contestant;
mod error;
mod folder;
mod frozen;
mod heat_map;
mod report;
mod request;
mod session;
mod text;

pub use error::ArenaError;
pub use folder::write_arena;
pub use report::{ArenaReport, ContestantReport, LadderEntry, MeanReport, PairReport};
pub use request::{ArenaRequest, ArenaTask};
pub use session::arena;
pub use text::{ladder_table, markdown, pair_table};

pub use deepcfr_cfr::matches::Watch;

pub(crate) use contestant::{Kind, Named};
pub(crate) use frozen::{Frozen, Nets, Player, read_networks};
