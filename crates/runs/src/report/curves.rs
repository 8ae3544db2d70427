//! Which points make a learning curve: one series per strategy, against a cost.
//!
//! Not here: how they are drawn.

use crate::metrics::{EvaluationMetrics, IterationMetrics};

/// What is on the vertical axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Measure {
    /// Exact exploitability, the tabular solver beside the networks.
    Exploitability,
    /// Mean point difference in matches, with confidence intervals.
    Difference,
}

/// What is on the horizontal axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cost {
    /// Nodes visited since the start.
    Nodes,
    /// Seconds since the start without evaluation; the tabular solver's own seconds for its curve.
    TrainingSeconds,
}

/// A point of a series; `half_width` is the confidence interval's, 0 for exact figures.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// What it took.
    pub x: f64,
    /// How good the strategy was.
    pub y: f64,
    /// Half-width of the confidence interval.
    pub half_width: f64,
}

/// One line of a chart.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// What it is called.
    pub label: String,
    /// Whether it is there to compare with: drawn apart from what the run learned.
    pub baseline: bool,
    /// In order of `x`.
    pub points: Vec<Point>,
}

/// A chart's contents.
#[derive(Clone, Debug, PartialEq)]
pub struct Chart {
    /// Above the chart.
    pub title: &'static str,
    /// Below it, with the unit.
    pub x_label: &'static str,
    /// Beside it, with the unit.
    pub y_label: &'static str,
    /// Whether both axes are logarithmic; all points are then positive.
    pub logarithmic: bool,
    /// The lines.
    pub series: Vec<Series>,
}

impl Chart {
    /// The chart of `measure` against `cost`, or `None` if nothing was measured.
    pub(super) fn of(lines: &[IterationMetrics], measure: Measure, cost: Cost) -> Option<Self> {
        let in_ma_per_g = every_figure_in_ma_per_g(lines);
        let mut series: Vec<Series> = Vec::new();
        for line in lines {
            let Some(evaluation) = &line.evaluation else { continue };
            let x = match cost {
                Cost::Nodes => line.nodes_total as f64,
                Cost::TrainingSeconds => line.clock.training_seconds(),
            };
            match measure {
                Measure::Exploitability => add_exact(&mut series, evaluation, cost, x, in_ma_per_g),
                Measure::Difference => add_matches(&mut series, evaluation, x),
            }
        }
        let points = || series.iter().flat_map(|series| &series.points);
        points().next()?;
        let logarithmic =
            measure == Measure::Exploitability && points().all(|point| point.x > 0.0 && point.y > 0.0);
        Some(Self {
            title: match measure {
                Measure::Exploitability => "Exploitability (NashConv / 2)",
                Measure::Difference => "Mean point difference in mirrored deals, 95 % intervals",
            },
            x_label: match cost {
                Cost::Nodes => "nodes visited (chance excluded)",
                Cost::TrainingSeconds => "training seconds (evaluation excluded)",
            },
            y_label: match (measure, in_ma_per_g) {
                (Measure::Exploitability, true) => "exploitability, mA/g",
                (Measure::Exploitability, false) => "exploitability, points",
                (Measure::Difference, _) => "points a game",
            },
            logarithmic,
            series,
        })
    }
}

fn every_figure_in_ma_per_g(lines: &[IterationMetrics]) -> bool {
    let evaluations = || lines.iter().filter_map(|line| line.evaluation.as_ref());
    let exact = evaluations().flat_map(|evaluation| &evaluation.exact);
    let tabular = evaluations().flat_map(|evaluation| &evaluation.tabular);
    exact
        .map(|exact| exact.exploitability_ma_per_g)
        .chain(tabular.map(|t| t.exploitability_ma_per_g))
        .all(|figure| figure.is_some())
}

fn add_exact(
    series: &mut Vec<Series>,
    evaluation: &EvaluationMetrics,
    cost: Cost,
    x: f64,
    in_ma_per_g: bool,
) {
    let unit = |points: f64, ma_per_g: Option<f64>| ma_per_g.filter(|_| in_ma_per_g).unwrap_or(points);
    for exact in &evaluation.exact {
        let y = unit(exact.exploitability_points, exact.exploitability_ma_per_g);
        push(series, exact.policy.clone(), false, Point { x, y, half_width: 0.0 });
    }
    for tabular in &evaluation.tabular {
        let y = unit(tabular.exploitability_points, tabular.exploitability_ma_per_g);
        let x = match cost {
            Cost::Nodes => tabular.nodes as f64,
            Cost::TrainingSeconds => tabular.seconds,
        };
        push(series, format!("{} (tabular)", tabular.solver), true, Point { x, y, half_width: 0.0 });
    }
}

fn add_matches(series: &mut Vec<Series>, evaluation: &EvaluationMetrics, x: f64) {
    let sets = [(&evaluation.matches, ""), (&evaluation.extended, ", extended")];
    for (result, set) in sets.into_iter().flat_map(|(matches, set)| matches.iter().map(move |m| (m, set))) {
        let point = Point { x, y: result.mean_difference, half_width: result.ci95 };
        push(series, format!("{} vs {}{set}", result.policy, result.opponent), false, point);
    }
}

/// Figures that are not finite cannot be drawn; the summary shows them.
fn push(series: &mut Vec<Series>, label: String, baseline: bool, point: Point) {
    if !(point.x.is_finite() && point.y.is_finite() && point.half_width.is_finite()) {
        return;
    }
    match series.iter_mut().find(|series| series.label == label) {
        Some(series) => series.points.push(point),
        None => series.push(Series { label, baseline, points: vec![point] }),
    }
}
