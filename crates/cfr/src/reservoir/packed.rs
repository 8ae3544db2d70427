//! Samples packed one by one, in arenas that are allocated when first needed.

use deepcfr_core::{Features, SampleMeta, SampleShape};

use super::arena::{self, Arena};
use super::packing::{self, Packing};

/// Legal actions of a sample, for [`PackedSamples::bytes_expected`].
const EXPECTED_ACTIONS: usize = 16;

const CACHE_LINE: usize = 64;

#[derive(Clone, Debug)]
pub(super) struct PackedSamples {
    shape: SampleShape,
    capacity: usize,
    packing: Packing,
    arenas: Vec<Arena>,
    /// Where the next arena is copied to.
    spare: Vec<u8>,
    /// The features of a sample on their way.
    row: Box<[f32]>,
}

impl PackedSamples {
    pub(super) fn new(shape: SampleShape, capacity: usize) -> Self {
        Self {
            shape,
            capacity,
            packing: Packing::new(shape),
            arenas: Vec::new(),
            spare: Vec::new(),
            row: vec![0.0; shape.num_features].into(),
        }
    }

    /// The bytes that a full memory takes if a third of all features are neither 0 nor 1 and a
    /// sixteenth of those have no code, at 16 legal actions.
    pub(super) fn bytes_expected(shape: SampleShape, capacity: usize) -> u64 {
        let (features, actions) = (shape.num_features / 3, shape.num_actions.min(EXPECTED_ACTIONS));
        bytes_of(shape, capacity, packing::bytes_of(shape, features, features / 16, actions))
    }

    /// The bytes that a full memory takes whatever the samples; never exceeded.
    pub(super) fn bytes_at_most(shape: SampleShape, capacity: usize) -> u64 {
        bytes_of(shape, capacity, packing::max_bytes(shape))
    }

    pub(super) fn bytes_allocated(&self) -> u64 {
        let arenas: usize = self.arenas.iter().map(Arena::bytes_allocated).sum();
        (arenas + self.spare.capacity() + own_bytes(self.shape)) as u64
    }

    /// Forgets the samples, keeps the storage.
    pub(super) fn clear(&mut self) {
        self.arenas.iter_mut().for_each(Arena::clear);
    }

    /// Puts a sample at `index`, at most one past the last.
    pub(super) fn put(&mut self, index: usize, meta: SampleMeta, features: &impl Features, targets: &[f32]) {
        if index / arena::ROWS == self.arenas.len() {
            self.arenas.push(Arena::new(arena::ROWS.min(self.capacity - index)));
        }
        features.write(&mut self.row);
        let packed = self.packing.pack(meta, &self.row, targets);
        self.arenas[index / arena::ROWS].put(index % arena::ROWS, packed, &mut self.spare);
    }

    #[inline]
    pub(super) fn read(&self, index: usize, features: &mut [f32], targets: &mut [f32]) -> SampleMeta {
        self.packing.unpack(self.packed(index), features, targets)
    }

    /// One load of every cache line: they do not wait for each other, as reads of samples do, whose
    /// bytes decide how they go on.
    pub(super) fn prefetch(&self, indices: &[u32]) {
        let mut loaded = 0;
        for &index in indices {
            self.packed(index as usize).iter().step_by(CACHE_LINE).for_each(|byte| loaded ^= byte);
        }
        std::hint::black_box(loaded);
    }

    #[inline]
    fn packed(&self, index: usize) -> &[u8] {
        self.arenas[index / arena::ROWS].get(index % arena::ROWS)
    }
}

/// The bytes of a full memory of samples that take `sample_bytes` each, one spare arena included.
fn bytes_of(shape: SampleShape, capacity: usize, sample_bytes: usize) -> u64 {
    let arenas = capacity.div_ceil(arena::ROWS) as u64 + 1;
    arenas * Arena::bytes_of(capacity.min(arena::ROWS), sample_bytes) as u64 + own_bytes(shape) as u64
}

/// What is allocated beside the arenas.
fn own_bytes(shape: SampleShape) -> usize {
    Packing::own_bytes(shape) + shape.num_features * size_of::<f32>()
}
