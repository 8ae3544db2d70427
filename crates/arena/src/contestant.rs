//! What the name of a contestant on a command line stands for.
//!
//! `BOT`, or `RUN[@ITERATION][:STRATEGY]`, or the file or folder of a solution. Not here: reading networks
//! (see `frozen`).

use std::path::{Path, PathBuf};

use deepcfr_board::Catalogue;
use deepcfr_config::{EvaluatedPolicy, Problem, RunConfig, Schema};
use deepcfr_runs::run_folder::{RunFolderError, RunReference};
use deepcfr_solve::{SavedPolicy, SolveError, Subject, find_subject};

use crate::error::ArenaError;

/// A contestant that was found.
pub(crate) struct Named {
    /// As it was asked for.
    pub(crate) word: String,
    pub(crate) kind: Kind,
}

pub(crate) enum Kind {
    /// A rule-based player of this name, or of one that looks like it.
    Bot(String),
    /// A tabular solution.
    Solution(Box<SavedPolicy>, Box<RunConfig>),
    /// A training run, under its own configuration; `None` leaves the strategy open.
    Run(RunReference, Option<EvaluatedPolicy>, Box<RunConfig>),
}

impl Named {
    /// Finds what `word` stands for; runs and solutions also by their names in the folder `runs`.
    ///
    /// # Errors
    /// If there is nothing of the kind.
    pub(crate) fn find(catalogue: &Catalogue, runs: &Path, word: &str) -> Result<Self, ArenaError> {
        let plain = word.to_ascii_lowercase().replace('_', "-");
        if catalogue.schema().knows_bot(&plain) {
            return Ok(Self { word: word.to_owned(), kind: Kind::Bot(plain) });
        }
        let (rest, strategy) = split_strategy(word)?;
        let (name, iteration) = split_iteration(rest);
        let subject = find_subject(runs, name).map_err(|error| unknown(word, error))?;
        let kind = match subject {
            Subject::Policies(paths) => {
                solution(catalogue, word, &paths, iteration.is_some() || strategy.is_some())?
            }
            Subject::Run(mut run) => {
                run.checkpoint = iteration.or(run.checkpoint);
                let config = config_of(catalogue, &run)?;
                Kind::Run(run, strategy, Box::new(config))
            }
        };
        Ok(Self { word: word.to_owned(), kind })
    }

    /// The configuration that it was made under; bots have none.
    pub(crate) fn config(&self) -> Option<&RunConfig> {
        match &self.kind {
            Kind::Bot(_) => None,
            Kind::Solution(_, config) | Kind::Run(_, _, config) => Some(config),
        }
    }
}

fn split_strategy(word: &str) -> Result<(&str, Option<EvaluatedPolicy>), ArenaError> {
    let Some((rest, last)) = word.rsplit_once(':').filter(|_| !Path::new(word).exists()) else {
        return Ok((word, None));
    };
    let known = EvaluatedPolicy::ALL.iter().find(|policy| policy.word() == last);
    match known {
        Some(&policy) => Ok((rest, Some(policy))),
        None => {
            let words: Vec<_> = EvaluatedPolicy::ALL.iter().map(|policy| policy.word()).collect();
            let remedy = format!("no such strategy; after the colon stands one of {}", words.join(", "));
            Err(Problem::new("contestant", word, remedy).into())
        }
    }
}

fn split_iteration(word: &str) -> (&str, Option<u32>) {
    let split = word.rsplit_once('@').filter(|_| !Path::new(word).exists());
    let read = split.and_then(|(rest, digits)| Some((rest, digits.parse().ok()?)));
    read.map_or((word, None), |(rest, iteration)| (rest, Some(iteration)))
}

/// A name that is neither a run's nor a bot's.
fn unknown(word: &str, error: SolveError) -> ArenaError {
    match error {
        SolveError::Folder(RunFolderError::NotFound { .. }) => {
            let remedy = format!("no bot is called so (`deepcfr games` lists them), and there is {error}");
            Problem::new("contestant", word, remedy).into()
        }
        other => other.into(),
    }
}

fn solution(
    catalogue: &Catalogue,
    word: &str,
    paths: &[PathBuf],
    has_suffix: bool,
) -> Result<Kind, ArenaError> {
    let problem = |remedy: String| ArenaError::from(Problem::new("contestant", word, remedy));
    if has_suffix {
        return Err(problem("a solution has one strategy; leave out what follows its name".to_owned()));
    }
    let [path] = paths else {
        let names: Vec<_> = paths.iter().map(|path| path.display().to_string()).collect();
        return Err(problem(format!("it holds several strategies; name one of {}", names.join(", "))));
    };
    let saved = SavedPolicy::read(path).map_err(SolveError::from)?;
    let config = catalogue.schema().resolve_text(path.display().to_string(), &saved.config)?;
    Ok(Kind::Solution(Box::new(saved), Box::new(config)))
}

/// The configuration that a run was made under.
pub(crate) fn config_of(catalogue: &Catalogue, run: &RunReference) -> Result<RunConfig, ArenaError> {
    let source = run.folder.path().join("config.toml").display().to_string();
    Ok(catalogue.schema().resolve_text(source, &run.folder.read_config()?)?)
}

/// Checks that `other` is made for the same game as `first`, under the same rules, and sees it alike.
///
/// # Errors
/// Names the two.
pub(crate) fn check_same_game(schema: &Schema, first: &Named, other: &Named) -> Result<(), Problem> {
    let (Some(known), Some(config)) = (first.config(), other.config()) else { return Ok(()) };
    let (ours, theirs) = (split_encoder(schema, known), split_encoder(schema, config));
    if ours == theirs {
        return Ok(());
    }
    let what = if ours.0 == theirs.0 {
        "the encoders differ, and with them what networks see"
    } else {
        "the games differ"
    };
    let remedy = format!(
        "{what}: it plays {}, but {} plays {}; let only those meet that share a game and its rules",
        config.game_line(),
        first.word,
        known.game_line()
    );
    Err(Problem::new("contestant", &other.word, remedy))
}

/// The game and its rules without the encoder, and the encoder.
fn split_encoder(schema: &Schema, config: &RunConfig) -> ((String, toml::Table), &'static str) {
    let mut table = config.game.table().clone();
    let encoder = schema.encoder_key(config.game.name()).map_or("default", |key| {
        let chosen = key.chosen(&table);
        table.remove(key.key);
        chosen
    });
    ((config.game.name().to_owned(), table), encoder)
}
