//! Plots of exploitability by iterations, nodes and seconds.
//!
//! Not here: how a chart is drawn (see `report`).

use std::path::Path;

use crate::curve::{Curve, CurvePoint};
use deepcfr_runs::report::{Chart, Point, ReportError, Series, write_chart};

/// What solving costs, and what is on the horizontal axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cost {
    Iterations,
    Nodes,
    Seconds,
}

impl Cost {
    pub(crate) const ALL: [Self; 3] = [Self::Iterations, Self::Nodes, Self::Seconds];

    pub(crate) fn of(self, point: &CurvePoint) -> f64 {
        match self {
            Self::Iterations => point.iterations as f64,
            Self::Nodes => point.nodes as f64,
            Self::Seconds => point.seconds,
        }
    }

    const fn word(self) -> &'static str {
        match self {
            Self::Iterations => "iterations",
            Self::Nodes => "nodes",
            Self::Seconds => "seconds",
        }
    }

    const fn label(self) -> &'static str {
        match self {
            Self::Iterations => "iterations (both players updated once)",
            Self::Nodes => "nodes visited (chance excluded)",
            Self::Seconds => "seconds (evaluation excluded)",
        }
    }
}

/// Writes a plot for each cost; none where no point could be evaluated.
pub(crate) fn write_plots(folder: &Path, curves: &[Curve]) -> Result<(), ReportError> {
    for cost in Cost::ALL {
        if let Some(chart) = chart(curves, cost) {
            write_chart(folder, &format!("exploitability-by-{}.svg", cost.word()), &chart)?;
        }
    }
    Ok(())
}

fn chart(curves: &[Curve], cost: Cost) -> Option<Chart> {
    let series: Vec<Series> = curves.iter().map(|curve| series(curve, cost)).collect();
    series.iter().any(|series| !series.points.is_empty()).then_some(Chart {
        title: "Exploitability of the average strategy (NashConv / 2)",
        x_label: cost.label(),
        y_label: "exploitability, points",
        logarithmic: true,
        series,
    })
}

/// A logarithm has no place for 0 or for the rounding below it.
fn series(curve: &Curve, cost: Cost) -> Series {
    let points = curve.points.iter().filter_map(|point| {
        let (x, y) = (cost.of(point), point.exact?.exploitability_points);
        (x > 0.0 && y > 0.0).then_some(Point { x, y, half_width: 0.0 })
    });
    Series { label: curve.algorithm.clone(), baseline: false, points: points.collect() }
}
