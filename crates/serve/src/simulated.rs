//! A device that takes a known time per call, `a + b·B` for `B` rows, to study schedulers and
//! batching without that device. Not here: what it computes, which is another model's business.

use std::sync::Arc;
use std::thread::{sleep, yield_now};
use std::time::{Duration, Instant};

use deepcfr_core::{Model, ModelError, ModelFactory, ModelSpec, NetId, Weights};

/// Wraps a model so that every forward call takes at least `per_call + per_row · rows`.
///
/// The time is spent asleep as far as the operating system's timer is precise enough (its
/// lateness is measured when the model is opened) and yielding the processor after that, so that
/// it is left to the workers, as a GPU leaves it.
#[derive(Clone, Debug)]
pub struct SimulatedDevice<M> {
    inner: M,
    per_call: Duration,
    per_row: Duration,
}

impl<M: ModelFactory> SimulatedDevice<M> {
    /// Wraps `inner`.
    pub fn new(inner: M, per_call: Duration, per_row: Duration) -> Self {
        Self { inner, per_call, per_row }
    }
}

impl<M: ModelFactory> ModelFactory for SimulatedDevice<M> {
    fn spec(&self) -> ModelSpec {
        self.inner.spec()
    }

    fn open(&self) -> Result<Box<dyn Model>, ModelError> {
        let (per_call, per_row) = (self.per_call, self.per_row);
        let inner = self.inner.open()?;
        Ok(Box::new(SimulatedModel { inner, per_call, per_row, lateness: sleep_lateness() }))
    }
}

struct SimulatedModel {
    inner: Box<dyn Model>,
    per_call: Duration,
    per_row: Duration,
    lateness: Duration,
}

impl Model for SimulatedModel {
    fn spec(&self) -> ModelSpec {
        self.inner.spec()
    }

    fn forward(&mut self, net: NetId, rows: &[f32], out: &mut [f32]) -> Result<(), ModelError> {
        let start = Instant::now();
        let num_rows = rows.len() / self.inner.spec().num_features;
        let until = start + self.per_call + self.per_row * num_rows as u32;
        self.inner.forward(net, rows, out)?;
        wait_until(until, self.lateness);
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
