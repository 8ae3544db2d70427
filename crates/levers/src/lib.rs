//! The optimisation calculus: which optimisation ("lever") is worth doing now, on this machine, for
//! this model and this evaluation load; by how much, how surely; and how right earlier answers were.
//!
//! Deliberately absent: measuring. This crate works on figures that somebody else took, and so needs
//! no network, game or device.
//!
//! Units: seconds, rows, bytes, operations; times a call are of one thread unless said otherwise.
//! Intervals hold 90 % ([`statistics::LEVEL`]). The same seed and data give the same result.
//!
//! ```
//! use deepcfr_levers::advise::{Advisory, Question, Verdict};
//! use deepcfr_levers::catalogue::LeverId;
//! use deepcfr_levers::profile::Profile;
//! use deepcfr_levers::text;
//!
//! // Taken by `deepcfr profile`, or by any program that writes the same JSON.
//! let profile = Profile::read("testdata/example-profile.json".as_ref())?;
//! let advisory = Advisory::of(&profile, &Question::default())?;
//! println!("{}", text::advisory(&advisory));
//! assert_eq!(advisory.lever(LeverId::Interleaving).verdict, Verdict::Recommended);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod advise;
pub mod backtest;
pub mod catalogue;
pub mod comparison;
pub mod fit;
pub mod law;
pub mod ledger;
pub mod model;
pub mod profile;
pub mod sequence;
pub mod statistics;
pub mod text;
pub mod verify;

#[cfg(test)]
mod simulation;
