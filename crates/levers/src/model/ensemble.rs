//! Equally likely worlds that agree with a profile.
//!
//! Each world resamples the measured iterations (with their few-sample correction), takes one bootstrap
//! replicate of every fit, and draws what is not measured from its prior. Two figures tie the cost model to
//! the run rather than to micro-benchmarks: contention is the run's own time of a call over the timed
//! one, and logic a row is what remains of the workers' measured seconds. Not here: the formulas (`costs`).

use std::collections::BTreeMap;

use super::change::Change;
use super::costs::{Alternative, CallBook, Costs, EvaluationCosts, TrainingCosts, TraversalCosts};
use super::prior::Prior;
use super::world::World;
use crate::fit::{CallCost, Fit, FitError, NetworkShape};
use crate::law::Scheduler;
use crate::profile::{
    Call, CallTimings, IterationSample, PhaseSeconds, Profile, ProfileError, Quantity, Variant,
    evaluation_seconds_each, weights,
};
use crate::statistics::{Estimate, Use, bootstrap_factor, resample, stream};

/// Worlds of an ensemble.
const WORLDS: usize = 1000;
/// Relative standard deviation of an evaluation's time where fewer than three were measured.
const FEW_EVALUATIONS_NOISE: f64 = 0.05;

/// A profile that no ensemble can be made of.
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    /// The profile itself.
    #[error(transparent)]
    Profile(#[from] ProfileError),
    /// Timings of one kind of call.
    #[error("timings of the {} by {engine} ({}): {source}", call.name(), variant.name())]
    Fit {
        /// The call.
        call: Call,
        /// The engine.
        engine: String,
        /// The variant.
        variant: Variant,
        /// What is wrong with them.
        source: FitError,
    },
}

/// Equally likely worlds.
#[derive(Clone, Debug)]
pub struct Ensemble {
    /// The worlds.
    pub worlds: Vec<World>,
    /// The fit of forward passes as runs do them, where timed.
    pub forward: Option<Fit>,
    /// The fit of training steps as runs do them, where timed.
    pub step: Option<Fit>,
    /// The engine that [`Alternative::Engine`] stands for: the fastest other one at the run's own batch.
    pub other_engine: Option<String>,
    /// Measured iterations that the ensemble rests on.
    pub iterations: usize,
}

struct Fitted<'a> {
    timings: &'a CallTimings,
    fit: Fit,
}

impl Ensemble {
    /// The worlds that agree with `profile`.
    ///
    /// # Errors
    /// [`ModelError`] if the profile or a set of its timings is unusable.
    pub fn of(profile: &Profile) -> Result<Self, ModelError> {
        profile.check()?;
        let fits = profile.calls.iter().map(|timings| fitted(timings, profile.build.seed));
        let fits: Vec<Fitted> = fits.collect::<Result<_, _>>()?;
        let own = |call| {
            let engine = &profile.workload.traversal.engine;
            let mine = fits.iter().filter(|fitted| fitted.is(call, profile.workload.network, Variant::Plain));
            // A training step has one engine only, which need not be the engine of forward passes.
            let fitted = mine.clone().find(|fitted| fitted.timings.engine == *engine);
            fitted.or_else(|| mine.clone().next().filter(|_| call == Call::TrainingStep))
        };
        let (forward, step) = (own(Call::Forward), own(Call::TrainingStep));
        let worlds = (0..WORLDS).map(|index| world(profile, &fits, forward, step, index)).collect();
        Ok(Self {
            worlds,
            forward: forward.map(|fitted| fitted.fit.clone()),
            step: step.map(|fitted| fitted.fit.clone()),
            other_engine: other_engine(profile, &fits),
            iterations: profile.iterations.len(),
        })
    }

    /// The ensemble after `changes`; `None` where what they need was not timed.
    pub fn after(&self, changes: &[Change]) -> Option<Self> {
        let worlds = self
            .worlds
            .iter()
            .map(|world| changes.iter().try_fold(world.clone(), |world, change| world.after(change)));
        Some(Self { worlds: worlds.collect::<Option<_>>()?, ..self.clone() })
    }

    /// Whether both calls of networks of `shape`, other than the profile's own, were timed.
    pub fn has_timed(&self, shape: NetworkShape) -> bool {
        let timed = self.worlds.first().and_then(|world| world.other_shapes.get(&shape));
        timed.is_some_and(|calls| calls.forward.is_some() && calls.step.is_some())
    }

    /// Any figure of the costs, with its interval.
    pub fn estimate(&self, figure: impl Fn(&Costs) -> f64) -> Estimate {
        let draws: Vec<f64> = self.worlds.iter().map(|world| figure(&world.costs)).collect();
        Estimate::of_distribution(&draws, self.iterations)
    }

