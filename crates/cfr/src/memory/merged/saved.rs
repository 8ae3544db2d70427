//! Merged memories as streams of bytes, and back.
//!
//! # Format (integers little-endian)
//!
//! | bytes | what |
//! |---|---|
//! | 8 | [`MARK`] |
//! | 4 × 8 | features, actions, limit of rows, weighting (0 linear, 1 uniform) |
//! | 3 × 8 | samples offered, samples refused, rows |
//! | | the rows, as `memory::saved` tells: samples without targets |
//! | 16 × (2 + actions) a row | its sums and what rounding took from each, as bits: `Σ w`, `Σ w·Σ y²`, `Σ w·y` by action |
//!
//! Not here: checksums, and where the bytes go.

use std::io::{self, Read, Write};

use deepcfr_core::{SampleShape, SampleSource, Weighting, row_hash};

use super::super::LoadError;
use super::super::pieces::Pieces;
use super::super::saved::read_u64;
use super::MergedMemory;
use super::sums::Sum;

/// Begins a stream.
pub(in crate::memory) const MARK: u64 = u64::from_le_bytes(*b"merged01");

impl MergedMemory {
    /// Writes counts, rows and sums.
    ///
    /// # Errors
    /// What the writer returns.
    pub fn save(&self, writer: &mut impl Write) -> io::Result<()> {
        let counts = [self.offered, self.refused, self.len() as u64];
        for word in [MARK].into_iter().chain(self.header()).chain(counts) {
            writer.write_all(&word.to_le_bytes())?;
        }
        self.rows.save(self.len(), writer)?;
        let mut out = Pieces::new(writer);
        for row in 0..self.len() {
            let words = self.sums.of_row(row).iter().flat_map(|sum| sum.to_bits());
            words.into_iter().try_for_each(|word| out.put(&word.to_le_bytes()))?;
        }
        out.finish()
    }

    /// Replaces the contents by what [`MergedMemory::save`] wrote for a memory of the same shape, limit and
    /// weighting. Reads many small pieces: give it a reader with a buffer.
    ///
    /// # Errors
    /// [`LoadError`]; the memory is then empty or holds part of the samples, and must not be used.
    pub fn load(&mut self, reader: &mut impl Read) -> Result<(), LoadError> {
        const WHAT: [&str; 4] = ["features", "actions", "limit of distinct rows", "weighting"];
        if read_u64(reader)? != MARK {
            return Err(LoadError::Kind { expected: "merged memory" });
        }
        for (what, expected) in WHAT.into_iter().zip(self.header()) {
            let got = read_u64(reader)?;
            if got != expected {
                return Err(LoadError::Mismatch { what, expected, got });
            }
        }
        self.clear();
        let [offered, refused, rows] = [read_u64(reader)?, read_u64(reader)?, read_u64(reader)?];
        let most = (self.limit as u64).min(offered.saturating_sub(refused));
        if rows > most || (refused > 0 && rows < self.limit as u64) {
            return Err(LoadError::Count { offered, len: rows });
        }
        self.rows.load(rows as usize, reader)?;
        (0..rows as usize).try_for_each(|row| self.find_again(row))?;
        (0..rows as usize).try_for_each(|row| self.load_sums(row, reader))?;
        (self.offered, self.refused) = (offered, refused);
        Ok(())
    }

    /// Enters a loaded row into the index, where no equal one may be yet.
    fn find_again(&mut self, row: usize) -> Result<(), LoadError> {
        let Self { index, rows, arriving: [features, other], sums, .. } = self;
        let meta = rows.read(row, features, &mut []);
        let hash = row_hash(features, meta.legal) as u64;
        if index.find(hash, |earlier| rows.has(earlier, meta.legal, features, other)).is_some() {
            return Err(LoadError::Damaged { what: "distinct row", index: row });
        }
        index.push(hash);
        sums.push();
        Ok(())
    }

    fn load_sums(&mut self, row: usize, reader: &mut impl Read) -> io::Result<()> {
        for sum in self.sums.of_row_mut(row) {
            *sum = Sum::from_bits([read_u64(reader)?, read_u64(reader)?]);
        }
        Ok(())
    }

    fn header(&self) -> [u64; 4] {
        let SampleShape { num_features, num_actions } = self.shape;
        let weighting = match self.weighting {
            Weighting::Linear => 0,
            Weighting::Uniform => 1,
        };
        [num_features as u64, num_actions as u64, self.limit as u64, weighting]
    }
}
