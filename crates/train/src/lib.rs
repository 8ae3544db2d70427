//! Composition: run folders, metrics, checkpoints and reports of a training run.
//!
//! Deliberately absent: algorithms (below, in `cfr` and `nn`) and the command line (above).

mod atomic_file;

pub mod checkpoint;
pub mod config;
pub mod machine;
pub mod metrics;
pub mod report;
pub mod run_folder;
