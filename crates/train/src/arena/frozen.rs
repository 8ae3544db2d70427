//! Strategies that no longer change: read from checkpoints and solutions, ready to play.
//!
//! Not here: which ones are wanted (see `contestant`), and inference.

use std::sync::Arc;

use deepcfr_cfr::matches::{Bot, Contestant, MatchError, NetworkStrategy, OutputRule, PolicyBot};
use deepcfr_cfr::regret::AllNegative;
use deepcfr_cfr::tabular::KeyedPolicy;
use deepcfr_core::{Game, NUM_PLAYERS, NetId, Weights};

use crate::checkpoint::{CheckpointError, CheckpointStore, Keep};
use crate::collect::all_negative;
use crate::config::{EvaluatedPolicy, Problem, RunConfig, nearest};
use crate::error::TrainError;
use crate::registry::{Opponent, opponent_named};
use crate::run_folder::RunReference;
use crate::state::SavedNetworks;

use super::{ArenaError, Kind, Named};

/// Networks of all contestants together, numbered from 0.
#[derive(Default)]
pub(crate) struct Nets(Vec<Arc<Weights>>);

impl Nets {
    /// Numbers a network.
    pub(crate) fn add(&mut self, weights: &Arc<Weights>) -> NetId {
        // More than 65,536 are refused by `check`, before any of these numbers is used.
        let net = NetId(self.0.len() as u16);
        self.0.push(Arc::clone(weights));
        net
    }

    /// How many there are; at least 1, as models hold no fewer.
    pub(crate) fn len(&self) -> usize {
        self.0.len().max(1)
    }

    pub(crate) fn check(&self) -> Result<(), ArenaError> {
        let most = usize::from(u16::MAX);
        if self.0.len() > most {
            Err(ArenaError::TooManyNetworks { got: self.0.len(), most })
        } else {
            Ok(())
        }
    }

    /// All of them with their numbers.
    pub(crate) fn numbered(&self) -> Vec<(NetId, Arc<Weights>)> {
        self.0.iter().enumerate().map(|(net, weights)| (NetId(net as u16), Arc::clone(weights))).collect()
    }
}

/// A strategy that is ready to play.
pub(crate) struct Frozen<'s, G: Game> {
    /// What it is called: `BOT`, `RUN@ITERATION:STRATEGY` or the name of a solution.
    pub(crate) name: String,
    /// What it is, in words.
    pub(crate) kind: String,
    pub(crate) player: Player<'s, G>,
}

pub(crate) enum Player<'s, G: Game> {
    Rule(&'s dyn Bot<G>),
    Table(PolicyBot<KeyedPolicy>),
    Networks(NetworkStrategy),
}

impl<'s, G: Game> Frozen<'s, G> {
    /// Gets `named` ready; its networks join `nets`.
    ///
    /// # Errors
    /// If the game has no such bot, or files cannot be read or do not hold the strategy.
    pub(crate) fn load(named: &Named, rules: &'s [Opponent<G>], nets: &mut Nets) -> Result<Self, TrainError> {
        match &named.kind {
            Kind::Bot(name) => Self::bot(name, rules),
            Kind::Solution(saved, _) => Ok(Self {
                name: solution_name(named),
                kind: format!("solution by {}, {} iterations", saved.algorithm, saved.iterations),
                player: Player::Table(PolicyBot(saved.policy.clone())),
            }),
            Kind::Run(run, strategy, config) => Self::run(&named.word, (run, *strategy), config, nets),
        }
    }

    fn bot(name: &str, rules: &'s [Opponent<G>]) -> Result<Self, TrainError> {
        let (name, bot) = opponent_named(rules, name).ok_or_else(|| {
            let known = || rules.iter().map(|(known, _)| *known);
            let meant = nearest(name, known()).map_or_else(String::new, |n| format!("did you mean {n}? "));
            let remedy =
                format!("the game has no such bot; {meant}it has {}", known().collect::<Vec<_>>().join(", "));
            ArenaError::from(Problem::new("contestant", name, remedy))
        })?;
        Ok(Self { name: name.to_owned(), kind: "bot".to_owned(), player: Player::Rule(bot) })
    }

    fn run(
        word: &str,
        (run, wanted): (&RunReference, Option<EvaluatedPolicy>),
        config: &RunConfig,
        nets: &mut Nets,
    ) -> Result<Self, TrainError> {
        let (iteration, saved) = read_networks(run, config)?;
        let held = held(&saved);
        let strategy = match wanted {
            Some(wanted) => held.contains(&wanted).then_some(wanted),
            None => held.first().copied(),
        };
        let strategy = strategy.ok_or_else(|| ArenaError::NoStrategy {
            word: word.to_owned(),
            iteration,
            strategy: wanted.map_or("", EvaluatedPolicy::word),
            known: match held.iter().map(|policy| policy.word()).collect::<Vec<_>>().join(", ") {
                none if none.is_empty() => "none".to_owned(),
                some => some,
            },
        })?;
        let folder = run.folder.path();
        let name = folder.file_name().unwrap_or(folder.as_os_str()).to_string_lossy().into_owned();
        Ok(Self {
            name: format!("{name}@{iteration}:{strategy}"),
            kind: format!("{} of iteration {iteration}", crate::evaluation::label(strategy)),
            player: Player::Networks(network_strategy(&saved, strategy, all_negative(config), nets)?),
        })
    }

    /// For matches.
    pub(crate) fn contestant(&self) -> Contestant<'_, G> {
        match &self.player {
            Player::Rule(bot) => Contestant::Bot(*bot),
            Player::Table(policy) => Contestant::Bot(policy),
            Player::Networks(strategy) => Contestant::Network(strategy),
        }
    }
}

fn solution_name(named: &Named) -> String {
    named.word.trim_end_matches('/').rsplit('/').next().unwrap_or(&named.word).to_owned()
}

/// The networks of the checkpoint that `run` names, and its iteration.
pub(crate) fn read_networks(
    run: &RunReference,
    config: &RunConfig,
) -> Result<(u32, SavedNetworks), TrainError> {
    let folder = run.folder.checkpoints();
    if !folder.is_dir() {
        return Err(CheckpointError::NoCheckpoint { folder }.into());
    }
    let store = CheckpointStore::open(&folder, Keep { every: 0 })?;
    let mut reader = match run.checkpoint {
        Some(iteration) => store.open_iteration(iteration)?,
        None => store.open_latest()?,
    };
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

fn network_strategy(
    saved: &SavedNetworks,
    strategy: EvaluatedPolicy,
    rule: AllNegative,
    nets: &mut Nets,
) -> Result<NetworkStrategy, MatchError> {
    let mut single = |net: usize| {
        let weights = saved.weights[net].as_ref().expect("only what a checkpoint holds is chosen");
        nets.add(weights)
    };
    match strategy {
        EvaluatedPolicy::PolicyNetwork => {
            Ok(NetworkStrategy::single(single(NetId::STRATEGY.index()), OutputRule::Softmax))
        }
        EvaluatedPolicy::Current => {
            Ok(NetworkStrategy::of_seats([single(0), single(1)], OutputRule::RegretMatching(rule)))
        }
        EvaluatedPolicy::SdCfr => {
            let archives: [Vec<_>; NUM_PLAYERS] = [0, 1].map(|player: usize| {
                saved.archive.iter().map(|entry| (nets.add(&entry.networks[player]), entry.weight)).collect()
            });
            NetworkStrategy::sampled([&archives[0], &archives[1]], rule)
        }
    }
}
