//! Tests of the metrics files: what is written comes back, what is cut stays consistent.

use std::fs;
use std::path::Path;

use super::*;

fn exact(policy: &str, points: f64) -> ExactMetrics {
    ExactMetrics {
        policy: policy.to_owned(),
        nash_conv_points: 2.0 * points,
        exploitability_points: points,
        exploitability_ma_per_g: Some(1000.0 * points),
        value_points: -0.085,
    }
}

fn line(iteration: u32) -> IterationMetrics {
    let phases = PhaseSeconds { traversal: 0.7, evaluation: 0.2, other: 0.1, ..PhaseSeconds::default() };
    let fit = FitMetrics {
        loss: 0.31,
        steps: 750,
        skipped_steps: 1,
        loss_scale: Some(1024.0),
        distinct_rows: 936,
        target_rms: 2.5,
        grad_norm: f64::INFINITY,
    };
    let evaluation = iteration.is_multiple_of(3).then(|| EvaluationMetrics {
        seconds: 0.2,
        exact: vec![exact("current", 0.8), exact("policy network", 0.2 / f64::from(iteration))],
        ..EvaluationMetrics::default()
    });
    IterationMetrics {
        iteration,
        nodes: 1000,
        nodes_total: 1000 * u64::from(iteration),
        nodes_per_second: 1000.0 / 0.7,
        fits: PerNetwork { advantage: [Some(fit), None], strategy: None },
        phases,
        iteration_seconds: phases.sum(),
        clock: RunClock { wall_seconds: f64::from(iteration), evaluation_seconds: 0.2 },
        evaluation,
        ..IterationMetrics::default()
    }
}

fn write(folder: &Path, iterations: std::ops::RangeInclusive<u32>) {
    let mut writer = MetricsWriter::create(folder).unwrap();
    iterations.for_each(|iteration| writer.append(&line(iteration)).unwrap());
}

fn read_file(folder: &Path, name: &str) -> String {
    fs::read_to_string(folder.join(name)).unwrap()
}

/// Programs that had one tabular solver wrote it, or `null`, where a list now is.
#[test]
fn lines_with_one_tabular_solver_or_none_are_read() {
    let solver = TabularMetrics {
        solver: "ES-MCCFR".to_owned(),
        nodes: 7,
        seconds: 0.5,
        nash_conv_points: 0.2,
        exploitability_points: 0.1,
        exploitability_ma_per_g: None,
        value_points: 0.0,
    };
    for tabular in [vec![], vec![solver.clone()], vec![solver.clone(), solver]] {
        let metrics = EvaluationMetrics { tabular, ..EvaluationMetrics::default() };
        let mut written = serde_json::to_value(&metrics).unwrap();
        let read = |written: &serde_json::Value| {
            serde_json::from_value::<EvaluationMetrics>(written.clone()).unwrap()
        };
        assert_eq!(read(&written), metrics);
        if let [] | [_] = metrics.tabular[..] {
            written["tabular"] = serde_json::to_value(metrics.tabular.first()).unwrap();
            assert_eq!(read(&written), metrics);
        }
    }
}

#[test]
fn lines_come_back_and_figures_that_are_not_finite_do_not_break_them() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), 1..=4);
    let lines = read_metrics(folder.path()).unwrap();
    assert_eq!(lines.len(), 4);
    assert_eq!(lines[2].evaluation, line(3).evaluation);
    let fit = lines[0].fits.advantage[0].unwrap();
    assert!(fit.grad_norm.is_nan() && fit.loss == 0.31 && lines[0].fits.advantage[1].is_none());
}

#[test]
fn an_interval_from_a_single_deal_does_not_break_its_line() {
    let result = MatchMetrics {
        policy: "current".to_owned(),
        opponent: "random".to_owned(),
        deals: 1,
        wins: 2,
        ties: 0,
        losses: 0,
        mean_difference: 40.0,
        ci95: f64::INFINITY,
        win_rate_ci95: [0.34, 1.0],
        truncated: 0,
        mean_plies: 150.0,
        facts: Vec::new(),
        own_score: None,
        variance_reduction: 1.5,
    };
    let mut played = line(1);
    played.evaluation = Some(EvaluationMetrics { matches: vec![result], ..EvaluationMetrics::default() });
    let folder = tempfile::tempdir().unwrap();
    MetricsWriter::create(folder.path()).unwrap().append(&played).unwrap();
    let read = read_metrics(folder.path()).unwrap().remove(0).evaluation.unwrap();
    assert!(read.matches[0].ci95.is_nan() && read.matches[0].mean_difference == 40.0);
}

