//! Exact evaluation of a small game's strategies, beside a tabular solver at the same number of nodes.
//!
//! Not here: matches (see `evaluation`), and how strategies come about.

use std::time::Instant;

use deepcfr_board::SmallGame;
use deepcfr_cfr::tabular::{Algorithm, AverageStrategy, BestResponse, Evaluation, Solver, TabularPolicy};
use deepcfr_core::NUM_PLAYERS;
use deepcfr_runs::metrics::{ExactMetrics, TabularMetrics};

/// The baseline's solver: what Deep CFR would be with a perfect memory in place of networks.
pub(crate) const BASELINE: Algorithm = Algorithm::ExternalSampling;
const BASELINE_NAME: &str = "ES-MCCFR";
/// The baseline advances in steps of this many iterations until it has visited enough nodes.
const BASELINE_STRIDE: u64 = 16;

/// What exact evaluation keeps from one evaluation to the next.
pub(crate) struct Exact {
    /// SD-CFR's average so far.
    pub(crate) average: AverageStrategy,
    /// The tabular baseline, and the seconds that it has run.
    pub(crate) baseline: Option<(Solver, f64)>,
    best_response: BestResponse,
    ante: Option<f64>,
}

impl Exact {
    pub(crate) fn new(small: &SmallGame, baseline: bool, seed: u64, ante: Option<f64>) -> Self {
        Self {
            average: AverageStrategy::new(&small.tree),
            baseline: baseline.then(|| (solver(small, seed), 0.0)),
            best_response: BestResponse::default(),
            ante,
        }
    }

    /// Adds an iteration's strategy to SD-CFR's average.
    pub(crate) fn add(&mut self, small: &SmallGame, strategy: &TabularPolicy, weight: f64) {
        (0..NUM_PLAYERS).for_each(|player| self.average.add(&small.tree, player, strategy, weight));
    }

    pub(crate) fn evaluate(
        &mut self,
        small: &SmallGame,
        label: &str,
        policy: &TabularPolicy,
    ) -> ExactMetrics {
        let found = self.best_response.evaluate(&small.tree, policy);
        ExactMetrics {
            policy: label.to_owned(),
            nash_conv_points: found.nash_conv,
            exploitability_points: found.exploitability,
            exploitability_ma_per_g: self.milliantes(&found),
            value_points: found.values[0],
        }
    }

    /// Runs the baseline up to `nodes` visited nodes and evaluates its average.
    pub(crate) fn baseline_at(&mut self, small: &SmallGame, nodes: u64) -> Option<TabularMetrics> {
        let (solver, seconds) = self.baseline.as_mut()?;
        let begin = Instant::now();
        while solver.nodes() < nodes {
            solver.step(BASELINE_STRIDE);
        }
        *seconds += begin.elapsed().as_secs_f64();
        let (visited, seconds, average) = (solver.nodes(), *seconds, solver.average_policy());
        let found = self.best_response.evaluate(&small.tree, &average);
        Some(TabularMetrics {
            solver: BASELINE_NAME.to_owned(),
            nodes: visited,
            seconds,
            nash_conv_points: found.nash_conv,
            exploitability_points: found.exploitability,
            exploitability_ma_per_g: self.milliantes(&found),
            value_points: found.values[0],
        })
    }

    fn milliantes(&self, found: &Evaluation) -> Option<f64> {
        self.ante.map(|ante| found.exploitability / ante * 1000.0)
    }
}

fn solver(small: &SmallGame, seed: u64) -> Solver {
    Solver::new(small.tree.clone(), BASELINE, seed).expect("the baseline has no parameters to be wrong")
}
