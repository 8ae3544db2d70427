//! Approximate best responses: a fresh learner against a strategy that does not change, then fresh games
//! that measure what it learned. The result is a lower bound on exploitability.
//!
//! Not here: exact best responses (see `solve`), and the game that the learner plays (`cfr`).

mod learn;
mod measure;
mod observer;
mod request;
mod session;

pub use measure::Measured;
pub use observer::RespondObserver;
pub use request::{Budget, RespondRequest, RespondTask};
pub use session::{Responded, respond};
