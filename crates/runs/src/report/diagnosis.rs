//! What the summary says of how the strategy plays, what the fits learned, and whether strength falls.
//!
//! Not here: computing any of it.

use std::fmt::Write;

use crate::metrics::PlayerDiagnostics;
use crate::metrics::{FitMetrics, IterationMetrics, MatchMetrics};

/// Evaluations at the end of a run that are compared with the best.
const LAST: usize = 5;
/// An exact figure has no noise of its own, but runs differ: that much above the best is a fall.
const EXACT_MARGIN: f64 = 1.25;

/// The sections, empty where there is nothing to say.
pub(super) fn sections(lines: &[IterationMetrics]) -> String {
    let mut text = course(lines);
    let evaluated = lines.iter().rev().find_map(|line| Some((line, line.evaluation.as_ref()?)));
    let Some((line, evaluation)) = evaluated else { return text };
    let matches: Vec<&MatchMetrics> = evaluation.matches.iter().chain(&evaluation.extended).collect();
    text.push_str(&play(&matches));
    if let Some(diagnostics) = &evaluation.diagnostics {
        let _ = write!(
            text,
            "\n## What the fits of iteration {} learned\n\nAdvantage samples of this iteration against what the \
             networks now say of the same infosets; the networks fit those of all iterations. Points.\n",
            line.iteration
        );
        text.push_str(&scales(line));
        for (player, diagnostics) in diagnostics.players.iter().enumerate() {
            text.push_str(&of_player(player, diagnostics));
        }
    }
    text
}

fn scales(line: &IterationMetrics) -> String {
    let mut text = String::from(
        "\n| network | target RMS, points | loss | gradient norm before clipping | steps | steps skipped |\n\
         |---|---:|---:|---:|---:|---:|\n",
    );
    let fits = [
        ("advantage 0", line.fits.advantage[0]),
        ("advantage 1", line.fits.advantage[1]),
        ("strategy", line.fits.strategy),
    ];
    for (name, fit) in fits {
        let Some(FitMetrics { loss, steps, skipped_steps, target_rms, grad_norm, .. }) = fit else {
            continue;
        };
        let _ = writeln!(
            text,
            "| {name} | {target_rms:.3} | {loss:.4} | {grad_norm:.3} | {steps} | {skipped_steps} |"
        );
    }
    text
}

fn of_player(player: usize, diagnostics: &PlayerDiagnostics) -> String {
    let mut text = format!(
        "\nPlayer {player}, {} infosets: no positive advantage at {:.1} %, so that the fallback decides; mean \
         entropy of the strategy {:.2} nats.\n\n\
         | action class | legal actions | target mean | 10 % | 50 % | 90 % | prediction mean | correlation | \
         played | picked by the fallback |\n|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n",
        diagnostics.rows,
        100.0 * diagnostics.fallback_share,
        diagnostics.entropy,
    );
    let percent = |share: f64| format!("{:.1} %", 100.0 * share);
    for class in &diagnostics.classes {
        let [low, middle, high] = class.target_quantiles;
        let _ = writeln!(
            text,
            "| {} | {} | {:+.2} | {low:+.1} | {middle:+.1} | {high:+.1} | {:+.2} | {} | {} | {} |",
            class.class,
            class.actions,
            class.target_mean,
            class.prediction_mean,
            class.correlation.map_or_else(|| "–".to_owned(), |figure| format!("{figure:.2}")),
            percent(class.played),
            class.fallback_picks.map_or_else(|| "–".to_owned(), percent),
        );
    }
    text.push_str("\nCalibration, legal actions by rising prediction: ");
    let bins = diagnostics.calibration.iter().map(|bin| {
        format!("predicted {:+.2}, mean target {:+.2} ({} actions)", bin.prediction, bin.target, bin.actions)
    });
    text.push_str(&bins.collect::<Vec<_>>().join("; "));
    text.push_str(".\n");
    text
}

/// How the strategies played, where the game says.
fn play(matches: &[&MatchMetrics]) -> String {
    let Some(first) = matches.iter().find(|played| !played.facts.is_empty()) else { return String::new() };
    let mut text =
        String::from("\n## How it plays\n\nMeans a game, of the strategy alone.\n\n| strategy | opponent |");
    first.facts.iter().for_each(|(name, _)| _ = write!(text, " {name} |"));
    let _ = write!(text, " own score | own score over {} |\n|---|---|", first.facts[0].0);
    text.push_str(&"---:|".repeat(first.facts.len() + 2));
    text.push('\n');
    for played in matches {
        let _ = write!(text, "| {} | {} |", played.policy, played.opponent);
        played.facts.iter().for_each(|(_, mean)| _ = write!(text, " {mean:.2} |"));
        let per = played.own_score.zip(played.facts.first()).filter(|(_, (_, count))| *count > 0.0);
        let figure =
            |figure: Option<f64>| figure.map_or_else(|| "–".to_owned(), |figure| format!("{figure:+.1}"));
        let per = per.map(|(score, (_, count))| score / count);
        let _ = writeln!(text, " {} | {} |", figure(played.own_score), figure(per));
    }
    text
}

/// Whether the last evaluations are as good as the best one.
fn course(lines: &[IterationMetrics]) -> String {
    let mut verdicts = Vec::new();
    for name in names(lines) {
        let points = course_of(lines, &name);
        if points.len() > LAST {
            verdicts.push(verdict(&name, &points));
        }
    }
    if verdicts.is_empty() {
        return String::new();
    }
    let fell = verdicts.iter().any(|verdict| verdict.contains("**degrading**"));
    let why = if fell { first_and_last_fits(lines) } else { String::new() };
    format!("\n## The course of strength\n\n{}\n{why}", verdicts.join("\n"))
}

