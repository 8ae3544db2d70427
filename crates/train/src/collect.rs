//! The traversals of one iteration: from the strategy in force to samples in the memories.
//!
//! Not here: what a traversal does (`cfr`), and what is learnt from the samples.

use std::time::Duration;

use deepcfr_cfr::regret::AllNegative;
use deepcfr_cfr::traversal::evaluators::TableEvaluator;
use deepcfr_cfr::traversal::{
    self, Baseline, Budgets, Continuation, Guides, NoBaseline, OutcomeSampling, RolloutSampling, Sampling,
    StrategySource, TraversalError, TraversalPlan, TraversalStats,
};
use deepcfr_core::{Encoder, Evaluator, Game, NUM_PLAYERS};

use crate::config::{self, RunConfig};
use crate::diagnostics::Watched;
use crate::error::TrainError;
use crate::inference::Inference;
use crate::lanes;
use crate::metrics::BatchMetrics;
use crate::registry::{ScoreLead, Setup};
use crate::small_game::SmallGame;

/// Counts over both traversers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Collected {
    pub(crate) nodes: u64,
    pub(crate) traversals: u64,
    pub(crate) cut_traversals: u64,
    pub(crate) iteration_cut: bool,
    pub(crate) samples: [u64; NUM_PLAYERS],
    pub(crate) strategy_samples: u64,
    commit: Duration,
    worker_logic: Duration,
    worker_wait: Duration,
    pub(crate) batches: BatchMetrics,
}

/// How traversals are run, from the configuration.
pub(crate) struct Collector {
    plan: TraversalPlan,
    pub(crate) workers: usize,
    /// Whether sampled values are compared with the lead in points.
    scored: bool,
    /// Who plays games out.
    rollout_policy: String,
}

impl Collector {
    pub(crate) fn new(config: &RunConfig, workers: usize) -> Self {
        let traversal = &config.traversal;
        let plan = TraversalPlan {
            seed: config.run.seed,
            iteration: 0,
            traverser: 0,
            count: traversal.traversals_per_player,
            sampling: match traversal.sampling {
                config::Sampling::External => Sampling::External,
                config::Sampling::Outcome => Sampling::Outcome(OutcomeSampling {
                    epsilon: traversal.epsilon,
                    clip: traversal.value_clip,
                    continuation: match traversal.continuation {
                        config::Continuation::Strategy => Continuation::Strategy,
                        config::Continuation::Sampling => Continuation::Sampling,
                    },
                }),
                config::Sampling::Rollout => Sampling::Rollout(RolloutSampling {
                    epsilon: traversal.epsilon,
                    rollouts: traversal.rollouts,
                }),
            },
            all_negative: all_negative(config),
            strategy: StrategySource::Initial,
            budgets: Budgets {
                max_nodes_per_traversal: traversal.max_nodes_per_traversal.unwrap_or(u64::MAX),
                max_nodes_per_iteration: traversal.max_nodes_per_iteration.unwrap_or(u64::MAX),
            },
            lanes: if traversal.scheduler.is_one_lane() {
                1
            } else {
                traversal.lanes.unwrap_or(lanes::UNMEASURED)
            },
            groups: traversal.scheduler.groups(),
        };
        let scored = traversal.baseline == config::Baseline::Score;
        Self { plan, workers, scored, rollout_policy: traversal.rollout_policy.clone() }
    }

    /// The traversals of an iteration and a traverser, both still to be named.
    pub(crate) const fn plan(&self) -> TraversalPlan {
        self.plan
    }

    /// Whether sampled values are compared with the lead in points.
    pub(crate) const fn is_scored(&self) -> bool {
        self.scored
    }

    /// Gives each worker so many lanes from now on.
    pub(crate) fn set_lanes(&mut self, lanes: usize) {
        self.plan.lanes = lanes;
    }

    /// Runs an iteration's traversals on a small game's tree; `advantages` are tabulated outputs,
    /// `None` before there is a network.
    pub(crate) fn on_tree(
        &self,
        small: &SmallGame,
        iteration: u32,
        advantages: Option<&[f32]>,
        sink: &mut Watched<'_>,
    ) -> Result<Collected, TraversalError> {
        let actions = small.tree.spec().num_actions;
        let mut workers: Vec<_> =
            (0..self.workers).map(|_| TableEvaluator::new(advantages.unwrap_or(&[]), actions)).collect();
        let (tree, features) = (&*small.tree, &small.features);
        self.run(tree, features, &Guides::NONE, (iteration, advantages.is_some()), &mut workers, sink)
    }

