//! The result of a round robin as tables: Markdown whose columns line up, for terminals too.
//!
//! Not here: computing figures.

use std::fmt::Write;

use crate::report::{ArenaReport, LadderEntry, MeanReport, PairReport};

/// Everything: title, contestants, pairings, ladder, and what the figures mean.
pub fn markdown(report: &ArenaReport) -> String {
    let mut text = format!("# Arena: {}\n\nSeed {}; {}.\n", report.game, report.seed, report.rule);
    text.push('\n');
    for contestant in &report.contestants {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "- {}: {}", contestant.name, contestant.kind);
    }
    text.push('\n');
    text += &pair_table(&report.pairs);
    text += "\nEach deal is played twice, with seats swapped. Points are means a game of A's points minus B's; win \
             rates have Wilson intervals at 95 %; `truncated` games reached the cap on plies and count as they stood; \
             `mirroring` is the factor by which playing both seatings of a deal lowers the variance.\n";
    if !report.ladder.is_empty() {
        text.push('\n');
        text += &ladder_table(&report.ladder);
        text += "\nBradley-Terry ratings on Elo's scale (400 points: odds of 10 to 1), mean 0, ties as half a win, with \
                 95 % intervals relative to the mean; prior: one game won and one lost against an average player. Ratings count games won; where points are what \
                 counts, as in poker, look at them.\n";
    }
    text
}

/// One row for each pairing.
pub fn pair_table(pairs: &[PairReport]) -> String {
    let scored = pairs.iter().any(|pair| pair.scores.is_some());
    let truncated = pairs.iter().any(|pair| pair.truncated > 0);
    let mut head = vec!["A", "B", "games", "W / T / L of A", "win rate of A", "difference, points"];
    if scored {
        head.extend(["A, points", "B, points"]);
    }
    if truncated {
        head.extend(["truncated", "the others: win rate, difference"]);
    }
    head.extend(["plies", "mirroring"]);
    let rows = pairs.iter().map(|pair| pair_row(pair, scored, truncated));
    table(&head, rows.collect())
}

fn pair_row(pair: &PairReport, scored: bool, truncated: bool) -> Vec<String> {
    let [low, high] = pair.win_rate_ci95;
    let mut row = vec![
        pair.a.clone(),
        pair.b.clone(),
        pair.games.to_string(),
        format!("{} / {} / {}", pair.wins, pair.ties, pair.losses),
        format!("{:.3} [{low:.3}, {high:.3}]", pair.win_rate),
        signed(&pair.difference),
    ];
    if scored {
        let scores = pair.scores.as_ref();
        row.extend([0, 1].map(|side: usize| scores.map_or_else(dash, |scores| signed(&scores[side]))));
    }
    if truncated {
        row.push(pair.truncated.to_string());
        let others = pair.finished.map(|(_, rate, difference)| format!("{rate:.3}, {difference:+.2}"));
        row.push(others.unwrap_or_else(dash));
    }
    row.push(format!("{:.0}", pair.mean_plies));
    let factor = pair.variance_reduction;
    row.push(if factor.is_finite() { format!("{factor:.2}") } else { "all luck".to_owned() });
    row
}

/// One row for each contestant.
pub fn ladder_table(ladder: &[LadderEntry]) -> String {
    let row = |(place, entry): (usize, &LadderEntry)| {
        vec![
            (place + 1).to_string(),
            entry.name.clone(),
            format!("{:+.0} ± {:.0}", entry.elo, entry.elo_ci95),
            entry.games.to_string(),
            format!("{:.3}", entry.win_share),
            format!("{:+.2}", entry.mean_difference),
        ]
    };
    table(
        &["place", "contestant", "rating", "games", "share won", "points a game"],
        ladder.iter().enumerate().map(row).collect(),
    )
}

fn signed(mean: &MeanReport) -> String {
    format!("{:+.2} ± {:.2}", mean.mean, mean.ci95)
}

fn dash() -> String {
    "-".to_owned()
}

/// A Markdown table whose columns line up; the first two are texts, the others figures.
fn table(head: &[&str], rows: Vec<Vec<String>>) -> String {
    let width = |column: usize| {
        let cells = rows.iter().map(|row| row[column].chars().count());
        cells.chain([head[column].chars().count()]).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..head.len()).map(width).collect();
    let line = |cells: &mut dyn Iterator<Item = &str>| {
        let padded = cells.zip(&widths).enumerate().map(|(column, (cell, &width))| match column {
            0 | 1 => format!(" {cell:<width$} |"),
            _ => format!(" {cell:>width$} |"),
        });
        format!("|{}\n", padded.collect::<String>())
    };
    let mut text = line(&mut head.iter().copied());
    let rules = widths.iter().enumerate().map(|(column, &width)| {
        let dashes = "-".repeat(width + 1);
        if column < 2 { format!("{dashes}-|") } else { format!("{dashes}:|") }
    });
    text += &format!("|{}\n", rules.collect::<String>());
    for row in &rows {
        text += &line(&mut row.iter().map(String::as_str));
    }
    text
}