/// A strategy's measure: against an opponent, or exact.
type Name = (String, Option<String>);

/// One evaluation: iteration, figure (more is better), half-width of its 95 % interval.
type Measured = (u32, f64, f64);

fn names(lines: &[IterationMetrics]) -> Vec<Name> {
    let last = lines.iter().rev().find_map(|line| line.evaluation.as_ref());
    last.map_or_else(Vec::new, |evaluation| {
        let exact = evaluation.exact.iter().map(|exact| (exact.policy.clone(), None));
        let played = evaluation.matches.iter();
        exact.chain(played.map(|m| (m.policy.clone(), Some(m.opponent.clone())))).collect()
    })
}

fn course_of(lines: &[IterationMetrics], (policy, opponent): &Name) -> Vec<Measured> {
    let measured = |line: &IterationMetrics| {
        let evaluation = line.evaluation.as_ref()?;
        match opponent {
            None => {
                let exact = evaluation.exact.iter().find(|exact| exact.policy == *policy)?;
                Some((line.iteration, -exact.exploitability_points, 0.0))
            }
            Some(opponent) => {
                let found = |m: &&MatchMetrics| m.policy == *policy && m.opponent == *opponent;
                let played = evaluation.matches.iter().find(found)?;
                Some((line.iteration, played.mean_difference, played.ci95))
            }
        }
    };
    lines.iter().filter_map(measured).collect()
}

fn verdict((policy, opponent): &Name, points: &[Measured]) -> String {
    let best = *points.iter().max_by(|a, b| a.1.total_cmp(&b.1)).expect("there are evaluations");
    let last = &points[points.len() - LAST..];
    let mean = last.iter().map(|point| point.1).sum::<f64>() / LAST as f64;
    let noise = last.iter().map(|point| point.2.powi(2)).sum::<f64>().sqrt() / LAST as f64;
    let (what, unit, fell) = match opponent {
        Some(opponent) => {
            (format!("{policy} against {opponent}"), "points a game", best.1 - mean > best.2.hypot(noise))
        }
        None => (format!("{policy}, exploitability"), "points", mean < EXACT_MARGIN * best.1),
    };
    let (best_figure, mean_figure) = if opponent.is_some() { (best.1, mean) } else { (-best.1, -mean) };
    let word = if fell { "**degrading**" } else { "holds" };
    format!(
        "- {what}: {word}; best {best_figure:.3} ± {:.3} {unit} at iteration {}, mean of the last {LAST} \
         evaluations {mean_figure:.3} ± {noise:.3}.",
        best.2, best.0
    )
}

/// Where to look first when strength falls.
fn first_and_last_fits(lines: &[IterationMetrics]) -> String {
    let diagnosed = |line: &IterationMetrics| {
        let player = line.evaluation.as_ref()?.diagnostics.as_ref()?.players.first()?.fallback_share;
        Some((line.iteration, player, line.fits.advantage[0]?.target_rms))
    };
    let mut all = lines.iter().filter_map(diagnosed);
    let (Some(first), Some(last)) = (all.next(), all.next_back()) else { return String::new() };
    format!(
        "\nWhat changed meanwhile, player 0: fallback decides at {:.1} % of infosets at iteration {}, {:.1} % at {}; \
         target RMS {:.2} points then, {:.2} now.\n",
        100.0 * first.1,
        first.0,
        100.0 * last.1,
        last.0,
        first.2,
        last.2
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::EvaluationMetrics;

    fn run(differences: &[f64]) -> Vec<IterationMetrics> {
        let line = |(index, &mean_difference): (usize, &f64)| {
            let played = MatchMetrics {
                policy: "current".into(),
                opponent: "bot".into(),
                mean_difference,
                ci95: 2.0,
                ..played()
            };
            let evaluation = EvaluationMetrics { matches: vec![played], ..EvaluationMetrics::default() };
            let iteration = index as u32 + 1;
            IterationMetrics { iteration, evaluation: Some(evaluation), ..IterationMetrics::default() }
        };
        differences.iter().enumerate().map(line).collect()
    }

    fn played() -> MatchMetrics {
        MatchMetrics {
            policy: String::new(),
            opponent: String::new(),
            deals: 100,
            wins: 120,
            ties: 0,
            losses: 80,
            mean_difference: 0.0,
            ci95: 0.0,
            win_rate_ci95: [0.5, 0.7],
            truncated: 0,
            mean_plies: 90.0,
            facts: vec![("colours opened".into(), 3.0)],
            own_score: Some(30.0),
            variance_reduction: 1.0,
        }
    }

    #[test]
    fn strength_that_falls_is_called_degrading_and_noise_is_not() {
        let fell = sections(&run(&[1.0, 9.0, 5.0, 4.0, 4.0, 5.0, 4.0]));
        assert!(fell.contains("current against bot: **degrading**; best 9.000 ± 2.000"), "{fell}");
        let holds = sections(&run(&[1.0, 5.0, 6.0, 5.0, 4.0, 5.0, 4.5]));
        assert!(holds.contains("current against bot: holds; best 6.000"), "{holds}");
        assert!(!sections(&run(&[9.0, 1.0])).contains("course"), "too few to say");
    }

    #[test]
    fn how_it_plays_is_told_with_the_score_per_colour() {
        let text = sections(&run(&[1.0]));
        assert!(text.contains("| current | bot | 3.00 | +30.0 | +10.0 |"), "{text}");
    }
}
