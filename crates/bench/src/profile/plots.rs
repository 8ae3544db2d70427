//! The plots of a profile: calls against their batch with their fits, phases as bars, the roofline.
//!
//! Not here: the figures.

use std::path::Path;

use deepcfr_levers::fit::{Achieved, Ceilings};
use deepcfr_levers::profile::Profile;
use deepcfr_levers::text::{CallReport, ProfileReport};

use crate::error::BenchError;
use deepcfr_runs::metrics::PhaseSeconds;
use deepcfr_runs::report::{Chart, Point, Series, write_chart, write_phases};

/// Points that a fitted curve or a ceiling is drawn through.
const CURVE_POINTS: usize = 40;

/// Writes `calls.svg`, `phases.svg` and `roofline.svg` into `folder`; returns their names.
///
/// # Errors
/// If a plot cannot be drawn or written.
pub fn write_plots(
    folder: &Path,
    profile: &Profile,
    report: &ProfileReport,
) -> Result<Vec<&'static str>, BenchError> {
    write_phases(folder, "phases.svg", &mean_phases(report))?;
    let mut written = vec!["phases.svg"];
    if !report.calls.is_empty() {
        write_chart(folder, "calls.svg", &calls(report))?;
        written.push("calls.svg");
    }
    if let (Some(ceilings), false) = (&profile.ceilings, report.calls.is_empty()) {
        write_chart(folder, "roofline.svg", &roofline(report, ceilings))?;
        written.push("roofline.svg");
    }
    Ok(written)
}

fn mean_phases(report: &ProfileReport) -> PhaseSeconds {
    let seconds = |place: usize| report.phase_seconds[place].1.value;
    PhaseSeconds {
        traversal: seconds(0),
        memory: seconds(1),
        batch_assembly: seconds(2),
        advantage_training: seconds(3),
        strategy_training: seconds(4),
        evaluation: seconds(5),
        checkpoint: seconds(6),
        other: seconds(7),
    }
}

fn calls(report: &ProfileReport) -> Chart {
    let mut series = Vec::new();
    for call in &report.calls {
        let measured = call.fit.medians.iter().map(|&(rows, seconds)| point(rows, seconds * 1e6));
        series.push(Series { label: label(call), baseline: false, points: measured.collect() });
        let ends =
            [call.fit.medians.first(), call.fit.medians.last()].map(|end| end.map_or(1.0, |end| end.0));
        let curve = between(ends).map(|rows| point(rows, call.fit.cost.curve.seconds(rows) * 1e6));
        let label = format!("  fit of the {}", call.name());
        series.push(Series { label, baseline: true, points: curve.collect() });
    }
    Chart {
        title: "Time of a call against its batch (points: medians; dashed: fit)",
        x_label: "rows B",
        y_label: "µs a call",
        logarithmic: true,
        series,
    }
}

fn roofline(report: &ProfileReport, ceilings: &Ceilings) -> Chart {
    let mut series: Vec<Series> = report
        .calls
        .iter()
        .map(|call| {
            let reached =
                call.achieved.iter().map(|a: &Achieved| point(a.intensity, a.flops_per_second / 1e9));
            Series { label: label(call), baseline: false, points: reached.collect() }
        })
        .collect();
    let intensities = series.iter().flat_map(|series| &series.points).map(|point| point.x);
    let (low, high) = intensities.fold((f64::INFINITY, 0.0f64), |(low, high), x| (low.min(x), high.max(x)));
    let roof = between([low, high]).map(|intensity| {
        let bound = ceilings.flops_per_second.min(intensity * ceilings.bytes_per_second);
        point(intensity, bound / 1e9)
    });
    series.push(Series { label: "roof of one thread".to_owned(), baseline: true, points: roof.collect() });
    Chart {
        title: "Arithmetic that calls reach against the roof",
        x_label: "operations a byte",
        y_label: "GFLOP/s",
        logarithmic: true,
        series,
    }
}

fn label(call: &CallReport) -> String {
    let network = &call.network;
    format!("{}, {}, {} x {}", call.name(), call.engine, network.hidden_size, network.num_layers)
}

/// Points evenly spaced on a logarithmic axis.
fn between([low, high]: [f64; 2]) -> impl Iterator<Item = f64> {
    let ratio = (high / low).max(1.0);
    (0..=CURVE_POINTS).map(move |place| low * ratio.powf(place as f64 / CURVE_POINTS as f64))
}

const fn point(x: f64, y: f64) -> Point {
    Point { x, y, half_width: 0.0 }
}
