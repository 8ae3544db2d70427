//! Changes to a world: what an optimisation or another configuration does to the cost model.
//!
//! Not here: when a change is possible (`catalogue`).

use super::costs::{Alternative, TabulatedStrategy};
use super::prior::Kind;
use super::world::World;
use crate::fit::{CallCost, NetworkShape};
use crate::law::Scheduler;
use crate::profile::{Device, Quantity};

/// What is changed.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// Another scheduler with so many lanes a worker.
    Schedule(Scheduler, f64),
    /// So many lanes a worker.
    Lanes(f64),
    /// So many workers.
    Workers(f64),
    /// At most so many rows a call.
    MaxBatch(f64),
    /// Forward passes of traversals and evaluation computed otherwise.
    Forward(Alternative),
    /// Training steps computed otherwise.
    Step(Alternative),
    /// Networks of another shape.
    Network(NetworkShape),
    /// So many samples in a training batch.
    TrainingBatch(f64),
    /// Training steps times this factor.
    TrainingSteps(f64),
    /// Rows of the traversal phase (and samples) times this factor.
    Rows(f64),
    /// So many iterations between evaluations.
    EvaluationEvery(f64),
    /// So many games an evaluation.
    EvaluationGames(f64),
    /// So many rows a forward pass in evaluation.
    EvaluationBatch(f64),
    /// Traversals read a table of so many infosets, computed once an iteration.
    Tabulate(f64),
    /// Calls of networks that cost nothing in kernels: the most that any faster kernel can give.
    FreeKernels,
}

impl World {
    /// The world after `change`; `None` where what it needs was not timed,
    /// or means nothing under the world's scheduler.
    pub fn after(&self, change: &Change) -> Option<Self> {
        let mut world = self.clone();
        world.apply(change)?;
        Some(world)
    }

    fn apply(&mut self, change: &Change) -> Option<()> {
        match *change {
            Change::Schedule(scheduler, lanes) => self.schedule(scheduler, lanes)?,
            Change::Lanes(lanes) => self.lanes(lanes)?,
            Change::Workers(workers) => self.workers(workers),
            Change::MaxBatch(rows) => {
                self.costs.calls.forward.as_ref()?;
                self.costs.traversal.flight.max_batch = rows;
                self.miss(Kind::Capacity);
            }
            Change::Forward(how) => self.forward(how)?,
            Change::Step(how) => self.step(how)?,
            Change::Network(shape) => self.network(shape)?,
            Change::TrainingBatch(rows) => self.training_batch(rows)?,
            Change::TrainingSteps(factor) => {
                self.scale_training(factor);
                self.costs.batch_assembly_seconds *= factor;
            }
            Change::Rows(factor) => self.rows(factor),
            Change::EvaluationEvery(every) => self.evaluation_every(every),
            Change::EvaluationGames(games) => self.evaluation_games(games),
            Change::EvaluationBatch(rows) => self.evaluation_batch(rows)?,
            Change::Tabulate(infosets) => self.tabulate(infosets)?,
            Change::FreeKernels => self.free_kernels()?,
        }
        Some(())
    }

    /// The change's modelling error falls on the traversal phase.
    fn miss(&mut self, kind: Kind) {
        self.costs.traversal.adjustment *= self.prior.error(kind);
    }

    fn schedule(&mut self, scheduler: Scheduler, lanes: f64) -> Option<()> {
        self.costs.calls.forward.as_ref()?;
        let prior = self.prior;
        let lanes = self.lanes_there(lanes);
        let traversal = &mut self.costs.traversal;
        let before = traversal.flight;
        if scheduler.interleaves() && !before.scheduler.interleaves() {
            traversal.logic_seconds_per_row *= prior.lane_overhead;
        } else if !scheduler.interleaves() && before.scheduler.interleaves() {
            traversal.logic_seconds_per_row /= prior.lane_overhead;
        }
        traversal.flight = before.under(scheduler, lanes);
        // How full calls were says nothing of another scheduler, under which other threads wait for each
        // other: a range takes the place of the measured figure.
        traversal.fill = prior.fill;
        if scheduler.interleaves() {
            self.costs.traversal.fill *= self.busy_lanes(lanes);
        }
        self.miss(Kind::Schedule);
        Some(())
    }

    /// The share of a worker's lanes that walk on average: all, but for the end of a phase, when no
    /// traversal is left for a lane that has finished.
    fn busy_lanes(&self, lanes: f64) -> f64 {
        let rounds = (self.traversals_per_barrier / self.costs.traversal.flight.workers / lanes).max(1.0);
        rounds / (rounds + self.prior.drain)
    }

    /// No more lanes than a worker has traversals between two barriers.
    fn lanes_there(&self, lanes: f64) -> f64 {
        let share = self.traversals_per_barrier / self.costs.traversal.flight.workers;
        lanes.min(share.floor()).max(1.0)
    }

