//! From timed calls to dispatch a, kernel b, n½ = a/b and the class of a call, with intervals.
//!
//! Timings come in *blocks*: one pass over all batches in interleaved order, so that a disturbance of
//! the machine falls on all batches alike. The bootstrap draws whole blocks, so its intervals hold
//! what blocks have in common too. Not here: taking the timings.

mod class;
mod curve;
mod regression;
mod roofline;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

pub use class::{CallClass, Classification, DISPATCH_BOUND_BELOW, KERNEL_BOUND_ABOVE};
pub use curve::{CallCost, Curve};
pub use roofline::{Achieved, Ceilings, NetworkShape};

use crate::statistics::{Estimate, Use, bootstrap_factor, median, resample, stream};

/// Blocks below which no interval is given.
pub const MIN_BLOCKS: usize = 3;
/// Distinct batches that a fit needs.
pub const MIN_BATCHES: usize = 3;
const REPLICATES: usize = 200;

/// One timed call.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Timing {
    /// The block that it belongs to.
    pub block: u32,
    /// Rows of the call.
    pub rows: u32,
    /// Seconds from the call to its result.
    pub seconds: f64,
    /// Of these, seconds until the host was free again, where the device tells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub enqueue_seconds: Option<f64>,
}

/// Timings that no fit can be made of.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum FitError {
    /// Too few blocks for an interval.
    #[error("{got} blocks of timings where {expected} are needed for an interval")]
    Blocks {
        /// Blocks that are there.
        got: usize,
        /// Blocks that are needed.
        expected: usize,
    },
    /// Too few batches to tell dispatch from kernel.
    #[error("timings at {got} batch sizes where {expected} are needed to tell dispatch from kernel")]
    Batches {
        /// Batches that are there.
        got: usize,
        /// Batches that are needed.
        expected: usize,
    },
    /// A call of no rows, or whose time is not a positive number.
    #[error("block {block} times a call of {rows} rows at {seconds} s, which cannot be")]
    Timing {
        /// Its block.
        block: u32,
        /// Its rows.
        rows: u32,
        /// Its time in seconds.
        seconds: f64,
    },
}

/// A fitted cost of a call against its batch.
#[derive(Clone, Debug, Serialize)]
pub struct Fit {
    /// The curve through all timings.
    pub cost: CallCost,
    /// Dispatch a, in seconds.
    pub dispatch_seconds: Estimate,
    /// Kernel b, in seconds a row.
    pub kernel_seconds_per_row: Estimate,
    /// n½ in rows; infinite (`null` in JSON) where rows cost nothing.
    pub half_rate_rows: Estimate,
    /// Median seconds by rows, as measured.
    pub medians: Vec<(f64, f64)>,
    /// The largest relative distance of a measured median from the curve.
    pub misfit: f64,
    /// Robust relative standard deviation of a single timing.
    pub scatter: f64,
    /// Timed calls.
    pub timings: usize,
    /// Blocks that they came in.
    pub blocks: usize,
    /// Refits of resampled blocks: equally likely costs.
    #[serde(skip)]
    replicates: Vec<CallCost>,
    /// What [`bootstrap_factor`] asks deviations of the replicates to be stretched by.
    #[serde(skip)]
    stretch: f64,
}

impl Fit {
    /// Fits `timings`; `seed` draws the bootstrap.
    ///
    /// # Errors
    /// [`FitError`] if there are too few blocks or batches, or a time that cannot be.
    pub fn of(timings: &[Timing], seed: u64) -> Result<Self, FitError> {
        let blocks = by_block(timings)?;
        let cost = cost_of(&points(timings));
        let replicates: Vec<CallCost> =
            (0..REPLICATES).map(|index| replicate(&blocks, seed, index)).collect();
        let within = spread_within(&cost, timings);
        let mut fit = Self {
            medians: medians(&points(timings)),
            misfit: cost.corrections.iter().map(|(_, ratio)| (ratio - 1.0).abs()).fold(0.0, f64::max),
            scatter: regression::robust_scale(&within),
            timings: timings.len(),
            blocks: blocks.len(),
            stretch: bootstrap_factor(blocks.len()),
            dispatch_seconds: NOT_YET,
            kernel_seconds_per_row: NOT_YET,
            half_rate_rows: NOT_YET,
            cost,
            replicates,
        };
        fit.dispatch_seconds = fit.estimate(|cost| cost.curve.dispatch_seconds());
        fit.kernel_seconds_per_row = fit.estimate(|cost| cost.curve.kernel_seconds_per_row());
        fit.half_rate_rows = fit.estimate(|cost| cost.curve.half_rate_batch());
        Ok(fit)
    }