    /// Seconds of an average iteration over those of `after`: above 1, `after` is faster.
    pub fn speed_up(&self, after: &Self) -> Estimate {
        let pairs = self.worlds.iter().zip(&after.worlds);
        let draws: Vec<f64> = pairs
            .map(|(before, after)| before.costs.iteration_seconds() / after.costs.iteration_seconds())
            .collect();
        Estimate::of_distribution(&draws, self.iterations)
    }
}

impl Fitted<'_> {
    fn is(&self, call: Call, network: NetworkShape, variant: Variant) -> bool {
        let timings = self.timings;
        timings.call == call && timings.network == network && timings.variant == variant
    }

    /// What this is an alternative to, if anything.
    fn alternative(&self, engine: &str) -> Option<Alternative> {
        let timings = self.timings;
        match timings.variant {
            Variant::Plain if timings.engine == engine => None,
            Variant::Plain => Some(Alternative::Engine),
            Variant::MixedPrecision => Some(Alternative::MixedPrecision),
        }
    }
}

fn fitted(timings: &CallTimings, seed: u64) -> Result<Fitted<'_>, ModelError> {
    let fit = Fit::of(&timings.timings, seed).map_err(|source| ModelError::Fit {
        call: timings.call,
        engine: timings.engine.clone(),
        variant: timings.variant,
        source,
    })?;
    Ok(Fitted { timings, fit })
}

fn world(
    profile: &Profile,
    fits: &[Fitted],
    forward: Option<&Fitted>,
    step: Option<&Fitted>,
    index: usize,
) -> World {
    let prior = Prior::draw(profile.build.seed, index);
    let sample = Mean::draw(profile, index);
    let workload = &profile.workload;
    let engine = &workload.traversal.engine;
    let cost = |fitted: Option<&Fitted>| fitted.map(|fitted| fitted.fit.replicate(index));
    let calls = CallBook {
        forward: cost(forward),
        step: cost(step),
        forward_otherwise: otherwise(fits, Call::Forward, workload.network, engine, index, sample.batch()),
        step_otherwise: match step {
            Some(step) => {
                let engine = &step.timings.engine;
                let batch = workload.training.rows_of_a_step();
                otherwise(fits, Call::TrainingStep, workload.network, engine, index, batch)
            }
            None => BTreeMap::new(),
        },
    };
    World {
        costs: costs(profile, &sample, calls, &prior),
        prior,
        network: workload.network,
        networks: workload.traversal.networks_per_sweep.ceil(),
        traversals_per_barrier: f64::from(workload.traversal.traversals_per_player),
        strategy_with_evaluation: workload.training.strategy_with_evaluation,
        evaluation_by_workers: workload.evaluation.follows_scheduler,
        other_shapes: other_shapes(profile, fits, step, index),
        ratios: ratios(profile, index),
    }
}

fn other_engine(profile: &Profile, fits: &[Fitted]) -> Option<String> {
    let workload = &profile.workload;
    let others = fits.iter().filter(|fitted| {
        fitted.is(Call::Forward, workload.network, Variant::Plain)
            && fitted.alternative(&workload.traversal.engine) == Some(Alternative::Engine)
    });
    let totals = |part: fn(&IterationSample) -> f64| profile.iterations.iter().map(part).sum::<f64>();
    let (rows, calls) = (totals(|sample| sample.rows as f64), totals(|sample| sample.calls as f64));
    let batch = if calls > 0.0 { (rows / calls).max(1.0) } else { 1.0 };
    let seconds = |fitted: &Fitted| fitted.fit.cost.seconds(batch);
    let fastest = others.min_by(|a, b| seconds(a).total_cmp(&seconds(b)))?;
    Some(fastest.timings.engine.clone())
}

/// Alternatives to a call; of several engines the fastest at `batch`.
fn otherwise(
    fits: &[Fitted],
    call: Call,
    network: NetworkShape,
    engine: &str,
    index: usize,
    batch: f64,
) -> BTreeMap<Alternative, CallCost> {
    let mut found: BTreeMap<Alternative, CallCost> = BTreeMap::new();
    for fitted in
        fits.iter().filter(|fitted| fitted.timings.call == call && fitted.timings.network == network)
    {
        let Some(key) = fitted.alternative(engine) else { continue };
        let cost = fitted.fit.replicate(index);
        let best = found.entry(key).or_insert_with(|| cost.clone());
        if cost.seconds(batch) < best.seconds(batch) {
            *best = cost;
        }
    }
    found
}

