//! Simulated runs with known truth, for tests: a device t(B) = a + b·B, workers, phases, and the
//! profile that measuring them with noise would give.

use deepcfr_core::{Purpose, Stream};

use crate::fit::{Curve, NetworkShape, Timing};
use crate::law::{InFlight, Scheduler};
use crate::profile::{
    Build, Call, CallTimings, Device, EvaluationLoad, IterationSample, Machine, MemoryLoad, PhaseSeconds,
    Profile, SCHEMA, TrainingLoad, TraversalLoad, Variant, Workload,
};

/// Relative noise of a timed call, and of an iteration's phase.
const CALL_NOISE: f64 = 0.05;
const PHASE_NOISE: f64 = 0.02;
/// Overlap and hand-over of the simulated server, inside their priors.
const OVERLAP: f64 = 0.8;
const HAND_OVER_SECONDS: f64 = 20e-6;

/// What is true.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Truth {
    pub(crate) a_seconds: f64,
    pub(crate) b_seconds: f64,
    pub(crate) logic_seconds: f64,
    pub(crate) rows: f64,
    pub(crate) workers: u32,
    pub(crate) lanes: u32,
    pub(crate) scheduler: Scheduler,
    pub(crate) fill: f64,
    pub(crate) training_seconds: f64,
    pub(crate) evaluation_seconds: f64,
}

impl Default for Truth {
    fn default() -> Self {
        Self {
            a_seconds: 100e-6,
            b_seconds: 10e-6,
            logic_seconds: 15e-6,
            rows: 40_000.0,
            workers: 2,
            lanes: 32,
            scheduler: Scheduler::Recursive,
            fill: 0.85,
            training_seconds: 1.0,
            evaluation_seconds: 2.0,
        }
    }
}

/// The network of simulated runs.
pub(crate) const fn network() -> NetworkShape {
    NetworkShape { features: 100, actions: 10, hidden_size: 64, num_layers: 3 }
}

impl Truth {
    fn flight(&self) -> InFlight {
        let workers = f64::from(self.workers);
        let lanes = if self.scheduler.interleaves() { f64::from(self.lanes) } else { 1.0 };
        InFlight { scheduler: self.scheduler, workers, lanes, networks: 2.0, max_batch: 256.0 }
    }

    pub(crate) fn batch(&self) -> f64 {
        self.flight().filled(self.fill)
    }

    fn call_seconds(&self) -> f64 {
        self.a_seconds + self.b_seconds * self.batch()
    }

    /// Worked out from scratch rather than by the cost model.
    pub(crate) fn traversal_seconds(&self) -> f64 {
        let walking = self.rows * self.logic_seconds / f64::from(self.workers);
        let calls = self.rows / self.batch();
        let local = calls * self.call_seconds() / f64::from(self.workers);
        let served = calls * (self.call_seconds() + HAND_OVER_SECONDS);
        match self.scheduler {
            Scheduler::Recursive | Scheduler::Interleaved => walking + local,
            Scheduler::Server => walking + served,
            Scheduler::InterleavedServer => {
                let both = walking.max(served) + (1.0 - OVERLAP) * walking.min(served);
                both.max((walking * f64::from(self.workers) + served) / CORES)
            }
        }
    }

    pub(crate) fn iteration_seconds(&self) -> f64 {
        let others = 0.2 + 0.15 + 0.05 + 0.05;
        self.traversal_seconds() + self.training_seconds + self.evaluation_seconds / EVERY + others
    }

