//! The optimisation calculus: which optimisation ("lever") is worth doing now, on this machine, for
//! this model and this evaluation load; by how much, how surely; and how right earlier answers were.
//!
//! Deliberately absent: measuring. This crate works on figures that somebody else took, and so needs
//! no network, game or device.
//!
//! Units: seconds, rows, bytes, operations; times a call are of one thread unless said otherwise.
//! Intervals hold 90 % ([`statistics::LEVEL`]). The same seed and data give the same result.

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
