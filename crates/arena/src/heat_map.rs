//! The round robin as a square: everybody's share of the games against everybody.
//!
//! Not here: how a square is drawn (see `report`).

use deepcfr_runs::report::{Cell, HeatMap};

use crate::report::{ArenaReport, PairReport};

/// Rows and columns in the ladder's order; a row's share against a column, ties counting half.
pub(crate) fn heat_map(report: &ArenaReport) -> HeatMap {
    let names: Vec<String> = match report.ladder.as_slice() {
        [] => report.contestants.iter().map(|contestant| contestant.name.clone()).collect(),
        ladder => ladder.iter().map(|entry| entry.name.clone()).collect(),
    };
    let cell = |row: &String, column: &String| report.pairs.iter().find_map(|pair| seen(pair, row, column));
    let cells = names.iter().map(|row| names.iter().map(|column| cell(row, column)).collect()).collect();
    HeatMap {
        title: "Share of games won by the row, ties half; mean difference in points below".to_owned(),
        names,
        cells,
    }
}

fn seen(pair: &PairReport, row: &str, column: &str) -> Option<Cell> {
    let (share, difference) = (pair.win_share(), pair.difference.mean);
    let (share, difference) = match (row, column) {
        (a, b) if a == pair.a && b == pair.b => (share, difference),
        (b, a) if a == pair.a && b == pair.b => (1.0 - share, -difference),
        _ => return None,
    };
    Some(Cell { share, lines: [format!("{:.1} %", 100.0 * share), format!("{difference:+.1}")] })
}
