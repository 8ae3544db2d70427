//! The traversals of one iteration: from the strategy in force to samples in the memories.
//!
//! Not here: what a traversal does (`cfr`), and what is learnt from the samples.

use std::time::Duration;

use deepcfr_board::{Board, Sampling, SmallGame};
use deepcfr_cfr::traversal::{
    Budgets, Continuation, OutcomeSampling, RolloutSampling, StrategySource, TraversalError, TraversalPlan,
    TraversalStats,
};
use deepcfr_config::{self as config, RunConfig};
use deepcfr_core::{NUM_PLAYERS, Player, SampleSink};
use deepcfr_runs::metrics::BatchMetrics;

use crate::error::TrainError;
use crate::inference::{Answered, Inference};
use crate::lanes::Lanes;
use crate::words::all_negative;

/// One or more traversers' traversals of an iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Walk<'a> {
    /// The iteration.
    pub iteration: u32,
    /// Whose advantages are sampled, one after the other.
    pub traversers: &'a [Player],
    /// Which players have a network; the others play as before the first.
    pub fitted: [bool; NUM_PLAYERS],
}

impl Walk<'static> {
    /// Both traversers' traversals of an iteration, with networks in force.
    pub const fn of_both(iteration: u32) -> Self {
        Self { iteration, traversers: &[0, 1], fitted: [true; NUM_PLAYERS] }
    }
}

/// Counts over an iteration's traversals.
#[derive(Clone, Debug, Default)]
pub struct Collected {
    /// Decision and terminal nodes.
    pub nodes: u64,
    /// Traversals finished.
    pub traversals: u64,
    /// Of these, cut by a node budget.
    pub cut_traversals: u64,
    /// Whether a node budget ended a player's traversals before the last.
    pub iteration_cut: bool,
    /// Advantage samples of each player.
    pub samples: [u64; NUM_PLAYERS],
    /// Strategy samples.
    pub strategy_samples: u64,
    commit: Duration,
    worker_logic: Duration,
    worker_wait: Duration,
    /// What networks answered; nothing where a table did.
    answered: Option<Answered>,
}

/// How traversals are run, from the configuration.
#[derive(Clone, Debug)]
pub struct Collector {
    plan: TraversalPlan,
    sampling: Sampling,
    lanes: Lanes,
    workers: usize,
}

impl Collector {
    /// The traversals of `config` on `board` by so many workers.
    pub fn new(config: &RunConfig, board: &dyn Board, workers: usize) -> Self {
        let traversal = &config.traversal;
        let plan = TraversalPlan {
            seed: config.run.seed,
            iteration: 0,
            traverser: 0,
            count: traversal.traversals_per_player,
            all_negative: all_negative(config),
            strategy: [StrategySource::Initial; NUM_PLAYERS],
            budgets: Budgets {
                max_nodes_per_traversal: traversal.max_nodes_per_traversal.unwrap_or(u64::MAX),
                max_nodes_per_iteration: traversal.max_nodes_per_iteration.unwrap_or(u64::MAX),
            },
            lanes: 1,
            groups: traversal.scheduler.groups(),
        };
        Self { plan, sampling: sampling(config, board), lanes: Lanes::of(config, workers), workers }
    }

    /// The traversals of an iteration and a traverser, both still to be named.
    pub fn plan(&self) -> TraversalPlan {
        TraversalPlan { lanes: self.lanes.of_traversals(), ..self.plan }
    }

    /// How traversals choose what to walk.
    pub fn sampling(&self) -> &Sampling {
        &self.sampling
    }

    /// Worker threads.
    pub fn workers(&self) -> usize {
        self.workers
    }

    /// The lanes of each worker.
    pub fn lanes(&self) -> &Lanes {
        &self.lanes
    }

    /// Gives each worker so many lanes from now on.
    pub fn set_lanes(&mut self, lanes: Lanes) {
        self.lanes = lanes;
    }

    /// Runs traversals on a small game's tree; `advantages` are tabulated outputs.
    ///
    /// # Errors
    /// If they cannot be run.
    pub fn on_tree(
        &self,
        small: &SmallGame,
        walk: Walk<'_>,
        advantages: &[f32],
        sink: &mut dyn SampleSink,
    ) -> Result<Collected, TraversalError> {
        self.run(walk, |plan| small.traverse(plan, &self.sampling, advantages, self.workers, sink))
    }

