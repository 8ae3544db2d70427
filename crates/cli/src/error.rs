//! Why a command ends without success, and with which exit code.
//!
//! Not here: the errors themselves.

use std::io;

use deepcfr_arena::ArenaError;
use deepcfr_bench::BenchError;
use deepcfr_bench::profile::ProfilingError;
use deepcfr_bench::sweep::SweepFailure;
use deepcfr_board::{ListingError, RulesError};
use deepcfr_config::ConfigError;
use deepcfr_runs::checkpoint::CheckpointError;
use deepcfr_runs::metrics::MetricsError;
use deepcfr_runs::run_folder::RunFolderError;
use deepcfr_solve::SolveError;
use deepcfr_train::TrainError;

/// Why a command ends without success.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CommandError {
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error(transparent)]
    Train(#[from] TrainError),
    #[error(transparent)]
    Solve(#[from] SolveError),
    #[error(transparent)]
    Arena(#[from] ArenaError),
    #[error(transparent)]
    Bench(#[from] BenchError),
    #[error(transparent)]
    Games(#[from] ListingError),
    #[error("{0}")]
    Advise(String),
    #[error("standard output: {0}")]
    Output(#[from] io::Error),
    #[error("{}: {source}", path.display())]
    File { path: std::path::PathBuf, source: io::Error },
    #[error("cannot watch for Ctrl-C: {0}")]
    Interrupt(#[from] ctrlc::Error),
}

impl CommandError {
    /// 2 where other input is the remedy, 1 otherwise.
    pub(crate) fn exit_code(&self) -> u8 {
        let bad_input = match self {
            Self::Config(_) | Self::Advise(_) | Self::Games(_) => true,
            Self::Train(error) => error.is_bad_input(),
            Self::Solve(error) => error.is_bad_input(),
            Self::Arena(error) => error.is_bad_input(),
            Self::Bench(error) => error.is_bad_input(),
            Self::Output(_) | Self::File { .. } | Self::Interrupt(_) => false,
        };
        if bad_input { 2 } else { 1 }
    }
}

/// An error that becomes part of another, which knows its exit code.
macro_rules! through {
    ($part:ident: $($error:ty),+) => {
        $(impl From<$error> for CommandError {
            fn from(error: $error) -> Self {
                Self::$part(error.into())
            }
        })+
    };
}

through!(Train: RulesError, RunFolderError, CheckpointError, MetricsError);
through!(Bench: ProfilingError, SweepFailure);
