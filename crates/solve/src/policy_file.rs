//! The file that a solution is kept in: the average strategy, and all that is needed to go on.
//!
//! The container is that of checkpoints (`DCFRCKPT`, see `checkpoint`): versioned, every byte
//! checksummed, put in place whole. Sections: `header` (JSON), `policy` and `solver`. Not here: what
//! the two hold, which `cfr` reads and writes.

use std::path::{Path, PathBuf};

use deepcfr_cfr::tabular::{Algorithm, KeyedPolicy};

use deepcfr_runs::checkpoint::{CheckpointError, CheckpointHeader, CheckpointReader, CheckpointWriter};

pub(crate) const EXTENSION: &str = "dcfr";
const POLICY: &str = "policy";
const SOLVER: &str = "solver";

/// A strategy that was read from a file.
#[derive(Clone, Debug)]
pub struct SavedPolicy {
    /// The file.
    pub path: PathBuf,
    /// The game and its rules.
    pub game: String,
    /// `[game]` as TOML.
    pub config: String,
    /// Where the strategy comes from.
    pub algorithm: Algorithm,
    /// After how many iterations.
    pub iterations: u64,
    /// The strategy.
    pub policy: KeyedPolicy,
}

impl SavedPolicy {
    /// Reads and verifies the file at `path`.
    ///
    /// # Errors
    /// If it cannot be read, is no policy file of this version, or is damaged.
    pub fn read(path: &Path) -> Result<Self, CheckpointError> {
        let mut reader = open(path)?;
        let bytes = reader.section_bytes(POLICY)?;
        let (policy, algorithm) = KeyedPolicy::from_bytes(&bytes)
            .map_err(|error| reader.content_error(POLICY, error.to_string()))?;
        let header = reader.header();
        Ok(Self {
            path: path.to_owned(),
            game: header.game.clone(),
            config: header.config.clone(),
            algorithm,
            iterations: header.iteration.into(),
            policy,
        })
    }
}

/// Which solution a file holds.
#[derive(Clone, Debug)]
pub(crate) struct Origin<'a> {
    pub(crate) game: &'a str,
    pub(crate) config: &'a str,
    pub(crate) algorithm: Algorithm,
    pub(crate) iterations: u64,
}

/// Writes a strategy and the solver's state, atomically.
///
/// # Errors
/// If the file system refuses.
pub(crate) fn write(
    path: &Path,
    origin: &Origin<'_>,
    policy: &KeyedPolicy,
    solver: &[u8],
) -> Result<(), CheckpointError> {
    let header = CheckpointHeader {
        crate_version: env!("CARGO_PKG_VERSION").to_owned(),
        game: origin.game.to_owned(),
        config_hash: origin.algorithm.to_string(),
        iteration: u32::try_from(origin.iterations).expect("requests are limited to 32 bits"),
        config: origin.config.to_owned(),
    };
    let mut writer = CheckpointWriter::create(path, &header)?;
    writer.section(POLICY, |out| out.write_all(&policy.to_bytes(origin.algorithm)))?;
    writer.section(SOLVER, |out| out.write_all(solver))?;
    writer.finish()?;
    Ok(())
}

/// The solver's state in the file at `path`, which must be of `game`.
///
/// # Errors
/// If the file cannot be read, is damaged, or is of another game.
pub(crate) fn read_solver(path: &Path, game: &str) -> Result<Vec<u8>, CheckpointError> {
    let mut reader = open(path)?;
    if reader.header().game != game {
        let got = reader.header().game.clone();
        return Err(CheckpointError::OtherGame { path: path.to_owned(), expected: game.to_owned(), got });
    }
    reader.section_bytes(SOLVER)
}

fn open(path: &Path) -> Result<CheckpointReader, CheckpointError> {
    let mut reader = CheckpointReader::open(path)?;
    reader.verify()?;
    Ok(reader)
}
