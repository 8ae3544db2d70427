//! Tests of the report: it says what the metrics say, and is whole for every kind of run.

use std::fs;
use std::time::UNIX_EPOCH;

use super::*;
use crate::machine::MachineInfo;
use crate::metrics::{
    EvaluationMetrics, ExactMetrics, MatchMetrics, MetricsWriter, RunClock, TabularMetrics,
};

fn title() -> ReportTitle {
    ReportTitle { game: "leduc, 3 ranks".to_owned(), seed: 7, config_hash: "9f2c".to_owned() }
}

fn exact(policy: &str, ma_per_g: f64) -> ExactMetrics {
    ExactMetrics {
        policy: policy.to_owned(),
        nash_conv_points: ma_per_g / 500.0,
        exploitability_points: ma_per_g / 1000.0,
        exploitability_ma_per_g: Some(ma_per_g),
        value_points: -0.0856,
    }
}

fn tabular(nodes: u64, ma_per_g: f64) -> TabularMetrics {
    TabularMetrics {
        solver: "ES-MCCFR".to_owned(),
        nodes,
        seconds: nodes as f64 / 2e6,
        nash_conv_points: ma_per_g / 500.0,
        exploitability_points: ma_per_g / 1000.0,
        exploitability_ma_per_g: Some(ma_per_g),
        value_points: -0.0856,
    }
}

fn match_result(opponent: &str, mean_difference: f64) -> MatchMetrics {
    MatchMetrics {
        policy: "policy network".to_owned(),
        opponent: opponent.to_owned(),
        deals: 500,
        wins: 870,
        ties: 10,
        losses: 120,
        mean_difference,
        ci95: 2.25,
        win_rate_ci95: [0.848, 0.889],
        truncated: 3,
        mean_plies: 150.0,
        facts: Vec::new(),
        own_score: None,
        variance_reduction: 1.5,
    }
}

/// An evaluation at every 10th iteration, curves falling as a power of the nodes.
fn lines(evaluate: impl Fn(f64) -> EvaluationMetrics) -> Vec<IterationMetrics> {
    let mut clock = RunClock::default();
    let line = |iteration: u32| {
        let phases = PhaseSeconds {
            traversal: 0.5,
            memory: 0.02,
            batch_assembly: 0.11,
            advantage_training: 1.4,
            strategy_training: 0.6,
            evaluation: 0.3,
            checkpoint: 0.04,
            other: 0.01,
        };
        clock.advance(phases.sum(), &phases);
        let nodes_total = 42_000 * u64::from(iteration);
        IterationMetrics {
            iteration,
            nodes: 42_000,
            nodes_total,
            nodes_per_second: 84_000.0,
            traversals: 3000,
            phases,
            iteration_seconds: phases.sum(),
            clock,
            evaluation: iteration.is_multiple_of(10).then(|| evaluate(nodes_total as f64)),
            ..IterationMetrics::default()
        }
    };
    (1..=100).map(line).collect()
}

fn leduc() -> Vec<IterationMetrics> {
    lines(|nodes| EvaluationMetrics {
        seconds: 0.3,
        exact: vec![
            exact("current", 900.0 + 200.0 * (nodes / 1e5).sin()),
            exact("policy network", 2.2e5 / nodes.sqrt()),
            exact("SD-CFR average", 1.9e5 / nodes.sqrt()),
        ],
        tabular: vec![tabular(nodes as u64, 1e5 / nodes.sqrt())],
        ..EvaluationMetrics::default()
    })
}

fn lost_cities() -> Vec<IterationMetrics> {
    lines(|nodes| EvaluationMetrics {
        matches: vec![
            match_result("random", 20.0 * (nodes / 1e5).ln()),
            match_result("heuristic-balanced", -60.0 + nodes / 1e5),
        ],
        ..EvaluationMetrics::default()
    })
}

fn report(lines: &[IterationMetrics]) -> (tempfile::TempDir, Vec<PathBuf>) {
    let runs = tempfile::tempdir().unwrap();
    let run = RunFolder::create(runs.path(), "leduc", UNIX_EPOCH).unwrap();
    run.write_config("").unwrap();
    run.write_machine(&MachineInfo::detect()).unwrap();
    let mut writer = MetricsWriter::create(run.path()).unwrap();
    lines.iter().for_each(|line| writer.append(line).unwrap());
    let files = write_report(&run, &title()).unwrap();
    (runs, files)
}

