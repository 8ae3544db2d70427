//! A device that takes a known time per call, `a + b·B` for `B` rows, to study schedulers and
//! batching without that device. Not here: what it computes, which is another model's business.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{sleep, yield_now};
use std::time::{Duration, Instant};

use deepcfr_core::{Model, ModelError, ModelFactory, ModelSpec, NetId, Weights};

/// Wraps a model so that every forward call takes at least `per_call + per_row · rows`.
///
/// All models that one device and its clones open share it: a call waits until the device has
/// finished the one before it, as the streams of a GPU do.
///
/// The time is spent asleep as far as the operating system's timer is precise enough (its
/// lateness is measured when the model is opened) and yielding the processor after that, so that
/// it is left to the workers, as a GPU leaves it.
#[derive(Clone, Debug)]
pub struct SimulatedDevice<M> {
    inner: M,
    per_call: Duration,
    per_row: Duration,
    occupancy: Arc<Occupancy>,
}

/// Who has the device, and how long it was taken.
#[derive(Debug, Default)]
struct Occupancy {
    turn: Mutex<()>,
    busy_ns: AtomicU64,
}

impl<M: ModelFactory> SimulatedDevice<M> {
    /// Wraps `inner`.
    pub fn new(inner: M, per_call: Duration, per_row: Duration) -> Self {
        Self { inner, per_call, per_row, occupancy: Arc::default() }
    }

    /// How long finished calls have occupied the device since it was made.
    pub fn busy(&self) -> Duration {
        Duration::from_nanos(self.occupancy.busy_ns.load(Ordering::Relaxed))
    }
}

impl<M: ModelFactory> ModelFactory for SimulatedDevice<M> {
    fn spec(&self) -> ModelSpec {
        self.inner.spec()
    }

    fn open(&self) -> Result<Box<dyn Model>, ModelError> {
        Ok(Box::new(SimulatedModel {
            inner: self.inner.open()?,
            per_call: self.per_call,
            per_row: self.per_row,
            lateness: sleep_lateness(),
            occupancy: Arc::clone(&self.occupancy),
        }))
    }
}

struct SimulatedModel {
    inner: Box<dyn Model>,
    per_call: Duration,
    per_row: Duration,
    lateness: Duration,
    occupancy: Arc<Occupancy>,
}

impl Model for SimulatedModel {
    fn spec(&self) -> ModelSpec {
        self.inner.spec()
    }

    fn forward(&mut self, net: NetId, rows: &[f32], out: &mut [f32]) -> Result<(), ModelError> {
        let _turn = self.occupancy.turn.lock().unwrap_or_else(PoisonError::into_inner);
        let start = Instant::now();
        let num_rows = rows.len() / self.inner.spec().num_features;
        let call = self.per_call + self.per_row * num_rows as u32;
        self.inner.forward(net, rows, out)?;
        wait_until(start + call, self.lateness);
        self.occupancy.busy_ns.fetch_add(start.elapsed().as_nanos() as u64, Ordering::Relaxed);
        Ok(())
    }

    fn load(&mut self, net: NetId, weights: &Arc<Weights>) -> Result<(), ModelError> {
        self.inner.load(net, weights)
    }
}

fn wait_until(until: Instant, lateness: Duration) {
    let asleep = until.saturating_duration_since(Instant::now()).saturating_sub(lateness);
    if !asleep.is_zero() {
        sleep(asleep);
    }
    while Instant::now() < until {
        yield_now();
    }
}

/// The median of how much longer than asked a short sleep takes.
fn sleep_lateness() -> Duration {
    let asked = Duration::from_micros(20);
    let mut lateness = [Duration::ZERO; 15];
    for late in &mut lateness {
        let start = Instant::now();
        sleep(asked);
        *late = start.elapsed().saturating_sub(asked);
    }
    lateness.sort_unstable();
    lateness[lateness.len() / 2]
}
