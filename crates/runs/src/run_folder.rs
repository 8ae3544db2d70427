//! `runs/<date>-<slug>/`: makes a new run's folder, or finds an existing one.
//!
//! Not here: the contents of metrics, checkpoints and reports, which their own modules write.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::atomic_file;
use crate::checkpoint::{CheckpointError, CheckpointReader, CheckpointStore, Keep, iteration_of};
use crate::machine::MachineInfo;

const CONFIG: &str = "config.toml";
const MACHINE: &str = "machine.json";
const CHECKPOINTS: &str = "checkpoints";
const LOCK: &str = ".lock";
const CHECKPOINT_EXTENSION: &str = ".ckpt";

/// The folder of one run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunFolder {
    path: PathBuf,
}

/// What `RUN` on a command line stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunReference {
    /// The run.
    pub folder: RunFolder,
    /// The iteration of the checkpoint that was named, if one was; else the latest is meant.
    pub checkpoint: Option<u32>,
}

/// Keeps other processes off a run. Released when dropped, and by the system when the process ends.
#[derive(Debug)]
pub struct RunLock {
    _file: File,
}

/// Why a run folder cannot be made or used.
#[derive(Debug, thiserror::Error)]
pub enum RunFolderError {
    /// The file system refused.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// There is no such run.
    #[error("no run {run:?}, neither as a path nor in {}{}", runs.display(), did_you_mean(nearest.as_deref()))]
    NotFound {
        /// What was asked for.
        run: String,
        /// The folder of runs.
        runs: PathBuf,
        /// The name in it that is most like it.
        nearest: Option<String>,
    },
    /// A folder that no run was started in.
    #[error("{} is not a run folder: it has no {missing}", path.display())]
    NotARun {
        /// The folder.
        path: PathBuf,
        /// The file that every run folder has.
        missing: &'static str,
    },
    /// Another process trains in it.
    #[error("{} is in use by another process", path.display())]
    InUse {
        /// The folder.
        path: PathBuf,
    },
}

impl RunReference {
    /// Opens the checkpoint that is meant, to read it alone.
    ///
    /// # Errors
    /// If there is none, or it cannot be read.
    pub fn open_checkpoint(&self) -> Result<CheckpointReader, CheckpointError> {
        let folder = self.folder.checkpoints();
        if !folder.is_dir() {
            return Err(CheckpointError::NoCheckpoint { folder });
        }
        self.open_in(&CheckpointStore::open(&folder, Keep { every: 0 })?)
    }

    /// Opens the checkpoint that is meant among those of `store`, which must be the run's.
    ///
    /// # Errors
    /// If there is none, or it cannot be read.
    pub fn open_in(&self, store: &CheckpointStore) -> Result<CheckpointReader, CheckpointError> {
        match self.checkpoint {
            Some(iteration) => store.open_iteration(iteration),
            None => store.open_latest(),
        }
    }
}

impl RunFolder {
    /// Makes `<runs>/<date>-<time>-<slug>` (UTC), with `-2`, `-3`, … appended if that exists.
    ///
    /// # Errors
    /// If the file system refuses.
    pub fn create(runs: &Path, slug: &str, start: SystemTime) -> Result<Self, RunFolderError> {
        let path = Self::create_dated(runs, slug, start)?;
        let checkpoints = path.join(CHECKPOINTS);
        fs::create_dir(&checkpoints).map_err(io_error(&checkpoints))?;
        Ok(Self { path })
    }

    /// Makes an empty folder named like a run.
    ///
    /// # Errors
    /// If the file system refuses.
    pub fn create_dated(runs: &Path, slug: &str, start: SystemTime) -> Result<PathBuf, RunFolderError> {
        fs::create_dir_all(runs).map_err(io_error(runs))?;
        let name = format!("{}-{}", utc_stamp(start), clean_slug(slug));
        for attempt in 1u32.. {
            let suffix = if attempt == 1 { String::new() } else { format!("-{attempt}") };
            let path = runs.join(format!("{name}{suffix}"));
            match fs::create_dir(&path) {
                Ok(()) => return Ok(path),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(io_error(&path)(error)),
            }
        }
        unreachable!("a folder of four billion runs")
    }

    /// Finds the run that `run` stands for: the path of a run folder or of one of its checkpoints,
    /// or the name of a folder in `runs`.
    ///
    /// # Errors
    /// If there is none, or if what is there is not a run folder.
    pub fn resolve(runs: &Path, run: &str) -> Result<RunReference, RunFolderError> {
        let not_found = || RunFolderError::not_found(runs, run);
        let given = Path::new(run);
        if run.ends_with(CHECKPOINT_EXTENSION) {
            let folder = given.parent().and_then(Path::parent).ok_or_else(not_found)?;
            let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
            let checkpoint = iteration_of(given).filter(|_| given.is_file()).ok_or_else(not_found)?;
            return Ok(RunReference { folder: Self::open(folder)?, checkpoint: Some(checkpoint) });
        }
        let candidates = [given.to_owned(), runs.join(run)];
        let path = candidates.iter().find(|path| path.is_dir()).ok_or_else(not_found)?;
        Ok(RunReference { folder: Self::open(path)?, checkpoint: None })
    }

