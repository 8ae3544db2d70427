//! How good a run's strategies are: exactly on small games, by mirrored matches against rule bots.
//!
//! Not here: best responses and matches themselves (`cfr`), and when evaluations happen.

use std::time::Instant;

use deepcfr_cfr::matches::{self, Bot, Contestant, MatchPlan, MatchRecord, NetworkStrategy, Pairing};
use deepcfr_cfr::tabular::TabularPolicy;
use deepcfr_core::{Encoder, Game, NUM_PLAYERS, NetId, SampleShape};

use crate::collect::all_negative;
use crate::config::{EvaluatedPolicy, NashConv, RunConfig};
use crate::error::TrainError;
use crate::inference::Inference;
use crate::metrics::{EvaluationMetrics, ExactMetrics, MatchMetrics, PlayMetrics};
use crate::networks::{NUM_NETS, evaluation_factories, evaluation_factory};
use crate::registry::{Setup, opponent_named};
use crate::trainer::{State, Tabulated};

/// Games in flight in each worker of a scheduler with many lanes.
const LANES: usize = 128;

/// What is evaluated, and with what.
pub(crate) struct Subject<'a, G: Game, E> {
    pub(crate) config: &'a RunConfig,
    pub(crate) setup: &'a Setup<G, E>,
    pub(crate) state: &'a State,
    pub(crate) shape: SampleShape,
    pub(crate) workers: usize,
}

/// How a strategy is called in metrics and reports.
pub(crate) const fn label(policy: EvaluatedPolicy) -> &'static str {
    match policy {
        EvaluatedPolicy::PolicyNetwork => "policy network",
        EvaluatedPolicy::SdCfr => "SD-CFR average",
        EvaluatedPolicy::Current => "current",
    }
}

/// The extended set draws other deals than the light one of the same iteration.
const EXTENDED: u32 = 1 << 31;

/// Opponents and for how long.
struct Set<'a> {
    evaluation: u32,
    deals: u32,
    opponents: &'a [String],
}

/// Evaluates every strategy that the configuration names and that exists yet; with `extended` also
/// against the extended set.
pub(crate) fn evaluate<G: Game, E: Encoder<G>>(
    subject: &Subject<'_, G, E>,
    small: Option<&mut Tabulated>,
    extended: bool,
) -> Result<EvaluationMetrics, TrainError> {
    let begin = Instant::now();
    let mut metrics = EvaluationMetrics::default();
    let evaluation = &subject.config.evaluation;
    if evaluation.nash_conv == NashConv::Auto
        && let Some(small) = small
    {
        for &policy in &evaluation.policies {
            metrics.exact.extend(subject.exact(small, policy)?);
        }
        metrics.tabular = small.exact.baseline_at(&small.game, subject.state.nodes_total);
    }
    let iteration = subject.state.iteration;
    let light = Set { evaluation: iteration, deals: evaluation.deals, opponents: &evaluation.opponents };
    (metrics.matches, metrics.play) = subject.play(&light)?;
    if extended {
        let (deals, opponents) = (evaluation.extended_deals, evaluation.extended_opponents.as_slice());
        let set = Set { evaluation: iteration | EXTENDED, deals, opponents };
        metrics.extended = subject.play(&set)?.0;
    }
    metrics.seconds = begin.elapsed().as_secs_f64();
    Ok(metrics)
}

