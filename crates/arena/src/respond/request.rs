//! From the words of a command line to whom to respond to, with which means, checked.
//!
//! Not here: responding (see `session`).

use std::path::Path;

use deepcfr_board::Catalogue;
use deepcfr_config::{ConfigError, Problem, RunConfig};

use crate::contestant::Named;
use crate::error::ArenaError;

const DEFAULT_ITERATIONS: u32 = 40;
/// Traversals of an iteration where nothing is said, as a multiple of the configuration's.
const TIMES_CONFIGURED: u32 = 10;
const DEFAULT_GAMES: u64 = 20_000;
const MAX_TRAVERSALS: u32 = 1_000_000_000;
const MAX_GAMES: u64 = 100_000_000;

/// What a user asks for, in their own words.
#[derive(Clone, Debug, Default)]
pub struct RespondRequest {
    /// A run, a checkpoint, or a solution, as for the arena.
    pub subject: String,
    /// Iterations of the learner, for each seat.
    pub iterations: Option<u32>,
    /// Traversals of an iteration.
    pub traversals: Option<u32>,
    /// Games that measure what was learned.
    pub games: Option<u64>,
    /// Seed of everything.
    pub seed: Option<u64>,
    /// Threads.
    pub threads: Option<usize>,
}

/// What the learner may spend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Iterations for each seat.
    pub iterations: u32,
    /// Traversals of an iteration.
    pub traversals: u32,
    /// Deals that measure what was learned, each played in both seats.
    pub deals: u32,
}

/// Whom to respond to, with which means.
pub struct RespondTask {
    pub(super) subject: Named,
    /// The learner's: that of the run, or the default one for a solution's game.
    pub(super) config: RunConfig,
    pub(super) budget: Budget,
}

impl RespondRequest {
    /// Finds the subject (runs and solutions also by their names in the folder `runs`) and checks
    /// everything.
    ///
    /// # Errors
    /// If the subject cannot be found, or all that is wrong with the rest.
    pub fn task(&self, catalogue: &Catalogue, runs: &Path) -> Result<RespondTask, ArenaError> {
        let subject = Named::find(catalogue, runs, &self.subject)?;
        let mut problems = Vec::new();
        let Some(config) = subject.config() else {
            let remedy = "a bot's probabilities are not known; give a run or a solution";
            problems.push(Problem::new("subject", &self.subject, remedy));
            return Err(ConfigError { problems }.into());
        };
        let mut config = config.clone();
        config.run.seed = self.seed.unwrap_or(1);
        config.run.threads = self.threads.or(config.run.threads);
        let budget = self.budget(&config, &mut problems);
        if let Some(got) = self.threads.filter(|threads| !(1..=1024).contains(threads)) {
            problems.push(Problem::new("--threads", got, "give 1 to 1024"));
        }
        if problems.is_empty() {
            Ok(RespondTask { subject, config, budget })
        } else {
            Err(ConfigError { problems }.into())
        }
    }

    fn budget(&self, config: &RunConfig, problems: &mut Vec<Problem>) -> Budget {
        let iterations = self.iterations.unwrap_or(DEFAULT_ITERATIONS);
        if !(1..=1_000_000).contains(&iterations) {
            problems.push(Problem::new("--iterations", iterations, "give 1 to 1000000"));
        }
        let configured = config.traversal.traversals_per_player;
        let traversals = self.traversals.unwrap_or(configured.saturating_mul(TIMES_CONFIGURED));
        if !(1..=MAX_TRAVERSALS).contains(&traversals) {
            problems.push(Problem::new("--traversals", traversals, format!("give 1 to {MAX_TRAVERSALS}")));
        }
        let games = self.games.unwrap_or(DEFAULT_GAMES);
        if !(4..=MAX_GAMES).contains(&games) || !games.is_multiple_of(2) {
            let remedy = format!("give an even number, 4 to {MAX_GAMES}: each deal is played in both seats");
            problems.push(Problem::new("--games", games, remedy));
        }
        Budget { iterations, traversals, deals: (games / 2).min(u64::from(u32::MAX)) as u32 }
    }
}
