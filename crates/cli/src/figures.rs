//! Metrics in words, for a terminal.
//!
//! Not here: files and plots, which the run folder's report has.

use std::fmt::Write;

use deepcfr_runs::metrics::{
    EvaluationMetrics, ExactMetrics, IterationMetrics, MatchMetrics, PhaseSeconds, TabularMetrics,
};

/// One line on an iteration.
pub(crate) fn iteration(metrics: &IterationMetrics, last: u32) -> String {
    let width = last.to_string().len();
    let mut line = format!(
        "iteration {:>width$}/{last}  {}  {} nodes ({}/s)",
        metrics.iteration,
        duration(metrics.iteration_seconds),
        count(metrics.nodes as f64),
        count(metrics.nodes_per_second),
    );
    let losses: Vec<f64> = metrics.fits.advantage.iter().flatten().map(|fit| fit.loss).collect();
    if !losses.is_empty() {
        let mean = losses.iter().sum::<f64>() / losses.len() as f64;
        write!(line, "  loss {mean:.4}").expect("a string takes all text");
    }
    if metrics.cut_traversals > 0 {
        let cut = metrics.cut_traversals;
        write!(
            line,
            "  {cut} traversals cut by a node limit (traversal.max_nodes_per_traversal, \
                      traversal.max_nodes_per_iteration)"
        )
        .expect("a string takes all text");
    }
    if metrics.iteration_cut {
        line.push_str("  traversals left out: raise traversal.max_nodes_per_iteration");
    }
    let skipped: u64 = metrics
        .fits
        .advantage
        .iter()
        .chain([&metrics.fits.strategy])
        .flatten()
        .map(|fit| fit.skipped_steps)
        .sum();
    if skipped > 0 {
        write!(line, "  {skipped} steps skipped as not finite").expect("a string takes all text");
    }
    line
}

/// The lowest exploitability or else the best win rate of an evaluation, for the space beside a bar.
pub(crate) fn headline(evaluation: &EvaluationMetrics) -> Option<String> {
    let lowest =
        |a: &&ExactMetrics, b: &&ExactMetrics| a.exploitability_points.total_cmp(&b.exploitability_points);
    if let Some(exact) = evaluation.exact.iter().min_by(lowest) {
        return Some(format!(
            "{} {}",
            exact.policy,
            exploitability(exact.exploitability_points, exact.exploitability_ma_per_g)
        ));
    }
    let best = evaluation.matches.iter().max_by(|a, b| a.mean_difference.total_cmp(&b.mean_difference))?;
    Some(format!("{} {:+.1} points against {}", best.policy, best.mean_difference, best.opponent))
}

/// Every figure of an evaluation, a line each.
pub(crate) fn evaluation(evaluation: &EvaluationMetrics) -> Vec<String> {
    let exact = evaluation.exact.iter().map(exact_line);
    let tabular = evaluation.tabular.iter().map(tabular_line);
    let matches = evaluation.matches.iter().map(match_line);
    let extended = evaluation.extended.iter().map(|game| format!("extended: {}", match_line(game)));
    exact.chain(tabular).chain(matches).chain(extended).collect()
}

fn exact_line(exact: &ExactMetrics) -> String {
    format!(
        "{}: exploitability {} (NashConv {:.4} points), value {:+.4}",
        exact.policy,
        exploitability(exact.exploitability_points, exact.exploitability_ma_per_g),
        exact.nash_conv_points,
        exact.value_points,
    )
}

fn tabular_line(tabular: &TabularMetrics) -> String {
    format!(
        "tabular {} at {} nodes: exploitability {} (NashConv {:.4} points), value {:+.4}",
        tabular.solver,
        count(tabular.nodes as f64),
        exploitability(tabular.exploitability_points, tabular.exploitability_ma_per_g),
        tabular.nash_conv_points,
        tabular.value_points,
    )
}

fn exploitability(points: f64, ma_per_g: Option<f64>) -> String {
    ma_per_g.map_or_else(|| format!("{points:.4} points"), |value| format!("{value:.1} mA/g"))
}

fn match_line(game: &MatchMetrics) -> String {
    let [low, high] = game.win_rate_ci95.map(|bound| 100.0 * bound);
    let mut line = format!(
        "{} against {}: wins {:.1} % [{low:.1}, {high:.1}], {}/{}/{} won/tied/lost, {:+.2} ± {:.2} points a game",
        game.policy,
        game.opponent,
        100.0 * game.win_rate(),
        game.wins,
        game.ties,
        game.losses,
        game.mean_difference,
        game.ci95,
    );
    if game.truncated > 0 {
        write!(line, ", {} games ended by the ply cap", game.truncated).expect("a string takes all text");
    }
    line
}

/// Seconds and shares of the phases, a line each, without those that took no time.
pub(crate) fn phases(phases: &PhaseSeconds) -> Vec<String> {
    let total = phases.sum();
    let busy = phases.named().into_iter().filter(|(_, seconds)| *seconds > 0.0);
    busy.map(|(name, seconds)| format!("{name:<18} {seconds:>9.2} s {:>5.1} %", 100.0 * seconds / total))
        .collect()
}

/// `4.2 s`, `3 min 05 s`, `2 h 07 min`.
pub(crate) fn duration(seconds: f64) -> String {
    let whole = seconds.round() as u64;
    match whole {
        0..60 => format!("{seconds:.1} s"),
        60..3600 => format!("{} min {:02} s", whole / 60, whole % 60),
        _ => format!("{} h {:02} min", whole / 3600, whole % 3600 / 60),
    }
}

