//! Strategies that were learned, put to use: contests of bots, runs, checkpoints and solutions over mirrored
//! deals, exact and learned best responses, and networks in other programs' formats.
//!
//! Not here: playing, stopping rules and ratings (`cfr`), training (`deepcfr-train`), and words for people
//! (the command line).
//!
//! ```
//! use deepcfr_arena::{ArenaRequest, arena};
//!
//! let catalogue = deepcfr_builtin::catalogue();
//! let request = ArenaRequest {
//!     contestants: ["always-call", "random"].map(str::to_owned).to_vec(),
//!     game: Some("leduc".to_owned()),
//!     games: Some(2000),
//!     ..ArenaRequest::default()
//! };
//! let report = arena(&catalogue, &request.task(&catalogue, "runs".as_ref())?, &())?;
//! let pair = &report.pairs[0];
//! println!("{} against {}: {:+.3} ± {:.3} points", pair.a, pair.b, pair.difference.mean, pair.difference.ci95);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod export;
pub mod respond;

mod contestant;
mod error;
mod exploit;
mod folder;
mod frozen;
mod heat_map;
mod network;
mod report;
mod request;
mod text;
mod tournament;

pub use error::ArenaError;
pub use exploit::exploit;
pub use folder::write_arena;
pub use frozen::read_networks;
pub use report::{ArenaReport, ContestantReport, LadderEntry, MeanReport, PairReport};
pub use request::{ArenaRequest, ArenaTask};
pub use text::{ladder_table, markdown, pair_table};
pub use tournament::arena;

pub use deepcfr_cfr::matches::Watch;
