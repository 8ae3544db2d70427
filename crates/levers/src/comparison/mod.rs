//! Runs of several values of a key, or of several sizes of the model, compared over matched seeds; and what
//! follows for the model's size, with the statistics that it rests on.
//!
//! Sizes are compared with the present one over matched seeds. A size *unlocks* the learning curve if the
//! 90 % interval of its mean improvement (Student's t over seeds) lies above 0 and the improvement exceeds
//! the standard deviation between seeds of the present size.
//! If such a size costs at most [`AFFORDABLE`] times the present iteration, the best of them is adopted, and
//! mixed precision and the engine are looked at again. If none unlocks it, the present size stays. If some
//! do but cost more, the best of them is a candidate until it is affordable. Not here: running them
//! (`deepcfr sweep` does).

mod values;

use std::fmt;

use serde::{Deserialize, Serialize};

pub use values::{ValueComparison, ValueResult, compare_values};

use crate::catalogue::LeverId;
use crate::statistics::{Estimate, SIGMAS_AT_LEVEL, deviation, mean, student};

/// How many times the present iteration's seconds a size may cost to be adopted at once.
pub const AFFORDABLE: f64 = 3.0;
/// Seeds below which nothing is decided.
pub const MIN_SEEDS: usize = 2;

/// Which way the learning metric improves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Better {
    /// Exploitability, losses.
    Lower,
    /// Points, win rates.
    Higher,
}

/// One run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SeedResult {
    /// Its seed.
    pub seed: u64,
    /// The learning metric at checkpoints, (iteration, value), ascending.
    pub curve: Vec<(u32, f64)>,
    /// Mean seconds of an iteration, evaluation left out.
    pub iteration_seconds: f64,
    /// Mean seconds of an iteration in forward passes.
    pub network_seconds: f64,
    /// The most memory that it took.
    #[serde(default)]
    pub peak_bytes: Option<u64>,
    /// How often batches were halved because memory ran out.
    #[serde(default)]
    pub batch_halvings: u32,
}

/// The runs of one size.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SizeResult {
    /// Neurons in a hidden layer.
    pub hidden_size: u32,
    /// Hidden layers.
    pub num_layers: u32,
    /// Its runs.
    pub seeds: Vec<SeedResult>,
}

/// A size against the present one.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SizeComparison {
    /// Neurons in a hidden layer.
    pub hidden_size: u32,
    /// Hidden layers.
    pub num_layers: u32,
    /// Matched seeds.
    pub seeds: usize,
    /// Mean improvement of the last common checkpoint, in the metric's unit; above 0 is better.
    pub improvement: Estimate,
    /// Seconds of an iteration over those of the present size.
    pub cost_ratio: f64,
    /// Whether it unlocks the curve.
    pub unlocks: bool,
}

/// What is decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Branch {
    /// Take the chosen size.
    Adopt,
    /// Keep the present size.
    Keep,
    /// The chosen size is better, and too expensive for now.
    Candidate,
}

/// The decision.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SizeDecision {
    /// What is decided.
    pub branch: Branch,
    /// The size that is adopted or a candidate.
    pub chosen: Option<(u32, u32)>,
    /// Every other size against the present one, in their order.
    pub comparisons: Vec<SizeComparison>,
    /// Standard deviation of the metric between seeds of the present size.
    pub seed_noise: f64,
    /// The iteration at which metrics are compared.
    pub iteration: u32,
    /// Levers to look at next.
    pub triggers: Vec<LeverId>,
}

/// Runs that decide nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ComparisonError {
    /// Fewer than two sizes.
    #[error("{got} sizes where at least 2 are compared")]
    Sizes {
        /// Sizes that are there.
        got: usize,
    },
    /// Too few seeds that a size shares with the present one.
    #[error(
        "{hidden_size}x{num_layers} shares {got} seeds with the present size where {MIN_SEEDS} are needed"
    )]
    Seeds {
        /// Neurons in a hidden layer.
        hidden_size: u32,
        /// Hidden layers.
        num_layers: u32,
        /// Shared seeds.
        got: usize,
    },
    /// No checkpoint that all runs have.
    #[error("there is no iteration at which every run has a learning metric")]
    Checkpoint,
}

