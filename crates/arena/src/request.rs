//! From the words of a command line to who plays what for how long, checked.
//!
//! Not here: playing (see `session`).

use std::path::Path;

use crate::error::ArenaError;
use deepcfr_board::Catalogue;
use deepcfr_cfr::matches::{ConfidenceSequence, Stein, Stopping};
use deepcfr_config::{Base, ConfigError, Problem, RunConfig, Schema};

use crate::contestant::{Named, check_same_game};

/// Games of a pairing where nothing is said.
const DEFAULT_GAMES: u64 = 2_000;
/// The most games of a pairing where a precision or a decision is wanted.
const MOST_GAMES: u64 = 1_000_000;
const MAX_GAMES: u64 = 100_000_000;
/// Deals before a precision or a decision is looked at.
const PILOT: u32 = 100;
/// What can be set beside the game: speed only.
const SETTABLE: [&str; 4] = ["game.", "traversal.", "server.", "inference."];
const SETTABLE_OF_TRAVERSAL: [&str; 4] =
    ["traversal.scheduler", "traversal.workers", "traversal.lanes", "traversal.max_batch"];

/// What a user asks for, in their own words.
#[derive(Clone, Debug, Default)]
pub struct ArenaRequest {
    /// Names of contestants: at least two.
    pub contestants: Vec<String>,
    /// The game's name, where only bots play.
    pub game: Option<String>,
    /// `game.…` where only bots play, and keys that change speed only.
    pub set: Vec<String>,
    /// Games of a pairing; the most, where a precision or a decision is wanted.
    pub games: Option<u64>,
    /// The wanted half-width of the 95 % interval of the mean difference, in points.
    pub precision: Option<f64>,
    /// Whether a pairing ends when it is clear who is better.
    pub until_decided: bool,
    /// Whether each contestant also plays itself.
    pub mirrors: bool,
    /// Seed of deals and players' choices.
    pub seed: Option<u64>,
    /// Threads.
    pub threads: Option<usize>,
}

/// Who plays what for how long.
pub struct ArenaTask {
    pub(crate) contestants: Vec<Named>,
    pub(crate) config: RunConfig,
    pub(crate) stopping: Stopping,
    pub(crate) mirrors: bool,
}

impl ArenaRequest {
    /// Finds the contestants (runs and solutions also by their names in the folder `runs`) and checks
    /// everything.
    ///
    /// # Errors
    /// If a contestant cannot be found, or all that is wrong with the rest.
    pub fn task(&self, catalogue: &Catalogue, runs: &Path) -> Result<ArenaTask, ArenaError> {
        let contestants = self
            .contestants
            .iter()
            .map(|word| Named::find(catalogue, runs, word))
            .collect::<Result<Vec<_>, _>>()?;
        let mut problems = Vec::new();
        if contestants.len() < 2 && !self.mirrors {
            let given = self.contestants.join(" ");
            problems.push(Problem::new("contestants", given, "give two or more"));
        }
        let stopping = self.stopping(&mut problems);
        let made = contestants.iter().find(|named| named.config().is_some());
        if let Some(made) = made {
            let others =
                contestants.iter().filter_map(|other| check_same_game(catalogue.schema(), made, other).err());
            problems.extend(others);
        }
        let config = self.config(catalogue.schema(), made, &mut problems);
        match config {
            Some(config) if problems.is_empty() => {
                Ok(ArenaTask { contestants, config, stopping, mirrors: self.mirrors })
            }
            _ => Err(ConfigError { problems }.into()),
        }
    }

    fn stopping(&self, problems: &mut Vec<Problem>) -> Stopping {
        let open = self.precision.is_some() || self.until_decided;
        let games = self.games.unwrap_or(if open { MOST_GAMES } else { DEFAULT_GAMES });
        if !(2..=MAX_GAMES).contains(&games) || !games.is_multiple_of(2) {
            let remedy = format!("give an even number, 2 to {MAX_GAMES}: each deal is played twice");
            problems.push(Problem::new("--games", games, remedy));
        }
        let deals = (games / 2).min(u64::from(u32::MAX)) as u32;
        if open && deals < PILOT {
            let remedy = format!("give at least {}, so that there is something to look at", 2 * PILOT);
            problems.push(Problem::new("--games", games, remedy));
        }
        match self.precision {
            Some(half_width) => {
                if !(half_width > 0.0 && half_width.is_finite()) {
                    let remedy = "give a number of points above 0";
                    problems.push(Problem::new("--precision", half_width, remedy));
                }
                Stopping::Precision(Stein { half_width, pilot: PILOT, most: deals })
            }
            None if self.until_decided => Stopping::Decided(ConfidenceSequence { first: PILOT, most: deals }),
            None => Stopping::Deals(deals),
        }
    }

    fn config(
        &self,
        schema: &Schema,
        made: Option<&Named>,
        problems: &mut Vec<Problem>,
    ) -> Option<RunConfig> {
        let mut assignments: Vec<String> = self.game.iter().map(|name| format!("game.name={name}")).collect();
        let settable = |set: &str| {
            let keys = SETTABLE_OF_TRAVERSAL.iter();
            SETTABLE.iter().any(|prefix| set.starts_with(prefix))
                && (!set.starts_with("traversal.") || keys.into_iter().any(|key| set.starts_with(key)))
        };
        for set in &self.set {
            if settable(set.trim_start()) {
                assignments.push(set.clone());
            } else {
                let remedy = "only keys of [game], and those that change speed only, can be set here";
                problems.push(Problem::new("--set", set, remedy));
            }
        }
        assignments.extend(self.threads.map(|threads| format!("run.threads={threads}")));
        let about_game = assignments.iter().find(|set| set.trim_start().starts_with("game."));
        let base = match (made, about_game) {
            (Some(named), Some(set)) => {
                let remedy = format!("the game is that of {}; it cannot be set", named.word);
                problems.push(Problem::new("--game", set, remedy));
                return None;
            }
            (Some(named), None) => {
                let text = named.config().expect("it was chosen for it").game_toml();
                Base::Text { source: named.word.clone(), text }
            }
            (None, _) if self.game.is_none() && about_game.is_none() && schema.meant_game().is_none() => {
                let remedy =
                    "bots alone do not say which game; give its name, for example --game lost_cities";
                problems.push(Problem::new("--game", "", remedy));
                return None;
            }
            (None, _) => Base::Default,
        };
        // The seed of a run in the arena is no reason to draw the same deals here.
        match schema.resolve(&base, &assignments, Some(self.seed.unwrap_or(1))) {
            Ok(config) => Some(config),
            Err(error) => {
                problems.extend(error.problems);
                None
            }
        }
    }
}