    /// Opens the run in the folder `path`.
    ///
    /// # Errors
    /// If no run was started there.
    pub fn open(path: &Path) -> Result<Self, RunFolderError> {
        if !path.join(CONFIG).is_file() {
            return Err(RunFolderError::NotARun { path: path.to_owned(), missing: CONFIG });
        }
        Ok(Self { path: path.to_owned() })
    }

    /// The folder `path`, which is there, whatever it holds.
    pub fn at(path: PathBuf) -> Self {
        Self { path }
    }

    /// The folder itself.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The folder of checkpoints.
    pub fn checkpoints(&self) -> PathBuf {
        self.path.join(CHECKPOINTS)
    }

    /// Writes the resolved configuration.
    ///
    /// # Errors
    /// If the file system refuses.
    pub fn write_config(&self, toml: &str) -> Result<(), RunFolderError> {
        let path = self.path.join(CONFIG);
        atomic_file::write(&path, toml.as_bytes()).map_err(io_error(&path))
    }

    /// The resolved configuration, TOML.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn read_config(&self) -> Result<String, RunFolderError> {
        let path = self.path.join(CONFIG);
        fs::read_to_string(&path).map_err(io_error(&path))
    }

    /// Writes what is known of the machine and the build. A run that is resumed elsewhere keeps its
    /// first `machine.json`; later ones are `machine-2.json` and so on, if they differ.
    ///
    /// # Errors
    /// If the file system refuses.
    pub fn write_machine(&self, machine: &MachineInfo) -> Result<(), RunFolderError> {
        let json = serde_json::to_string_pretty(machine).expect("plain fields become JSON") + "\n";
        let names = std::iter::once(MACHINE.to_owned()).chain((2u32..).map(|n| format!("machine-{n}.json")));
        for path in names.map(|name| self.path.join(name)) {
            match fs::read_to_string(&path) {
                Ok(known) if known == json => return Ok(()),
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    return atomic_file::write(&path, json.as_bytes()).map_err(io_error(&path));
                }
                Err(error) => return Err(io_error(&path)(error)),
            }
        }
        Ok(())
    }

    /// The machine that the run began on, where it was recorded and can be read.
    pub fn read_machine(&self) -> Option<MachineInfo> {
        serde_json::from_slice(&fs::read(self.path.join(MACHINE)).ok()?).ok()
    }

    /// Takes the run for this process.
    ///
    /// # Errors
    /// [`RunFolderError::InUse`], or if the file system refuses.
    pub fn lock(&self) -> Result<RunLock, RunFolderError> {
        let path = self.path.join(LOCK);
        let file = File::create(&path).map_err(io_error(&path))?;
        match file.try_lock() {
            Ok(()) => Ok(RunLock { _file: file }),
            Err(TryLockError::WouldBlock) => Err(RunFolderError::InUse { path: self.path.clone() }),
            Err(TryLockError::Error(error)) => Err(io_error(&path)(error)),
        }
    }
}

impl RunFolderError {
    /// There is no run `run` in `runs`; names the one that is most like it.
    pub fn not_found(runs: &Path, run: &str) -> Self {
        Self::NotFound { run: run.to_owned(), runs: runs.to_owned(), nearest: nearest_run(runs, run) }
    }
}

/// Lower-case letters, digits and single hyphens.
fn clean_slug(slug: &str) -> String {
    let mut clean = String::new();
    for character in slug.chars() {
        if character.is_ascii_alphanumeric() {
            clean.push(character.to_ascii_lowercase());
        } else if !clean.is_empty() && !clean.ends_with('-') {
            clean.push('-');
        }
    }
    let clean = clean.trim_end_matches('-');
    if clean.is_empty() { "run".to_owned() } else { clean.to_owned() }
}

/// `2026-11-30-044325` in UTC.
fn utc_stamp(time: SystemTime) -> String {
    let seconds = time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let (days, second) = (seconds / 86_400, seconds % 86_400);
    let (year, month, day) = civil_date(days);
    format!("{year:04}-{month:02}-{day:02}-{:02}{:02}{:02}", second / 3600, second / 60 % 60, second % 60)
}

/// The Gregorian date `days` after 1970-01-01. Counts in years that start in March, so that the
/// leap day is a year's last, from 0000-03-01 on.
fn civil_date(days: u64) -> (u64, u64, u64) {
    const DAYS_IN_400_YEARS: u64 = 146_097;
    let since_march_0 = days + 719_468;
    let (era, day_of_era) = (since_march_0 / DAYS_IN_400_YEARS, since_march_0 % DAYS_IN_400_YEARS);
    let leap_days = day_of_era / 1_460 + day_of_era / (DAYS_IN_400_YEARS - 1);
    let year_of_era = (day_of_era + day_of_era / 36_524 - leap_days) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = 400 * era + year_of_era + u64::from(month <= 2);
    (year, month, day)
}

fn nearest_run(runs: &Path, run: &str) -> Option<String> {
    let entries = fs::read_dir(runs).ok()?.flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let scored = names.map(|name| (strsim::jaro_winkler(&name, run).max(suffix_likeness(&name, run)), name));
    let best = scored.max_by(|(a, _), (b, _)| a.total_cmp(b))?;
    (best.0 > 0.7).then_some(best.1)
}

