//! Why a run could not start or go on.
//!
//! Not here: exit codes, which belong to the command line.

use deepcfr_board::RulesError;
use deepcfr_cfr::memory::Overflow;
use deepcfr_cfr::tabular::TreeError;
use deepcfr_cfr::traversal::TraversalError;
use deepcfr_core::{EvaluatorError, GameError, LearnError, ModelError};
use deepcfr_runs::checkpoint::CheckpointError;
use deepcfr_runs::metrics::MetricsError;
use deepcfr_runs::report::ReportError;
use deepcfr_runs::run_folder::RunFolderError;

use crate::devices::UnusableDevice;
use crate::memory_plan::MemoryError;
use crate::nets::TooManyNetworks;

/// Why a run could not start or go on.
#[derive(Debug, thiserror::Error)]
pub enum TrainError {
    /// The rules of the game are impossible.
    #[error(transparent)]
    Rules(#[from] RulesError),
    /// The game is of a kind that cannot be trained on.
    #[error(transparent)]
    Game(#[from] GameError),
    /// The game tree breaks a rule that exact evaluation relies on.
    #[error(transparent)]
    Tree(#[from] TreeError),
    /// A device that cannot be used.
    #[error(transparent)]
    Device(#[from] UnusableDevice),
    /// The run needs more memory than there is.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// The run folder.
    #[error(transparent)]
    Folder(#[from] RunFolderError),
    /// A checkpoint.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// The metrics file.
    #[error(transparent)]
    Metrics(#[from] MetricsError),
    /// The report.
    #[error(transparent)]
    Report(#[from] ReportError),
    /// Traversals.
    #[error("traversal: {0}")]
    Traversal(#[from] TraversalError),
    /// Matches.
    #[error("matches: {0}")]
    Match(#[from] deepcfr_cfr::matches::MatchError),
    /// More networks than can play together.
    #[error("matches: {0}")]
    TooManyNetworks(#[from] TooManyNetworks),
    /// More distinct rows than a merged memory may hold.
    #[error(
        "memory.kind = \"merged\": {overflow}; raise memory.{key}, or train with memory.kind = \"reservoir\""
    )]
    DistinctRows {
        /// The key of the memory's capacity.
        key: &'static str,
        /// What did not fit.
        overflow: Overflow,
    },
    /// A fit.
    #[error("training: {0}")]
    Learn(#[from] LearnError),
    /// An inference device.
    #[error("inference: {0}")]
    Model(#[from] ModelError),
    /// ONNX Runtime is not there, or not of use.
    #[error("inference.engine = \"onnxruntime\": {0}")]
    Runtime(#[from] deepcfr_onnx::RuntimeError),
    /// Saved networks that cannot be read.
    #[error("saved weights: {0}")]
    Weights(#[from] deepcfr_nn::WeightsError),
    /// The batching server could not be started.
    #[error("inference server: {0}")]
    Server(#[from] deepcfr_serve::StartError),
    /// The batching server did not take new weights.
    #[error("inference server: {0}")]
    Publish(#[from] deepcfr_serve::PublishError),
    /// Rows were not answered.
    #[error("inference: {0}")]
    Evaluator(#[from] EvaluatorError),
    /// An opponent that the game does not have.
    #[error("evaluation.opponents: {game} has no opponent {name:?}; it has {known}")]
    Opponent {
        /// The game.
        game: &'static str,
        /// What was asked for.
        name: String,
        /// What there is.
        known: String,
    },
}

impl TrainError {
    /// Whether the remedy is other input (a key, a file, a name) rather than another machine or a fix.
    pub fn is_bad_input(&self) -> bool {
        match self {
            Self::Rules(_)
            | Self::Game(_)
            | Self::Tree(_)
            | Self::Device(_)
            | Self::Memory(_)
            | Self::Runtime(_)
            | Self::TooManyNetworks(_)
            | Self::DistinctRows { .. }
            | Self::Opponent { .. } => true,
            Self::Folder(error) => !matches!(error, RunFolderError::Io { .. }),
            Self::Checkpoint(error) => !matches!(error, CheckpointError::Io { .. }),
            _ => false,
        }
    }
}
