//! What a run does, in the terms of the cost model, from its configuration and its metrics.
//!
//! Not here: what it costs.

use deepcfr_cfr::memory::Memories;
use deepcfr_core::SampleShape;
use deepcfr_levers::fit::NetworkShape;
use deepcfr_levers::law::Scheduler;
use deepcfr_levers::profile::{
    Device, EvaluationLoad, MemoryLoad, TrainingLoad, TraversalLoad, Utilisation, Workload,
};

use super::short_run::ShortRun;
use deepcfr_config::{self as config, Initialisation, RunConfig};
use deepcfr_runs::metrics::{BatchMetrics, IterationMetrics, PlayMetrics};
use deepcfr_train::Trainer;
use deepcfr_train::inference::threads_of_a_device;
use deepcfr_train::lanes::Lanes;

/// Each player's games of a deal.
const GAMES_OF_A_DEAL: u32 = 2;

/// What `config` does, as its shortened run showed.
pub(super) fn of(config: &RunConfig, trainer: &Trainer, run: &ShortRun) -> Workload {
    let laid_out = trainer.laid_out();
    Workload {
        game: config.game_line(),
        infosets: laid_out.map(|(infosets, _)| infosets as u64),
        network: network(trainer.shape(), config.network.hidden_size, config.network.num_layers),
        traversal: traversal(config, trainer.threads(), laid_out.is_some_and(|(_, on_tree)| on_tree), run),
        training: training(config, &run.lines),
        evaluation: evaluation(config, trainer.threads(), &run.lines),
        memory: memory(config, trainer.shape(), &run.lines),
    }
}

/// The shape of a network of this size.
pub(super) fn network(shape: SampleShape, hidden_size: usize, num_layers: usize) -> NetworkShape {
    NetworkShape {
        features: shape.num_features as u32,
        actions: shape.num_actions as u32,
        hidden_size: hidden_size as u32,
        num_layers: num_layers as u32,
    }
}

/// The scheduler in the calculus' own type.
pub(super) const fn scheduler(scheduler: config::Scheduler) -> Scheduler {
    match scheduler {
        config::Scheduler::Recursive => Scheduler::Recursive,
        config::Scheduler::Interleaved => Scheduler::Interleaved,
        config::Scheduler::Server => Scheduler::Server,
        config::Scheduler::InterleavedServer => Scheduler::InterleavedServer,
    }
}

fn traversal(config: &RunConfig, threads: usize, tabulated: bool, run: &ShortRun) -> TraversalLoad {
    let traversal = &config.traversal;
    let unasked = BatchMetrics::default();
    let asked = run.lines.iter().rev().map(|line| &line.batches).find(|batches| batches.rows > 0);
    let batches = asked.unwrap_or(&unasked);
    let chosen = match batches.lanes {
        0 => Lanes::of(config, threads).of_traversals() as u64,
        lanes => lanes,
    };
    TraversalLoad {
        scheduler: scheduler(traversal.scheduler),
        engine: config.inference.engine.word().to_owned(),
        device: Device::Cpu,
        workers: traversal.workers.unwrap_or(threads) as u32,
        lanes: chosen as u32,
        traversals_per_player: traversal.traversals_per_player,
        max_batch: traversal.max_batch as u32,
        server_threads: if traversal.scheduler.is_served() {
            let devices = config.inference_placements().len();
            (devices * threads_of_a_device(config, devices, threads)) as u32
        } else {
            0
        },
        networks_per_sweep: if batches.networks == 0 { 2.0 } else { batches.networks as f64 },
        tabulated,
    }
}

fn training(config: &RunConfig, lines: &[IterationMetrics]) -> TrainingLoad {
    let fitted = |of: &dyn Fn(&IterationMetrics) -> u64| {
        let steps: Vec<u64> = lines.iter().map(of).filter(|steps| *steps > 0).collect();
        if steps.is_empty() { 0.0 } else { steps.iter().sum::<u64>() as f64 / steps.len() as f64 }
    };
    let warm = config.training.initialisation == Initialisation::WarmStart;
    TrainingLoad {
        batch: config.training.batch_size as u32,
        advantage_steps: fitted(&|line| line.fits.advantage.iter().flatten().map(|fit| fit.steps).sum()),
        strategy_steps: fitted(&|line| line.fits.strategy.map_or(0, |fit| fit.steps)),
        distinct_rows: config.training.merge_duplicates.then(|| distinct_rows(lines)),
        strategy_with_evaluation: config.average.policy_network && !warm,
    }
}

