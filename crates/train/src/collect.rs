//! The traversals of one iteration: from the strategy in force to samples in the memories.
//!
//! Not here: what a traversal does (`cfr`), and what is learnt from the samples.

use std::time::Duration;

use deepcfr_cfr::regret::AllNegative;
use deepcfr_cfr::reservoir::Memories;
use deepcfr_cfr::traversal::evaluators::{LocalEvaluator, TableEvaluator};
use deepcfr_cfr::traversal::{
    self, Budgets, OutcomeSampling, Sampling, StrategySource, TraversalError, TraversalPlan, TraversalStats,
};
use deepcfr_core::{Encoder, Evaluator, Game, NUM_PLAYERS};

use crate::config::{self, RunConfig, Scheduler};
use crate::metrics::BatchMetrics;
use crate::small_game::SmallGame;

/// Lanes a worker where the configuration leaves it open: batches that reach the flat part of the
/// forward pass's cost curve, with little left waiting at the end of an iteration.
const LANES: usize = 64;

/// Counts over both traversers.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Collected {
    pub(crate) nodes: u64,
    pub(crate) traversals: u64,
    pub(crate) cut_traversals: u64,
    pub(crate) iteration_cut: bool,
    pub(crate) samples: [u64; NUM_PLAYERS],
    pub(crate) strategy_samples: u64,
    pub(crate) commit: Duration,
    pub(crate) batches: BatchMetrics,
}

/// How traversals are run, from the configuration.
pub(crate) struct Collector {
    plan: TraversalPlan,
    pub(crate) workers: usize,
    max_batch: usize,
}

impl Collector {
    pub(crate) fn new(config: &RunConfig, workers: usize) -> Self {
        let traversal = &config.traversal;
        let one_lane = traversal.scheduler == Scheduler::Recursive;
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
                }),
            },
            all_negative: all_negative(config),
            strategy: StrategySource::Uniform,
            budgets: Budgets {
                max_nodes_per_traversal: traversal.max_nodes_per_traversal.unwrap_or(u64::MAX),
                max_nodes_per_iteration: traversal.max_nodes_per_iteration.unwrap_or(u64::MAX),
            },
            lanes: if one_lane { 1 } else { traversal.lanes.unwrap_or(LANES) },
            groups: 1,
        };
        Self { plan, workers, max_batch: if one_lane { 1 } else { traversal.max_batch } }
    }

    /// A local evaluator for each worker.
    pub(crate) fn evaluators(
        &self,
        factory: &dyn deepcfr_core::ModelFactory,
    ) -> Result<Vec<LocalEvaluator>, deepcfr_core::ModelError> {
        (0..self.workers).map(|_| Ok(LocalEvaluator::new(factory.open()?, self.max_batch))).collect()
    }

    /// Runs an iteration's traversals on a small game's tree; `advantages` are tabulated outputs,
    /// `None` for uniform play.
    pub(crate) fn on_tree(
        &self,
        small: &SmallGame,
        iteration: u32,
        advantages: Option<&[f32]>,
        memories: &mut Memories,
    ) -> Result<Collected, TraversalError> {
        let actions = small.tree.spec().num_actions;
        let mut workers: Vec<_> =
            (0..self.workers).map(|_| TableEvaluator::new(advantages.unwrap_or(&[]), actions)).collect();
        self.run(&*small.tree, &small.features, iteration, advantages.is_some(), &mut workers, memories)
    }

    /// Runs an iteration's traversals on the game itself, networks answering.
    pub(crate) fn on_game<G: Game>(
        &self,
        game: &G,
        encoder: &impl Encoder<G>,
        iteration: u32,
        networks: bool,
        workers: &mut [LocalEvaluator],
        memories: &mut Memories,
    ) -> Result<Collected, TraversalError> {
        let mut collected = self.run(game, encoder, iteration, networks, workers, memories)?;
        for worker in workers {
            let stats = worker.take_stats();
            let batches = &mut collected.batches;
            batches.rows += stats.rows;
            batches.batches += stats.batches;
            batches.max_rows = batches.max_rows.max(stats.max_batch as u64);
            batches.forward_seconds += stats.forward.as_secs_f64();
        }
        let batches = &mut collected.batches;
        batches.mean_rows = batches.rows as f64 / batches.batches.max(1) as f64;
        Ok(collected)
    }

    fn run<G: Game, V: Evaluator + Send>(
        &self,
        game: &G,
        encoder: &impl Encoder<G>,
        iteration: u32,
        networks: bool,
        workers: &mut [V],
        memories: &mut Memories,
    ) -> Result<Collected, TraversalError> {
        let strategy = if networks { StrategySource::Networks } else { StrategySource::Uniform };
        let mut collected = Collected::default();
        for traverser in 0..NUM_PLAYERS {
            let plan = TraversalPlan { iteration, traverser, strategy, ..self.plan };
            let stats = traversal::run(game, encoder, &plan, workers, memories)?;
            collected.add(traverser, &stats);
        }
        Ok(collected)
    }
}

impl Collected {
    fn add(&mut self, traverser: usize, stats: &TraversalStats) {
        self.nodes += stats.nodes;
        self.traversals += stats.traversals;
        self.cut_traversals += stats.cut_traversals;
        self.iteration_cut |= stats.iteration_cut;
        self.samples[traverser] += stats.advantage_samples;
        self.strategy_samples += stats.strategy_samples;
        self.commit += stats.times.commit;
    }
}

pub(crate) fn all_negative(config: &RunConfig) -> AllNegative {
    match config.regret_matching.all_negative {
        config::AllNegative::Argmax => AllNegative::Argmax,
        config::AllNegative::Uniform => AllNegative::Uniform,
    }
}
