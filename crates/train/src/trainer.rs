//! Deep CFR on one game: traversals, memories, fits, evaluation, one iteration after another.
//!
//! Not here: files (see `session`), the order of samples (see `cfr`), losses (see `nn`).

use std::sync::Arc;

use deepcfr_cfr::reservoir::Memories;
use deepcfr_cfr::tabular::{TabularPolicy, TreeLimits};
use deepcfr_core::{
    Encoder, FitContext, FitReport, Game, Model, ModelFactory, NUM_PLAYERS, NetId, SampleShape, SampleSource,
    Weights,
};

use crate::collect::{Collected, Collector, all_negative};
use crate::config::{EvaluatedPolicy, Initialisation, NashConv, RunConfig, Sampling, Scheduler, Weighting};
use crate::devices;
use crate::diagnostics::{Diagnostics, Probe, Watched};
use crate::error::TrainError;
use crate::evaluation;
use crate::exact::Exact;
use crate::inference::Inference;
use crate::lanes;
use crate::machine::memory_bytes;
use crate::memory_plan::MemoryPlan;
use crate::metrics::{
    EvaluationMetrics, FitMetrics, IterationMetrics, PerNetwork, Phase, PhaseClock, RunClock,
};
use crate::networks::{Due, NUM_NETS, Networks, Reports, evaluation_factory, factories, factory};
use crate::registry::Setup;
use crate::small_game::SmallGame;

/// Exact evaluation is offered up to this many nodes (kept apart from tabulation, which the
/// configuration limits): seconds per evaluation, a gigabyte of tree.
const EXACT_NODES: usize = 20_000_000;

/// A training run in memory.
pub(crate) struct Trainer<G: Game, E> {
    pub(crate) config: RunConfig,
    pub(crate) setup: Setup<G, E>,
    pub(crate) shape: SampleShape,
    pub(crate) threads: usize,
    pub(crate) memory_plan: MemoryPlan,
    pub(crate) state: State,
    small: Option<Tabulated>,
    pub(crate) collector: Collector,
    /// `None` where traversals read a table.
    inference: Option<Inference>,
    /// Whether traversals get the same answers whatever shares their batches.
    pub(crate) row_invariant: bool,
    /// Lanes are still to be chosen, once there is a network to measure.
    lanes_open: bool,
    clock: PhaseClock,
}

/// What a checkpoint holds, beside a small game's [`Exact`].
pub(crate) struct State {
    pub(crate) iteration: u32,
    pub(crate) nodes_total: u64,
    pub(crate) run_clock: RunClock,
    pub(crate) memories: Memories,
    pub(crate) networks: Networks,
}

/// A small game and what is tabulated on it.
pub(crate) struct Tabulated {
    pub(crate) game: SmallGame,
    pub(crate) exact: Exact,
    /// Whether traversals run on the tree, or the tree serves evaluation alone.
    traversed: bool,
    /// The advantage networks' outputs, once there are networks.
    advantages: Option<Vec<f32>>,
    /// Computes them.
    model: Box<dyn Model>,
}

impl<G: Game, E: Encoder<G>> Trainer<G, E> {
    /// Prepares a run; nothing is allocated for samples until they come.
    ///
    /// # Errors
    /// If the game is refused, or the run would not fit in memory.
    pub(crate) fn new(config: RunConfig, setup: Setup<G, E>) -> Result<Self, TrainError> {
        devices::check(&config)?;
        let spec = setup.game.spec();
        spec.check()?;
        let shape = SampleShape { num_features: setup.encoder.num_features(), num_actions: spec.num_actions };
        let memory_plan = MemoryPlan::of(&config, shape).check(memory_bytes())?;
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let threads = config.run.threads.unwrap_or(cores);
        let collector = Collector::new(&config, config.traversal.workers.unwrap_or(threads));
        let factories = factories(&config, shape, NUM_NETS)?;
        let memory = &config.memory;
        let memories =
            Memories::new(shape, memory.advantage_capacity, memory.strategy_capacity, config.run.seed);
        let state = State {
            iteration: 0,
            nodes_total: 0,
            run_clock: RunClock::default(),
            memories,
            networks: Networks::new(&config, shape, threads)?,
        };
        let small = tabulated(&config, &setup, &*factories[0])?;
        let inference = match &small {
            Some(small) if small.traversed => None,
            _ => Some(Inference::open(&config, &factories, collector.workers)?),
        };
        let traversal = &config.traversal;
        Ok(Self {
            lanes_open: traversal.lanes.is_none() && !traversal.scheduler.is_one_lane(),
            small,
            row_invariant: inference.is_none() || factories[0].spec().row_invariant,
            inference,
            config,
            setup,
            shape,
            threads,
            memory_plan,
            state,
            collector,
            clock: PhaseClock::start(),
        })
    }

