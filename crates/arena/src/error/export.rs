//! Why a network cannot be exported.

use std::io;
use std::path::{Path, PathBuf};

use deepcfr_core::ModelError;
use deepcfr_onnx::SafetensorsError;

use crate::network::ExportNetwork;

/// Why a network cannot be exported.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// The checkpoint does not hold it.
    #[error("--network {network}: the checkpoint of iteration {iteration} holds {}", list(known))]
    NoNetwork {
        /// What was asked for.
        network: ExportNetwork,
        /// The checkpoint's iteration.
        iteration: u32,
        /// What it holds.
        known: Vec<ExportNetwork>,
    },
    /// It is no perceptron.
    #[error("{network} is {kind} weights; only perceptrons can be exported")]
    NotAPerceptron {
        /// The network.
        network: ExportNetwork,
        /// What it is.
        kind: &'static str,
    },
    /// Its layers do not fit each other.
    #[error(transparent)]
    Layers(#[from] ModelError),
    /// It cannot be written as safetensors.
    #[error(transparent)]
    Safetensors(#[from] SafetensorsError),
    /// The folder holds something else.
    #[error("--out {}: its card.json is of another export; name another folder", folder.display())]
    OtherExport {
        /// The folder.
        folder: PathBuf,
    },
    /// The file system refused.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

impl ExportError {
    /// Whether the remedy is other input.
    pub fn is_bad_input(&self) -> bool {
        matches!(self, Self::NoNetwork { .. } | Self::NotAPerceptron { .. } | Self::OtherExport { .. })
    }

    pub(crate) fn io(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { path, source }
    }
}

fn list(networks: &[ExportNetwork]) -> String {
    let names: Vec<String> = networks.iter().map(ExportNetwork::to_string).collect();
    if names.is_empty() { "no networks yet".to_owned() } else { names.join(", ") }
}
