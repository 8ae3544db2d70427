//! The folder of a solution: what was asked for, the curve, the plots, the strategy.
//!
//! Not here: what the files hold (see `curve`, `policy_file`, `report`).

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use deepcfr_cfr::tabular::Algorithm;

use crate::curve::{Curve, CurvePoint, csv, points};
use crate::error::SolveError;
use crate::policy_file::EXTENSION;
use crate::report::write_plots;
use crate::task::Task;
use deepcfr_runs::atomic_file;
use deepcfr_runs::machine::MachineInfo;
use deepcfr_runs::run_folder::{RunFolder, RunFolderError, RunLock};

const TASK: &str = "solve.toml";
const CURVE_CSV: &str = "curve.csv";
const CURVE_JSON: &str = "curve.json";

/// The folder of one solution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SolveFolder {
    folder: RunFolder,
}

impl SolveFolder {
    /// Makes the folder that `task` names, or `<runs>/<date>-solve-<game>-<what>`, and records the
    /// machine.
    ///
    /// # Errors
    /// If the task's folder exists, or the file system refuses.
    pub(crate) fn create(task: &Task, what: &str) -> Result<Self, SolveError> {
        let path = match &task.out {
            Some(path) if path.exists() => return Err(SolveError::Exists { path: path.clone() }),
            Some(path) => {
                fs::create_dir_all(path).map_err(SolveError::io(path))?;
                path.clone()
            }
            None => {
                let slug = format!("solve-{}-{}", task.game.name(), what.replace('+', "-plus"));
                RunFolder::create_dated(&task.runs, &slug, SystemTime::now())?
            }
        };
        let folder = RunFolder::at(path);
        folder.write_machine(&MachineInfo::detect())?;
        Ok(Self { folder })
    }

    /// The solution in the folder `word`, or in the folder of this name in `runs`.
    ///
    /// # Errors
    /// If there is none.
    pub fn find(runs: &Path, word: &str) -> Result<Self, SolveError> {
        let candidates = [PathBuf::from(word), runs.join(word)];
        let Some(path) = candidates.into_iter().find(|path| path.is_dir()) else {
            return Err(RunFolderError::not_found(runs, word).into());
        };
        if !path.join(TASK).is_file() {
            return Err(SolveError::NotASolution { path, missing: TASK });
        }
        Ok(Self { folder: RunFolder::at(path) })
    }

    /// The folder itself.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// The strategy and the solver's state.
    pub fn policy_path(&self) -> PathBuf {
        self.path().join(format!("policy.{EXTENSION}"))
    }

    /// A contender's strategy, in the folder of a comparison.
    pub(crate) fn policy_path_of(&self, algorithm: Algorithm) -> PathBuf {
        self.path().join(format!("policy-{algorithm}.{EXTENSION}"))
    }

    pub(crate) fn lock(&self) -> Result<RunLock, RunFolderError> {
        self.folder.lock()
    }

    pub(crate) fn write_task(&self, task: &Task) -> Result<(), SolveError> {
        let head = "# Written by `deepcfr solve`, which reads it to go on with --resume.\n";
        let text = format!("{head}algorithm = \"{}\"\n\n{}", task.algorithms[0], task.config);
        self.write(TASK, &text)
    }

    /// The algorithm's name, and game and seed as TOML.
    pub(crate) fn read_task(&self) -> Result<(String, String), SolveError> {
        let path = self.path().join(TASK);
        let text = fs::read_to_string(&path).map_err(SolveError::io(&path))?;
        let content = |reason: String| SolveError::Content { path: path.clone(), reason };
        let mut table: toml::Table =
            text.parse().map_err(|error: toml::de::Error| content(error.to_string()))?;
        match table.remove("algorithm") {
            Some(toml::Value::String(word)) => Ok((word, table.to_string())),
            _ => Err(content("it names no algorithm".to_owned())),
        }
    }

    /// Writes one or several curves as tables and plots.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub(crate) fn write_curves(&self, curves: &[Curve]) -> Result<(), SolveError> {
        let json = match curves {
            [curve] => serde_json::to_string_pretty(curve),
            several => serde_json::to_string_pretty(several),
        };
        self.write(CURVE_JSON, &(json.expect("plain fields become JSON") + "\n"))?;
        self.write(CURVE_CSV, &csv(curves))?;
        write_plots(self.path(), curves)?;
        Ok(())
    }

    /// The points of a single solution.
    ///
    /// # Errors
    /// If they cannot be read.
    pub(crate) fn read_points(&self) -> Result<Vec<CurvePoint>, SolveError> {
        // Not from the JSON: its reader may miss the last bit of a number.
        let path = self.path().join(CURVE_CSV);
        let text = fs::read_to_string(&path).map_err(SolveError::io(&path))?;
        let reason = "it is not the table of one curve".to_owned();
        points(&text).ok_or(SolveError::Content { path, reason })
    }

    pub(crate) fn write(&self, name: &str, contents: &str) -> Result<(), SolveError> {
        let path = self.path().join(name);
        atomic_file::write(&path, contents.as_bytes()).map_err(SolveError::io(&path))
    }
}
