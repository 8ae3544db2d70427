//! The text of `summary.md`.
//!
//! Not here: plots, which it only points to.

use std::fmt::Write;

use super::{ReportTitle, total_phases};
use crate::machine::MachineInfo;
use crate::metrics::{EvaluationMetrics, IterationMetrics, MatchMetrics};

/// The summary of a run whose plots stand beside it under the names `plots`.
pub(super) fn render(
    title: &ReportTitle,
    machine: Option<&MachineInfo>,
    lines: &[IterationMetrics],
    plots: &[&str],
) -> String {
    let mut text = format!(
        "# {}\n\nSeed {}, configuration {} (`config.toml`).\n",
        title.game, title.seed, title.config_hash
    );
    if let Some(machine) = machine {
        text.push_str(&machine_line(machine));
    }
    let Some(last) = lines.last() else {
        text.push_str("\nNo iteration has finished.\n");
        return text;
    };
    text.push_str(&totals(lines, last));
    let evaluated = lines.iter().rev().find_map(|line| Some((line, line.evaluation.as_ref()?)));
    match evaluated {
        Some((line, evaluation)) => text.push_str(&evaluation_tables(line, evaluation)),
        None => text.push_str("\nNo iteration was evaluated.\n"),
    }
    text.push_str(&extended_table(lines));
    text.push_str(&super::diagnosis::sections(lines));
    text.push_str(&phase_table(lines));
    text.push_str(&super::batches::section(lines));
    for plot in plots {
        // Writing to a String cannot fail.
        let _ = write!(text, "\n![{}]({plot})\n", plot.trim_end_matches(".svg").replace('-', " "));
    }
    text
}

fn machine_line(machine: &MachineInfo) -> String {
    let unknown = || "unknown".to_owned();
    let gib = |bytes: u64| format!("{:.1} GiB", bytes as f64 / f64::from(1 << 30));
    format!(
        "Machine: {}, {} logical cores, {} memory, {}; deepcfr {}{}, commit {}.\n",
        machine.cpu.as_deref().unwrap_or("unknown processor"),
        machine.logical_cores.map_or_else(unknown, |cores| cores.to_string()),
        machine.memory_bytes.map_or_else(unknown, gib),
        machine.os,
        machine.crate_version,
        if machine.debug_build { " (debug build: times mean nothing)" } else { "" },
        machine.git_commit.as_deref().unwrap_or("unknown"),
    )
}

fn totals(lines: &[IterationMetrics], last: &IterationMetrics) -> String {
    let cut: u64 = lines.iter().map(|line| line.cut_traversals).sum();
    let traversals: u64 = lines.iter().map(|line| line.traversals).sum();
    let traversal_seconds = total_phases(lines).traversal;
    let fits = |line: &IterationMetrics| [line.fits.advantage[0], line.fits.advantage[1], line.fits.strategy];
    let skipped: u64 = lines.iter().flat_map(fits).flatten().map(|fit| fit.skipped_steps).sum();
    let sizes = last.memory_sizes;
    let floor =
        |player: usize| last.noise_floor[player].map_or("unknown".to_owned(), |floor| format!("{floor:.3}"));
    let noise = match last.left_out.advantage {
        [0, 0] => String::new(),
        _ => format!(
            "| noise that this leaves in an infoset's mean target, points: advantage 0, advantage 1 | {}, {} |\n",
            floor(0),
            floor(1)
        ),
    };
    format!(
        "\n| | |\n|---|---:|\n\
         | iterations | {} |\n\
         | nodes (decisions and ends, chance excluded) | {} |\n\
         | nodes a second of traversal | {:.0} |\n\
         | traversals, of these cut by a budget | {traversals}, {cut} |\n\
         | samples held: advantage 0, advantage 1, strategy | {}, {}, {} |\n\
         | samples left out by full memories: the same | {}, {}, {} |\n\
         {noise}| optimiser steps skipped (not finite) | {skipped} |\n\
         | wall clock | {:.1} s |\n\
         | of this evaluation | {:.1} s |\n",
        last.iteration,
        last.nodes_total,
        if traversal_seconds > 0.0 { last.nodes_total as f64 / traversal_seconds } else { 0.0 },
        sizes.advantage[0],
        sizes.advantage[1],
        sizes.strategy,
        last.left_out.advantage[0],
        last.left_out.advantage[1],
        last.left_out.strategy,
        last.clock.wall_seconds,
        last.clock.evaluation_seconds,
    )
}

