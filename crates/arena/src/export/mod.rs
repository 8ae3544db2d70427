//! A run's networks in other programs' formats, with a card that says how to use them.
//!
//! Not here: the formats themselves (`deepcfr-onnx`) and what the card says (see `card`).

mod card;

use std::fmt;
use std::path::{Path, PathBuf};

use deepcfr_board::Catalogue;
use deepcfr_config::RunConfig;
use deepcfr_core::{MlpWeights, Weights};
use deepcfr_onnx::{onnx_model, safetensors_file};
use deepcfr_runs::atomic_file;
use deepcfr_runs::run_folder::RunReference;

pub use card::{ActionsCard, Card, EncoderCard, FeaturesCard, GameCard, NetworkCard};

pub use crate::error::ExportError;
pub use crate::network::ExportNetwork;

use crate::error::ArenaError;
use crate::frozen::read_networks;

const CARD: &str = "card.json";
const CARD_TEXT: &str = "card.md";

/// A file format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExportFormat {
    /// A model that ONNX Runtime and its like run.
    Onnx,
    /// Tensors alone, in PyTorch's layout.
    Safetensors,
}

impl fmt::Display for ExportFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Onnx => "onnx",
            Self::Safetensors => "safetensors",
        })
    }
}

/// What to write, and where.
#[derive(Clone, Debug)]
pub struct ExportPlan {
    /// The run, and its checkpoint if not the latest.
    pub run: RunReference,
    /// The configuration that it was made under.
    pub config: RunConfig,
    /// The format.
    pub format: ExportFormat,
    /// One network; `None` for all that the checkpoint holds.
    pub network: Option<ExportNetwork>,
    /// The folder to write into; `None` for one in the run's own.
    pub out: Option<PathBuf>,
}

/// What was written.
#[derive(Clone, Debug, PartialEq)]
pub struct Exported {
    /// Where.
    pub folder: PathBuf,
    /// Names of the files in it, the card's last.
    pub files: Vec<String>,
    /// The card.
    pub card: Card,
}

/// Writes networks of a checkpoint and their card. Files of an earlier export of the same checkpoint in the
/// same format are replaced, and the card goes on describing those that are not.
///
/// # Errors
/// If the checkpoint cannot be read or does not hold the network, the folder holds another export, or a
/// file cannot be written.
pub fn export(catalogue: &Catalogue, plan: &ExportPlan) -> Result<Exported, ArenaError> {
    let ExportPlan { run, config, format, .. } = plan;
    let board = catalogue.board(&config.game)?;
    let (iteration, saved) = read_networks(run, config)?;
    let encoder = catalogue.schema().encoder_key(config.game.name());
    let encoder = encoder.map_or("default", |key| key.chosen(config.game.table()));
    let mut card = Card::new(plan, board.facts(), encoder, iteration);
    let default = || run.folder.path().join("export").join(format!("iteration-{iteration:06}-{format}"));
    let folder = plan.out.clone().unwrap_or_else(default);
    let mut earlier = earlier(&folder, &card)?;
    let mut files = Vec::new();
    for (network, weights) in wanted(plan, &saved.weights, iteration)? {
        let mut described = NetworkCard::new(network, *format, &weights, config);
        let bytes = write(&weights, &card.metadata(&described), *format)?;
        described.hash(&bytes);
        files.push((described.file.clone(), bytes));
        card.networks.push(described);
    }
    earlier.retain(|old| card.networks.iter().all(|new| new.network != old.network));
    card.networks.append(&mut earlier);
    card.networks.sort_by(|a, b| a.network.cmp(&b.network));
    files.push((CARD_TEXT.to_owned(), card.text().into_bytes()));
    files.push((CARD.to_owned(), card.json().into_bytes()));
    std::fs::create_dir_all(&folder).map_err(ExportError::io(&folder))?;
    for (name, bytes) in &files {
        put(&folder.join(name), bytes)?;
    }
    Ok(Exported { folder, files: files.into_iter().map(|(name, _)| name).collect(), card })
}

/// The networks that are asked for, of those that there are.
fn wanted(
    plan: &ExportPlan,
    saved: &[Option<std::sync::Arc<Weights>>],
    iteration: u32,
) -> Result<Vec<(ExportNetwork, MlpWeights)>, ArenaError> {
    let there = |network: &ExportNetwork| saved[network.net().index()].is_some();
    let known: Vec<_> = ExportNetwork::ALL.into_iter().filter(there).collect();
    let wanted = match plan.network {
        Some(network) if !known.contains(&network) => {
            return Err(ExportError::NoNetwork { network, iteration, known }.into());
        }
        Some(network) => vec![network],
        None => known,
    };
    let read = |network: ExportNetwork| match saved[network.net().index()].as_deref() {
        Some(Weights::Mlp(mlp)) => Ok((network, mlp.clone())),
        other => Err(ExportError::NotAPerceptron { network, kind: other.map_or("no", Weights::kind) }),
    };
    Ok(wanted.into_iter().map(read).collect::<Result<_, _>>()?)
}

/// The networks that an export in `folder` has left, if it was one of the same checkpoint and format.
fn earlier(folder: &Path, card: &Card) -> Result<Vec<NetworkCard>, ExportError> {
    let Ok(text) = std::fs::read_to_string(folder.join(CARD)) else { return Ok(Vec::new()) };
    let source = |card: &Card| {
        let Card { format, run, iteration, config_hash, .. } = card;
        (format.clone(), run.clone(), *iteration, config_hash.clone())
    };
    match serde_json::from_str::<Card>(&text) {
        Ok(old) if source(&old) == source(card) => Ok(old.networks),
        _ => Err(ExportError::OtherExport { folder: folder.to_owned() }),
    }
}

fn write(mlp: &MlpWeights, metadata: &str, format: ExportFormat) -> Result<Vec<u8>, ExportError> {
    let metadata = ("deepcfr", metadata);
    match format {
        ExportFormat::Onnx => Ok(onnx_model(mlp, &[metadata])?),
        ExportFormat::Safetensors => Ok(safetensors_file(mlp, metadata)?),
    }
}

fn put(path: &Path, bytes: &[u8]) -> Result<(), ExportError> {
    atomic_file::write(path, bytes).map_err(ExportError::io(path))
}

#[cfg(test)]
mod tests;