impl<G: Game, E: Encoder<G>> Subject<'_, G, E> {
    /// The exact figures of one strategy; `None` where there is none yet.
    fn exact(
        &self,
        small: &mut Tabulated,
        policy: EvaluatedPolicy,
    ) -> Result<Option<ExactMetrics>, TrainError> {
        let strategy = self.tabulated(small, policy)?;
        Ok(strategy.map(|strategy| small.exact.evaluate(&small.game, label(policy), &strategy)))
    }

    /// A strategy on the game's tree; `None` where there is none yet.
    pub(crate) fn tabulated(
        &self,
        small: &Tabulated,
        policy: EvaluatedPolicy,
    ) -> Result<Option<TabularPolicy>, TrainError> {
        let Some(advantages) = small.advantages() else { return Ok(None) };
        let strategy = match policy {
            EvaluatedPolicy::Current => small.game.strategy(advantages, all_negative(self.config)),
            EvaluatedPolicy::SdCfr => small.exact.average.policy(&small.game.tree),
            EvaluatedPolicy::PolicyNetwork => {
                let Some(weights) = &self.state.networks.weights[NetId::STRATEGY.index()] else {
                    return Ok(None);
                };
                let mut model = evaluation_factory(self.config, self.shape, NUM_NETS)?.open()?;
                model.load(NetId::STRATEGY, weights)?;
                let logits = small.game.tabulate(&mut *model, |_| NetId::STRATEGY)?;
                small.game.softmax(&logits)
            }
        };
        Ok(Some(strategy))
    }

    /// Every strategy against every opponent of `set`, all pairings at once, and what it cost.
    fn play(&self, set: &Set<'_>) -> Result<(Vec<MatchMetrics>, Option<PlayMetrics>), TrainError> {
        let begin = Instant::now();
        if set.deals == 0 || set.opponents.is_empty() {
            return Ok((Vec::new(), None));
        }
        let strategies = self.strategies()?;
        let opponents = self.opponents(set.opponents)?;
        let mut pairings = Vec::new();
        let mut names = Vec::new();
        for (policy, strategy) in &strategies {
            for &(opponent, bot) in &opponents {
                names.push((label(*policy), opponent));
                let (subject, opponent) = (Contestant::Network(strategy), Contestant::Bot(bot));
                pairings.push(Pairing { subject, opponent });
            }
        }
        if pairings.is_empty() {
            return Ok((Vec::new(), None));
        }
        let plan = MatchPlan {
            seed: self.config.run.seed,
            evaluation: set.evaluation,
            deals: set.deals,
            lanes: if self.config.traversal.scheduler.is_one_lane() { 1 } else { LANES },
            groups: self.config.traversal.scheduler.groups(),
        };
        let (game, encoder) = (&self.setup.game, &self.setup.encoder);
        let mut inference = self.inference()?;
        let records =
            inference.with_workers(|workers| matches::play(game, encoder, &plan, &pairings, workers))?;
        let asked = inference.take_metrics(plan.lanes);
        let seconds = begin.elapsed().as_secs_f64();
        let cost = PlayMetrics { seconds, rows: asked.rows, batches: asked.batches };
        let facts = game.fact_names();
        let metrics = names.iter().zip(&records).map(|(&names, record)| match_metrics(names, facts, record));
        Ok((metrics.collect(), Some(cost)))
    }

    /// The strategies to be played, with networks numbered as [`Subject::inference`] loads them.
    fn strategies(&self) -> Result<Vec<(EvaluatedPolicy, NetworkStrategy)>, TrainError> {
        let rule = all_negative(self.config);
        let networks = &self.state.networks;
        let mut strategies = Vec::new();
        for &policy in &self.config.evaluation.policies {
            let strategy = match policy {
                EvaluatedPolicy::Current if networks.advantage().is_some() => NetworkStrategy::current(rule),
                EvaluatedPolicy::PolicyNetwork if networks.weights[NetId::STRATEGY.index()].is_some() => {
                    NetworkStrategy::average()
                }
                EvaluatedPolicy::SdCfr if !networks.archive.entries().is_empty() => {
                    let archives = [0, 1].map(|player| self.archived_nets(player));
                    NetworkStrategy::sampled([&archives[0], &archives[1]], rule)?
                }
                _ => continue,
            };
            strategies.push((policy, strategy));
        }
        Ok(strategies)
    }

    fn archived_nets(&self, player: usize) -> Vec<(NetId, f64)> {
        let entries = self.state.networks.archive.entries().iter().enumerate();
        entries.map(|(index, entry)| (archived_net(index, player), entry.weight)).collect()
    }

    fn opponents(&self, names: &[String]) -> Result<Vec<(&'static str, &dyn Bot<G>)>, TrainError> {
        let find = |name: &String| {
            let known = &self.setup.opponents;
            opponent_named(known, name).ok_or_else(|| TrainError::Opponent {
                game: self.setup.game.spec().name,
                name: name.clone(),
                known: known.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", "),
            })
        };
        names.iter().map(find).collect()
    }

    /// The networks of every strategy, under the scheduler of traversals.
    fn inference(&self) -> Result<Inference, TrainError> {
        let networks = &self.state.networks;
        let sampled = self.config.evaluation.policies.contains(&EvaluatedPolicy::SdCfr);
        let archive = if sampled { networks.archive.entries() } else { &[] };
        let num_nets = NUM_NETS + archive.len() * NUM_PLAYERS;
        let factories = evaluation_factories(self.config, self.shape, num_nets)?;
        let named = networks.weights.iter().enumerate();
        let mut nets: Vec<_> =
            named.filter_map(|(net, weights)| Some((NetId(net as u16), weights.clone()?))).collect();
        for (index, entry) in archive.iter().enumerate() {
            let players = entry.networks.iter().enumerate();
            nets.extend(players.map(|(player, weights)| (archived_net(index, player), weights.clone())));
        }
        let mut inference = Inference::open(self.config, &factories, self.workers)?;
        inference.publish(&nets)?;
        Ok(inference)
    }
}

/// Archived networks are numbered after those in force.
fn archived_net(index: usize, player: usize) -> NetId {
    NetId((NUM_NETS + index * NUM_PLAYERS + player) as u16)
}

fn match_metrics((policy, opponent): (&str, &str), facts: &[&str], record: &MatchRecord) -> MatchMetrics {
    let result = &record.result;
    MatchMetrics {
        policy: policy.to_owned(),
        opponent: opponent.to_owned(),
        deals: result.deals,
        wins: result.wins,
        ties: result.ties,
        losses: result.losses,
        mean_difference: result.mean_difference,
        ci95: result.ci95,
        win_rate_ci95: [result.win_rate_ci95.0, result.win_rate_ci95.1],
        truncated: result.truncated,
        mean_plies: result.mean_plies,
        facts: facts.iter().map(|&name| name.to_owned()).zip(result.facts).collect(),
        own_score: result.scores.map(|[own, _]| own.mean),
        variance_reduction: result.variance_reduction,
    }
}