fn evaluation_tables(line: &IterationMetrics, evaluation: &EvaluationMetrics) -> String {
    let mut text = format!("\n## Result after iteration {}, {} nodes\n", line.iteration, line.nodes_total);
    if !evaluation.exact.is_empty() {
        text.push_str(&exact_table(evaluation));
    }
    if !evaluation.matches.is_empty() {
        text.push_str(&match_table(&evaluation.matches));
    }
    text
}

/// The extended set has its turn seldom: its last result may be older than the light set's.
fn extended_table(lines: &[IterationMetrics]) -> String {
    let played = |line: &IterationMetrics| Some((line.iteration, line.evaluation.as_ref()?.extended.clone()));
    let last = lines.iter().rev().filter_map(played).find(|(_, matches)| !matches.is_empty());
    last.map_or_else(String::new, |(iteration, matches)| {
        format!("\n## Extended set after iteration {iteration}\n{}", match_table(&matches))
    })
}

fn exact_table(evaluation: &EvaluationMetrics) -> String {
    let mut text = String::from(
        "\nExact. Exploitability = NashConv / 2; 1 chip = 1000 mA/g where the ante is 1.\n\n\
         | strategy | exploitability, mA/g | exploitability, points | NashConv, points | value of player 0 | nodes |\n\
         |---|---:|---:|---:|---:|---:|\n",
    );
    let mut row =
        |name: &str, ma_per_g: Option<f64>, points: f64, nash_conv: f64, value: f64, nodes: &str| {
            let ma_per_g = ma_per_g.map_or_else(|| "–".to_owned(), |figure| format!("{figure:.1}"));
            let _ = writeln!(
                text,
                "| {name} | {ma_per_g} | {points:.5} | {nash_conv:.5} | {value:.5} | {nodes} |"
            );
        };
    for exact in &evaluation.exact {
        let (points, nash_conv) = (exact.exploitability_points, exact.nash_conv_points);
        row(
            &exact.policy,
            exact.exploitability_ma_per_g,
            points,
            nash_conv,
            exact.value_points,
            "as the run",
        );
    }
    for tabular in &evaluation.tabular {
        row(
            &format!("{} (tabular)", tabular.solver),
            tabular.exploitability_ma_per_g,
            tabular.exploitability_points,
            tabular.nash_conv_points,
            tabular.value_points,
            &tabular.nodes.to_string(),
        );
    }
    text
}

fn match_table(matches: &[MatchMetrics]) -> String {
    let mut text = String::from(
        "\nMatches over mirrored deals (each played twice, seats swapped); 95 % intervals; mirroring: how many times \
         lower the variance is for it.\n\n\
         | strategy | opponent | deals | win / tie / loss | win rate | points a game | truncated | plies | mirroring |\n\
         |---|---|---:|---:|---:|---:|---:|---:|---:|\n",
    );
    for result in matches {
        let [low, high] = result.win_rate_ci95;
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} / {} / {} | {:.3} [{low:.3}, {high:.3}] | {:+.2} ± {:.2} | {} | {:.0} | {} |",
            result.policy,
            result.opponent,
            result.deals,
            result.wins,
            result.ties,
            result.losses,
            result.win_rate(),
            result.mean_difference,
            result.ci95,
            result.truncated,
            result.mean_plies,
            factor(result.variance_reduction),
        );
    }
    text
}

fn factor(value: f64) -> String {
    if value.is_finite() { format!("{value:.2}") } else { "–".to_owned() }
}

fn phase_table(lines: &[IterationMetrics]) -> String {
    let total = total_phases(lines);
    let sum = total.sum();
    let mut text = String::from(
        "\n## Time\n\n| phase (exclusive) | seconds | share | seconds an iteration |\n|---|---:|---:|---:|\n",
    );
    for (name, seconds) in total.named() {
        let share = if sum > 0.0 { 100.0 * seconds / sum } else { 0.0 };
        let mean = seconds / lines.len() as f64;
        let _ = writeln!(text, "| {name} | {seconds:.1} | {share:.1} % | {mean:.3} |");
    }
    let _ = writeln!(text, "| all | {sum:.1} | 100.0 % | {:.3} |", sum / lines.len() as f64);
    text
}
