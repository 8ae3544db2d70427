//! Why a profile could not be taken or a lever not tried.
//!
//! Not here: what goes wrong in the runs themselves (see [`crate::BenchError`]).

use std::path::PathBuf;

use deepcfr_levers::catalogue::LeverId;
use deepcfr_levers::ledger::LedgerError;
use deepcfr_levers::model::ModelError;
use deepcfr_levers::profile::ProfileError;
use deepcfr_levers::verify::VerifyError;

use deepcfr_config::ConfigError;

/// Why a profile could not be taken or a lever not tried.
#[derive(Debug, thiserror::Error)]
pub enum ProfilingError {
    /// Somebody stopped it.
    #[error("stopped; nothing was recorded")]
    Interrupted,
    /// The profile.
    #[error(transparent)]
    Profile(#[from] ProfileError),
    /// The cost model of the profile.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The ledger.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// The turns say nothing.
    #[error(transparent)]
    Turns(#[from] VerifyError),
    /// The configuration with the lever.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// A lever that this program cannot pull.
    #[error("{lever} cannot be tried here: {reason}")]
    NotHere {
        /// The lever.
        lever: LeverId,
        /// Why not, and what to do instead.
        reason: &'static str,
    },
    /// A lever whose effect cannot be projected, so that there is nothing to verify.
    #[error("{lever} has no projection from this profile: {reason}")]
    NoProjection {
        /// The lever.
        lever: LeverId,
        /// What is missing.
        reason: &'static str,
    },
    /// A lever that changes nothing in this configuration.
    #[error("{lever} is in force already: the configuration would not change")]
    InForce {
        /// The lever.
        lever: LeverId,
    },
    /// A profile that does not say what it was measured on.
    #[error("the profile holds no configuration to run; take a new one with `deepcfr profile`")]
    NoConfig,
    /// No profile where `deepcfr profile` writes them.
    #[error("no profile in {}; take one with `deepcfr profile --preset NAME`, or name one with --profile FILE", runs.display())]
    NoProfile {
        /// The folder that was searched.
        runs: PathBuf,
    },
    /// The file system refused.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
}

impl ProfilingError {
    pub(super) fn is_bad_input(&self) -> bool {
        match self {
            Self::Interrupted | Self::Turns(_) | Self::Io { .. } => false,
            Self::Ledger(error) => !matches!(error, LedgerError::NotProjected),
            _ => true,
        }
    }
}
