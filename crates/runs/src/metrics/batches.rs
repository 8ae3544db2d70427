//! The inference batches of an iteration's traversals: how large they were, why they closed, and how
//! large they could have been at most.
//!
//! Not here: taking the figures (see `inference`).

use deepcfr_core::BatchSizes;
use serde::{Deserialize, Serialize};

/// Inference batches of an iteration's traversals. How rows fall into batches depends on workers
/// and lanes, so none of this is comparable between differently scheduled runs. Figures that only
/// the batching server has are absent without it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BatchMetrics {
    /// Rows answered by networks.
    pub rows: u64,
    /// Forward passes.
    pub batches: u64,
    /// Mean rows a forward pass.
    pub mean_rows: f64,
    /// Median rows a forward pass.
    pub p50_rows: u64,
    /// 95th percentile of the rows a forward pass.
    pub p95_rows: u64,
    /// Most rows in one forward pass.
    pub max_rows: u64,
    /// Forward passes with `2^k` to `2^(k+1) - 1` rows, at `k`.
    pub histogram: Vec<u64>,
    /// Worker threads.
    pub workers: u64,
    /// Lanes in each worker.
    pub lanes: u64,
    /// Networks that were asked for rows.
    pub networks: u64,
    /// The in-flight law's bound on the mean rows a forward pass: `lanes / networks` where each
    /// worker has its own batches, `workers × lanes / networks` where they share them. 0 without rows.
    pub in_flight_bound: f64,
    /// Seconds in forward passes, summed over threads: may exceed the traversal phase.
    pub forward_seconds: f64,
    /// Share of the workers' time that went to rules, encoding, regret matching and recording.
    pub worker_busy_share: f64,
    /// Share of the workers' time that went to waiting for networks; without a server, to running
    /// them.
    pub worker_wait_share: f64,
    /// Mean rows in flight.
    pub in_flight_mean: Option<f64>,
    /// Most rows in flight at a time.
    pub in_flight_peak: Option<u64>,
    /// Threads of the server.
    pub server_threads: Option<u64>,
    /// Share of the server threads' time within forward passes.
    pub device_busy_share: Option<f64>,
    /// Mean seconds from sending rows to the start of their batch.
    pub queue_wait_mean_seconds: Option<f64>,
    /// The longest such time.
    pub queue_wait_max_seconds: Option<f64>,
    /// Why batches closed.
    pub closes: Option<Closes>,
}

/// Batches of the server by the reason they closed for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Closes {
    /// `traversal.max_batch` rows of one network waited.
    pub full: u64,
    /// Every worker waited.
    pub quorum: u64,
    /// The device was idle and `server.min_batch` rows waited.
    pub idle: u64,
    /// Rows had waited for `server.batch_window_us`.
    pub window: u64,
    /// The server was being drained.
    pub drain: u64,
}

impl BatchMetrics {
    /// What `sizes` says of the calls of `workers` workers with `lanes` lanes each; the rest is 0.
    pub fn of(sizes: &BatchSizes, workers: usize, lanes: usize) -> Self {
        Self {
            rows: sizes.rows(),
            batches: sizes.calls(),
            mean_rows: sizes.mean(),
            p50_rows: sizes.percentile(0.5) as u64,
            p95_rows: sizes.percentile(0.95) as u64,
            max_rows: sizes.max() as u64,
            histogram: sizes.histogram(),
            workers: workers as u64,
            lanes: lanes as u64,
            ..Self::default()
        }
    }
}

impl Closes {
    /// The counts with their names, rules in the order in which they are tried.
    pub fn named(&self) -> [(&'static str, u64); 5] {
        [
            ("full", self.full),
            ("quorum", self.quorum),
            ("idle", self.idle),
            ("window", self.window),
            ("drain", self.drain),
        ]
    }
}
