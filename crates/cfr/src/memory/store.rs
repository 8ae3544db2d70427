//! Where a memory's samples lie: packed, or in full where that is read faster and little would be saved.
//!
//! Not here: which samples are kept.

use deepcfr_core::{ActionSet, Features, SampleMeta, SampleShape};

use super::full::{FullSamples, same_bits};
use super::packed::PackedSamples;

/// Samples of at most so many features and actions lie in full, in a few cache lines.
pub(super) const SHORT: usize = 64;

#[derive(Clone, Debug)]
pub(super) enum Store {
    Full(FullSamples),
    Packed(Box<PackedSamples>),
}

impl Store {
    /// A store for at most `capacity` samples.
    pub(super) fn new(shape: SampleShape, capacity: usize) -> Self {
        if is_short(shape) {
            Self::Full(FullSamples::new(shape, capacity))
        } else {
            Self::Packed(Box::new(PackedSamples::new(shape, capacity)))
        }
    }

    pub(super) fn shape(&self) -> SampleShape {
        match self {
            Self::Full(samples) => samples.shape(),
            Self::Packed(samples) => samples.shape(),
        }
    }

    pub(super) fn bytes_expected(shape: SampleShape, capacity: usize) -> u64 {
        if is_short(shape) {
            FullSamples::bytes_of(shape, capacity)
        } else {
            PackedSamples::bytes_expected(shape, capacity)
        }
    }

    pub(super) fn bytes_at_most(shape: SampleShape, capacity: usize) -> u64 {
        if is_short(shape) {
            FullSamples::bytes_of(shape, capacity)
        } else {
            PackedSamples::bytes_at_most(shape, capacity)
        }
    }

    pub(super) fn bytes_allocated(&self) -> u64 {
        match self {
            Self::Full(samples) => samples.bytes_allocated(),
            Self::Packed(samples) => samples.bytes_allocated(),
        }
    }

    /// Forgets the samples, keeps the storage.
    pub(super) fn clear(&mut self) {
        match self {
            // What lies there is overwritten before it is read.
            Self::Full(_) => (),
            Self::Packed(samples) => samples.clear(),
        }
    }

    /// Puts a sample at `index`, at most one past the last.
    ///
    /// # Panics
    /// If a row's length is not the shape's.
    pub(super) fn put(&mut self, index: usize, meta: SampleMeta, features: &dyn Features, targets: &[f32]) {
        match self {
            Self::Full(samples) => samples.put(index, meta, features, targets),
            Self::Packed(samples) => samples.put(index, meta, features, targets),
        }
    }

    /// What a sample holds beside its rows.
    pub(super) fn meta(&self, index: usize) -> SampleMeta {
        match self {
            Self::Full(samples) => samples.meta(index),
            Self::Packed(samples) => samples.meta(index),
        }
    }

    /// Whether sample `index` has these features, bit for bit, and legal actions. `room` is for a row that has
    /// to be unpacked; samples must have no targets.
    #[inline]
    pub(super) fn has(&self, index: usize, legal: ActionSet, features: &[f32], room: &mut [f32]) -> bool {
        match self {
            Self::Full(samples) => samples.has(index, legal, features),
            Self::Packed(samples) => {
                samples.read(index, room, &mut []).legal == legal && same_bits(room, features)
            }
        }
    }

    /// Writes every element of both rows.
    ///
    /// # Panics
    /// If a row's length is not the shape's.
    #[inline]
    pub(super) fn read(&self, index: usize, features: &mut [f32], targets: &mut [f32]) -> SampleMeta {
        match self {
            Self::Full(samples) => samples.read(index, features, targets),
            Self::Packed(samples) => samples.read(index, features, targets),
        }
    }

    /// The targets of [`Store::read`] alone, of as many samples as there are `metas`.
    pub(super) fn read_targets(&self, first: usize, metas: &mut [SampleMeta], targets: &mut [f32]) {
        match self {
            Self::Full(samples) => samples.read_targets(first, metas, targets),
            Self::Packed(samples) => samples.read_targets(first, metas, targets),
        }
    }

    /// Changes nothing but the time that reading takes.
    pub(super) fn prefetch(&self, indices: &[u32]) {
        match self {
            // Copies of the same length do not wait for each other.
            Self::Full(_) => (),
            Self::Packed(samples) => samples.prefetch(indices),
        }
    }
}

fn is_short(shape: SampleShape) -> bool {
    shape.num_features + shape.num_actions <= SHORT
}
