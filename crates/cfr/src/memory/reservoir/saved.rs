//! Reservoirs as streams of bytes, and back.
//!
//! # Format (integers little-endian)
//!
//! | bytes | what |
//! |---|---|
//! | 8 | [`MARK`] |
//! | 5 × 8 | features, actions, capacity, seed, memory identity |
//! | 2 × 8 | samples offered, samples kept |
//! | | the samples, as `memory::saved` tells |
//!
//! Streams without the mark are of an earlier format, in which all samples are in full, and are read too.
//!
//! Not here: checksums, and where the bytes go.

use std::io::{self, Read, Write};

use deepcfr_core::SampleShape;

use super::super::saved::read_u64;
use super::super::{LoadError, merged};
use super::Reservoir;

/// Begins a stream; as a number of features it would be absurd.
const MARK: u64 = u64::from_le_bytes(*b"samples2");

impl Reservoir {
    /// Writes counts and samples, as they lie in memory: packed ones stay packed.
    ///
    /// # Errors
    /// What the writer returns.
    pub fn save(&self, writer: &mut impl Write) -> io::Result<()> {
        let counts = [self.offered, self.len as u64];
        for word in [MARK].into_iter().chain(self.header()).chain(counts) {
            writer.write_all(&word.to_le_bytes())?;
        }
        self.store.save(self.len, writer)
    }

    /// Replaces the contents by what [`Reservoir::save`] wrote for a memory of the same shape,
    /// capacity, seed and identity. Reads many small pieces: give it a reader with a buffer.
    ///
    /// # Errors
    /// [`LoadError`]; the memory is then empty or holds part of the samples, and must not be used.
    pub fn load(&mut self, reader: &mut impl Read) -> Result<(), LoadError> {
        const WHAT: [&str; 5] = ["features", "actions", "capacity", "seed", "memory identity"];
        let first = read_u64(reader)?;
        if first == merged::saved::MARK {
            return Err(LoadError::Kind { expected: "reservoir" });
        }
        let marked = first == MARK;
        let mut got = [if marked { read_u64(reader)? } else { first }, 0, 0, 0, 0];
        got[1..].iter_mut().try_for_each(|word| read_u64(reader).map(|read| *word = read))?;
        for ((what, expected), got) in WHAT.into_iter().zip(self.header()).zip(got) {
            if got != expected {
                return Err(LoadError::Mismatch { what, expected, got });
            }
        }
        self.clear();
        let (offered, len) = (read_u64(reader)?, read_u64(reader)?);
        if len != offered.min(self.capacity as u64) {
            return Err(LoadError::Count { offered, len });
        }
        if marked {
            self.store.load(len as usize, reader)?;
        } else {
            self.store.load_in_full(len as usize, reader)?;
        }
        (self.len, self.offered) = (len as usize, offered);
        Ok(())
    }

    fn header(&self) -> [u64; 5] {
        let SampleShape { num_features, num_actions } = self.shape;
        [num_features as u64, num_actions as u64, self.capacity as u64, self.seed, u64::from(self.memory)]
    }
}
