//! Why a game could not be solved, or a solution not be read.
//!
//! Not here: exit codes, which belong to the command line.

use std::io;
use std::path::PathBuf;

use deepcfr_board::RulesError;
use deepcfr_cfr::tabular::{AlgorithmError, TreeError};
use deepcfr_config::ConfigError;
use deepcfr_runs::checkpoint::CheckpointError;
use deepcfr_runs::report::ReportError;
use deepcfr_runs::run_folder::RunFolderError;

/// Why a game could not be solved, or a solution not be read.
#[derive(Debug, thiserror::Error)]
pub enum SolveError {
    /// What was asked for, or what a file says was asked for.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// An algorithm that cannot work on this game.
    #[error(transparent)]
    Algorithm(#[from] AlgorithmError),
    /// The game is too big for the algorithm's traversals.
    #[error(
        "--algorithm = es-mccfr: {game} has about {estimated_nodes:.1e} nodes, so that one traversal would \
         visit about {traversal_nodes:.1e}; use os-mccfr, or a smaller game"
    )]
    Traversal {
        /// The game's name.
        game: &'static str,
        /// An unbiased estimate of the number of nodes.
        estimated_nodes: f64,
        /// Its square root: about what walking one player's actions and sampling the other's visits.
        traversal_nodes: f64,
    },
    /// The file system refused.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A file that is not what its name says.
    #[error("{} is not understood: {reason}", path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// Results exist already where a new solution should be written.
    #[error("--out = {}: it exists already; give another folder, or go on with --resume {}", path.display(), path.display())]
    Exists {
        /// The folder.
        path: PathBuf,
    },
    /// No solution, no policy and no run.
    #[error("{}: neither a solution (it has no {missing}) nor a saved policy", path.display())]
    NotASolution {
        /// What was asked for.
        path: PathBuf,
        /// The file that every solution has.
        missing: &'static str,
    },
    /// The rules of the game are impossible.
    #[error(transparent)]
    Rules(#[from] RulesError),
    /// The game is too big, or its tree breaks a rule that solving relies on.
    #[error(transparent)]
    Tree(#[from] TreeError),
    /// The folder.
    #[error(transparent)]
    Folder(#[from] RunFolderError),
    /// The file of a strategy.
    #[error(transparent)]
    Policy(#[from] CheckpointError),
    /// The plots.
    #[error(transparent)]
    Report(#[from] ReportError),
}

impl SolveError {
    /// Whether the remedy is other input.
    pub fn is_bad_input(&self) -> bool {
        match self {
            Self::Io { .. } | Self::Report(_) => false,
            Self::Folder(error) => !matches!(error, RunFolderError::Io { .. }),
            Self::Policy(error) => !matches!(error, CheckpointError::Io { .. }),
            _ => true,
        }
    }

    pub(crate) fn io(path: &std::path::Path) -> impl FnOnce(io::Error) -> Self + '_ {
        move |source| Self::Io { path: path.to_owned(), source }
    }
}
