//! Runs of one configuration over the values of a key or over sizes of the model, with matched seeds.
//!
//! A sweep is a folder: `sweep.json` says what is run, `cells/` holds a run folder and, once it is
//! complete, a `result.json` for every value and seed. Whatever ends a sweep, the next start goes on:
//! finished cells are read, an unfinished one resumes from its checkpoint. Not here: what the results
//! decide (`deepcfr_levers::comparison`).

mod cell;
mod plan;
mod report;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::SystemTime;

use deepcfr_board::Catalogue;

pub use cell::CellResult;
pub use plan::{Axis, SweepPlan};
pub use report::Findings;

pub use crate::error::SweepFailure;

use crate::error::BenchError;
use crate::profile::Progress;
use deepcfr_runs::atomic_file;
use deepcfr_runs::run_folder::RunFolder;

const PLAN: &str = "sweep.json";
const CELLS: &str = "cells";

/// How a sweep ended.
#[derive(Debug)]
pub struct Swept {
    /// Where everything is.
    pub folder: PathBuf,
    /// What was found; `None` where it was stopped before its end.
    pub findings: Option<Findings>,
}

/// Makes a sweep's folder in `runs`, or at `out`, and writes its plan.
///
/// # Errors
/// If a sweep is there already, or the file system refuses.
pub fn create(plan: &SweepPlan, runs: &Path, out: Option<&Path>) -> Result<PathBuf, BenchError> {
    let folder = match out {
        Some(path) if path.join(PLAN).exists() => {
            return Err(SweepFailure::Exists { path: path.to_owned() }.into());
        }
        Some(path) => {
            fs::create_dir_all(path).map_err(SweepFailure::io(path))?;
            path.to_owned()
        }
        None => RunFolder::create_dated(runs, &plan.slug(), SystemTime::now())?,
    };
    let path = folder.join(PLAN);
    atomic_file::write(&path, plan.to_json().as_bytes()).map_err(SweepFailure::io(&path))?;
    Ok(folder)
}

/// The plan of the sweep in the folder `word`, or in the folder of that name in `runs`.
///
/// # Errors
/// If there is none.
pub fn find(runs: &Path, word: &str) -> Result<(PathBuf, SweepPlan), BenchError> {
    let candidates = [PathBuf::from(word), runs.join(word)];
    let Some(folder) = candidates.into_iter().find(|path| path.join(PLAN).is_file()) else {
        return Err(SweepFailure::NotASweep { word: word.to_owned(), missing: PLAN }.into());
    };
    let path = folder.join(PLAN);
    let text = fs::read_to_string(&path).map_err(SweepFailure::io(&path))?;
    let plan = serde_json::from_str(&text).map_err(|source| SweepFailure::Plan { path, source })?;
    Ok((folder, plan))
}

/// Runs what is not finished of the sweep in `folder`, then writes its report.
///
/// # Errors
/// See [`BenchError`]. Finished cells stay finished.
pub fn run(
    catalogue: &Catalogue,
    plan: &SweepPlan,
    folder: &Path,
    progress: &mut dyn Progress,
    stop: &AtomicBool,
) -> Result<Swept, BenchError> {
    let cells = plan.cells(catalogue.schema())?;
    let mut results = Vec::new();
    for (place, cell) in cells.iter().enumerate() {
        let path = folder.join(CELLS).join(cell.slug());
        let name = format!("{} of {}: {}, seed {}", place + 1, cells.len(), cell.value, cell.seed);
        let Some(result) = cell.run(catalogue, &path, &name, progress, stop)? else {
            return Ok(Swept { folder: folder.to_owned(), findings: None });
        };
        results.push(result);
    }
    let findings = Findings::of(plan, catalogue.schema(), &results)?;
    findings.write(folder)?;
    Ok(Swept { folder: folder.to_owned(), findings: Some(findings) })
}
