//! Strategies that no longer change: read from checkpoints and solutions, ready to play.
//!
//! Not here: which ones are wanted (see `contestant`), and inference.

use deepcfr_board::{Board, Contestant};
use deepcfr_cfr::matches::NetworkStrategy;
use deepcfr_cfr::tabular::KeyedPolicy;
use deepcfr_config::{EvaluatedPolicy, Problem, RunConfig, nearest};
use deepcfr_runs::checkpoint::CheckpointError;
use deepcfr_runs::run_folder::RunReference;
use deepcfr_train::{Nets, SavedNetworks, all_negative, label};

use crate::contestant::{Kind, Named};
use crate::error::ArenaError;

/// A strategy that is ready to play.
pub(crate) struct Frozen {
    /// What it is called: `BOT`, `RUN@ITERATION:STRATEGY` or the name of a solution.
    pub(crate) name: String,
    /// What it is, in words.
    pub(crate) kind: String,
    pub(crate) player: Player,
}

pub(crate) enum Player {
    /// The rule-based player in this place of the board's.
    Bot(usize),
    Table(KeyedPolicy),
    Networks(NetworkStrategy),
}

impl Frozen {
    /// Gets `named` ready; its networks join `nets`.
    ///
    /// # Errors
    /// If the game has no such bot, or files cannot be read or do not hold the strategy.
    pub(crate) fn load(named: &Named, board: &dyn Board, nets: &mut Nets) -> Result<Self, ArenaError> {
        match &named.kind {
            Kind::Bot(name) => Self::bot(name, board),
            Kind::Solution(saved, _) => Ok(Self {
                name: solution_name(named),
                kind: format!("solution by {}, {} iterations", saved.algorithm, saved.iterations),
                player: Player::Table(saved.policy.clone()),
            }),
            Kind::Run(run, strategy, config) => Self::run(&named.word, (run, *strategy), config, nets),
        }
    }

    fn bot(name: &str, board: &dyn Board) -> Result<Self, ArenaError> {
        let known = &board.facts().bots;
        let bot = board.facts().bot(name).ok_or_else(|| {
            let meant = nearest(name, known.iter().copied());
            let meant = meant.map_or_else(String::new, |n| format!("did you mean {n}? "));
            let remedy = format!("the game has no such bot; {meant}it has {}", known.join(", "));
            ArenaError::from(Problem::new("contestant", name, remedy))
        })?;
        Ok(Self { name: name.to_owned(), kind: "bot".to_owned(), player: Player::Bot(bot) })
    }

    fn run(
        word: &str,
        (run, wanted): (&RunReference, Option<EvaluatedPolicy>),
        config: &RunConfig,
        nets: &mut Nets,
    ) -> Result<Self, ArenaError> {
        let (iteration, saved) = read_networks(run, config)?;
        let held = held(&saved);
        let strategy = match wanted {
            Some(wanted) => held.contains(&wanted).then_some(wanted),
            None => held.first().copied(),
        };
        let no_strategy = || ArenaError::NoStrategy {
            word: word.to_owned(),
            iteration,
            strategy: wanted.map_or("", EvaluatedPolicy::word),
            known: match held.iter().map(|policy| policy.word()).collect::<Vec<_>>().join(", ") {
                none if none.is_empty() => "none".to_owned(),
                some => some,
            },
        };
        let strategy = strategy.ok_or_else(no_strategy)?;
        let folder = run.folder.path();
        let name = folder.file_name().unwrap_or(folder.as_os_str()).to_string_lossy().into_owned();
        let played = nets.strategy(strategy, &saved.weights, &saved.archive, all_negative(config))?;
        Ok(Self {
            name: format!("{name}@{iteration}:{strategy}"),
            kind: format!("{} of iteration {iteration}", label(strategy)),
            player: Player::Networks(played.ok_or_else(no_strategy)?),
        })
    }

    /// For matches.
    pub(crate) fn contestant(&self) -> Contestant<'_> {
        match &self.player {
            Player::Bot(place) => Contestant::Bot(*place),
            Player::Table(policy) => Contestant::Table(policy),
            Player::Networks(strategy) => Contestant::Networks(strategy),
        }
    }
}

fn solution_name(named: &Named) -> String {
    named.word.trim_end_matches('/').rsplit('/').next().unwrap_or(&named.word).to_owned()
}

/// The networks of the checkpoint that `run` names, and its iteration.
///
/// # Errors
/// If there is none, it cannot be read, or it is of another game than `config`.
pub fn read_networks(run: &RunReference, config: &RunConfig) -> Result<(u32, SavedNetworks), ArenaError> {
    let mut reader = run.open_checkpoint()?;
    let header = reader.header().clone();
    if header.game != config.game_line() {
        let (path, expected) = (reader.path().to_owned(), config.game_line());
        return Err(CheckpointError::OtherGame { path, expected, got: header.game }.into());
    }
    Ok((header.iteration, SavedNetworks::read(&mut reader)?))
}

/// The strategies that there are, the one to be preferred first.
fn held(saved: &SavedNetworks) -> Vec<EvaluatedPolicy> {
    let [first, second, average] = &saved.weights;
    let there = [
        (EvaluatedPolicy::SdCfr, !saved.archive.is_empty()),
        (EvaluatedPolicy::PolicyNetwork, average.is_some()),
        (EvaluatedPolicy::Current, first.is_some() && second.is_some()),
    ];
    there.into_iter().filter(|(_, there)| *there).map(|(policy, _)| policy).collect()
}
