//! Tabular solutions: solves a game step by step, keeps its learning curve and its strategy on disk,
//! compares algorithms, and measures exactly how far a saved strategy can be exploited.
//!
//! Not here: the algorithms and best responses (`cfr`), and words for people (the command line).

mod compare;
mod curve;
mod engine;
mod error;
mod exploit;
mod folder;
mod policy_file;
mod report;
mod request;
mod run;

pub use compare::{Compared, Contender, compare};
pub use curve::{Curve, CurvePoint};
pub use error::SolveError;
pub use exploit::{Exploited, Subject, exploit, find_subject};
pub use folder::SolveFolder;
pub use policy_file::SavedPolicy;
pub use request::{ALGORITHMS, SolveLimits, SolveRequest, Task};
pub use run::{SolveObserver, Solved, Started, resume, solve};