    /// Seconds of a call of `rows`, with the interval of its expected time.
    pub fn predict(&self, rows: f64) -> Estimate {
        self.estimate(|cost| cost.seconds(rows))
    }

    /// What bounds a call of `rows`.
    pub fn classify(&self, rows: f64) -> Classification {
        Classification::new(rows, self.estimate(|cost| cost.curve.doubling_ratio(rows)))
    }

    /// One of the equally likely costs, with its distance from the fit stretched for few blocks.
    pub(crate) fn replicate(&self, index: usize) -> CallCost {
        let CallCost { curve, corrections } = self.replicates[index % self.replicates.len()].clone();
        let stretched = |(rows, correction): (f64, f64)| {
            let (best, draw) = (self.cost.seconds(rows), curve.seconds(rows) * correction);
            (rows, best * (draw / best).powf(self.stretch) / curve.seconds(rows))
        };
        CallCost { curve, corrections: corrections.into_iter().map(stretched).collect() }
    }

    /// Any positive figure of the cost, with its interval. Deviations are stretched on a logarithmic
    /// scale where they can be, so that no end turns negative.
    fn estimate(&self, figure: impl Fn(&CallCost) -> f64) -> Estimate {
        let value = figure(&self.cost);
        let stretched = |draw: f64| {
            if value > 0.0 && draw > 0.0 && draw.is_finite() {
                value * (draw / value).powf(self.stretch)
            } else {
                draw
            }
        };
        let draws: Vec<f64> = self.replicates.iter().map(|cost| stretched(figure(cost))).collect();
        Estimate::of_draws(value, &draws, self.blocks)
    }
}

const NOT_YET: Estimate = Estimate { value: 0.0, low: 0.0, high: 0.0, samples: 0 };

fn points(timings: &[Timing]) -> Vec<regression::Point> {
    timings.iter().map(|timing| (f64::from(timing.rows), timing.seconds)).collect()
}

fn by_block(timings: &[Timing]) -> Result<Vec<Vec<regression::Point>>, FitError> {
    let mut blocks: BTreeMap<u32, Vec<regression::Point>> = BTreeMap::new();
    for &Timing { block, rows, seconds, .. } in timings {
        if rows == 0 || !seconds.is_finite() || seconds <= 0.0 {
            return Err(FitError::Timing { block, rows, seconds });
        }
        blocks.entry(block).or_default().push((f64::from(rows), seconds));
    }
    if blocks.len() < MIN_BLOCKS {
        return Err(FitError::Blocks { got: blocks.len(), expected: MIN_BLOCKS });
    }
    let batches = medians(&points(timings)).len();
    if batches < MIN_BATCHES {
        return Err(FitError::Batches { got: batches, expected: MIN_BATCHES });
    }
    Ok(blocks.into_values().collect())
}

fn replicate(blocks: &[Vec<regression::Point>], seed: u64, index: usize) -> CallCost {
    let mut stream = stream(seed, Use::Fit, index);
    let chosen = resample(&mut stream, blocks.len(), blocks.len());
    let points: Vec<_> = chosen.into_iter().flat_map(|block| blocks[block].iter().copied()).collect();
    cost_of(&points)
}

fn cost_of(points: &[regression::Point]) -> CallCost {
    let curve = regression::choose(points);
    let corrections =
        medians(points).into_iter().map(|(rows, seconds)| (rows, seconds / curve.seconds(rows)));
    CallCost { curve, corrections: corrections.collect() }
}

/// Median seconds of each batch, ascending by rows.
fn medians(points: &[regression::Point]) -> Vec<(f64, f64)> {
    let mut by_rows: BTreeMap<u64, Vec<f64>> = BTreeMap::new();
    points.iter().for_each(|&(rows, seconds)| by_rows.entry(rows as u64).or_default().push(seconds));
    by_rows.iter().map(|(&rows, seconds)| (rows as f64, median(seconds))).collect()
}

/// Relative distances of timings from their batch's median.
fn spread_within(cost: &CallCost, timings: &[Timing]) -> Vec<f64> {
    points(timings).iter().map(|&(rows, seconds)| seconds / cost.seconds(rows) - 1.0).collect()
}

#[cfg(test)]
mod tests;