    /// A small game's evaluation state, for checkpoints.
    pub(crate) fn exact(&mut self) -> Option<&mut Exact> {
        self.small.as_mut().map(|small| &mut small.exact)
    }

    /// Infosets of the game where it is laid out as a tree, and whether traversals run on that.
    pub(crate) fn laid_out(&self) -> Option<(usize, bool)> {
        self.small.as_ref().map(|small| (small.game.tree.num_infosets(), small.traversed))
    }

    /// Books time to a phase from now on; returns the phase before.
    pub(crate) fn switch(&mut self, phase: Phase) -> Phase {
        self.clock.switch(phase)
    }

    /// Puts restored networks in force.
    pub(crate) fn restored(&mut self) -> Result<(), TrainError> {
        self.publish()
    }

    /// Runs one iteration. Its figures count the checkpoint before it, since its own comes after them.
    ///
    /// # Errors
    /// If a traversal, a fit or an evaluation fails; the state is then that of a broken iteration.
    pub(crate) fn iterate(&mut self) -> Result<IterationMetrics, TrainError> {
        self.state.iteration += 1;
        let iteration = self.state.iteration;
        let evaluated = self.is_evaluated(iteration);
        let mut probe = evaluated.then(|| self.probe(iteration));
        let collected = self.collect(iteration, probe.as_mut())?;
        let due = self.due(iteration);
        let reports = self.fit(due)?;
        let mut evaluation = if evaluated { Some(self.evaluate(self.is_extended(iteration))?) } else { None };
        if let (Some(evaluation), Some(probe)) = (&mut evaluation, &probe) {
            evaluation.diagnostics = self.diagnose(probe)?;
        }
        let mut metrics = self.metrics(&collected, &reports, evaluation);
        self.close(&mut metrics);
        Ok(metrics)
    }

    /// Closes the iteration's books.
    fn close(&mut self, metrics: &mut IterationMetrics) {
        (metrics.phases, metrics.iteration_seconds) = self.clock.lap();
        self.state.run_clock.advance(metrics.iteration_seconds, &metrics.phases);
        metrics.clock = self.state.run_clock;
        metrics.nodes_per_second = metrics.nodes as f64 / metrics.phases.traversal.max(f64::MIN_POSITIVE);
    }

    /// Keeps samples of the iteration aside for diagnostics.
    fn probe(&self, iteration: u32) -> Probe {
        let classes = match &self.small {
            Some(small) if small.traversed => small.game.tree.action_classes(),
            _ => self.setup.game.action_classes(),
        };
        Probe::new(self.config.run.seed, iteration, classes)
    }

    /// What the advantage networks in force say of the probed samples; on evaluation's clock.
    fn diagnose(&mut self, probe: &Probe) -> Result<Option<Diagnostics>, TrainError> {
        let Some(networks) = self.state.networks.advantage() else { return Ok(None) };
        let before = self.clock.switch(Phase::Evaluation);
        let mut model = evaluation_factory(&self.config, self.shape, NUM_NETS)?.open()?;
        for (player, weights) in networks.iter().enumerate() {
            model.load(NetId::advantage(player), weights)?;
        }
        let diagnostics = Diagnostics::of(probe, &mut *model, all_negative(&self.config))?;
        self.clock.switch(before);
        Ok(Some(diagnostics))
    }

    fn collect(&mut self, iteration: u32, probe: Option<&mut Probe>) -> Result<Collected, TrainError> {
        self.clock.switch(Phase::Traversal);
        let sink = &mut Watched { memories: &mut self.state.memories, probe };
        let collected = match (&self.small, &mut self.inference) {
            (_, Some(inference)) => self.collector.on_game(
                &self.setup,
                iteration,
                self.state.networks.advantage().is_some(),
                inference,
                sink,
            )?,
            (Some(small), None) => {
                self.collector.on_tree(&small.game, iteration, small.advantages.as_deref(), sink)?
            }
            (None, None) => unreachable!("without a table there is inference"),
        };
        let committing = collected.commit_within(self.clock.current());
        self.clock.rebook(Phase::Traversal, Phase::Memory, committing);
        self.clock.switch(Phase::Other);
        self.state.nodes_total += collected.nodes;
        Ok(collected)
    }

