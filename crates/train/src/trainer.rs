//! Deep CFR on one game: traversals, memories, fits, evaluation, one iteration after another.
//!
//! Not here: files (see `session`), the order of samples (see `cfr`), losses (see `nn`).

use std::sync::Arc;
use std::time::Duration;

use deepcfr_board::Board;
use deepcfr_cfr::memory::{Memories, Memory};
use deepcfr_cfr::tabular::TabularPolicy;
use deepcfr_config::{EvaluatedPolicy, Initialisation, NashConv, RunConfig, Updates};
use deepcfr_core::{FitContext, FitReport, NUM_PLAYERS, NetId, Player, SampleShape, SampleSource, Weights};
use deepcfr_runs::machine::memory_bytes;
use deepcfr_runs::metrics::{
    Diagnostics, EvaluationMetrics, FitMetrics, IterationMetrics, PerNetwork, Phase, PhaseClock, RunClock,
};

use crate::collect::{Collected, Collector, Walk};
use crate::devices;
use crate::diagnostics::{Probe, Watched, diagnose};
use crate::error::TrainError;
use crate::evaluation;
use crate::exact::Exact;
use crate::inference::Inference;
use crate::lanes::Lanes;
use crate::memory_plan::{MemoryPlan, memory_kinds};
use crate::networks::{Due, NUM_NETS, Networks, Reports, evaluation_factory, factories, factory};
use crate::state::State;
use crate::tabulated::Tabulated;
use crate::words::{all_negative, weighting};

/// A training run in memory.
pub struct Trainer {
    pub(crate) config: RunConfig,
    pub(crate) board: Arc<dyn Board>,
    shape: SampleShape,
    threads: usize,
    memory_plan: MemoryPlan,
    pub(crate) state: State,
    small: Option<Tabulated>,
    collector: Collector,
    /// `None` where traversals read a table.
    inference: Option<Inference>,
    row_invariant: bool,
    clock: PhaseClock,
}

impl Trainer {
    /// Prepares a run of the game on `board`, which must be the one that `config` chooses; nothing is
    /// allocated for samples until they come.
    ///
    /// # Errors
    /// If the game or a device is refused, or the run would not fit in memory.
    pub fn new(config: RunConfig, board: Arc<dyn Board>) -> Result<Self, TrainError> {
        devices::check(&config)?;
        board.facts().spec.check()?;
        let shape = board.facts().shape();
        let factories = factories(&config, shape, NUM_NETS)?;
        let small = Tabulated::of(&config, &*board, &*factories[0])?;
        let infosets = Tabulated::infosets(small.as_ref(), &config, &*board)?;
        let kinds = memory_kinds(&config, infosets);
        let memory_plan = MemoryPlan::of(&config, shape, kinds).check(memory_bytes())?;
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let threads = config.run.threads.unwrap_or(cores);
        let collector = Collector::new(&config, &*board, config.traversal.workers.unwrap_or(threads));
        let memories = Memories::new(shape, kinds[0], kinds[1], config.run.seed);
        let state = State {
            iteration: 0,
            nodes_total: 0,
            run_clock: RunClock::default(),
            memories,
            networks: Networks::new(&config, shape, threads)?,
        };
        let inference = match &small {
            Some(small) if small.traversed => None,
            _ => Some(Inference::open(&config, &factories, collector.workers())?),
        };
        Ok(Self {
            small,
            row_invariant: inference.is_none() || factories[0].spec().row_invariant,
            inference,
            config,
            board,
            shape,
            threads,
            memory_plan,
            state,
            collector,
            clock: PhaseClock::start(),
        })
    }

    /// The configuration.
    pub fn config(&self) -> &RunConfig {
        &self.config
    }

    /// The game.
    pub fn board(&self) -> &dyn Board {
        &*self.board
    }

    /// The lengths of a sample's rows.
    pub fn shape(&self) -> SampleShape {
        self.shape
    }

