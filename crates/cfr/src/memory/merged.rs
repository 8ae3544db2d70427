//! Memories that merge equal rows as they come, and lose nothing.
//!
//! For losses that are linear or quadratic in the target, all that a fit needs of a row's samples is `Σ w` and
//! `Σ w·y`. Where rows recur, as in small games, keeping these sums in place of samples takes kilobytes however
//! many samples there are, and a fit has nothing to merge.
//!
//! Not here: weights that change otherwise than by a factor common to all samples as the run goes on, and what
//! to do when there are more distinct rows than the limit allows.

use deepcfr_core::{Features, MergedSamples, SampleMeta, SampleShape, SampleSource, Weighting, row_hash};

use super::Fnv;
use super::saved::Rows;
use super::store::Store;

mod index;
pub(super) mod saved;
mod sums;
#[cfg(test)]
mod tests;

use index::RowIndex;
use sums::Sums;

/// For each distinct row (by the bits of its features and its legal actions), the sums over everything ever
/// offered of `w`, `w·y` and `w·y²`, where `w` is a sample's weight and `y` its targets.
///
/// Rows are in the order in which they were first offered. They are found by a hash and then compared, so no two
/// are ever taken for one. Sums are as exact as 106 bits are, and agree for any order of the samples. What is
/// [read](SampleSource::read) are rows with their weighted mean targets, [merged](SampleSource::merged) says what
/// they weigh.
///
/// Rows of at most 64 features lie in full, longer ones packed, as in a [`Reservoir`](super::Reservoir).
#[derive(Clone, Debug)]
pub struct MergedMemory {
    shape: SampleShape,
    limit: usize,
    weighting: Weighting,
    offered: u64,
    refused: u64,
    index: RowIndex,
    /// The rows as samples without targets, each of the iteration that offered it first.
    rows: Store,
    sums: Sums,
    /// The features of a sample on their way, and room for a row that they are compared with.
    arriving: [Box<[f32]>; 2],
}

/// More distinct rows were offered than a memory may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "a memory of {limit} distinct rows is full: {refused} of {offered} samples are of other rows and were left out"
)]
pub struct Overflow {
    /// The most distinct rows.
    pub limit: usize,
    /// Samples that were left out.
    pub refused: u64,
    /// Samples that were offered, those included.
    pub offered: u64,
}

impl MergedMemory {
    /// An empty memory for at most `limit` distinct rows, whose samples weigh what `weighting` says.
    ///
    /// # Panics
    /// If `limit` is 0 or does not fit into 32 bits.
    pub fn new(shape: SampleShape, limit: usize, weighting: Weighting) -> Self {
        assert!(limit > 0 && u32::try_from(limit).is_ok(), "a memory has between 1 and 2^32 - 1 rows");
        let row = || vec![0.0; shape.num_features].into();
        Self {
            shape,
            limit,
            weighting,
            offered: 0,
            refused: 0,
            index: RowIndex::new(),
            rows: Store::new(row_shape(shape), limit),
            sums: Sums::new(shape.num_actions),
            arriving: [row(), row()],
        }
    }

    /// The bytes that a full memory of `limit` rows takes; packed rows as [`Reservoir`](super::Reservoir)
    /// expects them.
    pub fn bytes_expected(shape: SampleShape, limit: usize) -> u64 {
        Store::bytes_expected(row_shape(shape), limit) + beside_rows(shape, limit)
    }

    /// The bytes that a full memory of `limit` rows takes whatever they are; never exceeded.
    pub fn bytes_at_most(shape: SampleShape, limit: usize) -> u64 {
        Store::bytes_at_most(row_shape(shape), limit) + beside_rows(shape, limit)
    }

    /// The bytes allocated now.
    pub fn bytes_allocated(&self) -> u64 {
        let beside = self.index.bytes_allocated() + self.sums.bytes_allocated();
        self.rows.bytes_allocated() + (beside + 2 * self.shape.num_features * size_of::<f32>()) as u64
    }

    /// The most distinct rows held.
    pub fn limit(&self) -> usize {
        self.limit
    }

    /// How samples are weighed.
    pub fn weighting(&self) -> Weighting {
        self.weighting
    }

    /// How many samples were ever offered, those that were refused included.
    pub fn offered(&self) -> u64 {
        self.offered
    }

    /// How many samples were left out, because they are of rows beyond the limit.
    pub fn refused(&self) -> u64 {
        self.refused
    }

    /// Whether no further distinct row has room.
    pub fn is_full(&self) -> bool {
        self.index.len() == self.limit
    }

    /// Whether samples were left out.
    pub fn overflowed(&self) -> bool {
        self.refused > 0
    }

