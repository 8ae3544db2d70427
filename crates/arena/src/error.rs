//! Why contestants cannot meet.
//!
//! Not here: exit codes, which belong to the command line.

mod export;

use std::io;
use std::path::PathBuf;

use deepcfr_board::RulesError;
use deepcfr_cfr::matches::MatchError;
use deepcfr_cfr::tabular::TreeError;
use deepcfr_cfr::traversal::TraversalError;
use deepcfr_config::{ConfigError, Problem};
use deepcfr_core::{LearnError, ModelError};
use deepcfr_runs::checkpoint::CheckpointError;
use deepcfr_runs::report::ReportError;
use deepcfr_runs::run_folder::RunFolderError;
use deepcfr_solve::SolveError;
use deepcfr_train::devices::UnusableDevice;
use deepcfr_train::{MemoryError, TooManyNetworks, TrainError};

pub use export::ExportError;

/// Why contestants cannot meet, or a result not be written.
#[derive(Debug, thiserror::Error)]
pub enum ArenaError {
    /// What was asked for.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// A strategy that a checkpoint does not hold.
    #[error("{word}: the checkpoint of iteration {iteration} holds no {strategy} strategy; it has {known}")]
    NoStrategy {
        /// The contestant as it was asked for.
        word: String,
        /// The checkpoint's iteration.
        iteration: u32,
        /// What was asked for.
        strategy: &'static str,
        /// What there is.
        known: String,
    },
    /// A run that has not learned anything yet.
    #[error("{}: the checkpoint holds no strategy yet", path.display())]
    NothingLearned {
        /// The run.
        path: PathBuf,
    },
    /// Networks, devices and what else a run needs.
    #[error(transparent)]
    Train(#[from] TrainError),
    /// A tabular solution.
    #[error(transparent)]
    Solve(#[from] SolveError),
    /// Networks in other programs' formats.
    #[error(transparent)]
    Export(#[from] ExportError),
    /// The file system refused.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

impl From<Problem> for ArenaError {
    fn from(problem: Problem) -> Self {
        Self::Config(problem.into())
    }
}

/// What a run would say of it.
macro_rules! through_train_error {
    ($($error:ty),+) => {
        $(impl From<$error> for ArenaError {
            fn from(error: $error) -> Self {
                Self::Train(error.into())
            }
        })+
    };
}

through_train_error!(
    RulesError,
    RunFolderError,
    CheckpointError,
    MatchError,
    TraversalError,
    ModelError,
    LearnError,
    TreeError,
    MemoryError,
    TooManyNetworks,
    UnusableDevice,
    ReportError
);

impl ArenaError {
    /// Whether the remedy is other input.
    pub fn is_bad_input(&self) -> bool {
        match self {
            Self::Io { .. } => false,
            Self::Train(error) => error.is_bad_input(),
            Self::Solve(error) => error.is_bad_input(),
            Self::Export(error) => error.is_bad_input(),
            Self::Config(_) | Self::NoStrategy { .. } | Self::NothingLearned { .. } => true,
        }
    }

    pub(crate) fn io(path: &std::path::Path) -> impl FnOnce(io::Error) -> Self + '_ {
        move |source| Self::Io { path: path.to_owned(), source }
    }
}