    /// Threads of fits and evaluations.
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// What memory goes to when everything is full.
    pub fn memory_plan(&self) -> &MemoryPlan {
        &self.memory_plan
    }

    /// Whether rows are answered bit for bit alike whatever shares their batch, so that workers, lanes and
    /// scheduler change no result.
    pub fn row_invariant(&self) -> bool {
        self.row_invariant
    }

    /// The last iteration that was run; 0 before the first.
    pub fn iteration(&self) -> u32 {
        self.state.iteration
    }

    /// Whether the configuration's iterations are all done.
    pub fn is_complete(&self) -> bool {
        self.state.iteration >= self.config.run.iterations
    }

    /// The samples.
    pub fn memories(&self) -> &Memories {
        &self.state.memories
    }

    /// The networks in force, and the archive of past ones.
    pub fn networks(&self) -> &Networks {
        &self.state.networks
    }

    /// The lanes of traversals and matches.
    pub fn lanes(&self) -> &Lanes {
        self.collector.lanes()
    }

    /// Why exploitability will not be measured although the configuration asks for it where it can be.
    pub(crate) fn unmeasured(&self) -> Option<&'static str> {
        let wanted = self.config.evaluation.nash_conv == NashConv::Auto;
        (wanted && self.small.is_none()).then_some(
            "exploitability will not be measured: the game is too big to be laid out, or the infoset keys of a \
             player forget what that player saw; matches measure strength, and a bound from below comes from \
             the command `exploit` with --approximate",
        )
    }

    /// A small game's evaluation state, for checkpoints.
    pub(crate) fn exact(&mut self) -> Option<&mut Exact> {
        self.small.as_mut().map(|small| &mut small.exact)
    }

    /// Infosets of the game where it is laid out as a tree, and whether traversals run on that.
    pub fn laid_out(&self) -> Option<(usize, bool)> {
        self.small.as_ref().map(|small| (small.game.tree.num_infosets(), small.traversed))
    }

    /// Books time to a phase from now on; returns the phase before.
    pub fn switch(&mut self, phase: Phase) -> Phase {
        self.clock.switch(phase)
    }

    /// Puts restored networks in force.
    pub(crate) fn restored(&mut self) -> Result<(), TrainError> {
        self.publish([true; NUM_NETS])?;
        self.choose_lanes()
    }

    /// Runs one iteration. Its figures count the checkpoint before it, since its own comes after them.
    ///
    /// # Errors
    /// If a traversal, a fit or an evaluation fails; the state is then that of a broken iteration.
    pub fn iterate(&mut self) -> Result<IterationMetrics, TrainError> {
        self.state.iteration += 1;
        let iteration = self.state.iteration;
        let evaluated = self.is_evaluated(iteration);
        let mut probe = evaluated.then(|| self.probe(iteration));
        let (mut collected, mut reports) = (Collected::default(), Reports::default());
        for (traversers, due) in self.updates(iteration) {
            collected.merge(self.collect(traversers, probe.as_mut())?);
            let fitted = self.fit(due)?;
            self.publish(due)?;
            reports.iter_mut().zip(fitted).for_each(|(report, fitted)| *report = fitted.or(report.take()));
        }
        self.archive();
        self.average();
        self.choose_lanes()?;
        let mut evaluation = if evaluated { Some(self.evaluate(self.is_extended(iteration))?) } else { None };
        if let (Some(evaluation), Some(probe)) = (&mut evaluation, &probe) {
            evaluation.diagnostics = self.diagnose(probe)?;
        }
        let mut metrics = self.metrics(&collected, &reports, evaluation);
        self.close(&mut metrics);
        Ok(metrics)
    }

    /// The steps of an iteration in order: whose traversals, and which networks are fitted after them. A policy
    /// network that starts afresh every time is fitted when somebody looks at it.
    fn updates(&self, iteration: u32) -> Vec<(&'static [Player], Due)> {
        let warm = self.config.training.initialisation == Initialisation::WarmStart;
        let strategy = self.config.average.policy_network && (warm || self.is_evaluated(iteration));
        match self.config.training.updates {
            Updates::Together => vec![(&[0, 1], [true, true, strategy])],
            // The policy network's samples are complete once player 1's are: it is fitted beside player 1's.
            Updates::InTurn => vec![(&[0], [true, false, false]), (&[1], [false, true, strategy])],
        }
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
            Some(small) if small.traversed => small.game.action_classes(),
            _ => self.board.facts().action_classes,
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
        let diagnostics = diagnose(probe, &mut *model, all_negative(&self.config))?;
        self.clock.switch(before);
        Ok(Some(diagnostics))
    }

    fn collect(
        &mut self,
        traversers: &'static [Player],
        probe: Option<&mut Probe>,
    ) -> Result<Collected, TrainError> {
        self.clock.switch(Phase::Traversal);
        let sink = &mut Watched { memories: &mut self.state.memories, probe };
        let [first, second, _] = &self.state.networks.weights;
        let fitted = [first, second].map(|network| network.is_some());
        let walk = Walk { iteration: self.state.iteration, traversers, fitted };
        let collected = match (&self.small, &mut self.inference) {
            (_, Some(inference)) => self.collector.on_board(&*self.board, walk, inference, sink)?,
            (Some(small), None) => self.collector.on_tree(&small.game, walk, small.outputs(), sink)?,
            (None, None) => unreachable!("without a table there is inference"),
        };
        let committing = collected.commit_within(self.clock.current());
        self.clock.rebook(Phase::Traversal, Phase::Memory, committing);
        self.clock.switch(Phase::Other);
        self.state.nodes_total += collected.nodes;
        self.check_memories()?;
        Ok(collected)
    }

    /// Whether merged memories hold everything that was offered.
    fn check_memories(&self) -> Result<(), TrainError> {
        let keys = ["advantage_capacity", "advantage_capacity", "strategy_capacity"];
        for (memory, key) in self.state.memories.iter().zip(keys) {
            if let Memory::Merged(memory) = memory {
                memory.check().map_err(|overflow| TrainError::DistinctRows { key, overflow })?;
            }
        }
        Ok(())
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
        let context = FitContext { seed: self.config.run.seed, iteration: self.state.iteration };
        let reports = self.state.networks.fit(&self.state.memories, due, context)?;
        self.book_fits(&reports);
        self.clock.switch(Phase::Other);
        Ok(reports)
    }

    /// Adds the advantage networks to the archive that SD-CFR plays from.
    fn archive(&mut self) {
        let weight = weighting(&self.config).unscaled(self.state.iteration);
        if let Some(networks) = self.state.networks.advantage().filter(|_| self.config.average.sd_cfr) {
            self.state.networks.archive.add(weight, networks);
        }
    }

    /// Adds the strategy in force to SD-CFR's exact average, where the game is small.
    fn average(&mut self) {
        let weight = weighting(&self.config).unscaled(self.state.iteration);
        if let Some(small) = &mut self.small {
            small.add_to_average(all_negative(&self.config), weight);
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
        let share = |seconds: f64| Duration::from_secs_f64(wall * seconds / total);
        let waited = share(seconds(assembly, 0..NUM_NETS));
        let strategy = share(seconds(computing, NUM_PLAYERS..NUM_NETS));
        self.clock.rebook(Phase::AdvantageTraining, Phase::BatchAssembly, waited);
        self.clock.rebook(Phase::AdvantageTraining, Phase::StrategyTraining, strategy);
    }

    /// Puts those advantage networks in force for traversals that are `due` and there.
    fn publish(&mut self, due: Due) -> Result<(), TrainError> {
        let players = (0..NUM_PLAYERS).filter(|&player| due[player]);
        let nets = players.filter_map(|player| {
            Some((NetId::advantage(player), self.state.networks.weights[player].clone()?))
        });
        let nets: Vec<(NetId, Arc<Weights>)> = nets.collect();
        if nets.is_empty() {
            return Ok(());
        }
        if let Some(inference) = &mut self.inference {
            inference.publish(&nets)?;
        }
        if let Some(small) = &mut self.small {
            small.publish(&nets)?;
        }
        Ok(())
    }

    /// Both players' advantage networks with their numbers, once there are any.
    pub fn advantage_nets(&self) -> Option<[(NetId, Arc<Weights>); NUM_PLAYERS]> {
        let networks = self.state.networks.advantage()?;
        Some([0, 1].map(|player: usize| (NetId::advantage(player), networks[player].clone())))
    }

    /// Once there is a network to measure, chooses the lanes that the configuration leaves open.
    fn choose_lanes(&mut self) -> Result<(), TrainError> {
        if self.inference.is_none() || !self.lanes().are_open() || self.state.networks.weights[0].is_none() {
            return Ok(());
        }
        let mut lanes = *self.lanes();
        self.measure_lanes(&mut lanes)?;
        self.collector.set_lanes(lanes);
        Ok(())
    }

    /// Chooses `lanes` by the cost curve of the first player's network on rows of the memory; leaves them as
    /// they are while there is no network.
    ///
    /// # Errors
    /// If a model cannot be opened or fails.
    pub fn measure_lanes(&self, lanes: &mut Lanes) -> Result<(), TrainError> {
        let Some(weights) = &self.state.networks.weights[0] else { return Ok(()) };
        let memory = &self.state.memories.advantage[0];
        let max_batch = self.config.traversal.max_batch;
        let count = memory.len().min(max_batch);
        let mut rows = vec![0.0; count * self.shape.num_features];
        let mut targets = vec![0.0; self.shape.num_actions];
        for (index, row) in rows.chunks_exact_mut(self.shape.num_features).enumerate() {
            memory.read(index, row, &mut targets);
        }
        let mut model = factory(&self.config, self.shape, NUM_NETS)?.open()?;
        model.load(NetId::advantage(0), weights)?;
        Ok(lanes.measure(&mut *model, &rows, max_batch)?)
    }

    /// Evaluates the strategies that the configuration names, on the evaluation's own clock; with
    /// `extended` also against the extended set.
    ///
    /// # Errors
    /// If an inference device fails.
    pub fn evaluate(&mut self, extended: bool) -> Result<EvaluationMetrics, TrainError> {
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
    pub fn strategies(&self) -> Result<Vec<(&'static str, TabularPolicy)>, TrainError> {
        let Some(small) = &self.small else { return Ok(Vec::new()) };
        let mut strategies = Vec::new();
        for &policy in EvaluatedPolicy::ALL {
            let strategy = self.subject().tabulated(small, policy)?;
            strategies.extend(strategy.map(|strategy| (evaluation::label(policy), strategy)));
        }
        Ok(strategies)
    }

    fn subject(&self) -> evaluation::Subject<'_> {
        evaluation::Subject {
            config: &self.config,
            board: &*self.board,
            state: &self.state,
            workers: self.collector.workers(),
        }
    }

    /// The noise of mean targets that a reservoir leaves once it leaves samples out, where the fit knows how
    /// targets spread.
    fn noise_floor(&self, player: Player, report: &FitReport) -> Option<f64> {
        let weighting = weighting(&self.config);
        match &self.state.memories.advantage[player] {
            Memory::Reservoir(memory) if memory.overflowed() => {
                Some(memory.noise_floor(report.distinct_rows, report.target_spread?, weighting))
            }
            _ => None,
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
            left_out: PerNetwork {
                advantage: [0, 1].map(|player: usize| memories.advantage[player].left_out()),
                strategy: memories.strategy.left_out(),
            },
            noise_floor: [0, 1].map(|player| self.noise_floor(player, reports[player].as_ref()?)),
            batches: collected.batches(),
            evaluation,
            ..IterationMetrics::default()
        }
    }
}

#[cfg(test)]
mod tests;