fn other_shapes(
    profile: &Profile,
    fits: &[Fitted],
    step: Option<&Fitted>,
    index: usize,
) -> BTreeMap<NetworkShape, CallBook> {
    let mut shapes: BTreeMap<NetworkShape, CallBook> = BTreeMap::new();
    for Fitted { timings, fit } in fits {
        if timings.network == profile.workload.network || timings.variant != Variant::Plain {
            continue;
        }
        let book = shapes.entry(timings.network).or_default();
        match timings.call {
            Call::Forward if timings.engine == profile.workload.traversal.engine => {
                book.forward = Some(fit.replicate(index));
            }
            Call::TrainingStep if step.is_some_and(|step| step.timings.engine == timings.engine) => {
                book.step = Some(fit.replicate(index));
            }
            _ => {}
        }
    }
    shapes
}

fn ratios(profile: &Profile, index: usize) -> Vec<(Quantity, f64)> {
    let mut stream = stream(profile.build.seed, Use::Effect, index);
    let drawn = profile.effects.iter().filter_map(|effect| {
        let logs: Vec<f64> = profile.effect(effect.quantity)?.iter().map(|ratio| ratio.ln()).collect();
        let centre = logs.iter().sum::<f64>() / logs.len() as f64;
        let chosen = resample(&mut stream, logs.len(), logs.len());
        let drawn = chosen.iter().map(|&place| logs[place]).sum::<f64>() / logs.len() as f64;
        Some((effect.quantity, (centre + (drawn - centre) * bootstrap_factor(logs.len())).exp()))
    });
    drawn.collect()
}

/// A resampled mean iteration, evaluation apart.
struct Mean {
    phases: PhaseSeconds,
    rows: f64,
    calls: f64,
    forward_thread_seconds: f64,
    evaluation_seconds_each: f64,
}

impl Mean {
    fn draw(profile: &Profile, index: usize) -> Self {
        let iterations = &profile.iterations;
        let mut stream = stream(profile.build.seed, Use::Iterations, index);
        let chosen = resample(&mut stream, iterations.len(), iterations.len());
        let drawn: Vec<IterationSample> = chosen.into_iter().map(|place| iterations[place]).collect();
        let every = profile.workload.evaluation.every_iterations;
        let (best, drawn) = (figures(iterations, every), figures(&drawn, every));
        let factor = bootstrap_factor(iterations.len());
        // On a logarithmic scale, so that no figure turns negative.
        let stretch = |best: f64, drawn: f64| {
            if best > 0.0 && drawn > 0.0 { best * (drawn / best).powf(factor) } else { best }
        };
        let figures: Vec<f64> = best.iter().zip(&drawn).map(|(&best, &drawn)| stretch(best, drawn)).collect();
        let phases = PhaseSeconds::from_array(std::array::from_fn(|place| figures[place]));
        let evaluations = iterations.iter().filter(|sample| sample.evaluated).count();
        // Resampling cannot tell how far one or two evaluations are from the next.
        let noise = if evaluations < 3 { (FEW_EVALUATIONS_NOISE * stream.normal()).exp() } else { 1.0 };
        Self {
            phases,
            rows: figures[8],
            calls: figures[9],
            forward_thread_seconds: figures[10],
            evaluation_seconds_each: noise * figures[11],
        }
    }

    fn batch(&self) -> f64 {
        if self.calls > 0.0 { (self.rows / self.calls).max(1.0) } else { 1.0 }
    }
}

/// Means over `samples` as a run that evaluates every `every` iterations has them: eight phases, rows,
/// calls, forward seconds, seconds of an evaluation.
fn figures(samples: &[IterationSample], every: u32) -> Vec<f64> {
    let (count, weights) = (samples.len() as f64, weights(samples, every));
    let average = |figure: &dyn Fn(&IterationSample) -> f64| {
        let weighed = samples.iter().zip(&weights).map(|(sample, weight)| weight * figure(sample));
        weighed.sum::<f64>() / count
    };
    let phases = (0..8).map(|place| average(&|sample| sample.phases.as_array()[place]));
    let mut figures: Vec<f64> = phases.collect();
    figures.push(average(&|sample| sample.rows as f64));
    figures.push(average(&|sample| sample.calls as f64));
    figures.push(average(&|sample| sample.forward_thread_seconds));
    figures.push(evaluation_seconds_each(samples).unwrap_or(0.0));
    figures
}

