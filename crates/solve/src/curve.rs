//! The learning curve of a solver: which points are measured, and their tables as CSV and JSON.
//!
//! Not here: plots (see `report`).

use std::fmt::Write;

use deepcfr_cfr::tabular::Evaluation;
use serde::Serialize;

/// Where a solver was, and how good its average strategy was there.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct CurvePoint {
    /// Iterations done; one updates every player once.
    pub iterations: u64,
    /// Decision and terminal nodes visited, chance excluded.
    pub nodes: u64,
    /// Seconds of solving, evaluation excluded.
    pub seconds: f64,
    /// The exact figures; absent where the game is too big for them.
    pub exact: Option<ExactPoint>,
}

/// Exact figures of a strategy, in the game's points.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ExactPoint {
    /// `nash_conv_points / 2`.
    pub exploitability_points: f64,
    /// `Σ_p (best-response value − value)`.
    pub nash_conv_points: f64,
    /// What player 0 gets.
    pub value_points: f64,
}

impl From<Evaluation> for ExactPoint {
    fn from(found: Evaluation) -> Self {
        Self {
            exploitability_points: found.exploitability,
            nash_conv_points: found.nash_conv,
            value_points: found.values[0],
        }
    }
}

/// A learning curve and what it belongs to.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Curve {
    /// The game and its rules.
    pub game: String,
    /// The algorithm's name.
    pub algorithm: String,
    /// Seed of sampling algorithms.
    pub seed: u64,
    /// Points in order.
    pub points: Vec<CurvePoint>,
}

const CSV_HEAD: &str =
    "algorithm,iterations,nodes,seconds,exploitability_points,nash_conv_points,value_points";

/// All points of `curves` as CSV with a head; figures that are absent are empty.
pub(crate) fn csv(curves: &[Curve]) -> String {
    let mut text = CSV_HEAD.to_owned() + "\n";
    for curve in curves {
        for point in &curve.points {
            write!(text, "{},{},{},{},", curve.algorithm, point.iterations, point.nodes, point.seconds)
                .expect("a string takes all text");
            let line = point.exact.map_or_else(
                || ",,\n".to_owned(),
                |e| format!("{:e},{:e},{}\n", e.exploitability_points, e.nash_conv_points, e.value_points),
            );
            text.push_str(&line);
        }
    }
    text
}

/// The points of a single curve that [`csv`] wrote, to the last bit; `None` if it is not one.
pub(crate) fn points(text: &str) -> Option<Vec<CurvePoint>> {
    let mut lines = text.lines();
    if lines.next() != Some(CSV_HEAD) {
        return None;
    }
    lines.map(point).collect()
}

fn point(line: &str) -> Option<CurvePoint> {
    let fields: Vec<&str> = line.split(',').collect();
    let [_, iterations, nodes, seconds, exploitability, nash_conv, value] = fields[..] else { return None };
    let exact = if exploitability.is_empty() && nash_conv.is_empty() && value.is_empty() {
        None
    } else {
        Some(ExactPoint {
            exploitability_points: exploitability.parse().ok()?,
            nash_conv_points: nash_conv.parse().ok()?,
            value_points: value.parse().ok()?,
        })
    };
    let (iterations, nodes) = (iterations.parse().ok()?, nodes.parse().ok()?);
    Some(CurvePoint { iterations, nodes, seconds: seconds.parse().ok()?, exact })
}

/// The first of 1, 2, 5, 10, 20, 50, … that is above `iterations`.
pub(crate) fn next_point(iterations: u64) -> u64 {
    let mut decade = 1u64;
    loop {
        for step in [1, 2, 5] {
            let point = decade.saturating_mul(step);
            if point > iterations {
                return point;
            }
        }
        decade = decade.saturating_mul(10);
        if decade == u64::MAX {
            return decade;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_evenly_spaced_by_their_logarithm() {
        let mut points = vec![0];
        for _ in 0..8 {
            points.push(next_point(points[points.len() - 1]));
        }
        assert_eq!(points[1..], [1, 2, 5, 10, 20, 50, 100, 200]);
        assert_eq!([next_point(7), next_point(1_000)], [10, 2_000]);
        assert_eq!(next_point(u64::MAX - 1), u64::MAX);
    }

    #[test]
    fn tables_name_units_and_leave_out_what_is_not_known() {
        let exact =
            ExactPoint { exploitability_points: 0.25, nash_conv_points: 0.5, value_points: -1.0 / 18.0 };
        let point = |iterations, exact| CurvePoint { iterations, nodes: 3 * iterations, seconds: 0.5, exact };
        let curve = Curve {
            game: "kuhn".to_owned(),
            algorithm: "cfr+".to_owned(),
            seed: 1,
            points: vec![point(1, Some(exact)), point(2, None)],
        };
        let lines: Vec<String> = csv(std::slice::from_ref(&curve)).lines().map(str::to_owned).collect();
        assert_eq!(lines[0], CSV_HEAD);
        assert_eq!(lines[1], "cfr+,1,3,0.5,2.5e-1,5e-1,-0.05555555555555555");
        assert_eq!(lines[2], "cfr+,2,6,0.5,,,");
        assert_eq!(points(&csv(std::slice::from_ref(&curve))), Some(curve.points));
        assert_eq!(points("no head\n"), None);
        assert_eq!(points(&format!("{CSV_HEAD}\ncfr,1,3,0.5,2.5e-1\n")), None);
    }
}
