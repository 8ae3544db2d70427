//! A trainer's state as the sections of a checkpoint.
//!
//! Not here: the container (`deepcfr_runs`), and when checkpoints are taken.

use std::io::{self, BufReader, Read};
use std::sync::Arc;

use deepcfr_cfr::tabular::AverageStrategy;
use deepcfr_core::{NUM_PLAYERS, Weights};
use deepcfr_nn::{decode_weights, encode_weights};
use deepcfr_runs::checkpoint::{CheckpointError, CheckpointHeader, CheckpointReader, CheckpointWriter};
use deepcfr_runs::metrics::RunClock;
use serde::{Deserialize, Serialize};

use crate::archive::Archived;
use crate::error::TrainError;
use crate::exact::Exact;
use crate::networks::{NUM_NETS, Networks};
use crate::state::State;
use crate::trainer::Trainer;

const COUNTERS: &str = "counters";
const MEMORIES: &str = "memories";
const ARCHIVE: &str = "archive";
const AVERAGE: &str = "sd-cfr average";
/// By the order of the baselines.
const BASELINES: [&str; 2] = ["tabular baseline", "linear tabular baseline"];

/// Memories are read in pieces of this size.
const READ_BYTES: usize = 1 << 20;

/// The numbers of a run that are not networks or samples. Random streams need no position: they are
/// keyed by iteration.
#[derive(Serialize, Deserialize)]
struct Counters {
    nodes_total: u64,
    run_clock: RunClock,
    baseline_seconds: f64,
    /// Of the second one; absent from runs of programs that had but one.
    #[serde(default)]
    linear_baseline_seconds: f64,
}

fn weights_section(net: usize) -> String {
    format!("weights {net}")
}

fn learner_section(net: usize) -> String {
    format!("learner {net}")
}

impl Trainer {
    /// Which run this is, and where in it.
    pub fn header(&self) -> CheckpointHeader {
        CheckpointHeader {
            crate_version: env!("CARGO_PKG_VERSION").to_owned(),
            game: self.config.game_line(),
            config_hash: self.config.learning_hash(),
            iteration: self.state.iteration,
            config: self.config.to_toml(),
        }
    }

    /// Writes everything that is needed to go on.
    ///
    /// # Errors
    /// If the file system refuses or a learner cannot be saved.
    pub fn save(&mut self, writer: &mut CheckpointWriter) -> Result<(), CheckpointError> {
        let mut seconds = [0.0; BASELINES.len()];
        let baselines = self.exact().map_or(&[][..], |exact| &exact.baselines);
        seconds.iter_mut().zip(baselines).for_each(|(seconds, baseline)| *seconds = baseline.seconds);
        let counters = Counters {
            nodes_total: self.state.nodes_total,
            run_clock: self.state.run_clock,
            baseline_seconds: seconds[0],
            linear_baseline_seconds: seconds[1],
        };
        let counters = serde_json::to_vec(&counters).expect("numbers have a JSON form");
        writer.section(COUNTERS, |out| out.write_all(&counters))?;
        writer.section(MEMORIES, |mut out| self.state.memories.save(&mut out))?;
        save_networks(&self.state.networks, writer)?;
        if let Some(exact) = self.exact() {
            let sums: Vec<u8> = exact.average.sums().iter().flat_map(|sum| sum.to_le_bytes()).collect();
            writer.section(AVERAGE, |out| out.write_all(&sums))?;
            for (baseline, section) in exact.baselines.iter().zip(BASELINES) {
                writer.section(section, |out| out.write_all(&baseline.solver.save()))?;
            }
        }
        Ok(())
    }

    /// Takes over what [`Trainer::save`] wrote.
    ///
    /// # Errors
    /// If the checkpoint is of another game or configuration, or damaged.
    pub fn restore(&mut self, reader: &mut CheckpointReader) -> Result<(), TrainError> {
        let header = reader.header().clone();
        header.check(reader.path(), &self.config.game_line(), &self.config.learning_hash())?;
        let counters = read_counters(reader)?;
        let loaded = {
            let section = reader.section(MEMORIES)?;
            self.state.memories.load(&mut BufReader::with_capacity(READ_BYTES, section))
        };
        loaded.map_err(|error| reader.content_error(MEMORIES, error.to_string()))?;
        restore_networks(&mut self.state.networks, reader)?;
        if let Some(exact) = self.exact() {
            let seconds = [counters.baseline_seconds, counters.linear_baseline_seconds];
            restore_exact(exact, seconds, reader)?;
        }
        let State { iteration, nodes_total, run_clock, .. } = &mut self.state;
        (*iteration, *nodes_total, *run_clock) = (header.iteration, counters.nodes_total, counters.run_clock);
        self.restored()
    }
}

fn read_counters(reader: &mut CheckpointReader) -> Result<Counters, CheckpointError> {
    let bytes = reader.section_bytes(COUNTERS)?;
    serde_json::from_slice(&bytes).map_err(|error| reader.content_error(COUNTERS, error.to_string()))
}

