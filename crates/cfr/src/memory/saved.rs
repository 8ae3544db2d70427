//! The samples of a memory as a stream of bytes, and back.
//!
//! # Format (integers little-endian)
//!
//! | bytes | what |
//! |---|---|
//! | | packed samples only: for each group of features, the count of its numbers `u16` and their bits |
//! | | the samples: packed, each behind its length `u32`; or in full |
//!
//! A sample in full is its legal actions (16 bytes), iteration, features and targets (4 each).
//!
//! Not here: what comes before them, checksums, and where the bytes go.

use std::io::{self, Read, Write};

use deepcfr_core::{SampleMeta, SampleShape};

use super::pieces::Pieces;
use super::store::Store;
use super::{LoadError, set_of, words_of};

impl Store {
    /// Writes the first `len` samples as they lie in memory: packed ones stay packed.
    pub(super) fn save(&self, len: usize, writer: &mut impl Write) -> io::Result<()> {
        match self {
            Self::Full(_) => self.save_in_full(len, writer),
            Self::Packed(samples) => samples.save(len, writer),
        }
    }

    fn save_in_full(&self, len: usize, writer: &mut impl Write) -> io::Result<()> {
        let mut out = Pieces::new(writer);
        let mut rows = Rows::new(self.shape());
        for index in 0..len {
            self.words(index, &mut rows).try_for_each(|word| out.put(&word.to_le_bytes()))?;
        }
        out.finish()
    }

    /// Takes `len` samples that [`Store::save`] wrote in place of its own.
    pub(super) fn load(&mut self, len: usize, reader: &mut impl Read) -> Result<(), LoadError> {
        match self {
            Self::Full(_) => Ok(self.load_in_full(len, reader)?),
            Self::Packed(samples) => samples.load(len, reader),
        }
    }

    /// The same for samples in full, however they are to lie.
    pub(super) fn load_in_full(&mut self, len: usize, reader: &mut impl Read) -> io::Result<()> {
        self.clear();
        let (mut rows, mut bytes) = (Rows::new(self.shape()), vec![0; bytes_in_full(self.shape())]);
        for index in 0..len {
            reader.read_exact(&mut bytes)?;
            let meta = rows.set(bytes.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)));
            self.put(index, meta, &rows.features, &rows.targets);
        }
        Ok(())
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

    /// The inverse of [`Store::words`].
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

pub(super) fn read_u64(reader: &mut impl Read) -> io::Result<u64> {
    let mut bytes = [0; 8];
    reader.read_exact(&mut bytes)?;
    Ok(u64::from_le_bytes(bytes))
}
