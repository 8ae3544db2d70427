//! How many lanes a worker gets where the configuration leaves it open: enough for batches on the
//! flat part of the network's measured cost curve, and no more.
//!
//! Not here: what lanes do (`cfr`). The choice changes speed only.

use std::time::{Duration, Instant};

use deepcfr_core::{Model, ModelError, NUM_PLAYERS, NetId};

use crate::config::Scheduler;

/// Lanes before there is a network to measure.
pub(crate) const UNMEASURED: usize = 64;
/// A batch counts as flat when a row costs at most this much more than in the best batch.
const FLAT: f64 = 1.1;
/// Each batch size is timed for at least this long, and this often: the fastest call counts, since
/// others may use the processor too.
const TIMED: Duration = Duration::from_millis(3);
const CALLS: usize = 5;

/// The smallest batch of `advantage(0)` whose cost a row is within [`FLAT`] of the best over the
/// powers of two up to `max_batch`. `rows` `[n, num_features]`, at least one, stand for those to come.
pub(crate) fn flat_batch(model: &mut dyn Model, rows: &[f32], max_batch: usize) -> Result<usize, ModelError> {
    let spec = model.spec();
    let mut sizes: Vec<usize> = (0..).map(|k| 1 << k).take_while(|&size| size < max_batch).collect();
    sizes.push(max_batch);
    let batch: Vec<f32> = rows.iter().copied().cycle().take(max_batch * spec.num_features).collect();
    let mut out = vec![0.0; max_batch * spec.num_outputs];
    let mut costs = Vec::with_capacity(sizes.len());
    for &size in &sizes {
        let (rows, out) = (&batch[..size * spec.num_features], &mut out[..size * spec.num_outputs]);
        model.forward(NetId::advantage(0), rows, out)?;
        let mut best = f64::INFINITY;
        let begin = Instant::now();
        let mut calls = 0;
        while calls < CALLS || begin.elapsed() < TIMED {
            calls += 1;
            let start = Instant::now();
            model.forward(NetId::advantage(0), rows, out)?;
            best = best.min(start.elapsed().as_secs_f64());
        }
        costs.push(best / size as f64);
    }
    let lowest = costs.iter().copied().fold(f64::INFINITY, f64::min);
    let flat = costs.iter().position(|&cost| cost <= FLAT * lowest);
    Ok(sizes[flat.expect("the lowest cost is one of them")])
}

/// Lanes in each of `workers` that keep batches of `batch` rows possible: one batch for each
/// player's network, for each group of lanes.
pub(crate) fn lanes_for(batch: usize, scheduler: Scheduler, workers: usize) -> usize {
    let sharing = if scheduler.is_served() { workers } else { 1 };
    (batch * NUM_PLAYERS * scheduler.groups()).div_ceil(sharing)
}

#[cfg(test)]
mod tests {
    use super::*;
    use deepcfr_core::{ModelFactory, ModelSpec};
    use deepcfr_serve::{FunctionModel, SimulatedDevice};

    #[test]
    fn the_batch_grows_with_what_a_call_costs() {
        let spec = ModelSpec { num_features: 2, num_outputs: 1, num_nets: 3, row_invariant: true };
        let flat = |a: u64, b: u64| {
            let function = FunctionModel::new(spec, |_, _: &[f32], _: &mut [f32]| {});
            let device = SimulatedDevice::new(function, Duration::from_micros(a), Duration::from_micros(b));
            flat_batch(&mut *device.open().unwrap(), &[0.5, 1.0], 256).unwrap()
        };
        // a + b·B within 10 % of the best: about B = 10·a/b, less what 256 itself still pays.
        let (free, dear) = (flat(0, 20), flat(300, 20));
        assert!(free <= 4 && (32..=256).contains(&dear), "{free}, {dear}");
    }

    #[test]
    fn lanes_serve_both_networks_and_every_group() {
        assert_eq!(lanes_for(32, Scheduler::Interleaved, 8), 64);
        assert_eq!(lanes_for(32, Scheduler::InterleavedServer, 4), 32);
    }
}
