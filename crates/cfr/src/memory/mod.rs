//! Memories of training samples: uniform reservoirs of fixed capacity, which store samples without loss, and
//! memories that merge equal rows as they come, which lose no sample.
//!
//! Not here: files and checksums (memories write and read plain byte streams), and what the samples mean.

use std::io;

use deepcfr_core::ActionSet;

mod arena;
mod dictionary;
mod either;
mod full;
mod identity;
mod memories;
mod merged;
mod packed;
mod packing;
mod pieces;
mod reservoir;
mod saved;
mod store;

pub use either::{Memory, MemoryKind};
pub use memories::Memories;
pub use merged::{MergedMemory, Overflow};
pub use reservoir::Reservoir;

/// Why saved samples cannot be read back.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// Another memory's samples.
    #[error("saved samples have {what} {got}, this memory has {expected}")]
    Mismatch {
        /// What differs.
        what: &'static str,
        /// This memory's figure.
        expected: u64,
        /// The saved figure.
        got: u64,
    },
    /// Samples of a memory of another kind.
    #[error("saved samples are not those of a {expected}")]
    Kind {
        /// What this memory is.
        expected: &'static str,
    },
    /// Counts that no memory can have.
    #[error("saved samples claim {len} kept of {offered} offered")]
    Count {
        /// How many samples were offered.
        offered: u64,
        /// How many were kept.
        len: u64,
    },
    /// Bytes that nothing packed.
    #[error("saved samples are damaged: {what} {index} is none")]
    Damaged {
        /// What was expected.
        what: &'static str,
        /// Which one.
        index: usize,
    },
    /// The reader failed or ended early.
    #[error("saved samples cannot be read: {0}")]
    Io(#[from] io::Error),
}

/// FNV-1a over words: a fingerprint that is the same on every machine.
struct Fnv(u64);

impl Fnv {
    fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    fn word(&mut self, word: u64) {
        self.0 = (self.0 ^ word).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(23);
    }
}

/// The bits of a set of actions as four words, lowest first.
fn words_of(legal: ActionSet) -> [u32; 4] {
    std::array::from_fn(|word| (legal.bits() >> (32 * word)) as u32)
}

fn set_of(words: [u32; 4]) -> ActionSet {
    let bits = words.iter().enumerate().map(|(word, &bits)| u128::from(bits) << (32 * word)).sum();
    ActionSet::from_bits(bits)
}