fn names(files: &[PathBuf]) -> Vec<&str> {
    files.iter().map(|file| file.file_name().unwrap().to_str().unwrap()).collect()
}

#[test]
fn a_summary_says_what_full_memories_leave_out_and_what_noise_that_means() {
    let mut lines = leduc();
    let told = |lines: &[IterationMetrics]| {
        let (_runs, files) = report(lines);
        fs::read_to_string(&files[0]).unwrap()
    };
    let text = told(&lines);
    assert!(text.contains("| samples left out by full memories: the same | 0, 0, 0 |\n"), "{text}");
    assert!(!text.contains("noise"), "{text}");
    let last = lines.last_mut().unwrap();
    last.left_out.advantage = [70, 80];
    last.noise_floor = [Some(0.25), None];
    let text = told(&lines);
    assert!(text.contains("| samples left out by full memories: the same | 70, 80, 0 |\n"), "{text}");
    assert!(
        text.contains("points: advantage 0, advantage 1 | 0.250, unknown |\n| optimiser steps"),
        "{text}"
    );
}

#[test]
fn a_small_game_gets_curves_beside_the_tabular_one() {
    let (_runs, files) = report(&leduc());
    let expected =
        ["summary.md", "exploitability-by-nodes.svg", "exploitability-by-seconds.svg", "phases.svg"];
    assert_eq!(names(&files), expected);
    let text = fs::read_to_string(&files[0]).unwrap();
    assert!(text.contains("## Result after iteration 100, 4200000 nodes"), "{text}");
    assert!(
        text.contains("| policy network | 107.3 | 0.10735 | 0.21470 | -0.08560 | as the run |"),
        "{text}"
    );
    assert!(text.contains("| ES-MCCFR (tabular) | 48.8 |"), "{text}");
    assert!(text.contains("| advantage training | 140.0 | 47.0 % | 1.400 |"), "{text}");
    let svg = fs::read_to_string(&files[1]).unwrap();
    for shown in ["policy network", "SD-CFR average", "ES-MCCFR (tabular)", "mA/g", "nodes visited"] {
        assert!(svg.contains(shown), "{shown}");
    }
}

#[test]
fn a_large_game_gets_match_curves_with_intervals() {
    let (_runs, files) = report(&lost_cities());
    assert_eq!(names(&files), ["summary.md", "matches-by-nodes.svg", "matches-by-seconds.svg", "phases.svg"]);
    let text = fs::read_to_string(&files[0]).unwrap();
    let row =
        "| policy network | random | 500 | 870 / 10 / 120 | 0.870 [0.848, 0.889] | +74.75 ± 2.25 | 3 | 150 |";
    assert!(text.contains(row), "{text}");
}

#[test]
fn seconds_of_the_tabular_curve_are_its_own() {
    let chart = Chart::of(&leduc(), Measure::Exploitability, Cost::TrainingSeconds).unwrap();
    let last = |label: &str| *chart.series.iter().find(|s| s.label == label).unwrap().points.last().unwrap();
    assert_eq!(last("ES-MCCFR (tabular)").x, 2.1);
    // 100 iterations of 2.98 s, without 0.3 s of evaluation each.
    assert!((last("current").x - 268.0).abs() < 1e-9);
    assert!(chart.logarithmic);
}

#[test]
fn runs_without_figures_and_odd_figures_still_get_a_report() {
    let (_runs, files) = report(&[]);
    assert_eq!(names(&files), ["summary.md"]);
    assert!(fs::read_to_string(&files[0]).unwrap().contains("No iteration has finished"));
    // A solved game (0 cannot stand on a logarithmic axis) and a single point.
    let solved = lines(|nodes| EvaluationMetrics {
        exact: if nodes < 1e6 { vec![exact("current", 0.0)] } else { Vec::new() },
        ..EvaluationMetrics::default()
    });
    let (_runs, files) = report(&solved[..10]);
    assert_eq!(files.len(), 4);
}

/// Writes the plots where `DEEPCFR_PLOT_SAMPLES` says, for looking at them.
#[test]
fn plot_samples_for_the_eye() {
    let Some(folder) = std::env::var_os("DEEPCFR_PLOT_SAMPLES") else { return };
    for (prefix, lines) in [("leduc", leduc()), ("lost-cities", lost_cities())] {
        for (name, svg) in draw_plots(&lines).unwrap() {
            fs::write(Path::new(&folder).join(format!("{prefix}-{name}")), svg).unwrap();
        }
    }
}
