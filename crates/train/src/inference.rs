//! What answers the rows of traversals and matches: a model for each worker, or the batching server.
//!
//! Not here: which rows there are (`cfr`), and how the server forms batches (`serve`).

use std::sync::Arc;

use deepcfr_board::Worker;
use deepcfr_cfr::traversal::evaluators::{LocalEvaluator, LocalStats};
use deepcfr_config::{RunConfig, Scheduler};
use deepcfr_core::{EvaluatorError, ModelFactory, NetId, Weights};
use deepcfr_runs::metrics::{BatchMetrics, Closes};
use deepcfr_serve::{CloseReason, Server, ServerConfig, ServerMetrics};

use crate::error::TrainError;

/// The networks, ready to answer the rows of `workers` workers.
pub struct Inference {
    workers: usize,
    answers: Answers,
}

enum Answers {
    /// Each worker runs its own model on its own thread.
    Local(Vec<Worker>),
    /// The workers' rows are answered by the server's threads, in common batches.
    Served { server: Server, groups: usize },
}

impl Inference {
    /// Opens what `config` names as the scheduler, without weights. A server has threads for every one of
    /// `factories`; without one, each worker's model is of the first.
    ///
    /// # Errors
    /// If a model cannot be opened or a thread cannot be started.
    ///
    /// # Panics
    /// If there is no factory.
    pub fn open(
        config: &RunConfig,
        factories: &[Box<dyn ModelFactory>],
        workers: usize,
    ) -> Result<Self, TrainError> {
        let scheduler = config.traversal.scheduler;
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        let threads = config.run.threads.unwrap_or_else(cores);
        let answers = if scheduler.is_served() {
            let devices: Vec<&dyn ModelFactory> = factories.iter().map(|factory| &**factory).collect();
            let knobs = ServerConfig {
                max_batch: config.traversal.max_batch,
                batch_window_us: config.server.batch_window_us,
                min_batch: config.server.min_batch,
                server_threads: threads_of_a_device(config, devices.len(), threads),
                share_out: config.answers_on_the_processor(),
                ..ServerConfig::default()
            };
            Answers::Served { server: Server::start(&devices, knobs)?, groups: scheduler.groups() }
        } else {
            let rows = if scheduler == Scheduler::Recursive { 1 } else { config.traversal.max_batch };
            let open = |_| Ok(Worker::Local(Box::new(LocalEvaluator::new(factories[0].open()?, rows))));
            Answers::Local((0..workers).map(open).collect::<Result<_, TrainError>>()?)
        };
        Ok(Self { workers, answers })
    }

    /// Puts weights in force for every worker; other networks keep theirs.
    ///
    /// # Errors
    /// If the weights do not fit the models, or the server has failed.
    pub fn publish(&mut self, weights: &[(NetId, Arc<Weights>)]) -> Result<(), TrainError> {
        match &mut self.answers {
            Answers::Served { server, .. } => server.publish(server.version() + 1, weights)?,
            Answers::Local(workers) => {
                for worker in workers {
                    let Worker::Local(evaluator) = worker else { continue };
                    for (net, weights) in weights {
                        evaluator.model_mut().load(*net, weights)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Lends the workers to `work`.
    ///
    /// # Errors
    /// What `work` returns, or that the server has failed.
    pub fn with_workers<R, X: Into<TrainError>>(
        &mut self,
        work: impl FnOnce(&mut [Worker]) -> Result<R, X>,
    ) -> Result<R, TrainError> {
        match &mut self.answers {
            Answers::Local(workers) => work(workers).map_err(Into::into),
            Answers::Served { server, groups } => {
                let client = |_| Ok(Worker::Client(Box::new(server.client(*groups)?)));
                let mut workers: Vec<_> =
                    (0..self.workers).map(client).collect::<Result<_, EvaluatorError>>()?;
                work(&mut workers).map_err(Into::into)
            }
        }
    }

    /// What was answered since the last call; `lanes` is how many each worker had.
    pub fn take_metrics(&mut self, lanes: usize) -> BatchMetrics {
        self.take_answered(lanes).metrics()
    }

    /// What was answered since the last call; `lanes` is how many each worker had.
    pub fn take_answered(&mut self, lanes: usize) -> Answered {
        let counts = match &mut self.answers {
            Answers::Local(workers) => {
                let mut stats = LocalStats::default();
                for worker in workers.iter_mut() {
                    if let Worker::Local(evaluator) = worker {
                        stats.merge(&evaluator.take_stats());
                    }
                }
                Counts::Local(stats)
            }
            Answers::Served { server, .. } => Counts::Served(server.take_metrics()),
        };
        Answered { workers: self.workers, lanes, counts }
    }

    /// Starts the time that the next metrics cover.
    pub fn restart_metrics(&mut self) {
        self.take_answered(0);
    }
}

/// What workers were answered over one or more stretches of time.
#[derive(Clone, Debug)]
pub struct Answered {
    workers: usize,
    /// Of each worker.
    lanes: usize,
    counts: Counts,
}

#[derive(Clone, Debug)]
enum Counts {
    Local(LocalStats),
    Served(ServerMetrics),
}

impl Answered {
    /// Adds what the same workers were answered, with the same lanes, over another stretch.
    pub fn merge(&mut self, other: &Self) {
        match (&mut self.counts, &other.counts) {
            (Counts::Local(own), Counts::Local(other)) => own.merge(other),
            (Counts::Served(own), Counts::Served(other)) => own.merge(other),
            _ => unreachable!("a run's scheduler does not change"),
        }
    }

    /// The figures.
    pub fn metrics(&self) -> BatchMetrics {
        let Self { workers, lanes, counts } = self;
        let (workers, lanes) = (*workers, *lanes);
        match counts {
            Counts::Local(stats) => BatchMetrics {
                forward_seconds: stats.forward.as_secs_f64(),
                networks: stats.networks as u64,
                // A worker's rows meet only its own.
                in_flight_bound: deepcfr_serve::in_flight_bound(lanes, stats.networks),
                ..BatchMetrics::of(&stats.sizes, workers, lanes)
            },
            Counts::Served(served) => BatchMetrics {
                forward_seconds: served.forward_s,
                networks: served.networks as u64,
                in_flight_bound: served.in_flight_bound(),
                in_flight_mean: Some(served.in_flight_mean),
                in_flight_peak: Some(served.in_flight_peak as u64),
                server_threads: Some(served.threads as u64),
                device_busy_share: Some(served.busy_share),
                queue_wait_mean_seconds: Some(served.queue_wait_mean_s),
                queue_wait_max_seconds: Some(served.queue_wait_max_s),
                closes: Some(closes(served)),
                ..BatchMetrics::of(&served.sizes, workers, lanes)
            },
        }
    }
}

/// Server threads for each of so many devices, in a run of so many threads.
pub fn threads_of_a_device(config: &RunConfig, devices: usize, threads: usize) -> usize {
    config.server.server_threads.unwrap_or_else(|| threads.div_ceil(devices))
}

/// Why batches of the server closed.
fn closes(served: &ServerMetrics) -> Closes {
    Closes {
        full: served.closes(CloseReason::Full),
        quorum: served.closes(CloseReason::Quorum),
        idle: served.closes(CloseReason::Idle),
        window: served.closes(CloseReason::Window),
        drain: served.closes(CloseReason::Drain),
    }
}