impl SizeDecision {
    /// Decides from all results; the first is the present size.
    ///
    /// # Errors
    /// [`ComparisonError`] if sizes, matched seeds or common checkpoints are too few.
    pub fn of(results: &[SizeResult], better: Better) -> Result<Self, ComparisonError> {
        let [present, others @ ..] = results else { return Err(ComparisonError::Sizes { got: 0 }) };
        if others.is_empty() {
            return Err(ComparisonError::Sizes { got: 1 });
        }
        let iteration = last_common(results).ok_or(ComparisonError::Checkpoint)?;
        let base: Vec<f64> = present.seeds.iter().map(|seed| metric(seed, iteration)).collect();
        let seed_noise = deviation(&base);
        let comparisons = others.iter().map(|size| compare(present, size, better, iteration, seed_noise));
        let comparisons: Vec<SizeComparison> = comparisons.collect::<Result<_, _>>()?;
        let (branch, chosen) = branch(&comparisons);
        let triggers = match branch {
            Branch::Keep => Vec::new(),
            _ => vec![LeverId::MixedPrecision, LeverId::SpecialisedEngine],
        };
        Ok(Self { branch, chosen, comparisons, seed_noise, iteration, triggers })
    }
}

fn branch(comparisons: &[SizeComparison]) -> (Branch, Option<(u32, u32)>) {
    let best = |affordable: bool| {
        let unlocking = comparisons.iter().filter(|size| size.unlocks);
        let sizes = unlocking.filter(|size| (size.cost_ratio <= AFFORDABLE) == affordable);
        let best = sizes.max_by(|x, y| x.improvement.value.total_cmp(&y.improvement.value));
        best.map(|size| (size.hidden_size, size.num_layers))
    };
    match (best(true), best(false)) {
        (Some(size), _) => (Branch::Adopt, Some(size)),
        (None, Some(size)) => (Branch::Candidate, Some(size)),
        (None, None) => (Branch::Keep, None),
    }
}

fn compare(
    present: &SizeResult,
    size: &SizeResult,
    better: Better,
    iteration: u32,
    seed_noise: f64,
) -> Result<SizeComparison, ComparisonError> {
    let matched: Vec<(&SeedResult, &SeedResult)> = size
        .seeds
        .iter()
        .filter_map(|run| present.seeds.iter().find(|base| base.seed == run.seed).map(|base| (base, run)))
        .collect();
    let SizeResult { hidden_size, num_layers, .. } = *size;
    if matched.len() < MIN_SEEDS {
        return Err(ComparisonError::Seeds { hidden_size, num_layers, got: matched.len() });
    }
    let gain = |(base, run): &(&SeedResult, &SeedResult)| {
        let difference = metric(run, iteration) - metric(base, iteration);
        if better == Better::Lower { -difference } else { difference }
    };
    let gains: Vec<f64> = matched.iter().map(gain).collect();
    let cost =
        |(base, run): &(&SeedResult, &SeedResult)| (run.iteration_seconds / base.iteration_seconds).ln();
    let improvement = mean_with_interval(&gains);
    Ok(SizeComparison {
        hidden_size,
        num_layers,
        seeds: matched.len(),
        improvement,
        cost_ratio: mean(&matched.iter().map(cost).collect::<Vec<_>>()).exp(),
        unlocks: improvement.low > 0.0 && improvement.value > seed_noise,
    })
}

/// The mean with Student's interval.
fn mean_with_interval(values: &[f64]) -> Estimate {
    let (count, centre) = (values.len(), mean(values));
    let half = student(count - 1) * deviation(values) / (count as f64).sqrt();
    debug_assert!(student(count - 1) >= SIGMAS_AT_LEVEL);
    Estimate { value: centre, low: centre - half, high: centre + half, samples: count }
}

fn metric(run: &SeedResult, iteration: u32) -> f64 {
    let point = run.curve.iter().find(|(at, _)| *at == iteration);
    point.expect("the iteration is common to all runs").1
}

/// The last iteration at which every run has a finite metric.
fn last_common(results: &[SizeResult]) -> Option<u32> {
    let mut runs = results.iter().flat_map(|size| &size.seeds);
    let first = runs.next()?;
    let has =
        |run: &SeedResult, at: u32| run.curve.iter().any(|&(here, value)| here == at && value.is_finite());
    let rest: Vec<&SeedResult> = runs.collect();
    let common = first.curve.iter().map(|&(at, _)| at);
    common.filter(|&at| has(first, at) && rest.iter().all(|run| has(run, at))).max()
}