fn costs(profile: &Profile, mean: &Mean, calls: CallBook, prior: &Prior) -> Costs {
    let training = TrainingCosts { seconds: 0.0, batch: profile.workload.training.rows_of_a_step() };
    let phases = mean.phases;
    Costs {
        traversal: traversal(profile, mean, calls.forward.as_ref(), prior),
        memory_seconds: phases.memory_seconds,
        batch_assembly_seconds: phases.batch_assembly_seconds,
        advantage: TrainingCosts { seconds: phases.advantage_training_seconds, ..training },
        strategy: TrainingCosts { seconds: phases.strategy_training_seconds, ..training },
        evaluation: evaluation(profile, mean, calls.forward.as_ref()),
        checkpoint_seconds: phases.checkpoint_seconds,
        other_seconds: phases.other_seconds,
        calls,
    }
}

fn traversal(profile: &Profile, mean: &Mean, forward: Option<&CallCost>, prior: &Prior) -> TraversalCosts {
    let load = &profile.workload.traversal;
    let (flight, batch) = (load.in_flight(), mean.batch());
    let own_call = if mean.calls > 0.0 { mean.forward_thread_seconds / mean.calls } else { 0.0 };
    let (contention, call_overhead_seconds) = match forward {
        Some(forward) if own_call > 0.0 && !load.tabulated => {
            let alone = forward.seconds(batch);
            // One figure, how much longer a call takes within the run, and two causes: contention, which grows
            // with the call, and overhead of any call. Which is which decides what larger batches gain, and
            // nothing measured tells them apart: each world draws its own split.
            let overhead = prior.overhead_share * (own_call - alone).max(0.0);
            ((own_call - overhead) / alone, overhead)
        }
        _ => (1.0, 0.0),
    };
    let rows = mean.rows.max(1.0);
    let mut traversal = TraversalCosts {
        flight,
        fill: batch * flight.networks / flight.rows(),
        device: load.device,
        cores: f64::from(profile.machine.logical_cores),
        server_threads: f64::from(load.server_threads.max(1)),
        rows,
        logic_seconds_per_row: mean.phases.traversal_seconds * flight.workers / rows,
        contention,
        call_overhead_seconds,
        hand_over_seconds: prior.hand_over_seconds,
        overlap: prior.overlap,
        table: None,
        adjustment: 1.0,
    };
    if let Some(forward) = forward {
        traversal.logic_seconds_per_row = logic(profile, mean, &traversal);
        // Whatever the split between logic and calls, the phase takes what it was measured to take.
        traversal.adjustment = mean.phases.traversal_seconds / traversal.seconds(forward);
    }
    traversal
}

/// Seconds of a worker a row that are not forward passes: what remains of the phase.
fn logic(profile: &Profile, mean: &Mean, traversal: &TraversalCosts) -> f64 {
    let (phase, workers) = (mean.phases.traversal_seconds, traversal.flight.workers);
    let calls = mean.forward_thread_seconds + mean.calls * hand_over(traversal);
    let serving = calls / traversal.server_threads;
    let walking = match traversal.flight.scheduler {
        Scheduler::Recursive | Scheduler::Interleaved => phase - mean.forward_thread_seconds / workers,
        Scheduler::Server => phase - serving,
        Scheduler::InterleavedServer => match profile.utilisation {
            Some(utilisation) => phase * utilisation.worker_busy_share,
            None => phase - (1.0 - traversal.overlap) * serving,
        },
    };
    // Timers of calls and phases disagree by a little; logic is never nothing.
    const LEAST_SHARE: f64 = 0.02;
    walking.max(LEAST_SHARE * phase) * workers / traversal.rows
}

fn hand_over(traversal: &TraversalCosts) -> f64 {
    if traversal.flight.scheduler.shares_calls() { traversal.hand_over_seconds } else { 0.0 }
}

fn evaluation(profile: &Profile, mean: &Mean, forward: Option<&CallCost>) -> EvaluationCosts {
    const MOST_SHARE: f64 = 0.95;
    let load = &profile.workload.evaluation;
    let (each, batch) = (mean.evaluation_seconds_each, load.batch_rows.max(1.0));
    let games_seconds = each * load.games_share;
    let network_share =
        load.rows_per_game.zip(forward).filter(|_| games_seconds > 0.0).map(|(rows, cost)| {
            let calls = f64::from(load.games) * rows / batch;
            let side_by_side = f64::from(load.parallel.max(1)).min(f64::from(profile.machine.logical_cores));
            (calls * cost.seconds(batch) / side_by_side / games_seconds).min(MOST_SHARE)
        });
    EvaluationCosts {
        seconds_each: each,
        every: if load.every_iterations == 0 { f64::INFINITY } else { f64::from(load.every_iterations) },
        games: f64::from(load.games.max(1)),
        games_share: load.games_share,
        network_share,
        batch,
        parallel: f64::from(load.parallel.max(1)),
    }
}