    /// Runs traversals on the game itself, with the networks that there are answering.
    ///
    /// # Errors
    /// If they cannot be run, or a device fails.
    pub fn on_board(
        &self,
        board: &dyn Board,
        walk: Walk<'_>,
        inference: &mut Inference,
        sink: &mut dyn SampleSink,
    ) -> Result<Collected, TrainError> {
        inference.restart_metrics();
        let mut collected = inference.with_workers(|workers| {
            self.run(walk, |plan| board.traverse(plan, &self.sampling, workers, sink))
        })?;
        collected.answered = Some(inference.take_answered(self.lanes.of_traversals()));
        Ok(collected)
    }

    fn run(
        &self,
        Walk { iteration, traversers, fitted }: Walk<'_>,
        mut traverse: impl FnMut(&TraversalPlan) -> Result<TraversalStats, TraversalError>,
    ) -> Result<Collected, TraversalError> {
        let strategy = fitted.map(|fitted| match fitted {
            true => StrategySource::Networks,
            false => StrategySource::Initial,
        });
        let mut collected = Collected::default();
        for &traverser in traversers {
            let stats = traverse(&TraversalPlan { iteration, traverser, strategy, ..self.plan() })?;
            collected.merge(Collected::of(traverser, &stats));
        }
        Ok(collected)
    }
}

fn sampling(config: &RunConfig, board: &dyn Board) -> Sampling {
    let traversal = &config.traversal;
    match traversal.sampling {
        config::Sampling::External => Sampling::External,
        config::Sampling::Outcome => Sampling::Outcome {
            parameters: OutcomeSampling {
                epsilon: traversal.epsilon,
                clip: traversal.value_clip,
                continuation: match traversal.continuation {
                    config::Continuation::Strategy => Continuation::Strategy,
                    config::Continuation::Sampling => Continuation::Sampling,
                },
            },
            scored: traversal.baseline == config::Baseline::Score,
        },
        config::Sampling::Rollout => Sampling::Rollout {
            parameters: RolloutSampling { epsilon: traversal.epsilon, rollouts: traversal.rollouts },
            policy: board.facts().bot(&traversal.rollout_policy).expect("checked configurations name a bot"),
        },
    }
}

impl Collected {
    /// The part of the phase's `wall` time that handing samples over is charged. It runs beside the
    /// workers on the same cores, so it is charged in proportion to its own time among all threads'.
    pub fn commit_within(&self, wall: Duration) -> Duration {
        let commit = self.commit.as_secs_f64();
        let all = commit + (self.worker_logic + self.worker_wait).as_secs_f64();
        if all > 0.0 { wall.mul_f64(commit / all) } else { Duration::ZERO }
    }

    /// The batches of networks.
    pub fn batches(&self) -> BatchMetrics {
        let Some(answered) = &self.answered else { return BatchMetrics::default() };
        let busy = self.worker_logic.as_secs_f64();
        let wait = self.worker_wait.as_secs_f64();
        let share = |part: f64| if busy + wait > 0.0 { part / (busy + wait) } else { 0.0 };
        BatchMetrics { worker_busy_share: share(busy), worker_wait_share: share(wait), ..answered.metrics() }
    }

    /// Adds other traversals of the same iteration.
    pub fn merge(&mut self, other: Self) {
        self.nodes += other.nodes;
        self.traversals += other.traversals;
        self.cut_traversals += other.cut_traversals;
        self.iteration_cut |= other.iteration_cut;
        self.samples.iter_mut().zip(other.samples).for_each(|(own, more)| *own += more);
        self.strategy_samples += other.strategy_samples;
        self.commit += other.commit;
        self.worker_logic += other.worker_logic;
        self.worker_wait += other.worker_wait;
        match (&mut self.answered, other.answered) {
            (Some(own), Some(more)) => own.merge(&more),
            (own, more) => *own = own.take().or(more),
        }
    }

    fn of(traverser: Player, stats: &TraversalStats) -> Self {
        let mut samples = [0; NUM_PLAYERS];
        samples[traverser] = stats.advantage_samples;
        Self {
            nodes: stats.nodes,
            traversals: stats.traversals,
            cut_traversals: stats.cut_traversals,
            iteration_cut: stats.iteration_cut,
            samples,
            strategy_samples: stats.strategy_samples,
            commit: stats.times.commit,
            worker_logic: stats.times.logic,
            worker_wait: stats.times.inference_wait,
            answered: None,
        }
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
