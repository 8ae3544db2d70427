//! Tabular solutions: solves a game step by step, keeps its learning curve and its strategy on disk,
//! compares algorithms, and measures exactly how far a saved strategy can be exploited.
//!
//! Not here: the algorithms and best responses (`cfr`), networks, and words for people (the command line).
//! A game of one's own is solved in the same way once it is in a [`Catalogue`](deepcfr_board::Catalogue); without
//! configurations and files, `deepcfr-cfr` solves it in three lines.
//!
//! ```
//! use deepcfr_solve::{SolveObserver, SolveRequest, solve};
//! use std::sync::atomic::AtomicBool;
//!
//! struct Quiet;
//! impl SolveObserver for Quiet {}
//!
//! let catalogue = deepcfr_builtin::catalogue();
//! let out = std::env::temp_dir().join(format!("deepcfr-doc-solve-{}", std::process::id()));
//! let request = SolveRequest {
//!     game: Some("kuhn".to_owned()),
//!     algorithms: vec!["cfr+".to_owned()],
//!     iterations: Some(100),
//!     out: Some(out.clone()),
//!     ..SolveRequest::default()
//! };
//! let task = request.task(catalogue.schema())?;
//! let solved = solve(&catalogue, &task, &mut Quiet, &AtomicBool::new(false))?;
//! let exact = solved.curve.points.last().and_then(|point| point.exact).expect("Kuhn poker is small");
//! assert!(exact.exploitability_points < 0.01);
//! # std::fs::remove_dir_all(&out)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod compare;
mod curve;
mod error;
mod exploit;
mod folder;
mod policy_file;
mod report;
mod request;
mod run;
mod solver;
mod task;

pub use compare::{Compared, Contender, compare};
pub use curve::{Curve, CurvePoint};
pub use error::SolveError;
pub use exploit::{Exploited, Subject, exploit_policy, find_subject};
pub use folder::SolveFolder;
pub use policy_file::SavedPolicy;
pub use request::{ALGORITHMS, SolveRequest};
pub use run::{SolveObserver, Solved, Started, resume, solve};
pub use task::{SolveLimits, Task};
