//! Exact evaluation of a small game's strategies, beside a tabular solver at the same number of nodes.
//!
//! Not here: matches (see `evaluation`), and how strategies come about.

use std::time::Instant;

use deepcfr_board::SmallGame;
use deepcfr_cfr::tabular::{Algorithm, AverageStrategy, BestResponse, Evaluation, Solver, TabularPolicy};
use deepcfr_core::NUM_PLAYERS;
use deepcfr_runs::metrics::{ExactMetrics, TabularMetrics};

/// The tabular baselines, each with what metrics call it. The second is what Deep CFR with linear weights and
/// updates in turn would be with a perfect memory in place of networks.
const BASELINES: [(Algorithm, &str); 2] =
    [(Algorithm::ExternalSampling, "ES-MCCFR"), (Algorithm::LinearExternalSampling, "linear ES-MCCFR")];
/// A baseline advances in steps of this many iterations until it has visited enough nodes.
const BASELINE_STRIDE: u64 = 16;

/// What exact evaluation keeps from one evaluation to the next.
pub(crate) struct Exact {
    /// SD-CFR's average so far.
    pub(crate) average: AverageStrategy,
    /// Tabular solvers that run to the same number of nodes; none where they are switched off.
    pub(crate) baselines: Vec<Baseline>,
    best_response: BestResponse,
    ante: Option<f64>,
}

/// A tabular solver beside the networks.
pub(crate) struct Baseline {
    /// What metrics call it.
    name: &'static str,
    pub(crate) solver: Solver,
    /// What it has run, evaluation excluded.
    pub(crate) seconds: f64,
}

impl Exact {
    pub(crate) fn new(small: &SmallGame, baseline: bool, seed: u64, ante: Option<f64>) -> Self {
        Self {
            average: AverageStrategy::new(&small.tree),
            baselines: if baseline { baselines(small, seed) } else { Vec::new() },
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
            exploitability_ma_per_g: milliantes(self.ante, &found),
            value_points: found.values[0],
        }
    }

    /// Runs the baselines up to `nodes` visited nodes and evaluates their averages.
    pub(crate) fn baselines_at(&mut self, small: &SmallGame, nodes: u64) -> Vec<TabularMetrics> {
        let Self { baselines, best_response, ante, .. } = self;
        let figures = baselines.iter_mut().map(|baseline| {
            baseline.run_to(nodes);
            let found = best_response.evaluate(&small.tree, &baseline.solver.average_policy());
            TabularMetrics {
                solver: baseline.name.to_owned(),
                nodes: baseline.solver.nodes(),
                seconds: baseline.seconds,
                nash_conv_points: found.nash_conv,
                exploitability_points: found.exploitability,
                exploitability_ma_per_g: milliantes(*ante, &found),
                value_points: found.values[0],
            }
        });
        figures.collect()
    }
}

impl Baseline {
    fn run_to(&mut self, nodes: u64) {
        let begin = Instant::now();
        while self.solver.nodes() < nodes {
            self.solver.step(BASELINE_STRIDE);
        }
        self.seconds += begin.elapsed().as_secs_f64();
    }
}

fn milliantes(ante: Option<f64>, found: &Evaluation) -> Option<f64> {
    ante.map(|ante| found.exploitability / ante * 1000.0)
}

fn baselines(small: &SmallGame, seed: u64) -> Vec<Baseline> {
    let baseline = |(algorithm, name)| Baseline {
        name,
        solver: Solver::new(small.tree.clone(), algorithm, seed).expect("it has no parameters to be wrong"),
        seconds: 0.0,
    };
    BASELINES.map(baseline).into()
}
