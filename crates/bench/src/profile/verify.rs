//! Turns of a configuration without and with a lever: A B A B, from the same state and seeds.
//!
//! Every turn is a shortened run from its start. Where the lever is exact all turns have the run's
//! seed, and every figure of learning must be the same bit for bit; elsewhere each pair has a seed of
//! its own, and the final figures are compared with the noise between seeds. Not here: what the turns
//! say (`deepcfr_levers::verify`).

use deepcfr_board::Catalogue;
use deepcfr_levers::profile::average_iterations;
use deepcfr_levers::verify::{Drift, TurnPair};

use super::short_run::{self, Length, ShortRun, Watch};
use crate::error::{BenchError, ProfilingError};
use deepcfr_config::RunConfig;
use deepcfr_runs::metrics::{FitMetrics, IterationMetrics};
use deepcfr_train::Trainer;

/// How a lever is tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TurnsPlan {
    /// Whether learning must stay the same bit for bit.
    pub(super) exact: bool,
    /// Pairs of turns.
    pub(super) turns: usize,
    /// Counted iterations of a turn.
    pub(super) iterations: u32,
}

/// What the turns measured.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Turns {
    pub(super) pairs: Vec<TurnPair>,
    pub(super) drift: Drift,
}

/// Runs the turns of `without` and `with`.
pub(super) fn turns(
    catalogue: &Catalogue,
    without: &RunConfig,
    with: &RunConfig,
    plan: TurnsPlan,
    watch: &mut Watch<'_>,
) -> Result<Turns, BenchError> {
    let matches_too = without.evaluation == with.evaluation;
    let (mut pairs, mut learning) = (Vec::new(), Vec::new());
    for pair in 0..plan.turns {
        let seed = without.run.seed + if plan.exact { 0 } else { pair as u64 };
        let mut sides = Vec::new();
        for (name, config) in [("without", without), ("with", with)] {
            let mut config = config.clone();
            config.run.seed = seed;
            let run = turn(catalogue, &config, plan.iterations, watch)?;
            let seconds = average_iterations(&run.samples(), config.evaluation.every);
            watch.say(&format!(
                "turn {} of {} {name} the lever: {:.4} s an iteration (n = {})",
                pair + 1,
                plan.turns,
                seconds.iter().sum::<f64>() / seconds.len() as f64,
                run.lines.len()
            ));
            sides.push((seconds, run.lines));
        }
        let (with_side, without_side) = (sides.pop(), sides.pop());
        let ((without_seconds, a), (with_seconds, b)) =
            without_side.zip(with_side).expect("a pair has two sides");
        pairs.push(TurnPair { without_seconds, with_seconds });
        learning.push((a, b));
    }
    let drift = if plan.exact { exact_drift(&learning, matches_too) } else { drift_in_seed_noise(&learning) };
    Ok(Turns { pairs, drift })
}

fn turn(
    catalogue: &Catalogue,
    config: &RunConfig,
    iterations: u32,
    watch: &mut Watch<'_>,
) -> Result<ShortRun, BenchError> {
    let length = Length::exactly(iterations);
    let folder =
        tempfile::tempdir().map_err(|source| ProfilingError::Io { path: std::env::temp_dir(), source })?;
    let board = catalogue.board(&config.game)?;
    let mut trainer = Trainer::new(short_run::shortened(config, length), board)?;
    short_run::run(&mut trainer, config, length, folder.path(), watch)
}

type Sides = (Vec<IterationMetrics>, Vec<IterationMetrics>);

/// All turns against the first one without the lever.
fn exact_drift(learning: &[Sides], matches_too: bool) -> Drift {
    let all = |lines: &[IterationMetrics]| -> Vec<f64> {
        lines.iter().flat_map(|line| learnt(line, matches_too)).collect()
    };
    let Some((first, _)) = learning.first() else { return Drift::Unknown { seeds: 0 } };
    let expected = all(first);
    let sides = learning.iter().flat_map(|(a, b)| [a, b]);
    let drifts = sides.map(|lines| Drift::exact(&expected, &all(lines)));
    let mut worst = Drift::Identical { compared: expected.len() };
    for drift in drifts {
        if !drift.acceptable() {
            worst = drift;
            break;
        }
    }
    worst
}

/// Everything that a line says of learning, in a fixed order.
fn learnt(line: &IterationMetrics, matches_too: bool) -> Vec<f64> {
    let counts = line.samples.advantage.iter().chain([&line.samples.strategy, &line.nodes]);
    let mut figures: Vec<f64> = counts.map(|&count| count as f64).collect();
    let fits = line.fits.advantage.iter().chain([&line.fits.strategy]).flatten();
    figures.extend(fits.flat_map(|fit: &FitMetrics| [fit.loss, fit.target_rms, fit.grad_norm]));
    if let Some(evaluation) = &line.evaluation {
        figures.extend(evaluation.exact.iter().map(|exact| exact.nash_conv_points));
        if matches_too {
            figures.extend(evaluation.matches.iter().map(|played| played.mean_difference));
        }
    }
    figures
}

/// The final figures of matched seeds.
fn drift_in_seed_noise(learning: &[Sides]) -> Drift {
    let quality = |line: &IterationMetrics| Some(line.evaluation.as_ref()?.quality()?.value);
    let last = |lines: &[IterationMetrics]| lines.iter().rev().find_map(quality);
    let pairs: Option<Vec<(f64, f64)>> = learning.iter().map(|(a, b)| Some((last(a)?, last(b)?))).collect();
    let Some(pairs) = pairs else { return Drift::Unknown { seeds: 0 } };
    let (without, with): (Vec<f64>, Vec<f64>) = pairs.into_iter().unzip();
    Drift::within_noise(&without, &with)
}
