//! Why a command ends without success, and with which exit code.
//!
//! Not here: the errors themselves.

use std::io;

use deepcfr_train::TrainError;
use deepcfr_train::checkpoint::CheckpointError;
use deepcfr_train::config::ConfigError;
use deepcfr_train::metrics::MetricsError;
use deepcfr_train::profile::ProfilingError;
use deepcfr_train::run_folder::RunFolderError;
use deepcfr_train::solve::SolveError;
use deepcfr_train::sweep::SweepFailure;

/// Why a command ends without success.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CommandError {
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error(transparent)]
    Train(#[from] TrainError),
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
            Self::Config(_) | Self::Advise(_) => true,
            Self::Train(error) => error.is_bad_input(),
            Self::Output(_) | Self::File { .. } | Self::Interrupt(_) => false,
        };
        if bad_input { 2 } else { 1 }
    }
}

macro_rules! through_train_error {
    ($($error:ty),+) => {
        $(impl From<$error> for CommandError {
            fn from(error: $error) -> Self {
                Self::Train(error.into())
            }
        })+
    };
}

through_train_error!(RunFolderError, CheckpointError, MetricsError, SolveError, ProfilingError, SweepFailure);
