//! How many lanes a worker gets: what the configuration says, or enough for batches on the flat part of the
//! network's measured cost curve, and no more.
//!
//! Not here: what lanes do (`cfr`). The choice changes speed only.

use std::ops::RangeInclusive;
use std::time::Duration;

use deepcfr_config::{RunConfig, Scheduler};
use deepcfr_core::{Model, ModelError, NUM_PLAYERS, NetId};
use deepcfr_timing::{Timings, Turns, repeated};

/// Lanes of traversals before there is a network to measure.
const UNMEASURED: usize = 64;
/// Lanes of matches for every network, so that batches are worth their dispatch, within these bounds.
const OF_A_NETWORK: usize = 64;
const OF_MATCHES: RangeInclusive<usize> = 128..=4096;
/// A batch counts as flat when a row costs at most this much more than in the best batch.
const FLAT: f64 = 1.1;
/// Each batch size has so many turns of at least so long.
const TURNS: usize = 5;
const TIMED: Duration = Duration::from_micros(600);
/// Draws the order of the sizes.
const ORDER: u64 = 1;

/// The lanes of each worker in a run: the one place that decides them, for traversals and matches alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lanes {
    scheduler: Scheduler,
    workers: usize,
    /// `traversal.lanes`.
    asked: Option<usize>,
    measured: Option<usize>,
}

impl Lanes {
    /// The lanes of a run of `config` with so many workers, before there is a network to measure.
    pub fn of(config: &RunConfig, workers: usize) -> Self {
        let traversal = &config.traversal;
        Self { scheduler: traversal.scheduler, workers, asked: traversal.lanes, measured: None }
    }

    /// Whether a network is still to be measured.
    pub fn are_open(&self) -> bool {
        !self.scheduler.is_one_lane() && self.asked.is_none() && self.measured.is_none()
    }

    /// Chooses lanes by the cost curve of `advantage(0)` in `model` on `rows` `[n, num_features]`, at least
    /// one, which stand for those to come; in batches of up to `max_batch`.
    ///
    /// # Errors
    /// If the model fails.
    pub fn measure(
        &mut self,
        model: &mut dyn Model,
        rows: &[f32],
        max_batch: usize,
    ) -> Result<(), ModelError> {
        let batch = flat_batch(model, rows, max_batch)?;
        self.measured = Some(lanes_for(batch, self.scheduler, self.workers));
        tracing::debug!(
            batch,
            lanes = self.measured,
            "lanes chosen from the measured cost of a forward pass"
        );
        Ok(())
    }

    /// Has as many lanes as `other`, where both are left open.
    pub fn adopt(&mut self, other: &Self) {
        self.measured = other.measured;
    }

    /// Lanes of a worker's traversals.
    pub fn of_traversals(&self) -> usize {
        self.fixed().unwrap_or_else(|| self.measured.unwrap_or(UNMEASURED))
    }

    /// Lanes of a worker's matches in which so many networks take part.
    pub fn of_matches(&self, networks: usize) -> usize {
        let open = || (OF_A_NETWORK * networks).clamp(*OF_MATCHES.start(), *OF_MATCHES.end());
        self.fixed().unwrap_or_else(open)
    }

    /// What scheduler and configuration leave no choice of.
    fn fixed(&self) -> Option<usize> {
        if self.scheduler.is_one_lane() { Some(1) } else { self.asked }
    }
}

/// The smallest batch of `advantage(0)` whose cost a row is within [`FLAT`] of the best over the
/// powers of two up to `max_batch`. `rows` `[n, num_features]`, at least one, stand for those to come.
fn flat_batch(model: &mut dyn Model, rows: &[f32], max_batch: usize) -> Result<usize, ModelError> {
    let spec = model.spec();
    let mut sizes: Vec<usize> = (0..).map(|k| 1 << k).take_while(|&size| size < max_batch).collect();
    sizes.push(max_batch);
    let batch: Vec<f32> = rows.iter().copied().cycle().take(max_batch * spec.num_features).collect();
    let mut out = vec![0.0; max_batch * spec.num_outputs];
    let timings = Turns::new(TURNS, ORDER).take(sizes.len(), |place| {
        let size = sizes[place];
        let (rows, out) = (&batch[..size * spec.num_features], &mut out[..size * spec.num_outputs]);
        repeated(TIMED, || model.forward(NetId::advantage(0), rows, out))
    })?;
    let seconds_of_a_row = |(timings, &size): (&Timings, &usize)| 1.0 / (timings.per_second() * size as f64);
    let costs: Vec<f64> = timings.iter().zip(&sizes).map(seconds_of_a_row).collect();
    let lowest = costs.iter().copied().fold(f64::INFINITY, f64::min);
    let flat = costs.iter().position(|&cost| cost <= FLAT * lowest);
    Ok(sizes[flat.expect("the lowest cost is one of them")])
}

/// Lanes in each of `workers` that keep batches of `batch` rows possible: one batch for each
/// player's network, for each group of lanes.
fn lanes_for(batch: usize, scheduler: Scheduler, workers: usize) -> usize {
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

    #[test]
    fn what_the_configuration_says_counts_before_what_is_measured() {
        let of = |sets: &[&str]| {
            let sets: Vec<String> = sets.iter().map(|&set| set.to_owned()).collect();
            Lanes::of(&crate::testing::resolve(None, &sets), 2)
        };
        let open = of(&[]);
        assert_eq!((open.are_open(), open.of_traversals()), (true, UNMEASURED));
        assert_eq!([1, 10, 1000].map(|networks| open.of_matches(networks)), [128, 640, 4096]);
        let measured = Lanes { measured: Some(48), ..open };
        assert_eq!((measured.are_open(), measured.of_traversals(), measured.of_matches(1)), (false, 48, 128));
        let asked = Lanes { measured: Some(48), ..of(&["traversal.lanes=9"]) };
        assert_eq!((asked.are_open(), asked.of_traversals(), asked.of_matches(1000)), (false, 9, 9));
        let single = Lanes { measured: Some(48), ..of(&["traversal.scheduler=recursive"]) };
        assert_eq!((single.are_open(), single.of_traversals(), single.of_matches(1000)), (false, 1, 1));
    }
}