    /// Runs an iteration's traversals on the game itself, networks answering.
    pub(crate) fn on_game<G: Game>(
        &self,
        setup: &Setup<G, impl Encoder<G>>,
        iteration: u32,
        networks: bool,
        inference: &mut Inference,
        sink: &mut Watched<'_>,
    ) -> Result<Collected, TrainError> {
        inference.restart_metrics();
        let Setup { game, encoder, score_lead, .. } = setup;
        let step = (iteration, networks);
        let rollout = setup.opponent(&self.rollout_policy);
        let mut collected = inference.with_workers(|workers| match (score_lead, self.scored) {
            (Some(lead), true) => {
                let guides = Guides { baseline: &ScoreLead(*lead), rollout };
                self.run(game, encoder, &guides, step, workers, sink)
            }
            _ => {
                let guides = Guides { baseline: &NoBaseline, rollout };
                self.run(game, encoder, &guides, step, workers, sink)
            }
        })?;
        let busy = collected.worker_logic.as_secs_f64();
        let wait = collected.worker_wait.as_secs_f64();
        let share = |part: f64| if busy + wait > 0.0 { part / (busy + wait) } else { 0.0 };
        collected.batches = BatchMetrics {
            worker_busy_share: share(busy),
            worker_wait_share: share(wait),
            ..inference.take_metrics(self.plan.lanes)
        };
        Ok(collected)
    }

    /// Both traversers' traversals of an iteration, with networks or before there are any.
    fn run<G: Game, V: Evaluator + Send>(
        &self,
        game: &G,
        encoder: &impl Encoder<G>,
        guides: &Guides<'_, G, impl Baseline<G>>,
        (iteration, networks): (u32, bool),
        workers: &mut [V],
        sink: &mut Watched<'_>,
    ) -> Result<Collected, TraversalError> {
        let strategy = if networks { StrategySource::Networks } else { StrategySource::Initial };
        let mut collected = Collected::default();
        for traverser in 0..NUM_PLAYERS {
            let plan = TraversalPlan { iteration, traverser, strategy, ..self.plan };
            let stats = traversal::run_guided(game, encoder, &plan, guides, workers, sink)?;
            collected.add(traverser, &stats);
        }
        Ok(collected)
    }
}

impl Collected {
    /// The part of the phase's `wall` time that handing samples over is charged. It runs beside the
    /// workers on the same cores, so it is charged in proportion to its own time among all threads'.
    pub(crate) fn commit_within(&self, wall: Duration) -> Duration {
        let commit = self.commit.as_secs_f64();
        let all = commit + (self.worker_logic + self.worker_wait).as_secs_f64();
        if all > 0.0 { wall.mul_f64(commit / all) } else { Duration::ZERO }
    }

    fn add(&mut self, traverser: usize, stats: &TraversalStats) {
        self.nodes += stats.nodes;
        self.traversals += stats.traversals;
        self.cut_traversals += stats.cut_traversals;
        self.iteration_cut |= stats.iteration_cut;
        self.samples[traverser] += stats.advantage_samples;
        self.strategy_samples += stats.strategy_samples;
        self.commit += stats.times.commit;
        self.worker_logic += stats.times.logic;
        self.worker_wait += stats.times.inference_wait;
    }
}

pub(crate) fn all_negative(config: &RunConfig) -> AllNegative {
    match config.regret_matching.all_negative {
        config::AllNegative::Argmax => AllNegative::Argmax,
        config::AllNegative::Uniform => AllNegative::Uniform,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn committing_beside_workers_is_charged_its_share_of_the_wall() {
        let milliseconds = Duration::from_millis;
        let mut collected = Collected {
            commit: milliseconds(40),
            worker_logic: milliseconds(90),
            worker_wait: milliseconds(30),
            ..Collected::default()
        };
        // One thread did 160 ms of work within 160 ms, or three did within 80.
        assert_eq!(collected.commit_within(milliseconds(160)), milliseconds(40));
        assert_eq!(collected.commit_within(milliseconds(80)), milliseconds(20));
        collected.commit = Duration::ZERO;
        assert_eq!(collected.commit_within(milliseconds(80)), Duration::ZERO);
        assert_eq!(Collected::default().commit_within(milliseconds(80)), Duration::ZERO);
    }
}
