//! A device that takes a known time per call, `a + b·B` for `B` rows, to study schedulers and
//! batching without that device. Not here: what it computes, which is another model's business.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{sleep, yield_now};
use std::time::{Duration, Instant};

use deepcfr_core::{Model, ModelError, ModelFactory, ModelSpec, NetId, Weights};

/// Wraps a model so that every forward call takes at least `per_call + per_row · rows`.
///
/// All models that one device and its clones open share it, as the streams of a GPU do: a call begins
/// on the device when the one before it ends there, whether or not a thread is awake to see that.
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

/// Until when the device is taken, and how long it was in all.
#[derive(Debug, Default)]
struct Occupancy {
    taken_until: Mutex<Option<Instant>>,
    busy_ns: AtomicU64,
}

impl Occupancy {
    /// Queues a call behind those before it; when it ends.
    fn queue(&self, call: Duration) -> Instant {
        let mut taken_until = self.taken_until.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        let end = taken_until.map_or(now, |until| until.max(now)) + call;
        *taken_until = Some(end);
        self.busy_ns.fetch_add(call.as_nanos() as u64, Ordering::Relaxed);
        end
    }
}

impl<M: ModelFactory> SimulatedDevice<M> {
    /// Wraps `inner`.
    pub fn new(inner: M, per_call: Duration, per_row: Duration) -> Self {
        Self { inner, per_call, per_row, occupancy: Arc::default() }
    }

    /// How long calls have occupied the device since it was made, those that are queued included.
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
        let num_rows = rows.len() / self.inner.spec().num_features;
        let call = self.per_call + self.per_row * num_rows as u32;
        let end = self.occupancy.queue(call);
        self.inner.forward(net, rows, out)?;
        wait_until(end, self.lateness);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_follow_each_other_without_a_gap() {
        let (occupancy, begin) = (Occupancy::default(), Instant::now());
        let ends = [30, 20, 10].map(|ms| occupancy.queue(Duration::from_millis(ms)));
        assert!(ends[0] >= begin + Duration::from_millis(30));
        assert_eq!([ends[1] - ends[0], ends[2] - ends[1]], [20, 10].map(Duration::from_millis));
        wait_until(ends[2] + Duration::from_millis(5), Duration::ZERO);
        let late = occupancy.queue(Duration::from_millis(1));
        assert!(
            late >= ends[2] + Duration::from_millis(6),
            "an idle device takes a call at once, not before"
        );
        assert_eq!(occupancy.busy_ns.load(Ordering::Relaxed), 61_000_000);
    }
}