/// Distinct rows of the first player's last fit: what a step has at most.
pub(super) fn distinct_rows(lines: &[IterationMetrics]) -> f64 {
    let fits = lines.iter().rev().filter_map(|line| line.fits.advantage[0]);
    fits.map(|fit| fit.distinct_rows as f64).next().unwrap_or(1.0)
}

fn evaluation(config: &RunConfig, threads: usize, lines: &[IterationMetrics]) -> EvaluationLoad {
    let evaluations: Vec<_> = lines.iter().filter_map(|line| line.evaluation.as_ref()).collect();
    let matches = evaluations.last().map_or(0, |last| last.matches.len()) as u32;
    let games = matches * config.evaluation.deals * GAMES_OF_A_DEAL;
    let played: Vec<PlayMetrics> = evaluations.iter().filter_map(|evaluation| evaluation.play).collect();
    let sum = |of: fn(&PlayMetrics) -> f64| played.iter().map(of).sum::<f64>();
    let (rows, batches) = (sum(|play| play.rows as f64), sum(|play| play.batches as f64));
    let all_seconds: f64 = evaluations.iter().map(|evaluation| evaluation.seconds).sum();
    let all_games = f64::from(games) * played.len() as f64;
    let workers = config.traversal.workers.unwrap_or(threads) as u32;
    EvaluationLoad {
        every_iterations: config.evaluation.every,
        games,
        rows_per_game: (rows > 0.0 && all_games > 0.0).then(|| rows / all_games),
        batch_rows: if batches > 0.0 { rows / batches } else { 1.0 },
        // All matches are played at once, by all workers.
        parallel: workers,
        matches,
        games_share: if all_seconds > 0.0 { sum(|play| play.seconds) / all_seconds } else { 0.0 },
        follows_scheduler: true,
    }
}

fn memory(config: &RunConfig, shape: SampleShape, lines: &[IterationMetrics]) -> MemoryLoad {
    let samples = lines.iter().map(|line| line.samples.advantage.iter().sum::<u64>() + line.samples.strategy);
    let (advantage, strategy) = (config.memory.advantage_capacity, config.memory.strategy_capacity);
    let capacity = 2 * advantage as u64 + strategy as u64;
    MemoryLoad {
        rows_per_iteration: samples.sum::<u64>() as f64 / lines.len().max(1) as f64,
        bytes_per_row: Memories::bytes_expected(shape, advantage, strategy) as f64 / capacity as f64,
        capacity_rows: capacity,
    }
}

/// How busy workers and server threads were over all traversal phases that asked networks.
pub(super) fn utilisation(lines: &[IterationMetrics]) -> Option<Utilisation> {
    let asked: Vec<&IterationMetrics> = lines.iter().filter(|line| line.batches.rows > 0).collect();
    let mean = |of: &dyn Fn(&IterationMetrics) -> f64| {
        asked.iter().map(|line| of(line)).sum::<f64>() / asked.len() as f64
    };
    let devices = || mean(&|line| line.batches.device_busy_share.unwrap_or(0.0));
    let served = asked.first()?.batches.device_busy_share.is_some();
    Some(Utilisation {
        worker_busy_share: mean(&|line| busy(line, served)).min(1.0),
        device_busy_share: served.then(devices),
        samples: asked.len() as u32,
    })
}

/// The share of the traversal phase in which a worker did something: without a server the time in
/// networks is its own work, of which forward passes are the measured part.
fn busy(line: &IterationMetrics, served: bool) -> f64 {
    let batches = &line.batches;
    if served || batches.worker_wait_share <= 0.0 {
        return batches.worker_busy_share;
    }
    let phase = (line.phases.traversal + line.phases.memory) * batches.workers as f64;
    let own = batches.forward_seconds / batches.worker_wait_share;
    if phase > 0.0 { own / phase } else { 1.0 }
}