fn save_networks(networks: &Networks, writer: &mut CheckpointWriter) -> Result<(), CheckpointError> {
    for net in 0..NUM_NETS {
        if let Some(weights) = &networks.weights[net] {
            writer.section(&weights_section(net), |out| out.write_all(&encode_weights(weights)))?;
        }
        let learner = &networks.learners[net];
        writer.section(&learner_section(net), |out| {
            out.write_all(&learner.save().map_err(io::Error::other)?)
        })?;
    }
    writer.section(ARCHIVE, |out| {
        for entry in networks.archive.entries() {
            out.write_all(&entry.weight.to_le_bytes())?;
            for network in &entry.networks {
                let bytes = encode_weights(network);
                out.write_all(&(bytes.len() as u64).to_le_bytes())?;
                out.write_all(&bytes)?;
            }
        }
        Ok(())
    })
}

fn restore_networks(networks: &mut Networks, reader: &mut CheckpointReader) -> Result<(), CheckpointError> {
    let saved = SavedNetworks::read(reader)?;
    networks.weights = saved.weights;
    for net in 0..NUM_NETS {
        let name = learner_section(net);
        let bytes = reader.section_bytes(&name)?;
        let restored = networks.learners[net].restore(&bytes);
        restored.map_err(|error| reader.content_error(&name, error.to_string()))?;
    }
    saved.archive.into_iter().for_each(|entry| networks.archive.add(entry.weight, entry.networks));
    Ok(())
}

/// The networks of a checkpoint, without what training needs to go on.
pub struct SavedNetworks {
    /// By [`deepcfr_core::NetId::index`]: advantages of players 0 and 1, average strategy.
    pub weights: [Option<Arc<Weights>>; NUM_NETS],
    /// Past advantage networks, oldest first.
    pub archive: Vec<Archived>,
}

impl SavedNetworks {
    /// Reads them.
    ///
    /// # Errors
    /// If the checkpoint is damaged.
    pub fn read(reader: &mut CheckpointReader) -> Result<Self, CheckpointError> {
        let weights = [read_weights(reader, 0)?, read_weights(reader, 1)?, read_weights(reader, 2)?];
        let mut bytes: &[u8] = &reader.section_bytes(ARCHIVE)?;
        let mut archive = Vec::new();
        while !bytes.is_empty() {
            let entry = read_archived(&mut bytes);
            archive.push(entry.map_err(|error| reader.content_error(ARCHIVE, error.to_string()))?);
        }
        Ok(Self { weights, archive })
    }
}

fn read_weights(reader: &mut CheckpointReader, net: usize) -> Result<Option<Arc<Weights>>, CheckpointError> {
    let name = weights_section(net);
    if !reader.sections().any(|(saved, _)| saved == name) {
        return Ok(None);
    }
    let bytes = reader.section_bytes(&name)?;
    let weights = decode_weights(&bytes).map_err(|error| reader.content_error(&name, error.to_string()))?;
    Ok(Some(Arc::new(weights)))
}

fn read_archived(bytes: &mut &[u8]) -> io::Result<Archived> {
    let mut word = [0; 8];
    bytes.read_exact(&mut word)?;
    let weight = f64::from_le_bytes(word);
    let mut network = || -> io::Result<Arc<Weights>> {
        bytes.read_exact(&mut word)?;
        let len = usize::try_from(u64::from_le_bytes(word)).map_err(io::Error::other)?;
        let (own, rest) = bytes.split_at_checked(len).ok_or(io::ErrorKind::UnexpectedEof)?;
        *bytes = rest;
        Ok(Arc::new(decode_weights(own).map_err(io::Error::other)?))
    };
    let networks: [Arc<Weights>; NUM_PLAYERS] = [network()?, network()?];
    Ok(Archived { weight, networks })
}

fn restore_exact(
    exact: &mut Exact,
    baseline_seconds: [f64; BASELINES.len()],
    reader: &mut CheckpointReader,
) -> Result<(), CheckpointError> {
    let bytes = reader.section_bytes(AVERAGE)?;
    restore_average(&mut exact.average, &bytes).map_err(|reason| reader.content_error(AVERAGE, reason))?;
    // A run may be resumed with baselines switched on or off, or by a program that has more: they start over.
    for ((baseline, section), seconds) in exact.baselines.iter_mut().zip(BASELINES).zip(baseline_seconds) {
        if reader.sections().any(|(name, _)| name == section) {
            let bytes = reader.section_bytes(section)?;
            let restored = baseline.solver.restore(&bytes);
            restored.map_err(|error| reader.content_error(section, error.to_string()))?;
            baseline.seconds = seconds;
        }
    }
    Ok(())
}

fn restore_average(average: &mut AverageStrategy, bytes: &[u8]) -> Result<(), String> {
    let (words, rest) = bytes.as_chunks();
    if !rest.is_empty() || words.len() != average.sums().len() {
        return Err(format!("{} bytes do not hold {} sums", bytes.len(), average.sums().len()));
    }
    average.set_sums(words.iter().map(|word| f64::from_le_bytes(*word)).collect());
    Ok(())
}
