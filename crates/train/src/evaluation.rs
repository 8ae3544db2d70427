//! How good a run's strategies are: exactly on small games, by mirrored matches against rule bots.
//!
//! Not here: best responses and matches themselves (`cfr`), and when evaluations happen.

use std::time::Instant;

use deepcfr_board::{Board, Contestant, Pairing};
use deepcfr_cfr::matches::{MatchPlan, MatchRecord, NetworkStrategy};
use deepcfr_cfr::tabular::TabularPolicy;
use deepcfr_config::{EvaluatedPolicy, NashConv, RunConfig};
use deepcfr_core::NetId;
use deepcfr_runs::metrics::{EvaluationMetrics, ExactMetrics, MatchMetrics, PlayMetrics};

use crate::error::TrainError;
use crate::inference::Inference;
use crate::lanes::Lanes;
use crate::nets::Nets;
use crate::networks::{NUM_NETS, Networks, evaluation_factories, evaluation_factory};
use crate::state::State;
use crate::tabulated::Tabulated;
use crate::words::all_negative;

/// What is evaluated, and with what.
pub(crate) struct Subject<'a> {
    pub(crate) config: &'a RunConfig,
    pub(crate) board: &'a dyn Board,
    pub(crate) state: &'a State,
    pub(crate) workers: usize,
}

/// How a strategy is called in metrics and reports.
pub const fn label(policy: EvaluatedPolicy) -> &'static str {
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
pub(crate) fn evaluate(
    subject: &Subject<'_>,
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
        metrics.tabular = small.exact.baselines_at(&small.game, subject.state.nodes_total);
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

impl Subject<'_> {
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
                let mut model =
                    evaluation_factory(self.config, self.board.facts().shape(), NUM_NETS)?.open()?;
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
        let mut nets = Nets::default();
        let strategies = self.strategies(&mut nets)?;
        let opponents = self.opponents(set.opponents)?;
        let mut pairings = Vec::new();
        let mut names = Vec::new();
        for (policy, strategy) in &strategies {
            for (opponent, bot) in set.opponents.iter().zip(&opponents) {
                names.push((label(*policy), opponent.as_str()));
                let (subject, opponent) = (Contestant::Networks(strategy), Contestant::Bot(*bot));
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
            lanes: Lanes::of(self.config, self.workers).of_matches(nets.len()),
            groups: self.config.traversal.scheduler.groups(),
        };
        let deals = vec![0..set.deals; pairings.len()];
        let mut inference = self.inference(&nets)?;
        let played =
            inference.with_workers(|workers| self.board.play(&plan, &pairings, &deals, workers, &()))?;
        let asked = inference.take_metrics(plan.lanes);
        let seconds = begin.elapsed().as_secs_f64();
        let cost = PlayMetrics { seconds, rows: asked.rows, batches: asked.batches };
        let facts = self.board.facts().fact_names;
        let records = played.into_iter().map(MatchRecord::of);
        let metrics = names.iter().zip(records).map(|(&names, record)| match_metrics(names, facts, &record));
        Ok((metrics.collect(), Some(cost)))
    }

    /// The strategies to be played, that are there by now; their networks join `nets`.
    fn strategies(&self, nets: &mut Nets) -> Result<Vec<(EvaluatedPolicy, NetworkStrategy)>, TrainError> {
        let rule = all_negative(self.config);
        let Networks { weights, archive, .. } = &self.state.networks;
        let mut strategies = Vec::new();
        for &policy in &self.config.evaluation.policies {
            let strategy = nets.strategy(policy, weights, archive.entries(), rule)?;
            strategies.extend(strategy.map(|strategy| (policy, strategy)));
        }
        nets.check()?;
        Ok(strategies)
    }

    /// The places of the named rule-based players.
    fn opponents(&self, names: &[String]) -> Result<Vec<usize>, TrainError> {
        let facts = self.board.facts();
        let find = |name: &String| {
            facts.bot(name).ok_or_else(|| TrainError::Opponent {
                game: facts.spec.name,
                name: name.clone(),
                known: facts.bots.join(", "),
            })
        };
        names.iter().map(find).collect()
    }

    /// The networks of every strategy, under the scheduler of traversals.
    fn inference(&self, nets: &Nets) -> Result<Inference, TrainError> {
        let factories = evaluation_factories(self.config, self.board.facts().shape(), nets.len())?;
        let mut inference = Inference::open(self.config, &factories, self.workers)?;
        inference.publish(&nets.numbered())?;
        Ok(inference)
    }
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
