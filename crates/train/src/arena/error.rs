//! Why contestants cannot meet.
//!
//! Not here: exit codes, which belong to the command line.

use std::io;
use std::path::PathBuf;

use crate::config::{ConfigError, Problem};

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
    /// More networks than can be numbered.
    #[error("the contestants have {got} networks, at most {most} can play together; name fewer `:sd_cfr`")]
    TooManyNetworks {
        /// How many they have.
        got: usize,
        /// How many there can be.
        most: usize,
    },
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

impl ArenaError {
    /// Whether the remedy is other input.
    pub(crate) fn is_bad_input(&self) -> bool {
        !matches!(self, Self::Io { .. })
    }

    pub(super) fn io(path: &std::path::Path) -> impl FnOnce(io::Error) -> Self + '_ {
        move |source| Self::Io { path: path.to_owned(), source }
    }
}
