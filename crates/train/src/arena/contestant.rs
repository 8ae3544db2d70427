//! What the name of a contestant on a command line stands for.
//!
//! `BOT`, or `RUN[@ITERATION][:STRATEGY]`, or the file or folder of a solution. Not here: reading networks
//! (see `frozen`).

use std::path::{Path, PathBuf};

use crate::catalogue::opponents;
use crate::config::{
    Base, EvaluatedPolicy, GameConfig, GameName, LostCitiesConfig, LostCitiesEncoder, Problem, RunConfig,
    resolve,
};
use crate::error::TrainError;
use crate::run_folder::{RunFolderError, RunReference};
use crate::solve::{SavedPolicy, SolveError, Subject, find_subject};

use super::ArenaError;

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
    pub(crate) fn find(runs: &Path, word: &str) -> Result<Self, TrainError> {
        let plain = word.to_ascii_lowercase().replace('_', "-");
        let is_bot = |game: &GameName| opponents(&default_game(*game)).contains(&plain.as_str());
        if GameName::ALL.iter().any(is_bot) {
            return Ok(Self { word: word.to_owned(), kind: Kind::Bot(plain) });
        }
        let (rest, strategy) = split_strategy(word)?;
        let (name, iteration) = split_iteration(rest);
        let subject = find_subject(runs, name).map_err(|error| unknown(word, error))?;
        let kind = match subject {
            Subject::Policies(paths) => solution(word, &paths, iteration.is_some() || strategy.is_some())?,
            Subject::Run(mut run) => {
                run.checkpoint = iteration.or(run.checkpoint);
                let config = config_of(&run)?;
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

fn default_game(name: GameName) -> GameConfig {
    let assignment = format!("game.name={name}");
    resolve(&Base::Default, &[assignment], None).expect("a test resolves every game").game
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
fn unknown(word: &str, error: TrainError) -> TrainError {
    match error {
        TrainError::Folder(RunFolderError::NotFound { .. }) => {
            let remedy = format!("no bot is called so (`deepcfr games` lists them), and there is {error}");
            ArenaError::from(Problem::new("contestant", word, remedy)).into()
        }
        other => other,
    }
}

fn solution(word: &str, paths: &[PathBuf], has_suffix: bool) -> Result<Kind, TrainError> {
    let problem =
        |remedy: String| TrainError::from(ArenaError::from(Problem::new("contestant", word, remedy)));
    if has_suffix {
        return Err(problem("a solution has one strategy; leave out what follows its name".to_owned()));
    }
    let [path] = paths else {
        let names: Vec<_> = paths.iter().map(|path| path.display().to_string()).collect();
        return Err(problem(format!("it holds several strategies; name one of {}", names.join(", "))));
    };
    let saved = SavedPolicy::read(path)?;
    let base = Base::Text { source: path.display().to_string(), text: saved.config.clone() };
    let config = resolve(&base, &[], None).map_err(SolveError::from)?;
    Ok(Kind::Solution(Box::new(saved), Box::new(config)))
}

fn config_of(run: &RunReference) -> Result<RunConfig, TrainError> {
    let source = run.folder.path().join("config.toml").display().to_string();
    let text = run.folder.read_config()?;
    Ok(resolve(&Base::Text { source, text }, &[], None).map_err(SolveError::from)?)
}

/// Checks that `other` is made for the same game as `first`, under the same rules, and sees it alike.
///
/// # Errors
/// Names the two.
pub(super) fn check_same_game(first: &Named, other: &Named) -> Result<(), Problem> {
    let (Some(known), Some(config)) = (first.config(), other.config()) else { return Ok(()) };
    let (ours, theirs) = (plain_encoder(&known.game), plain_encoder(&config.game));
    if ours == theirs {
        return Ok(());
    }
    let what = match (ours, theirs) {
        (GameConfig::LostCities(a), GameConfig::LostCities(b))
            if a == (LostCitiesConfig { encoder: a.encoder, ..b }) =>
        {
            "the encoders differ, and with them the numbers of actions"
        }
        _ => "the games differ",
    };
    let remedy = format!(
        "{what}: it plays {}, but {} plays {}; let only those meet that share a game and its rules",
        config.game_line(),
        first.word,
        known.game_line()
    );
    Err(Problem::new("contestant", &other.word, remedy))
}

/// The game with the encoder that `default` stands for.
fn plain_encoder(game: &GameConfig) -> GameConfig {
    match *game {
        GameConfig::LostCities(table) if table.encoder == LostCitiesEncoder::Default => {
            GameConfig::LostCities(LostCitiesConfig { encoder: LostCitiesEncoder::Cards, ..table })
        }
        other => other,
    }
}
