//! Why something could not be measured.
//!
//! Not here: exit codes, which belong to the command line.

mod profiling;
mod sweep;

use deepcfr_board::RulesError;
use deepcfr_config::ConfigError;
use deepcfr_core::{EvaluatorError, GameError, LearnError, ModelError};
use deepcfr_runs::checkpoint::CheckpointError;
use deepcfr_runs::metrics::MetricsError;
use deepcfr_runs::report::ReportError;
use deepcfr_runs::run_folder::RunFolderError;
use deepcfr_train::TrainError;
use deepcfr_train::devices::UnusableDevice;

pub use profiling::ProfilingError;
pub use sweep::SweepFailure;

/// Why something could not be measured.
#[derive(Debug, thiserror::Error)]
pub enum BenchError {
    /// What a run would say of it.
    #[error(transparent)]
    Train(#[from] TrainError),
    /// A profile, or a lever that was tried.
    #[error(transparent)]
    Profiling(#[from] ProfilingError),
    /// A sweep.
    #[error(transparent)]
    Sweep(#[from] SweepFailure),
    /// A configuration.
    #[error(transparent)]
    Config(#[from] ConfigError),
}

impl BenchError {
    /// Whether the remedy is other input.
    pub fn is_bad_input(&self) -> bool {
        match self {
            Self::Train(error) => error.is_bad_input(),
            Self::Profiling(error) => error.is_bad_input(),
            Self::Sweep(error) => error.is_bad_input(),
            Self::Config(_) => true,
        }
    }
}

macro_rules! through_train_error {
    ($($error:ty),+) => {
        $(impl From<$error> for BenchError {
            fn from(error: $error) -> Self {
                Self::Train(error.into())
            }
        })+
    };
}

through_train_error!(
    RulesError,
    GameError,
    RunFolderError,
    CheckpointError,
    MetricsError,
    ReportError,
    ModelError,
    LearnError,
    EvaluatorError,
    UnusableDevice
);