impl fmt::Display for SizeDecision {
    /// The decision in a sentence.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let size = self.chosen.map_or_else(String::new, |(hidden, layers)| format!("{hidden} × {layers}"));
        match self.branch {
            Branch::Adopt => write!(
                f,
                "adopt {size}: it improves learning beyond the noise between seeds at no more than {AFFORDABLE} times the time; now measure mixed precision and the engine"
            ),
            Branch::Keep => {
                write!(f, "keep the present size: no other improves learning beyond the noise between seeds")
            }
            Branch::Candidate => write!(
                f,
                "keep the present size for now: {size} improves learning beyond the noise between seeds but costs more than {AFFORDABLE} times the time: a candidate until mixed precision or another engine makes it affordable"
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs with final metrics `finals` (lower is better) that take `seconds` an iteration.
    fn size(hidden_size: u32, seconds: f64, finals: &[f64]) -> SizeResult {
        let run = |(index, &last): (usize, &f64)| SeedResult {
            seed: index as u64 + 1,
            curve: vec![(50, 400.0), (100, last), (150, f64::NAN)],
            iteration_seconds: seconds,
            network_seconds: 0.3 * seconds,
            peak_bytes: None,
            batch_halvings: 0,
        };
        SizeResult { hidden_size, num_layers: 3, seeds: finals.iter().enumerate().map(run).collect() }
    }

    const PRESENT: [f64; 3] = [100.0, 110.0, 105.0];

    #[test]
    fn a_better_and_affordable_size_is_adopted() {
        let grid = [
            size(512, 1.0, &PRESENT),
            size(768, 2.0, &[80.0, 92.0, 84.0]),
            size(1024, 2.9, &[60.0, 66.0, 70.0]),
        ];
        let decision = SizeDecision::of(&grid, Better::Lower).unwrap();
        assert_eq!((decision.branch, decision.chosen), (Branch::Adopt, Some((1024, 3))));
        assert_eq!((decision.iteration, decision.triggers.len()), (100, 2));
        assert!((decision.seed_noise - 5.0).abs() < 1e-9);
        assert!((decision.comparisons[0].improvement.value - 59.0 / 3.0).abs() < 1e-9);
        assert!(decision.to_string().starts_with("adopt 1024 × 3"));
    }

    #[test]
    fn a_difference_within_seed_noise_keeps_the_present_size() {
        let slightly = size(1024, 2.0, &[98.0, 107.5, 103.0]);
        let uncertain = size(1536, 2.0, &[60.0, 150.0, 80.0]);
        let decision =
            SizeDecision::of(&[size(512, 1.0, &PRESENT), slightly, uncertain], Better::Lower).unwrap();
        assert_eq!((decision.branch, decision.chosen), (Branch::Keep, None));
        // The first is steady but small, the second large but unsteady.
        assert!(
            decision.comparisons[0].improvement.low > 0.0 && decision.comparisons[1].improvement.low < 0.0
        );
        assert!(decision.triggers.is_empty());
    }

    #[test]
    fn a_better_size_that_costs_too_much_is_a_candidate() {
        let grid = [size(512, 1.0, &PRESENT), size(1024, 8.0, &[60.0, 66.0, 70.0])];
        let decision = SizeDecision::of(&grid, Better::Lower).unwrap();
        assert_eq!((decision.branch, decision.chosen), (Branch::Candidate, Some((1024, 3))));
        assert!((decision.comparisons[0].cost_ratio - 8.0).abs() < 1e-9);
        // The same figures are worse where higher is better.
        assert_eq!(SizeDecision::of(&grid, Better::Higher).unwrap().branch, Branch::Keep);
    }

    #[test]
    fn grids_that_decide_nothing_are_refused() {
        let present = size(512, 1.0, &PRESENT);
        let refuse = |grid: &[SizeResult]| SizeDecision::of(grid, Better::Lower).unwrap_err();
        assert_eq!(refuse(std::slice::from_ref(&present)), ComparisonError::Sizes { got: 1 });
        let error = refuse(&[present.clone(), size(768, 1.0, &[9.0])]);
        assert_eq!(error, ComparisonError::Seeds { hidden_size: 768, num_layers: 3, got: 1 });
        let mut late = size(768, 1.0, &PRESENT);
        late.seeds[2].curve.clear();
        assert_eq!(refuse(&[present, late]), ComparisonError::Checkpoint);
    }
}
