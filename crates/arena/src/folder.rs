//! A round robin's files: Markdown, JSON and a picture.
//!
//! Not here: their contents.

use std::fs;
use std::path::{Path, PathBuf};

use crate::error::ArenaError;
use deepcfr_runs::atomic_file;
use deepcfr_runs::report::write_heat_map;

use crate::heat_map::heat_map;
use crate::report::ArenaReport;
use crate::text::markdown;

const TEXT: &str = "arena.md";
const JSON: &str = "arena.json";
const PICTURE: &str = "arena.svg";

/// Writes `arena.md`, `arena.json` and `arena.svg` into `folder`, which is made if need be; returns
/// their paths.
///
/// # Errors
/// If the file system refuses.
pub fn write_arena(folder: &Path, report: &ArenaReport) -> Result<Vec<PathBuf>, ArenaError> {
    fs::create_dir_all(folder).map_err(ArenaError::io(folder))?;
    let text = markdown(report) + &format!("\n![share of games won]({PICTURE})\n");
    for (name, contents) in [(TEXT, &text), (JSON, &report.to_json())] {
        let path = folder.join(name);
        atomic_file::write(&path, contents.as_bytes()).map_err(ArenaError::io(&path))?;
    }
    write_heat_map(folder, PICTURE, &heat_map(report))?;
    Ok([TEXT, JSON, PICTURE].map(|name| folder.join(name)).into())
}
