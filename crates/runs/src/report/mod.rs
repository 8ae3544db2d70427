//! `summary.md` and its plots: a run's metrics for people.
//!
//! Not here: figures that are not in the metrics; nothing is computed anew.

mod batches;
mod curves;
mod diagnosis;
mod heat_map;
mod plot;
mod summary;

use std::io;
use std::path::{Path, PathBuf};

use crate::atomic_file;
use crate::metrics::{IterationMetrics, MetricsError, PhaseSeconds, read_metrics};
use crate::run_folder::RunFolder;

pub use curves::{Chart, Point, Series};
use curves::{Cost, Measure};
pub use heat_map::{Cell, HeatMap};

const SUMMARY: &str = "summary.md";
const PHASES_PLOT: &str = "phases.svg";

/// Why a report could not be written.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// The metrics cannot be read.
    #[error(transparent)]
    Metrics(#[from] MetricsError),
    /// The file system refused.
    #[error("report file {}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The plotting library refused.
    #[error("plot {file}: {reason}")]
    Plot {
        /// The plot's file name.
        file: String,
        /// The library's own words.
        reason: String,
    },
}

/// What a report says beside the figures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReportTitle {
    /// The game and its rules.
    pub game: String,
    /// The seed.
    pub seed: u64,
    /// Hash of the configuration.
    pub config_hash: String,
}

/// Writes `summary.md` and the plots into the run's folder, each atomically. Returns the files, the
/// summary first. May be called while the run goes on.
///
/// # Errors
/// If the metrics cannot be read or a file cannot be written.
pub fn write_report(folder: &RunFolder, title: &ReportTitle) -> Result<Vec<PathBuf>, ReportError> {
    let lines = read_metrics(folder.path())?;
    let plots = draw_plots(&lines)?;
    let names: Vec<&str> = plots.iter().map(|(name, _)| name.as_str()).collect();
    let text = summary::render(title, folder.read_machine().as_ref(), &lines, &names);
    let mut written = vec![write(folder.path(), SUMMARY, &text)?];
    for (name, svg) in &plots {
        written.push(write(folder.path(), name, svg)?);
    }
    Ok(written)
}

/// File names and contents of the plots that the metrics have figures for.
fn draw_plots(lines: &[IterationMetrics]) -> Result<Vec<(String, String)>, ReportError> {
    let mut plots = Vec::new();
    for (measure, stem) in [(Measure::Exploitability, "exploitability"), (Measure::Difference, "matches")] {
        for (cost, suffix) in [(Cost::Nodes, "nodes"), (Cost::TrainingSeconds, "seconds")] {
            if let Some(chart) = Chart::of(lines, measure, cost) {
                let name = format!("{stem}-by-{suffix}.svg");
                let svg = plot::draw_curves(&chart).map_err(plot_error(&name))?;
                plots.push((name, svg));
            }
        }
    }
    let total = total_phases(lines);
    if total.sum() > 0.0 {
        let svg = plot::draw_phases(&total).map_err(plot_error(PHASES_PLOT))?;
        plots.push((PHASES_PLOT.to_owned(), svg));
    }
    Ok(plots)
}

fn total_phases(lines: &[IterationMetrics]) -> PhaseSeconds {
    let mut total = PhaseSeconds::default();
    lines.iter().for_each(|line| total.add(&line.phases));
    total
}

fn write(folder: &Path, name: &str, contents: &str) -> Result<PathBuf, ReportError> {
    let path = folder.join(name);
    atomic_file::write(&path, contents.as_bytes())
        .map_err(|source| ReportError::Io { path: path.clone(), source })?;
    Ok(path)
}

/// Draws `chart` into the file `name` of `folder`, atomically.
///
/// # Errors
/// If it cannot be drawn or written.
pub fn write_chart(folder: &Path, name: &str, chart: &Chart) -> Result<(), ReportError> {
    let svg = plot::draw_curves(chart).map_err(plot_error(name))?;
    write(folder, name, &svg)?;
    Ok(())
}

/// Draws `map` into the file `name` of `folder`, atomically.
///
/// # Errors
/// If it cannot be drawn or written.
pub fn write_heat_map(folder: &Path, name: &str, map: &HeatMap) -> Result<(), ReportError> {
    let svg = heat_map::draw(map).map_err(plot_error(name))?;
    write(folder, name, &svg)?;
    Ok(())
}

/// Draws phases as bars into the file `name` of `folder`, atomically.
///
/// # Errors
/// If it cannot be drawn or written.
pub fn write_phases(folder: &Path, name: &str, phases: &PhaseSeconds) -> Result<(), ReportError> {
    let svg = plot::draw_phases(phases).map_err(plot_error(name))?;
    write(folder, name, &svg)?;
    Ok(())
}

fn plot_error(name: &str) -> impl FnOnce(plot::DrawError) -> ReportError + '_ {
    move |error| ReportError::Plot { file: name.to_owned(), reason: error.to_string() }
}

#[cfg(test)]
mod tests;
