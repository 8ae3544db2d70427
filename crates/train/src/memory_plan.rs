//! How much memory a run will need, computed before anything is allocated.
//!
//! Memories pack samples of more than 64 numbers, so their size depends on the samples: the plan counts
//! what is to be expected, and says what it can be at most. Not here: allocation itself.

use std::fmt;

use deepcfr_cfr::memory::{Memories, MemoryKind};
use deepcfr_config::{self as config, RunConfig};
use deepcfr_core::SampleShape;

use crate::words::weighting;

/// Adam keeps two moments beside each parameter and its gradient.
const COPIES_IN_TRAINING: u64 = 4;
/// Distinct rows are held once more while duplicates are merged, at most.
const BYTES_PER_F32: u64 = 4;

/// The kinds of a run's memories, for advantages and for strategies, in a game with so many infosets where it
/// can be laid out.
///
/// An infoset gives one row, so infosets bound distinct rows: of one player's for its advantages, of both for
/// strategies. A merged memory is sized for them.
pub fn memory_kinds(config: &RunConfig, infosets: Option<usize>) -> [MemoryKind; 2] {
    let capacities = [config.memory.advantage_capacity, config.memory.strategy_capacity];
    let fits = |infosets: usize| capacities.iter().all(|&capacity| infosets <= capacity);
    let is_merged = match config.memory.kind {
        config::MemoryKind::Auto => infosets.is_some_and(fits),
        config::MemoryKind::Merged => true,
        config::MemoryKind::Reservoir => false,
    };
    capacities.map(|capacity| match is_merged {
        true => {
            let limit = infosets.map_or(capacity, |infosets| infosets.min(capacity)).max(1);
            MemoryKind::Merged { limit, weighting: weighting(config) }
        }
        false => MemoryKind::Reservoir { capacity },
    })
}

/// What a run's memory goes to, in bytes, when everything is full.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryPlan {
    parts: Vec<(&'static str, u64)>,
    /// The sample memories, whatever the samples.
    memories_at_most: u64,
}

/// The run does not fit.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error(
    "the run needs {needed}, the machine has {available}\n{plan}\nlower memory.advantage_capacity, \
     memory.strategy_capacity or average.archive_capacity"
)]
pub struct MemoryError {
    /// Needed in all, in words.
    pub needed: String,
    /// What the machine has, in words.
    pub available: String,
    /// The parts.
    pub plan: MemoryPlan,
}

impl MemoryPlan {
    /// The plan of a run whose samples have `shape`, with memories of these `kinds`, for advantages and for
    /// strategies.
    pub fn of(config: &RunConfig, shape: SampleShape, [advantage, strategy]: [MemoryKind; 2]) -> Self {
        let archive = if config.average.sd_cfr { config.average.archive_capacity as u64 * 2 } else { 0 };
        let network = parameters(config, shape) * BYTES_PER_F32;
        let memories = Memories::bytes_expected(shape, advantage, strategy);
        Self {
            memories_at_most: Memories::bytes_at_most(shape, advantage, strategy),
            parts: vec![
                ("sample memories", memories),
                ("archive of advantage networks", archive * network),
                ("networks and optimisers", 3 * COPIES_IN_TRAINING * network),
            ],
        }
    }

    /// Bytes in all, as expected.
    pub fn total(&self) -> u64 {
        self.parts.iter().map(|(_, bytes)| bytes).sum()
    }

    /// Refuses a plan that the machine cannot hold; an unknown size of the machine passes.
    ///
    /// # Errors
    /// With the figures, if nine tenths of the machine's memory do not suffice.
    pub fn check(self, machine_bytes: Option<u64>) -> Result<Self, MemoryError> {
        match machine_bytes {
            Some(bytes) if self.total() > bytes / 10 * 9 => {
                Err(MemoryError { needed: size(self.total()), available: size(bytes), plan: self })
            }
            _ => Ok(self),
        }
    }
}

impl fmt::Display for MemoryPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts: Vec<String> =
            self.parts.iter().map(|(name, bytes)| format!("{name} {}", size(*bytes))).collect();
        write!(f, "memory: {} when full ({})", size(self.total()), parts.join(", "))?;
        match self.parts[0] {
            (_, expected) if expected < self.memories_at_most => {
                write!(f, "; samples take {} at the very most", size(self.memories_at_most))
            }
            _ => Ok(()),
        }
    }
}

fn parameters(config: &RunConfig, shape: SampleShape) -> u64 {
    let hidden = config.network.hidden_size as u64;
    let mut inputs = shape.num_features as u64;
    let mut count = 0;
    for _ in 0..config.network.num_layers {
        count += (inputs + 1) * hidden;
        inputs = hidden;
    }
    count + (inputs + 1) * shape.num_actions as u64
}

fn size(bytes: u64) -> String {
    let mib = bytes as f64 / f64::from(1 << 20);
    if mib < 1024.0 { format!("{mib:.1} MiB") } else { format!("{:.1} GiB", mib / 1024.0) }
}
