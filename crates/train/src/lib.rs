//! Training runs of Deep CFR: what an iteration does, the networks, what answers their rows, how good they
//! are, and the run on disk.
//!
//! A [`Trainer`] trains step by step in memory; [`train`] and [`resume`] keep a run folder with metrics,
//! checkpoints and a report. Both take any game behind the face of `deepcfr-board`, built-in or a user's own.
//! Not here: algorithms (below, in `cfr` and `nn`), contests and exports (`deepcfr-arena`), measurements
//! (`deepcfr-bench`), and the command line.
//!
//! ```
//! use deepcfr_config::Base;
//! use deepcfr_train::Trainer;
//!
//! let catalogue = deepcfr_builtin::catalogue();
//! let sets = ["run.iterations=5", "traversal.traversals_per_player=20"].map(str::to_owned);
//! let config = catalogue.schema().resolve(&Base::Preset("kuhn".to_owned()), &sets, Some(7))?;
//! let board = catalogue.board(&config.game)?;
//! let mut trainer = Trainer::new(config, board)?;
//! while !trainer.is_complete() {
//!     let metrics = trainer.iterate()?;
//!     println!("iteration {}: {} nodes", metrics.iteration, metrics.nodes_total);
//! }
//! let exact = &trainer.evaluate(false)?.exact[0];
//! assert!(exact.exploitability_points < 0.5);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod archive;
pub mod collect;
pub mod devices;
pub mod diagnostics;
pub mod inference;
pub mod lanes;
pub mod networks;

mod checkpoint;
mod error;
mod evaluation;
mod exact;
mod memory_plan;
mod nets;
mod session;
mod state;
mod tabulated;
mod trainer;
mod words;

pub use checkpoint::SavedNetworks;
pub use error::TrainError;
pub use evaluation::label;
pub use memory_plan::{MemoryError, MemoryPlan, memory_kinds};
pub use nets::{Nets, TooManyNetworks};
pub use session::{Observer, RunEnd, Start, evaluate, resume, train};
pub use trainer::Trainer;
pub use words::all_negative;

#[cfg(test)]
mod testing {
    //! Configurations of built-in games, for tests.

    use deepcfr_config::{Base, RunConfig};

    /// The preset with `sets` over it, or the defaults.
    pub(crate) fn resolve(preset: Option<&str>, sets: &[String]) -> RunConfig {
        let base = preset.map_or(Base::Default, |name| Base::Preset(name.to_owned()));
        let catalogue = deepcfr_builtin::catalogue();
        catalogue.schema().resolve(&base, sets, None).expect("the settings are valid")
    }
}
