//! What is to be solved, with what, how far. Not here: what a user may ask for (see `request`) and solving it
//! (see `run`).

use std::path::PathBuf;
use std::time::Duration;

use deepcfr_cfr::tabular::{Algorithm, TreeLimits};
use deepcfr_config::GameChoice;

/// When solving stops, and how big a tree may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SolveLimits {
    /// The most iterations, those before resuming included.
    pub iterations: u64,
    /// The most time, evaluation excluded, since the start or since resuming.
    pub time: Duration,
    /// The biggest tree.
    pub tree: TreeLimits,
}

/// What to solve, with what, how far, and where the results go.
#[derive(Clone, Debug)]
pub struct Task {
    /// The game.
    pub game: GameChoice,
    /// The game and its rules in one line.
    pub game_line: String,
    /// `[game]` and the seed as TOML, from which [`Schema::resolve`](deepcfr_config::Schema::resolve) gives the same game.
    pub(crate) config: String,
    /// At least one.
    pub algorithms: Vec<Algorithm>,
    /// Seed of sampling algorithms.
    pub seed: u64,
    /// When to stop.
    pub limits: SolveLimits,
    /// The folder for the results, or else one in `runs` named by date, game and algorithm.
    pub out: Option<PathBuf>,
    /// The folder of runs.
    pub runs: PathBuf,
}