    /// What measuring it gives, with the noise of `trial`.
    pub(crate) fn profile(&self, trial: u32) -> Profile {
        let mut noise = Stream::new(11, Purpose::Test, trial, 0, 0);
        let iterations = (1..=10).map(|iteration| self.iteration(iteration, &mut noise)).collect();
        let forward = Curve::Linear { a_seconds: self.a_seconds, b_seconds_per_row: self.b_seconds };
        let step = Curve::Linear { a_seconds: 300e-6, b_seconds_per_row: 2e-6 };
        let forward = timings(Call::Forward, Variant::Plain, "native", &forward, &mut noise);
        let step = timings(Call::TrainingStep, Variant::Plain, "burn", &step, &mut noise);
        Profile {
            schema: SCHEMA,
            machine: Machine {
                name: "simulated".to_owned(),
                cpu: None,
                logical_cores: CORES as u32,
                memory_bytes: Some(8 << 30),
                accelerator: None,
            },
            build: Build {
                commit: None,
                config_hash: "0".to_owned(),
                config: None,
                seed: u64::from(trial) + 1,
            },
            workload: self.workload(),
            iterations,
            calls: vec![forward, step],
            ceilings: None,
            ceilings_of_all_threads: None,
            utilisation: None,
            effects: Vec::new(),
        }
    }

    fn iteration(&self, iteration: u32, noise: &mut Stream) -> IterationSample {
        let mut measured = |seconds: f64| seconds * (1.0 + PHASE_NOISE * noise.normal());
        let evaluated = iteration.is_multiple_of(EVERY as u32);
        let calls = self.rows / self.batch();
        let phases = PhaseSeconds {
            traversal_seconds: measured(self.traversal_seconds()),
            memory_seconds: measured(0.2),
            batch_assembly_seconds: measured(0.15),
            advantage_training_seconds: measured(0.6 * self.training_seconds),
            strategy_training_seconds: measured(0.4 * self.training_seconds),
            evaluation_seconds: if evaluated { measured(self.evaluation_seconds) } else { 0.0 },
            checkpoint_seconds: measured(0.05),
            other_seconds: measured(0.05),
        };
        let forward_thread_seconds = measured(calls * self.call_seconds());
        IterationSample {
            iteration,
            phases,
            evaluated,
            nodes: self.rows as u64,
            rows: self.rows as u64,
            calls: calls as u64,
            forward_thread_seconds,
        }
    }

    fn workload(&self) -> Workload {
        Workload {
            game: "simulated".to_owned(),
            infosets: None,
            network: network(),
            traversal: TraversalLoad {
                scheduler: self.scheduler,
                engine: "native".to_owned(),
                device: Device::Cpu,
                workers: self.workers,
                lanes: self.lanes,
                traversals_per_player: 1000,
                max_batch: 256,
                server_threads: u32::from(self.scheduler.shares_calls()),
                networks_per_sweep: 2.0,
                tabulated: false,
            },
            training: TrainingLoad {
                batch: 256,
                advantage_steps: 700.0,
                strategy_steps: 500.0,
                distinct_rows: None,
                strategy_with_evaluation: false,
            },
            evaluation: EvaluationLoad {
                every_iterations: EVERY as u32,
                games: 200,
                rows_per_game: Some(20.0),
                batch_rows: 1.0,
                parallel: 1,
                matches: 4,
                games_share: 1.0,
                follows_scheduler: false,
            },
            memory: MemoryLoad {
                rows_per_iteration: 40_000.0,
                bytes_per_row: 500.0,
                capacity_rows: 1_000_000,
            },
        }
    }
}

const CORES: f64 = 4.0;
const EVERY: f64 = 5.0;

/// Timed calls of a device, in 20 blocks.
pub(crate) fn timings(
    call: Call,
    variant: Variant,
    engine: &str,
    truth: &Curve,
    noise: &mut Stream,
) -> CallTimings {
    let mut timings = Vec::new();
    for block in 0..20 {
        for rows in [1, 4, 16, 64, 256, 1024] {
            let seconds = truth.seconds(f64::from(rows)) * (1.0 + CALL_NOISE * noise.normal());
            timings.push(Timing { block, rows, seconds, enqueue_seconds: None });
        }
    }
    CallTimings { call, engine: engine.to_owned(), variant, device: Device::Cpu, network: network(), timings }
}