    fn lanes(&mut self, lanes: f64) -> Option<()> {
        self.costs.calls.forward.as_ref()?;
        if !self.costs.traversal.flight.scheduler.interleaves() {
            return None;
        }
        let lanes = self.lanes_there(lanes);
        let before = self.costs.traversal.flight.lanes;
        if lanes != before {
            self.costs.traversal.fill *= self.busy_lanes(lanes) / self.busy_lanes(before);
            self.costs.traversal.flight.lanes = lanes;
            self.miss(Kind::Capacity);
        }
        Some(())
    }

    fn workers(&mut self, workers: f64) {
        let measured = self.ratio(Quantity::WorkerContention).map(|ratio| (ratio - 1.0).max(0.0));
        let slope = measured.unwrap_or(self.prior.worker_contention);
        let traversal = &mut self.costs.traversal;
        let cores = traversal.cores;
        let slow = |count: f64| (count / cores).max(1.0) * (1.0 + slope * (count - 1.0));
        let factor = slow(workers) / slow(traversal.flight.workers);
        traversal.logic_seconds_per_row *= factor;
        // Workers that compute their own calls on the processor disturb each other there too. A server's
        // threads stay as many as they are, and an accelerator has memory of its own.
        if !traversal.flight.scheduler.shares_calls() && traversal.device == Device::Cpu {
            traversal.contention *= factor;
            traversal.call_overhead_seconds *= factor;
        }
        // One worker commits its own samples; several leave that to a thread beside them.
        let hands = |count: f64| if count > 1.0 { cores.min(count + 1.0) } else { 1.0 };
        self.costs.memory_seconds *= hands(traversal.flight.workers) / hands(workers);
        if measured.is_some() {
            // What was measured holds the handing over of samples.
            self.costs.memory_seconds *= factor;
        }
        traversal.flight.workers = workers;
        if self.evaluation_by_workers {
            self.matches_side_by_side(workers);
        }
        self.miss(Kind::Capacity);
    }

    fn forward(&mut self, how: Alternative) -> Option<()> {
        let timed = self.costs.calls.forward_otherwise.get(&how).cloned();
        let cost = timed.unwrap_or(self.supposed(how, self.costs.calls.forward.as_ref()?));
        self.forward_costs(cost)
    }

    /// Forward passes, in evaluation too, that cost `cost`.
    pub(crate) fn forward_costs(&mut self, cost: CallCost) -> Option<()> {
        let base = self.costs.calls.forward.clone()?;
        self.evaluation_calls(&base, &cost, self.costs.evaluation.batch);
        self.costs.calls.forward = Some(cost);
        self.miss(Kind::Call);
        Some(())
    }

    fn step(&mut self, how: Alternative) -> Option<()> {
        let timed = self.costs.calls.step_otherwise.get(&how).cloned();
        let cost = timed.unwrap_or(self.supposed(how, self.costs.calls.step.as_ref()?));
        self.step_costs(cost)
    }

    /// Training steps that cost `cost`.
    pub(crate) fn step_costs(&mut self, cost: CallCost) -> Option<()> {
        let base = self.costs.calls.step.clone()?;
        let batch = self.costs.advantage.batch;
        let error = self.prior.error(Kind::Call);
        self.scale_training(cost.seconds(batch) / base.seconds(batch) * error);
        self.costs.calls.step = Some(cost);
        Some(())
    }

    /// What an alternative may cost before anybody timed it.
    fn supposed(&self, how: Alternative, base: &CallCost) -> CallCost {
        let (dispatch, kernel) = match how {
            Alternative::MixedPrecision => self.prior.mixed_precision,
            Alternative::Engine => self.prior.engine,
        };
        base.scaled(dispatch, kernel)
    }

    fn network(&mut self, shape: NetworkShape) -> Option<()> {
        let kernel = (shape.flops_per_row() / self.network.flops_per_row()).powf(self.prior.kernel_exponent);
        let dispatch = self.dispatch_growth(shape).powf(self.prior.dispatch_exponent);
        let measured = self.other_shapes.get(&shape).cloned();
        let error = if measured.is_some() { 1.0 } else { self.prior.error(Kind::Network) };
        let before = self.costs.calls.clone();
        let mut after = before.scaled(dispatch, kernel);
        if let Some(calls) = measured {
            after.forward = calls.forward.or(after.forward);
            after.step = calls.step.or(after.step);
        }
        if let (Some(base), Some(cost)) = (&before.forward, &after.forward) {
            self.evaluation_calls(base, cost, self.costs.evaluation.batch);
        }
        let (base, cost) = (before.step?, after.step.clone()?);
        let batch = self.costs.advantage.batch;
        self.scale_training(cost.seconds(batch) / base.seconds(batch) * error);
        after.forward = Some(after.forward?.scaled(error, error));
        self.costs.calls = after;
        self.network = shape;
        Some(())
    }

