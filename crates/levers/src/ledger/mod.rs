//! The ledger: projections as they were made, outcomes as they were measured, never rewritten.
//!
//! `levers.jsonl` holds one JSON object a line, tagged `event`: `projected` when a projection is written
//! down, `verified` when it has been tried (with a copy of the projection, so that the line stands for
//! itself). Lines are appended and flushed; nothing is ever changed. A line stays readable when the
//! catalogue no longer has its lever. Not here: making projections (`advise`) and measuring what became of
//! them (`verify`).

mod calibration;

use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

pub use calibration::{Calibration, PRIOR_WEIGHT, SCALE_RANGE};

use crate::catalogue::LeverId;
use crate::statistics::Estimate;
use crate::verify::{Drift, Observed};

/// What a projection or a verification was made on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Setting {
    /// The machine's name.
    pub machine: String,
    /// The commit of the program.
    #[serde(default)]
    pub commit: Option<String>,
    /// Hash of the resolved configuration without the lever.
    pub config_hash: String,
    /// Seeds of the runs.
    pub seeds: Vec<u64>,
}

/// A projected speed-up: seconds of an iteration without over with the lever.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Projection {
    /// As the cost model has it.
    pub raw: Estimate,
    /// With the interval stretched by `scale`: what was said.
    pub calibrated: Estimate,
    /// What the ledger's calibration was then.
    pub scale: f64,
}

impl Projection {
    /// A raw projection under `calibration`.
    pub fn new(raw: Estimate, calibration: &Calibration) -> Self {
        Self { raw, calibrated: raw.stretched(calibration.scale), scale: calibration.scale }
    }
}

/// A lever as a line names it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum RecordedLever {
    /// One of the catalogue.
    Known(LeverId),
    /// One that the catalogue had when the line was written.
    Former(String),
}

impl From<LeverId> for RecordedLever {
    fn from(lever: LeverId) -> Self {
        Self::Known(lever)
    }
}

impl fmt::Display for RecordedLever {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Known(lever) => lever.fmt(f),
            Self::Former(name) => f.pad(name),
        }
    }
}

/// One line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case", deny_unknown_fields)]
pub enum Entry {
    /// A projection was written down.
    Projected {
        /// The levers, in the order in which they are pulled.
        levers: Vec<RecordedLever>,
        /// What was projected.
        projection: Projection,
        /// For what.
        setting: Setting,
        /// When, in seconds since 1970.
        unix_seconds: u64,
    },
    /// It was tried.
    Verified {
        /// The levers, in the order in which they were pulled.
        levers: Vec<RecordedLever>,
        /// What had been projected.
        projection: Projection,
        /// What was measured.
        observed: Observed,
        /// Whether the calibrated interval holds the observed speed-up.
        covered: bool,
        /// Whether learning stayed the same.
        drift: Drift,
        /// On what.
        setting: Setting,
        /// When, in seconds since 1970.
        unix_seconds: u64,
    },
}

impl Entry {
    /// The levers that it is about.
    pub fn levers(&self) -> &[RecordedLever] {
        match self {
            Self::Projected { levers, .. } | Self::Verified { levers, .. } => levers,
        }
    }

    /// What it was made on.
    pub fn setting(&self) -> &Setting {
        match self {
            Self::Projected { setting, .. } | Self::Verified { setting, .. } => setting,
        }
    }

    /// The verification of a projection: `covered` follows from the two.
    pub fn verified(
        levers: Vec<RecordedLever>,
        projection: Projection,
        observed: Observed,
        drift: Drift,
        setting: Setting,
        unix_seconds: u64,
    ) -> Self {
        let covered = projection.calibrated.contains(observed.speed_up.value);
        Self::Verified { levers, projection, observed, covered, drift, setting, unix_seconds }
    }
}

/// A ledger that cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum LedgerError {
    /// The file.
    #[error("{}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What happened.
        source: io::Error,
    },
    /// A line that is no entry.
    #[error("{}, line {line}: {source}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        source: serde_json::Error,
    },
    /// A verification without a projection of the same levers and setting before it.
    #[error("the projection must be written down before its verification")]
    NotProjected,
}

/// A ledger file.
#[derive(Clone, Debug)]
pub struct Ledger {
    path: PathBuf,
    entries: Vec<Entry>,
}

impl Ledger {
    /// Opens the ledger at `path`; a file that is not there is an empty ledger.
    ///
    /// # Errors
    /// If the file cannot be read or a line is no entry.
    pub fn open(path: &Path) -> Result<Self, LedgerError> {
        let text = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            Err(source) => return Err(LedgerError::File { path: path.to_owned(), source }),
        };
        let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        let entries = lines.map(|(index, line)| {
            serde_json::from_str(line).map_err(|source| LedgerError::Line {
                path: path.to_owned(),
                line: index + 1,
                source,
            })
        });
        Ok(Self { path: path.to_owned(), entries: entries.collect::<Result<_, _>>()? })
    }

    /// Every entry, oldest first.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Appends one entry and flushes it to the file.
    ///
    /// # Errors
    /// [`LedgerError::NotProjected`] for a verification whose projection is not in the ledger,
    /// [`LedgerError::File`] if the file cannot be written.
    pub fn append(&mut self, entry: Entry) -> Result<(), LedgerError> {
        if let Entry::Verified { levers, projection, setting, .. } = &entry
            && !self.projected(levers, projection, setting)
        {
            return Err(LedgerError::NotProjected);
        }
        let line = serde_json::to_string(&entry).expect("an entry has string keys and plain values") + "\n";
        self.write(&line).map_err(|source| LedgerError::File { path: self.path.clone(), source })?;
        self.entries.push(entry);
        Ok(())
    }

    fn write(&self, line: &str) -> io::Result<()> {
        if let Some(folder) = self.path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        let mut file: File = OpenOptions::new().create(true).append(true).open(&self.path)?;
        file.write_all(line.as_bytes())?;
        file.sync_data()
    }

    fn projected(&self, of: &[RecordedLever], what: &Projection, on: &Setting) -> bool {
        self.entries.iter().any(|entry| match entry {
            Entry::Projected { levers, projection, setting, .. } => {
                levers == of && projection == what && setting.config_hash == on.config_hash
            }
            Entry::Verified { .. } => false,
        })
    }

    /// The latest verification of `lever` alone on this machine and configuration.
    pub fn latest(&self, lever: LeverId, machine: &str, config_hash: &str) -> Option<(&Observed, &Drift)> {
        let here = |setting: &Setting| setting.machine == machine && setting.config_hash == config_hash;
        self.entries.iter().rev().find_map(|entry| match entry {
            Entry::Verified { levers, observed, drift, setting, .. }
                if levers == &[lever.into()] && here(setting) =>
            {
                Some((observed, drift))
            }
            _ => None,
        })
    }

    /// What the verified projections say about the next ones.
    pub fn calibration(&self) -> Calibration {
        let pairs = self.entries.iter().filter_map(|entry| match entry {
            Entry::Verified { projection, observed, covered, .. } => {
                Some((projection.raw, observed.speed_up.value, *covered))
            }
            Entry::Projected { .. } => None,
        });
        Calibration::of(pairs)
    }
}

#[cfg(test)]
mod tests;
