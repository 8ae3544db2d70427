//! What the server's handle, its threads and its clients have in common: the failure, the stop
//! signal, and what is in flight. Not here: the queue of sweeps.

use std::convert::Infallible;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use crossbeam::channel::{Receiver, Sender};
use deepcfr_core::{EvaluatorError, ModelSpec};

use crate::config::ServerConfig;
use crate::metrics::Tally;

/// The ends of channels that never carry anything but their disconnection.
pub(crate) struct Signals {
    pub(crate) stop: Sender<Infallible>,
    pub(crate) ended: Receiver<Infallible>,
}

pub(crate) struct Shared {
    pub(crate) spec: ModelSpec,
    pub(crate) config: ServerConfig,
    /// The version that was last published to every thread.
    pub(crate) version: AtomicU64,
    pub(crate) next_client: AtomicU64,
    /// Threads that wait for their turn to collect.
    pub(crate) threads_waiting: AtomicUsize,
    /// Whether new sweeps are turned away.
    pub(crate) closing: AtomicBool,
    failure: OnceLock<EvaluatorError>,
    /// Disconnected once no server thread is left, so that nothing will be answered any more.
    pub(crate) ended: Receiver<Infallible>,
    /// Disconnecting this channel tells every thread to end.
    stop: Mutex<Option<Sender<Infallible>>>,
    sweeps: AtomicUsize,
    rows: AtomicUsize,
    rows_peak: AtomicUsize,
    tally: Mutex<Tally>,
}

impl Shared {
    pub(crate) fn new(spec: ModelSpec, config: ServerConfig, signals: Signals) -> Self {
        let tally = Mutex::new(Tally::new(spec.num_nets));
        Self {
            spec,
            config,
            version: AtomicU64::new(0),
            next_client: AtomicU64::new(0),
            threads_waiting: AtomicUsize::new(0),
            closing: AtomicBool::new(false),
            failure: OnceLock::new(),
            ended: signals.ended,
            stop: Mutex::new(Some(signals.stop)),
            sweeps: AtomicUsize::new(0),
            rows: AtomicUsize::new(0),
            rows_peak: AtomicUsize::new(0),
            tally,
        }
    }

    /// Turns new sweeps away and tells every thread to end.
    pub(crate) fn stop(&self) {
        self.closing.store(true, Ordering::Release);
        self.stop.lock().unwrap_or_else(PoisonError::into_inner).take();
    }

    /// Records the failure that every client will see, and stops. The first failure counts.
    pub(crate) fn fail(&self, error: EvaluatorError) {
        tracing::error!(%error, "the inference server failed");
        // A second failure is a consequence of the first or as good a reason.
        let _ = self.failure.set(error);
        self.stop();
    }

    pub(crate) fn failure(&self) -> Option<EvaluatorError> {
        self.failure.get().cloned()
    }

    /// Why nothing is answered any more.
    pub(crate) fn why_stopped(&self) -> EvaluatorError {
        self.failure().unwrap_or(EvaluatorError::Stopped)
    }

    /// A sweep of `rows` rows is in flight.
    pub(crate) fn entered(&self, rows: usize) {
        self.sweeps.fetch_add(1, Ordering::AcqRel);
        let now = self.rows.fetch_add(rows, Ordering::Relaxed) + rows;
        self.rows_peak.fetch_max(now, Ordering::Relaxed);
    }

    /// A sweep of `rows` rows is no longer in flight.
    pub(crate) fn left(&self, rows: usize) {
        self.rows.fetch_sub(rows, Ordering::Relaxed);
        self.sweeps.fetch_sub(1, Ordering::AcqRel);
    }

    pub(crate) fn sweeps_in_flight(&self) -> usize {
        self.sweeps.load(Ordering::Acquire)
    }

    /// The most rows that were in flight at a time since the last call.
    pub(crate) fn take_rows_peak(&self) -> usize {
        self.rows_peak.swap(self.rows.load(Ordering::Relaxed), Ordering::Relaxed)
    }

    pub(crate) fn tally(&self) -> MutexGuard<'_, Tally> {
        self.tally.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