    /// A policy network that starts afresh every time is fitted when somebody looks at it.
    fn due(&self, iteration: u32) -> Due {
        let warm = self.config.training.initialisation == Initialisation::WarmStart;
        let strategy = self.config.average.policy_network && (warm || self.is_evaluated(iteration));
        Due { advantage: true, strategy }
    }

    fn is_extended(&self, iteration: u32) -> bool {
        let due = |every| iteration.is_multiple_of(every) || iteration == self.config.run.iterations;
        self.config.evaluation.extended_every.is_some_and(due)
    }

    fn is_evaluated(&self, iteration: u32) -> bool {
        iteration.is_multiple_of(self.config.evaluation.every) || iteration == self.config.run.iterations
    }

    fn fit(&mut self, due: Due) -> Result<Reports, TrainError> {
        self.clock.switch(Phase::AdvantageTraining);
        let iteration = self.state.iteration;
        let context = FitContext { seed: self.config.run.seed, iteration };
        let reports = self.state.networks.fit(&self.state.memories, due, context)?;
        self.book_fits(&reports);
        self.clock.switch(Phase::Other);
        if let Some(networks) = self.state.networks.advantage() {
            let weight = self.weight(iteration);
            if self.config.average.sd_cfr {
                self.state.networks.archive.add(weight, networks);
            }
            self.publish()?;
            if let Some(small) = &mut self.small
                && let Some(advantages) = &small.advantages
            {
                let strategy = small.game.strategy(advantages, all_negative(&self.config));
                small.exact.add(&small.game, &strategy, weight);
            }
        }
        Ok(reports)
    }

    /// How much an iteration's strategy counts in the average.
    fn weight(&self, iteration: u32) -> f64 {
        match self.config.training.weighting {
            Weighting::Linear => f64::from(iteration),
            Weighting::None => 1.0,
        }
    }

    /// The fits ran side by side: their joint wall time is shared out in proportion to their own.
    fn book_fits(&mut self, reports: &Reports) {
        let seconds = |part: fn(&FitReport) -> f64, nets: std::ops::Range<usize>| -> f64 {
            reports[nets].iter().flatten().map(part).sum()
        };
        let total = seconds(|report| report.total.as_secs_f64(), 0..NUM_NETS);
        if total == 0.0 {
            return;
        }
        let wall = self.clock.current().as_secs_f64();
        let assembly = |report: &FitReport| report.batch_assembly.as_secs_f64();
        let computing = |report: &FitReport| (report.total - report.batch_assembly).as_secs_f64();
        let share = |seconds: f64| std::time::Duration::from_secs_f64(wall * seconds / total);
        let waited = share(seconds(assembly, 0..NUM_NETS));
        let strategy = share(seconds(computing, NUM_PLAYERS..NUM_NETS));
        self.clock.rebook(Phase::AdvantageTraining, Phase::BatchAssembly, waited);
        self.clock.rebook(Phase::AdvantageTraining, Phase::StrategyTraining, strategy);
    }

    /// Puts the advantage networks in force for traversals.
    fn publish(&mut self) -> Result<(), TrainError> {
        let Some(networks) = self.state.networks.advantage() else { return Ok(()) };
        let nets = [0, 1].map(|player: usize| (NetId::advantage(player), networks[player].clone()));
        if let Some(inference) = &mut self.inference {
            inference.publish(&nets)?;
            if std::mem::take(&mut self.lanes_open) {
                let lanes = self.measured_lanes(self.config.traversal.scheduler, &nets[0].1)?;
                self.collector.set_lanes(lanes);
            }
        }
        if let Some(small) = &mut self.small {
            for (net, weights) in &nets {
                small.model.load(*net, weights)?;
            }
            small.advantages = Some(small.game.tabulate(&mut *small.model, NetId::advantage)?);
        }
        Ok(())
    }

    /// Lanes a worker of `scheduler`, from the cost curve of a network on rows of the memory.
    pub(crate) fn measured_lanes(
        &self,
        scheduler: Scheduler,
        weights: &Arc<Weights>,
    ) -> Result<usize, TrainError> {
        let memory = &self.state.memories.advantage[0];
        let traversal = &self.config.traversal;
        let count = memory.len().min(traversal.max_batch);
        let mut rows = vec![0.0; count * self.shape.num_features];
        let mut targets = vec![0.0; self.shape.num_actions];
        for (index, row) in rows.chunks_exact_mut(self.shape.num_features).enumerate() {
            memory.read(index, row, &mut targets);
        }
        let mut model = factory(&self.config, self.shape, NUM_NETS)?.open()?;
        model.load(NetId::advantage(0), weights)?;
        let batch = lanes::flat_batch(&mut *model, &rows, traversal.max_batch)?;
        let lanes = lanes::lanes_for(batch, scheduler, self.collector.workers);
        tracing::debug!(batch, lanes, "lanes chosen from the measured cost of a forward pass");
        Ok(lanes)
    }

