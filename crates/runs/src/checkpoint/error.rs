//! Why a checkpoint could not be written or is refused.
//!
//! Not here: exit codes and formatting, which belong to the command line.

use std::io;
use std::path::{Path, PathBuf};

/// Why a checkpoint could not be written or is refused. Every message names the file.
#[derive(Debug, thiserror::Error)]
pub enum CheckpointError {
    /// The file system refused.
    #[error("checkpoint {}: {source}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The folder holds none.
    #[error("no checkpoint in {}", folder.display())]
    NoCheckpoint {
        /// The folder searched.
        folder: PathBuf,
    },
    /// Not a checkpoint of this program.
    #[error("{} is not a deepcfr checkpoint", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
    },
    /// Written by a later release.
    #[error(
        "checkpoint {} has format version {got}, this program reads up to {supported}: use a newer deepcfr",
        path.display()
    )]
    NewerVersion {
        /// The file.
        path: PathBuf,
        /// Its version.
        got: u32,
        /// The highest version that this program reads.
        supported: u32,
    },
    /// The end is missing.
    #[error("checkpoint {} is truncated: {len} bytes, its end marker is missing", path.display())]
    Truncated {
        /// The file.
        path: PathBuf,
        /// Its length in bytes.
        len: u64,
    },
    /// Bytes changed after writing.
    #[error("checkpoint {} is damaged: checksum mismatch in `{section}`", path.display())]
    Checksum {
        /// The file.
        path: PathBuf,
        /// The section, or `directory`.
        section: String,
    },
    /// A section that this program needs is not there.
    #[error("checkpoint {} lacks the section `{section}`", path.display())]
    MissingSection {
        /// The file.
        path: PathBuf,
        /// The section's name.
        section: String,
    },
    /// An intact section whose contents do not make sense.
    #[error("checkpoint {}: section `{section}` is not understood: {reason}", path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// The section's name.
        section: String,
        /// What is wrong.
        reason: String,
    },
    /// Taken from a run of another game or rule set.
    #[error("checkpoint {} belongs to the game {got}, this run is {expected}", path.display())]
    OtherGame {
        /// The file.
        path: PathBuf,
        /// The run's game and rules.
        expected: String,
        /// The checkpoint's.
        got: String,
    },
    /// Taken from a run with other settings.
    #[error(
        "checkpoint {} was written with configuration {got}, this run has {expected}: resume with the run folder's own config.toml",
        path.display()
    )]
    OtherConfig {
        /// The file.
        path: PathBuf,
        /// The run's configuration hash.
        expected: String,
        /// The checkpoint's.
        got: String,
    },
    /// Refused, but an earlier one is intact.
    #[error("{refused}\nthe checkpoint before it is intact; to go on from there: --resume {}", previous.display())]
    PreviousIntact {
        /// Why the latest is refused.
        #[source]
        refused: Box<CheckpointError>,
        /// The newest one below it that is intact.
        previous: PathBuf,
    },
}

impl CheckpointError {
    /// Attaches `path` to an input/output error.
    pub(super) fn io(path: &Path) -> impl FnOnce(io::Error) -> Self + '_ {
        move |source| Self::Io { path: path.to_owned(), source }
    }

    /// An error of a section's reader, told apart from the system's own: see [`super::SectionReader`].
    pub fn from_section(path: &Path, error: io::Error) -> Self {
        match error.downcast::<Self>() {
            Ok(own) => own,
            Err(source) => Self::Io { path: path.to_owned(), source },
        }
    }
}
