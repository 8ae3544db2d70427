//! Values of one key compared over matched seeds: time and learning against the first value.
//!
//! Not here: running them.

use serde::Serialize;

use super::{Better, SeedResult, mean_with_interval};
use crate::statistics::Estimate;

/// The runs of one value.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ValueResult {
    /// The value, as it stands in a configuration.
    pub value: String,
    /// Its runs.
    pub seeds: Vec<SeedResult>,
}

/// A value against the first one.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ValueComparison {
    /// The value.
    pub value: String,
    /// Matched seeds.
    pub seeds: usize,
    /// Iteration seconds of the first value over its own; `None` below two matched seeds.
    pub speed_up: Option<Estimate>,
    /// Mean improvement at the last common evaluation, in the metric's unit, above 0 better; `None` below
    /// two matched seeds or without a common evaluation.
    pub improvement: Option<Estimate>,
}

/// Every value but the first against it, in order.
pub fn compare_values(results: &[ValueResult], better: Better) -> Vec<ValueComparison> {
    let [first, others @ ..] = results else { return Vec::new() };
    others.iter().map(|other| compare(first, other, better)).collect()
}

fn compare(first: &ValueResult, other: &ValueResult, better: Better) -> ValueComparison {
    let matched: Vec<(&SeedResult, &SeedResult)> = other
        .seeds
        .iter()
        .filter_map(|run| first.seeds.iter().find(|base| base.seed == run.seed).map(|base| (base, run)))
        .collect();
    let logs: Vec<f64> =
        matched.iter().map(|(base, run)| (base.iteration_seconds / run.iteration_seconds).ln()).collect();
    let gains: Option<Vec<f64>> = matched.iter().map(|(base, run)| gain(base, run, better)).collect();
    let enough = matched.len() >= super::MIN_SEEDS;
    ValueComparison {
        value: other.value.clone(),
        seeds: matched.len(),
        speed_up: enough.then(|| {
            let Estimate { value, low, high, samples } = mean_with_interval(&logs);
            Estimate { value: value.exp(), low: low.exp(), high: high.exp(), samples }
        }),
        improvement: gains.filter(|_| enough).map(|gains| mean_with_interval(&gains)),
    }
}

/// How much better `run` is at the last iteration that both were evaluated at.
fn gain(base: &SeedResult, run: &SeedResult, better: Better) -> Option<f64> {
    let &(at, before) = base.curve.iter().rev().find(|(at, value)| {
        value.is_finite() && run.curve.iter().any(|(there, v)| there == at && v.is_finite())
    })?;
    let after = run.curve.iter().find(|(there, _)| *there == at)?.1;
    Some(if better == Better::Lower { before - after } else { after - before })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(value: &str, seconds: [f64; 3], last: f64) -> ValueResult {
        let run = |(index, &iteration_seconds): (usize, &f64)| SeedResult {
            seed: index as u64,
            curve: vec![(5, 1.0), (10, last + 0.01 * index as f64)],
            iteration_seconds,
            network_seconds: 0.1,
            peak_bytes: None,
            batch_halvings: 0,
        };
        ValueResult { value: value.to_owned(), seeds: seconds.iter().enumerate().map(run).collect() }
    }

    #[test]
    fn speed_and_learning_are_compared_seed_by_seed() {
        let results = [result("16", [2.0, 2.2, 1.8], 0.5), result("64", [1.0, 1.1, 0.9], 0.4)];
        let [comparison] = &compare_values(&results, Better::Lower)[..] else { panic!() };
        let speed_up = comparison.speed_up.unwrap();
        assert!((speed_up.value - 2.0).abs() < 1e-9 && (speed_up.high - speed_up.low).abs() < 1e-9);
        assert!((comparison.improvement.unwrap().value - 0.1).abs() < 1e-9);
        assert!(compare_values(&results, Better::Higher)[0].improvement.unwrap().value < 0.0);
    }

    #[test]
    fn one_seed_gives_no_interval_and_no_curve_no_improvement() {
        let mut results = [result("16", [2.0, 2.2, 1.8], 0.5), result("64", [1.0, 1.1, 0.9], 0.4)];
        results[1].seeds[2].curve.clear();
        let comparison = &compare_values(&results, Better::Lower)[0];
        assert!(comparison.improvement.is_none() && comparison.speed_up.is_some());
        results[1].seeds.truncate(1);
        let comparison = &compare_values(&results, Better::Lower)[0];
        assert!(comparison.speed_up.is_none() && comparison.seeds == 1);
        assert!(compare_values(&[], Better::Lower).is_empty());
    }
}
