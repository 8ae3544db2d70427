//! What a forward pass costs against the size of the network, with a model fitted to it.
//!
//! Not here: costs against the batch (see `profile`).

use std::path::Path;

use serde::Serialize;

use super::networks::Subject;
use super::stage::take_turns;
use crate::error::BenchError;
use deepcfr_config::Engine;
use deepcfr_runs::report::{Chart, Point, Series, write_chart};

/// Hidden units of the measured networks.
const HIDDEN: [usize; 4] = [256, 512, 1024, 2048];
/// Their hidden layers.
const LAYERS: [usize; 3] = [2, 4, 8];
/// Rows of a forward pass.
const BATCH: usize = 64;
/// Points that the fitted model is drawn through.
const CURVE_POINTS: usize = 40;

/// The cost of a row in a batch of 64.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct SizeCost {
    /// Hidden units.
    pub hidden_size: usize,
    /// Hidden layers.
    pub num_layers: usize,
    /// Multiply-adds of a row, zeros counted too.
    pub multiply_adds: f64,
    /// Seconds of a row.
    pub seconds: f64,
}

/// Seconds of a row as `constant + slope · multiply-adds`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct SizeModel {
    /// Seconds of a row that has no multiply-adds.
    pub constant: f64,
    /// Seconds of a multiply-add.
    pub slope: f64,
    /// The largest relative difference between a measured cost and the model's.
    pub largest_error: f64,
}

impl SizeModel {
    /// The model of least relative squares; `None` of fewer than two sizes.
    pub fn fit(costs: &[SizeCost]) -> Option<Self> {
        // Each cost weighs 1/seconds²: Σ ((constant + slope·x)/y − 1)² is least.
        let sum = |term: fn(f64, f64) -> f64| -> f64 {
            costs.iter().map(|cost| term(cost.multiply_adds, cost.seconds)).sum()
        };
        let (ones, xs, squares) =
            (sum(|_, y| 1.0 / (y * y)), sum(|x, y| x / (y * y)), sum(|x, y| x * x / (y * y)));
        let (right, right_x) = (sum(|_, y| 1.0 / y), sum(|x, y| x / y));
        let determinant = ones * squares - xs * xs;
        if determinant.abs() <= 1e-9 * ones * squares || costs.len() < 2 {
            return None;
        }
        let constant = (right * squares - right_x * xs) / determinant;
        let slope = (ones * right_x - xs * right) / determinant;
        let error = |cost: &SizeCost| ((constant + slope * cost.multiply_adds) / cost.seconds - 1.0).abs();
        Some(Self { constant, slope, largest_error: costs.iter().map(error).fold(0.0, f64::max) })
    }
}

/// Measures the native engine.
pub(super) fn measure(subject: &Subject<'_>, turns: usize) -> Result<Vec<SizeCost>, BenchError> {
    let sizes = HIDDEN.iter().flat_map(|&hidden| LAYERS.iter().map(move |&layers| (hidden, layers)));
    let mut costs = Vec::new();
    let mut stages = Vec::new();
    for (hidden_size, num_layers) in sizes {
        let sized = subject.clone().untrained((hidden_size, num_layers))?;
        let multiply_adds = sized.forward_flops() / 2.0;
        costs.push(SizeCost { hidden_size, num_layers, multiply_adds, seconds: 0.0 });
        stages.push(sized.forward_of(Engine::Native, BATCH)?);
    }
    for (cost, timed) in costs.iter_mut().zip(take_turns(stages, turns)?) {
        cost.seconds = 1.0 / timed.speed.per_second;
    }
    Ok(costs)
}

/// Draws the costs and the model into `sizes.svg` of `folder`.
///
/// # Errors
/// If the plot cannot be drawn or written.
pub(super) fn plot(folder: &Path, costs: &[SizeCost]) -> Result<(), BenchError> {
    let point = |x: f64, seconds: f64| Point { x: x / 1e6, y: seconds * 1e6, half_width: 0.0 };
    let mut series: Vec<Series> = LAYERS
        .iter()
        .map(|&layers| {
            let of_depth = costs.iter().filter(|cost| cost.num_layers == layers);
            let points = of_depth.map(|cost| point(cost.multiply_adds, cost.seconds)).collect();
            Series { label: format!("{layers} hidden layers"), baseline: false, points }
        })
        .collect();
    let all = || costs.iter().map(|cost| cost.multiply_adds);
    let (low, high) = (all().fold(f64::INFINITY, f64::min), all().fold(0.0, f64::max));
    if let Some(model) = SizeModel::fit(costs) {
        let places = (0..=CURVE_POINTS).map(|place| place as f64 / CURVE_POINTS as f64);
        let points = places.map(|place| low * (high / low).powf(place));
        let points = points.map(|x| point(x, model.constant + model.slope * x)).collect();
        series.push(Series { label: "fit".to_owned(), baseline: true, points });
    }
    let chart = Chart {
        title: "Native forward pass of a row in a batch of 64, hidden 256 to 2048 (dashed: fit)",
        x_label: "million multiply-adds a row",
        y_label: "µs a row",
        logarithmic: true,
        series,
    };
    Ok(write_chart(folder, "sizes.svg", &chart)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_model_finds_what_the_costs_were_made_of() {
        let cost = |multiply_adds: f64| {
            let seconds = 2e-6 + 1e-11 * multiply_adds;
            SizeCost { hidden_size: 1, num_layers: 1, multiply_adds, seconds }
        };
        let model = SizeModel::fit(&[cost(1e5), cost(1e6), cost(3e7)]).unwrap();
        assert!((model.constant / 2e-6 - 1.0).abs() < 1e-9 && (model.slope / 1e-11 - 1.0).abs() < 1e-9);
        assert!(model.largest_error < 1e-9);
        assert_eq!(SizeModel::fit(&[cost(1e5)]), None);
        assert_eq!(SizeModel::fit(&[cost(1e5), cost(1e5)]), None);
    }
}