    /// Evaluates the strategies that the configuration names, on the evaluation's own clock; with
    /// `extended` also against the extended set.
    ///
    /// # Errors
    /// If an inference device fails.
    pub(crate) fn evaluate(&mut self, extended: bool) -> Result<EvaluationMetrics, TrainError> {
        let before = self.clock.switch(Phase::Evaluation);
        let mut small = self.small.take();
        let evaluated = evaluation::evaluate(&self.subject(), small.as_mut(), extended);
        self.small = small;
        self.clock.switch(before);
        evaluated
    }

    /// Every kind of strategy that there is by now, on the game's tree, with what it is called; none
    /// where the game is not laid out.
    ///
    /// # Errors
    /// If an inference device fails.
    pub(crate) fn strategies(&self) -> Result<Vec<(&'static str, TabularPolicy)>, TrainError> {
        let Some(small) = &self.small else { return Ok(Vec::new()) };
        let mut strategies = Vec::new();
        for &policy in EvaluatedPolicy::ALL {
            let strategy = self.subject().tabulated(small, policy)?;
            strategies.extend(strategy.map(|strategy| (evaluation::label(policy), strategy)));
        }
        Ok(strategies)
    }

    fn subject(&self) -> evaluation::Subject<'_, G, E> {
        evaluation::Subject {
            config: &self.config,
            setup: &self.setup,
            state: &self.state,
            shape: self.shape,
            workers: self.collector.workers,
        }
    }

    fn metrics(
        &self,
        collected: &Collected,
        reports: &Reports,
        evaluation: Option<EvaluationMetrics>,
    ) -> IterationMetrics {
        let fit = |net: usize| reports[net].as_ref().map(FitMetrics::from);
        let memories = &self.state.memories;
        IterationMetrics {
            iteration: self.state.iteration,
            nodes: collected.nodes,
            nodes_total: self.state.nodes_total,
            traversals: collected.traversals,
            cut_traversals: collected.cut_traversals,
            iteration_cut: collected.iteration_cut,
            samples: PerNetwork { advantage: collected.samples, strategy: collected.strategy_samples },
            memory_sizes: PerNetwork {
                advantage: [0, 1].map(|player: usize| memories.advantage[player].len() as u64),
                strategy: memories.strategy.len() as u64,
            },
            fits: PerNetwork { advantage: [fit(0), fit(1)], strategy: fit(2) },
            batches: collected.batches.clone(),
            evaluation,
            ..IterationMetrics::default()
        }
    }
}

impl Tabulated {
    /// The advantage networks' outputs at every infoset, once there are networks.
    pub(crate) fn advantages(&self) -> Option<&[f32]> {
        self.advantages.as_deref()
    }
}

fn tabulated<G: Game, E: Encoder<G>>(
    config: &RunConfig,
    setup: &Setup<G, E>,
    factory: &dyn ModelFactory,
) -> Result<Option<Tabulated>, TrainError> {
    let below = config.traversal.tabulate_below.unwrap_or(0);
    let exact = config.evaluation.nash_conv == NashConv::Auto;
    let default = TreeLimits::default();
    let max_infosets =
        if exact { default.max_infosets } else { usize::try_from(below).unwrap_or(usize::MAX) };
    if max_infosets == 0 {
        return Ok(None);
    }
    let limits = TreeLimits { max_nodes: EXACT_NODES, max_infosets };
    let Some(game) = SmallGame::build(&setup.game, &setup.encoder, limits)? else { return Ok(None) };
    // Rollout policies play the game itself, not its tree.
    let rollouts = config.traversal.sampling == Sampling::Rollout;
    let traversed = game.tree.num_infosets() as u64 <= below && !rollouts;
    let baseline = exact && config.evaluation.tabular_baseline;
    let exact = Exact::new(&game, baseline, config.run.seed, setup.ante);
    Ok(Some(Tabulated { game, exact, traversed, advantages: None, model: factory.open()? }))
}

#[cfg(test)]
mod tests;