/// Six significant digits: `0.0123457`, `1.23457e-7`, `-2.00000e-16`.
pub(crate) fn precise(value: f64) -> String {
    let size = value.abs();
    if value == 0.0 {
        "0".to_owned()
    } else if (1e-4..1e6).contains(&size) {
        let decimals = (5 - size.log10().floor() as i32).clamp(0, 9) as usize;
        format!("{value:.decimals$}")
    } else {
        format!("{value:.5e}")
    }
}

/// Three digits and a unit: `999`, `12.3k`, `4.56M`.
pub(crate) fn count(value: f64) -> String {
    let scaled = |value: f64, unit: &str| {
        let decimals = if value < 10.0 {
            2
        } else if value < 100.0 {
            1
        } else {
            0
        };
        format!("{value:.decimals$}{unit}")
    };
    match value {
        v if v < 999.5 => format!("{v:.0}"),
        v if v < 999.5e3 => scaled(v / 1e3, "k"),
        v if v < 999.5e6 => scaled(v / 1e6, "M"),
        v => scaled(v / 1e9, "G"),
    }
}

#[cfg(test)]
mod tests {
    use deepcfr_runs::metrics::{FitMetrics, PerNetwork};

    use super::*;

    #[test]
    fn numbers_keep_three_digits() {
        let counts = [0.0, 999.0, 1_000.0, 12_345.0, 999_499.0, 999_999.0, 4.56e6, 1.2e10].map(count);
        assert_eq!(counts, ["0", "999", "1.00k", "12.3k", "999k", "1.00M", "4.56M", "12.0G"]);
        let figures = [0.0, 0.012_345_678, 1.5e-7, -2e-16, 41.123_456_7, 3e6].map(precise);
        assert_eq!(figures, ["0", "0.0123457", "1.50000e-7", "-2.00000e-16", "41.1235", "3.00000e6"]);
        assert_eq!([4.24, 185.0, 7_620.0].map(duration), ["4.2 s", "3 min 05 s", "2 h 07 min"]);
    }

    #[test]
    fn an_iteration_says_what_went_wrong_in_it() {
        let fit = FitMetrics {
            loss: 0.5,
            steps: 9,
            skipped_steps: 2,
            loss_scale: None,
            distinct_rows: 3,
            target_rms: 1.0,
            grad_norm: 1.0,
        };
        let mut metrics = IterationMetrics {
            iteration: 7,
            nodes: 12_345,
            nodes_per_second: 1e6,
            iteration_seconds: 1.25,
            fits: PerNetwork {
                advantage: [Some(fit), Some(FitMetrics { loss: 0.3, ..fit })],
                strategy: None,
            },
            ..IterationMetrics::default()
        };
        metrics.cut_traversals = 3;
        assert_eq!(
            iteration(&metrics, 100),
            "iteration   7/100  1.2 s  12.3k nodes (1.00M/s)  loss 0.4000  3 traversals cut by a node limit \
             (traversal.max_nodes_per_traversal, traversal.max_nodes_per_iteration)  4 steps skipped as not finite"
        );
    }

    #[test]
    fn evaluations_name_their_units() {
        let exact = |policy: &str, points: f64, ante: Option<f64>| ExactMetrics {
            policy: policy.to_owned(),
            nash_conv_points: 2.0 * points,
            exploitability_points: points,
            exploitability_ma_per_g: ante.map(|ante| 1000.0 * points / ante),
            value_points: -0.0856,
        };
        let game = MatchMetrics {
            policy: "current".to_owned(),
            opponent: "random".to_owned(),
            deals: 100,
            wins: 150,
            ties: 10,
            losses: 40,
            mean_difference: 12.345,
            ci95: 1.5,
            win_rate_ci95: [0.686, 0.805],
            truncated: 4,
            mean_plies: 90.0,
            facts: Vec::new(),
            own_score: None,
            variance_reduction: 1.5,
        };
        let metrics = EvaluationMetrics {
            exact: vec![exact("current", 0.3, Some(1.0)), exact("SD-CFR average", 0.12, Some(1.0))],
            matches: vec![game],
            ..EvaluationMetrics::default()
        };
        assert_eq!(
            evaluation(&metrics),
            [
                "current: exploitability 300.0 mA/g (NashConv 0.6000 points), value -0.0856",
                "SD-CFR average: exploitability 120.0 mA/g (NashConv 0.2400 points), value -0.0856",
                "current against random: wins 75.0 % [68.6, 80.5], 150/10/40 won/tied/lost, +12.35 ± 1.50 points a game, 4 games ended by the ply cap",
            ]
        );
        assert_eq!(headline(&metrics).unwrap(), "SD-CFR average 120.0 mA/g");
        let without_ante = EvaluationMetrics { exact: vec![exact("current", 0.3, None)], ..metrics.clone() };
        assert_eq!(headline(&without_ante).unwrap(), "current 0.3000 points");
        let matches_only = EvaluationMetrics { exact: Vec::new(), ..metrics };
        assert_eq!(headline(&matches_only).unwrap(), "current +12.3 points against random");
    }

    #[test]
    fn shares_of_phases_add_up() {
        let table = phases(&PhaseSeconds { traversal: 3.0, evaluation: 1.0, ..PhaseSeconds::default() });
        assert_eq!(
            table,
            ["traversal               3.00 s  75.0 %", "evaluation              1.00 s  25.0 %"]
        );
    }
}
