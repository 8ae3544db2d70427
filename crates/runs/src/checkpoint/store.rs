//! The folder of a run's checkpoints: names, which is the latest, which are kept.
//!
//! Not here: the file format (see `reader`, `writer`).

use std::fs;
use std::path::{Path, PathBuf};

use super::{CheckpointError, CheckpointHeader, CheckpointReader, CheckpointWriter};
use crate::atomic_file::PARTIAL_SUFFIX;

const PREFIX: &str = "iteration-";
const EXTENSION: &str = "ckpt";

/// Which checkpoints stay when a newer one has been written. The newest always stays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Keep {
    /// Every how many iterations one stays for good; 0 keeps only the newest.
    pub every: u32,
}

impl Keep {
    fn keeps(self, iteration: u32) -> bool {
        self.every != 0 && iteration.is_multiple_of(self.every)
    }
}

/// The checkpoints of one run: `iteration-000123.ckpt`, numbered by the last finished iteration.
#[derive(Clone, Debug)]
pub struct CheckpointStore {
    folder: PathBuf,
    keep: Keep,
}

impl CheckpointStore {
    /// The store in `folder`, which is created if need be.
    ///
    /// # Errors
    /// If the folder cannot be created.
    pub fn open(folder: &Path, keep: Keep) -> Result<Self, CheckpointError> {
        fs::create_dir_all(folder).map_err(CheckpointError::io(folder))?;
        Ok(Self { folder: folder.to_owned(), keep })
    }

    /// Where the checkpoint of `iteration` stands.
    pub fn path_of(&self, iteration: u32) -> PathBuf {
        self.folder.join(format!("{PREFIX}{iteration:06}.{EXTENSION}"))
    }

    /// The iterations that have a file, ascending; whether the files are intact is not looked at.
    ///
    /// # Errors
    /// If the folder cannot be read.
    pub fn iterations(&self) -> Result<Vec<u32>, CheckpointError> {
        let entries = fs::read_dir(&self.folder).map_err(CheckpointError::io(&self.folder))?;
        let mut iterations = Vec::new();
        for entry in entries {
            let path = entry.map_err(CheckpointError::io(&self.folder))?.path();
            iterations.extend(iteration_of(&path));
        }
        iterations.sort_unstable();
        Ok(iterations)
    }

    /// Writes the checkpoint of `header.iteration`, then removes those that need not be kept.
    /// Returns the file and its length in bytes.
    ///
    /// # Errors
    /// What `fill` returns, or if the file system refuses; older checkpoints are then untouched.
    pub fn write(
        &self,
        header: &CheckpointHeader,
        fill: impl FnOnce(&mut CheckpointWriter) -> Result<(), CheckpointError>,
    ) -> Result<(PathBuf, u64), CheckpointError> {
        let path = self.path_of(header.iteration);
        let mut writer = CheckpointWriter::create(&path, header)?;
        fill(&mut writer)?;
        let len = writer.finish()?;
        self.prune(header.iteration)?;
        Ok((path, len))
    }

    /// Opens the newest checkpoint and reads all of it once to verify it.
    ///
    /// # Errors
    /// [`CheckpointError::NoCheckpoint`]; or why the newest is refused, wrapped in
    /// [`CheckpointError::PreviousIntact`] where an older one is intact.
    pub fn open_latest(&self) -> Result<CheckpointReader, CheckpointError> {
        let newest = self.iterations()?.pop();
        let newest = newest.ok_or_else(|| CheckpointError::NoCheckpoint { folder: self.folder.clone() })?;
        self.open_iteration(newest)
    }

    /// Opens and verifies the checkpoint of `iteration`.
    ///
    /// # Errors
    /// As [`CheckpointStore::open_latest`].
    pub fn open_iteration(&self, iteration: u32) -> Result<CheckpointReader, CheckpointError> {
        open_verified(&self.path_of(iteration)).map_err(|refused| self.offer_previous(iteration, refused))
    }

    /// Opens the newest checkpoint that is intact, passing over damaged ones.
    ///
    /// # Errors
    /// [`CheckpointError::NoCheckpoint`] if none is, or if the folder cannot be read.
    pub fn open_latest_intact(&self) -> Result<CheckpointReader, CheckpointError> {
        let intact = self.latest_intact_below(u32::MAX)?;
        intact.ok_or_else(|| CheckpointError::NoCheckpoint { folder: self.folder.clone() })
    }

    /// Renames the checkpoints after `iteration` to `….ckpt.superseded`: going on from an earlier
    /// one starts another future, in which they are not the latest.
    ///
    /// # Errors
    /// If the file system refuses.
    pub fn set_aside_after(&self, iteration: u32) -> Result<(), CheckpointError> {
        for later in self.iterations()?.into_iter().filter(|&later| later > iteration) {
            let path = self.path_of(later);
            let aside = path.with_extension(format!("{EXTENSION}.superseded"));
            fs::rename(&path, aside).map_err(CheckpointError::io(&path))?;
        }
        Ok(())
    }

    fn offer_previous(&self, iteration: u32, refused: CheckpointError) -> CheckpointError {
        match self.latest_intact_below(iteration) {
            Ok(Some(previous)) => CheckpointError::PreviousIntact {
                refused: Box::new(refused),
                previous: previous.path().to_owned(),
            },
            // What matters to the reader is why the newest was refused.
            Ok(None) | Err(_) => refused,
        }
    }

    fn latest_intact_below(&self, bound: u32) -> Result<Option<CheckpointReader>, CheckpointError> {
        let below = self.iterations()?.into_iter().rev().filter(|&iteration| iteration < bound);
        Ok(below.map(|iteration| self.path_of(iteration)).find_map(|path| open_verified(&path).ok()))
    }

    fn prune(&self, newest: u32) -> Result<(), CheckpointError> {
        let older = self.iterations()?.into_iter().filter(|&iteration| iteration < newest);
        for iteration in older.filter(|&iteration| !self.keep.keeps(iteration)) {
            let path = self.path_of(iteration);
            fs::remove_file(&path).map_err(CheckpointError::io(&path))?;
        }
        self.remove_partial_files()
    }

    /// A killed process leaves its unfinished file; the next checkpoint has another name.
    fn remove_partial_files(&self) -> Result<(), CheckpointError> {
        for entry in fs::read_dir(&self.folder).map_err(CheckpointError::io(&self.folder))? {
            let path = entry.map_err(CheckpointError::io(&self.folder))?.path();
            if path.as_os_str().to_string_lossy().ends_with(PARTIAL_SUFFIX) {
                fs::remove_file(&path).map_err(CheckpointError::io(&path))?;
            }
        }
        Ok(())
    }
}

/// The iteration in a checkpoint's file name.
pub(crate) fn iteration_of(path: &Path) -> Option<u32> {
    let name = path.file_name()?.to_str()?;
    let digits = name.strip_prefix(PREFIX)?.strip_suffix(EXTENSION)?.strip_suffix('.')?;
    digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok())?
}

fn open_verified(path: &Path) -> Result<CheckpointReader, CheckpointError> {
    let mut reader = CheckpointReader::open(path)?;
    reader.verify()?;
    Ok(reader)
}
