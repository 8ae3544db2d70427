//! Where profiles lie: `<runs>/<date>-profile-<name>/profile.json`.
//!
//! Not here: what a profile holds.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::error::{BenchError, ProfilingError};
use deepcfr_config::RunConfig;
use deepcfr_runs::run_folder::RunFolder;

/// The file name of a profile in its folder.
pub const PROFILE: &str = "profile.json";
/// The file name of a ledger, in the folder of runs and in that of a profile.
pub const LEDGER: &str = "levers.jsonl";

/// Makes the folder of a new profile of `config` beside its runs.
///
/// # Errors
/// If the file system refuses.
pub fn create_folder(config: &RunConfig) -> Result<PathBuf, BenchError> {
    let name = format!("profile-{}", config.run.name);
    Ok(RunFolder::create_dated(&config.run.folder, &name, SystemTime::now())?)
}

/// The profile in `runs` that was written last.
///
/// # Errors
/// [`ProfilingError::NoProfile`] if there is none.
pub fn newest_profile(runs: &Path) -> Result<PathBuf, BenchError> {
    let folders = fs::read_dir(runs).into_iter().flatten().flatten();
    let profiles = folders.map(|entry| entry.path().join(PROFILE)).filter_map(|path| {
        let written = fs::metadata(&path).and_then(|data| data.modified()).ok()?;
        Some((written, path))
    });
    let newest = profiles.max();
    newest.map(|(_, path)| path).ok_or_else(|| ProfilingError::NoProfile { runs: runs.to_owned() }.into())
}