    /// A CPU streams the weights once a call; an accelerator launches kernels layer by layer.
    fn dispatch_growth(&self, shape: NetworkShape) -> f64 {
        match self.costs.traversal.device {
            Device::Cpu => shape.parameters() / self.network.parameters(),
            Device::Accelerator => f64::from(shape.num_layers + 1) / f64::from(self.network.num_layers + 1),
        }
    }

    fn training_batch(&mut self, rows: f64) -> Option<()> {
        let step = self.costs.calls.step.clone()?;
        let before = self.costs.advantage.batch;
        self.scale_training(step.seconds(rows) / step.seconds(before) * self.prior.error(Kind::Capacity));
        self.costs.batch_assembly_seconds *= rows / before;
        self.costs.advantage.batch = rows;
        self.costs.strategy.batch = rows;
        Some(())
    }

    fn scale_training(&mut self, factor: f64) {
        self.costs.advantage.seconds *= factor;
        self.costs.strategy.seconds *= factor;
    }

    fn rows(&mut self, factor: f64) {
        self.costs.traversal.rows *= factor;
        self.costs.memory_seconds *= factor;
        self.traversals_per_barrier *= factor;
    }

    fn evaluation_every(&mut self, every: f64) {
        let before = std::mem::replace(&mut self.costs.evaluation.every, every);
        // A network that is fitted for evaluations alone is fitted as often as they are.
        if self.strategy_with_evaluation && before.is_finite() {
            self.costs.strategy.seconds *= before / every;
        }
    }

    fn evaluation_games(&mut self, games: f64) {
        let evaluation = &mut self.costs.evaluation;
        let factor = evaluation.games_share * games / evaluation.games + 1.0 - evaluation.games_share;
        evaluation.games_share *= games / evaluation.games / factor;
        evaluation.seconds_each *= factor;
        evaluation.games = games;
    }

    /// Evaluation after a call of `base` at the present batch became a call of `cost` at `batch` rows.
    fn evaluation_calls(&mut self, base: &CallCost, cost: &CallCost, batch: f64) {
        let evaluation = &mut self.costs.evaluation;
        let Some(share) = evaluation.network_share else { return };
        // Amdahl's law twice: calls are a share of the games, and games a share of the evaluation. The
        // share of calls is kept up to date, so that the next change starts from a true split.
        let per_row = |cost: &CallCost, rows: f64| cost.seconds(rows) / rows;
        let ratio = per_row(cost, batch) / per_row(base, evaluation.batch);
        let games = 1.0 + share * (ratio - 1.0);
        evaluation.seconds_each *= 1.0 + evaluation.games_share * (games - 1.0);
        evaluation.network_share = Some(share * ratio / games);
        evaluation.batch = batch;
    }

    fn evaluation_batch(&mut self, rows: f64) -> Option<()> {
        let forward = self.costs.calls.forward.clone()?;
        self.costs.evaluation.network_share?;
        let before = self.costs.evaluation.seconds_each;
        self.evaluation_calls(&forward, &forward, rows);
        if self.costs.evaluation.seconds_each != before {
            self.costs.evaluation.seconds_each *= self.prior.error(Kind::Evaluation);
        }
        Some(())
    }

    /// An evaluation of which so many matches run side by side.
    pub(crate) fn matches_side_by_side(&mut self, matches: f64) {
        let (prior, cores) = (self.prior, self.costs.traversal.cores);
        let evaluation = &mut self.costs.evaluation;
        let speed = |matches: f64| 1.0 + (matches.min(cores) - 1.0).max(0.0) * prior.parallel_efficiency;
        let factor = speed(evaluation.parallel) / speed(matches) * prior.error(Kind::Evaluation);
        evaluation.seconds_each *= 1.0 + evaluation.games_share * (factor - 1.0);
        evaluation.parallel = matches;
    }

    fn tabulate(&mut self, infosets: f64) -> Option<()> {
        self.costs.calls.forward.as_ref()?;
        let networks = self.networks;
        self.costs.traversal.table =
            Some(TabulatedStrategy { infosets, networks, lookup_seconds: self.prior.lookup_seconds });
        self.miss(Kind::Tabulated);
        Some(())
    }

    fn free_kernels(&mut self) -> Option<()> {
        let before = self.costs.calls.clone();
        let after = before.scaled(1.0, 0.0);
        if let (Some(base), Some(cost)) = (&before.forward, &after.forward) {
            self.evaluation_calls(base, cost, self.costs.evaluation.batch);
        }
        if let (Some(base), Some(cost)) = (&before.step, &after.step) {
            let batch = self.costs.advantage.batch;
            self.scale_training(cost.seconds(batch) / base.seconds(batch));
        }
        let any = after.forward.is_some() || after.step.is_some();
        self.costs.calls = after;
        any.then_some(())
    }
}
