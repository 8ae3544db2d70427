//! The first section of every checkpoint: which run it belongs to, and where in it.
//!
//! Not here: anything that is needed to continue training.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::CheckpointError;

/// Which run a checkpoint belongs to, and where in it. Stored as JSON, so that it can be read with
/// a text tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckpointHeader {
    /// Version of this crate that wrote the file.
    pub crate_version: String,
    /// The game and its rules, in words that differ when the rules do.
    pub game: String,
    /// Hash of the settings that must not change between stop and resume.
    pub config_hash: String,
    /// The last finished iteration.
    pub iteration: u32,
    /// The resolved configuration, TOML.
    pub config: String,
}

impl CheckpointHeader {
    /// Checks that the checkpoint at `path` can continue a run of `game` with `config_hash`.
    ///
    /// # Errors
    /// [`CheckpointError::OtherGame`] first, then [`CheckpointError::OtherConfig`].
    pub fn check(&self, path: &Path, game: &str, config_hash: &str) -> Result<(), CheckpointError> {
        if self.game != game {
            return Err(CheckpointError::OtherGame {
                path: path.to_owned(),
                expected: game.to_owned(),
                got: self.game.clone(),
            });
        }
        if self.config_hash != config_hash {
            return Err(CheckpointError::OtherConfig {
                path: path.to_owned(),
                expected: config_hash.to_owned(),
                got: self.config_hash.clone(),
            });
        }
        Ok(())
    }
}