    /// Whether everything offered is held.
    ///
    /// # Errors
    /// If it is not.
    pub fn check(&self) -> Result<(), Overflow> {
        let Self { limit, refused, offered, .. } = *self;
        if self.overflowed() { Err(Overflow { limit, refused, offered }) } else { Ok(()) }
    }

    /// Offers a sample. It is added to its row, or left out if that would be one row too many. The features
    /// are written either way.
    ///
    /// # Panics
    /// If a row's length is not the shape's, or a legal action has no place in it.
    pub fn offer(&mut self, meta: SampleMeta, features: &dyn Features, targets: &[f32]) {
        assert_eq!(targets.len(), self.shape.num_actions, "the length of the targets");
        features.write(&mut self.arriving[0]);
        self.offered += 1;
        match self.row_of(meta) {
            Some(row) => self.sums.add(row, self.weighting.unscaled(meta.iteration), meta.legal, targets),
            None => self.refused += 1,
        }
    }

    /// Forgets every sample, and that any was offered; keeps the storage.
    pub fn clear(&mut self) {
        (self.offered, self.refused) = (0, 0);
        self.index.clear();
        self.rows.clear();
        self.sums.clear();
    }

    /// A 64-bit fingerprint of everything that decides later behaviour: counts and contents.
    pub fn hash(&self) -> u64 {
        let mut state = Fnv::new();
        for count in [self.limit as u64, self.offered, self.refused, self.len() as u64] {
            state.word(count);
        }
        let mut rows = Rows::new(row_shape(self.shape));
        for row in 0..self.len() {
            self.rows.words(row, &mut rows).for_each(|word| state.word(u64::from(word)));
            self.sums.of_row(row).iter().flat_map(|sum| sum.to_bits()).for_each(|word| state.word(word));
        }
        state.0
    }

    /// The row of the sample that arrives, a new one if it is the first and there is room.
    #[inline]
    fn row_of(&mut self, meta: SampleMeta) -> Option<usize> {
        let Self { index, rows, arriving: [features, other], .. } = self;
        let hash = row_hash(features, meta.legal) as u64;
        let found = index.find(hash, |row| rows.has(row, meta.legal, features, other));
        found.or_else(|| self.add_row(hash, meta))
    }

    #[cold]
    fn add_row(&mut self, hash: u64, meta: SampleMeta) -> Option<usize> {
        if self.is_full() {
            return None;
        }
        let row = self.index.len();
        self.rows.put(row, meta, &self.arriving[0], &[]);
        self.index.push(hash);
        self.sums.push();
        Some(row)
    }
}

impl SampleSource for MergedMemory {
    fn shape(&self) -> SampleShape {
        self.shape
    }

    fn len(&self) -> usize {
        self.index.len()
    }

    fn read(&self, index: usize, features: &mut [f32], targets: &mut [f32]) -> SampleMeta {
        assert!(index < self.len(), "row {index} of {}", self.len());
        assert_eq!(targets.len(), self.shape.num_actions, "the length of the targets");
        self.sums.means(index, targets);
        self.rows.read(index, features, &mut [])
    }

    fn read_targets(&self, first: usize, metas: &mut [SampleMeta], targets: &mut [f32]) {
        assert!(first + metas.len() <= self.len(), "{} rows from {first} of {}", metas.len(), self.len());
        assert_eq!(targets.len(), metas.len() * self.shape.num_actions, "the length of the targets");
        let targets = targets.chunks_exact_mut(self.shape.num_actions);
        for (row, (meta, means)) in (first..).zip(metas.iter_mut().zip(targets)) {
            *meta = self.rows.meta(row);
            self.sums.means(row, means);
        }
    }

    fn merged(&self) -> Option<MergedSamples> {
        let weights: Vec<f64> = (0..self.len()).map(|row| self.sums.weight(row)).collect();
        Some(MergedSamples {
            weighting: self.weighting,
            samples: self.offered - self.refused,
            squares: (0..self.len()).map(|row| self.sums.squares(row)).sum(),
            legal_weight: (0..)
                .zip(&weights)
                .map(|(row, w)| w * self.rows.meta(row).legal.len() as f64)
                .sum(),
            weights,
        })
    }

    fn prefetch(&self, indices: &[u32]) {
        self.rows.prefetch(indices);
    }
}

/// Rows lie as samples without targets.
fn row_shape(shape: SampleShape) -> SampleShape {
    SampleShape { num_actions: 0, ..shape }
}

/// The bytes of sums, index and rows on their way; sums double when they have to.
fn beside_rows(shape: SampleShape, rows: usize) -> u64 {
    let sums = 2 * rows.max(1) * Sums::bytes_of_row(shape.num_actions);
    RowIndex::bytes_at_most(rows) + (sums + 2 * shape.num_features * size_of::<f32>()) as u64
}