/// People remember the slug, not the date before it.
fn suffix_likeness(name: &str, run: &str) -> f64 {
    if !run.is_empty() && name.ends_with(run) { 1.0 } else { 0.0 }
}

fn did_you_mean(nearest: Option<&str>) -> String {
    nearest.map_or_else(String::new, |name| format!("; did you mean {name:?}?"))
}

fn io_error(path: &Path) -> impl FnOnce(io::Error) -> RunFolderError + '_ {
    move |source| RunFolderError::Io { path: path.to_owned(), source }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn at(seconds: u64) -> SystemTime {
        UNIX_EPOCH + Duration::from_secs(seconds)
    }

    #[test]
    fn dates_are_right_around_leap_days_and_centuries() {
        for (seconds, stamp) in [
            (0, "1970-01-01-000000"),
            (951_782_399, "2000-02-28-235959"),
            (951_782_400, "2000-02-29-000000"),
            (1_709_164_800, "2024-02-29-000000"),
            (1_796_013_805, "2026-11-30-044325"),
            (4_107_542_400, "2100-03-01-000000"),
            (4_133_980_799, "2100-12-31-235959"),
        ] {
            assert_eq!(utc_stamp(at(seconds)), stamp);
        }
    }

    #[test]
    fn two_runs_of_the_same_second_get_two_folders() {
        let runs = tempfile::tempdir().unwrap();
        let names: Vec<String> = (0..3)
            .map(|_| RunFolder::create(runs.path(), "Lost Cities: quick!", at(0)).unwrap())
            .map(|run| run.path().file_name().unwrap().to_str().unwrap().to_owned())
            .collect();
        assert_eq!(
            names,
            [
                "1970-01-01-000000-lost-cities-quick",
                "1970-01-01-000000-lost-cities-quick-2",
                "1970-01-01-000000-lost-cities-quick-3"
            ]
        );
    }

    #[test]
    fn a_run_is_found_by_path_by_name_and_by_checkpoint() {
        let runs = tempfile::tempdir().unwrap();
        let run = RunFolder::create(runs.path(), "leduc", at(0)).unwrap();
        run.write_config("[run]\nseed = 1\n").unwrap();
        assert_eq!(run.read_config().unwrap(), "[run]\nseed = 1\n");
        let path = run.path().to_str().unwrap();
        let whole = RunReference { folder: run.clone(), checkpoint: None };
        assert_eq!(RunFolder::resolve(runs.path(), path).unwrap(), whole);
        assert_eq!(RunFolder::resolve(runs.path(), "1970-01-01-000000-leduc").unwrap(), whole);
        let checkpoint = run.checkpoints().join("iteration-000012.ckpt");
        fs::write(&checkpoint, b"any").unwrap();
        let found = RunFolder::resolve(runs.path(), checkpoint.to_str().unwrap()).unwrap();
        assert_eq!((found.folder, found.checkpoint), (run, Some(12)));
    }

    #[test]
    fn what_is_not_a_run_is_refused_with_the_nearest_name() {
        let runs = tempfile::tempdir().unwrap();
        let unfinished = RunFolder::create(runs.path(), "leduc", at(0)).unwrap();
        let missing = RunFolder::resolve(runs.path(), "leduc").unwrap_err();
        assert!(missing.to_string().contains("did you mean \"1970-01-01-000000-leduc\"?"), "{missing}");
        let unlike = RunFolder::resolve(runs.path(), "zzz").unwrap_err();
        assert!(matches!(unlike, RunFolderError::NotFound { nearest: None, .. }), "{unlike}");
        let empty = RunFolder::open(unfinished.path()).unwrap_err();
        assert!(matches!(empty, RunFolderError::NotARun { missing: "config.toml", .. }), "{empty}");
        let file = RunFolder::resolve(runs.path(), "iteration-000012.ckpt").unwrap_err();
        assert!(matches!(file, RunFolderError::NotFound { .. }), "{file}");
    }

    #[test]
    fn one_process_at_a_time_trains_in_a_run() {
        let runs = tempfile::tempdir().unwrap();
        let run = RunFolder::create(runs.path(), "leduc", at(0)).unwrap();
        let lock = run.lock().unwrap();
        assert!(matches!(run.lock().unwrap_err(), RunFolderError::InUse { .. }));
        drop(lock);
        run.lock().unwrap();
    }

    #[test]
    fn every_machine_of_a_run_is_kept_once() {
        let runs = tempfile::tempdir().unwrap();
        let run = RunFolder::create(runs.path(), "leduc", at(0)).unwrap();
        let first = MachineInfo::detect();
        let second = MachineInfo { cpu: Some("another".to_owned()), ..first.clone() };
        for machine in [&first, &second, &first, &second] {
            run.write_machine(machine).unwrap();
        }
        assert_eq!(run.read_machine(), Some(first));
        assert!(run.path().join("machine-2.json").exists() && !run.path().join("machine-3.json").exists());
    }
}
