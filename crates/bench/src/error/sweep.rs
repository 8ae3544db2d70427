//! Why a sweep could not be run.
//!
//! Not here: what goes wrong in its runs (see [`crate::BenchError`]).

use std::io;
use std::path::{Path, PathBuf};

use deepcfr_levers::comparison::ComparisonError;

use deepcfr_config::ConfigError;

/// Why a sweep could not be run.
#[derive(Debug, thiserror::Error)]
pub enum SweepFailure {
    /// There is no sweep.
    #[error("no sweep {word:?}: neither it nor runs/{word} has a {missing}")]
    NotASweep {
        /// What was asked for.
        word: String,
        /// The file that every sweep has.
        missing: &'static str,
    },
    /// There is one already.
    #[error("{} holds a sweep already; go on with it by --resume, or name another folder", path.display())]
    Exists {
        /// The folder.
        path: PathBuf,
    },
    /// A plan or a result that cannot be read.
    #[error("{}: {source}", path.display())]
    Plan {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        source: serde_json::Error,
    },
    /// A value that the configuration refuses.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// Too little to sweep over.
    #[error("{what}: {got} where at least {least} are needed")]
    TooFew {
        /// What there is too little of.
        what: &'static str,
        /// How many there are.
        got: usize,
        /// How many are needed.
        least: usize,
    },
    /// Results that decide nothing.
    #[error(transparent)]
    Undecided(#[from] ComparisonError),
    /// The file system refused.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

impl SweepFailure {
    pub(crate) fn io(path: &Path) -> impl FnOnce(io::Error) -> Self + '_ {
        move |source| Self::Io { path: path.to_owned(), source }
    }

    pub(super) fn is_bad_input(&self) -> bool {
        !matches!(self, Self::Io { .. } | Self::Undecided(_))
    }
}
