//! Memories as streams of bytes, and back.
//!
//! # Format (integers little-endian)
//!
//! | bytes | what |
//! |---|---|
//! | 8 | [`MARK`] |
//! | 5 × 8 | features, actions, capacity, seed, memory identity |
//! | 2 × 8 | samples offered, samples kept |
//! | | packed samples only: for each group of features, the count of its numbers `u16` and their bits |
//! | | the samples: packed, each behind its length `u32`; or in full |
//!
//! A sample in full is its legal actions (16 bytes), iteration, features and targets (4 each). Streams
//! without the mark are of an earlier format, in which all samples are in full, and are read too.
//!
//! Not here: checksums, and where the bytes go.

use std::io::{self, Read, Write};

use deepcfr_core::{SampleMeta, SampleShape, SampleSource};

use super::store::Store;
use super::{LoadError, Reservoir, set_of, words_of};

/// Begins a stream; as a number of features it would be absurd.
const MARK: u64 = u64::from_le_bytes(*b"samples2");

/// Bytes are handed to the writer in pieces of about this size.
const PIECE: usize = 1 << 16;

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
        match &self.store {
            Store::Full(_) => self.save_in_full(writer),
            Store::Packed(samples) => samples.save(self.len, writer),
        }
    }

    fn save_in_full(&self, writer: &mut impl Write) -> io::Result<()> {
        let mut out = Pieces::new(writer);
        let mut rows = Rows::new(self.shape);
        for index in 0..self.len {
            self.words(index, &mut rows).try_for_each(|word| out.put(&word.to_le_bytes()))?;
        }
        out.finish()
    }

    /// Replaces the contents by what [`Reservoir::save`] wrote for a memory of the same shape,
    /// capacity, seed and identity. Reads many small pieces: give it a reader with a buffer.
    ///
    /// # Errors
    /// [`LoadError`]; the memory is then empty or holds part of the samples, and must not be used.
    pub fn load(&mut self, reader: &mut impl Read) -> Result<(), LoadError> {
        const WHAT: [&str; 5] = ["features", "actions", "capacity", "seed", "memory identity"];
        let first = read_u64(reader)?;
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
        match &mut self.store {
            Store::Packed(samples) if marked => samples.load(len as usize, reader)?,
            _ => self.load_in_full(len as usize, reader)?,
        }
        (self.len, self.offered) = (len as usize, offered);
        Ok(())
    }

    fn load_in_full(&mut self, len: usize, reader: &mut impl Read) -> io::Result<()> {
        let (mut rows, mut bytes) = (Rows::new(self.shape), vec![0; bytes_in_full(self.shape)]);
        for index in 0..len {
            reader.read_exact(&mut bytes)?;
            let meta = rows.set(bytes.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)));
            self.store.put(index, meta, &rows.features, &rows.targets);
        }
        Ok(())
    }

    fn header(&self) -> [u64; 5] {
        let SampleShape { num_features, num_actions } = self.shape;
        [num_features as u64, num_actions as u64, self.capacity as u64, self.seed, u64::from(self.memory)]
    }

    /// Sample `index` as words, in a fixed order. `rows` is overwritten.
    pub(super) fn words<'a>(&self, index: usize, rows: &'a mut Rows) -> impl Iterator<Item = u32> + 'a {
        let meta = self.read(index, &mut rows.features, &mut rows.targets);
        let numbers = rows.features.iter().chain(&rows.targets);
        words_of(meta.legal).into_iter().chain([meta.iteration]).chain(numbers.map(|number| number.to_bits()))
    }
}

/// The rows of a sample on its way into a stream or out of one.
pub(super) struct Rows {
    features: Vec<f32>,
    targets: Vec<f32>,
}

impl Rows {
    pub(super) fn new(shape: SampleShape) -> Self {
        Self { features: vec![0.0; shape.num_features], targets: vec![0.0; shape.num_actions] }
    }

    /// The inverse of [`Reservoir::words`].
    fn set(&mut self, mut words: impl Iterator<Item = u32>) -> SampleMeta {
        let mut next = || words.next().expect("the words of a whole sample");
        let (legal, iteration) = (std::array::from_fn(|_| next()), next());
        self.features.iter_mut().chain(&mut self.targets).for_each(|number| *number = f32::from_bits(next()));
        SampleMeta { legal: set_of(legal), iteration }
    }
}

/// The length of a sample in full: legal actions, iteration, features and targets.
fn bytes_in_full(shape: SampleShape) -> usize {
    (4 + 1 + shape.num_features + shape.num_actions) * size_of::<u32>()
}

fn read_u64(reader: &mut impl Read) -> io::Result<u64> {
    let mut bytes = [0; 8];
    reader.read_exact(&mut bytes)?;
    Ok(u64::from_le_bytes(bytes))
}

/// Gathers small writes.
pub(super) struct Pieces<'a, W> {
    writer: &'a mut W,
    piece: Vec<u8>,
}

impl<'a, W: Write> Pieces<'a, W> {
    pub(super) fn new(writer: &'a mut W) -> Self {
        Self { writer, piece: Vec::with_capacity(2 * PIECE) }
    }

    #[inline]
    pub(super) fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.piece.extend_from_slice(bytes);
        if self.piece.len() < PIECE {
            return Ok(());
        }
        self.writer.write_all(&self.piece)?;
        self.piece.clear();
        Ok(())
    }

    /// Writes what is left.
    pub(super) fn finish(self) -> io::Result<()> {
        self.writer.write_all(&self.piece)
    }
}