#[test]
fn the_table_has_a_column_for_every_figure_also_for_late_ones() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), 1..=4);
    let table = read_file(folder.path(), "metrics.csv");
    let rows: Vec<Vec<&str>> = table.lines().map(|row| row.split(',').collect()).collect();
    assert_eq!(rows.len(), 5);
    assert!(rows.iter().all(|row| row.len() == rows[0].len()));
    let column = |name: &str| rows[0].iter().position(|&column| column == name).expect(name);
    assert_eq!((rows[0][0], rows[4][0]), ("iteration", "4"));
    let late = column("evaluation.exact.policy network.exploitability_points");
    assert_eq!((rows[1][late], rows[4][late]), ("", ""));
    assert!((rows[3][late].parse::<f64>().unwrap() - 0.2 / 3.0).abs() < 1e-12);
    assert_eq!(rows[4][column("fits.advantage.0.steps")], "750");
}

#[test]
fn resuming_drops_later_and_unfinished_lines_and_then_equals_an_uninterrupted_run() {
    let whole = tempfile::tempdir().unwrap();
    write(whole.path(), 1..=7);
    for (killed_after, checkpoint) in [(5, 3), (3, 3), (2, 0), (6, 1)] {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), 1..=killed_after);
        let path = folder.path().join("metrics.jsonl");
        let unfinished = read_file(folder.path(), "metrics.jsonl") + "{\"iteration\":";
        fs::write(&path, unfinished).unwrap();
        assert_eq!(read_metrics(folder.path()).unwrap().len(), killed_after as usize);
        let mut writer = MetricsWriter::resume(folder.path(), checkpoint).unwrap();
        (checkpoint + 1..=7).for_each(|iteration| writer.append(&line(iteration)).unwrap());
        for name in ["metrics.jsonl", "metrics.csv"] {
            assert_eq!(read_file(folder.path(), name), read_file(whole.path(), name), "{name}");
        }
    }
}

#[test]
fn a_resume_that_cannot_be_consistent_is_refused_and_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), 1..=2);
    let before = read_file(folder.path(), "metrics.jsonl");
    let error = MetricsWriter::resume(folder.path(), 3).unwrap_err();
    assert!(matches!(error, MetricsError::TooShort { expected: 3, got: 2, .. }), "{error}");
    assert!(matches!(MetricsWriter::create(folder.path()).unwrap_err(), MetricsError::Exists { .. }));
    assert_eq!(read_file(folder.path(), "metrics.jsonl"), before);
    fs::write(folder.path().join("metrics.jsonl"), before.replacen("1000", "many", 1)).unwrap();
    let error = MetricsWriter::resume(folder.path(), 2).unwrap_err();
    assert!(matches!(error, MetricsError::Line { line: 1, .. }), "{error}");
}

#[test]
fn lines_out_of_order_and_phases_that_do_not_add_up_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let mut writer = MetricsWriter::create(folder.path()).unwrap();
    assert!(matches!(writer.append(&line(2)).unwrap_err(), MetricsError::Order { expected: 1, got: 2, .. }));
    let mut overlapping = line(1);
    overlapping.phases.memory = 0.5;
    assert!(matches!(writer.append(&overlapping).unwrap_err(), MetricsError::Phases { .. }));
    overlapping.phases.memory = f64::NAN;
    assert!(matches!(writer.append(&overlapping).unwrap_err(), MetricsError::Phases { .. }));
    writer.append(&line(1)).unwrap();
}

#[test]
fn without_times_two_runs_of_the_same_seed_compare_equal() {
    let mut slower = line(3);
    slower.phases.traversal = 9.0;
    slower.iteration_seconds = 9.3;
    slower.nodes_per_second = 1.0;
    slower.clock.wall_seconds = 99.0;
    slower.batches.max_rows = 64;
    slower.evaluation.as_mut().unwrap().seconds = 7.0;
    // Compared as text, because a NaN differs from itself.
    let text = |metrics: &IterationMetrics| serde_json::to_string(&metrics.without_times()).unwrap();
    assert_ne!(slower, line(3));
    assert_eq!(text(&slower), text(&line(3)));
    slower.evaluation.as_mut().unwrap().exact[0].nash_conv_points += 1e-9;
    assert_ne!(text(&slower), text(&line(3)));
}
