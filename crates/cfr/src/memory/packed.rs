//! Samples packed one by one, in arenas that are allocated when first needed.

use std::io::{self, Read, Write};

use deepcfr_core::{Features, SampleMeta, SampleShape};

use super::LoadError;
use super::arena::{self, Arena};
use super::packing::{self, Packing};
use super::pieces::Pieces;

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

    pub(super) fn shape(&self) -> SampleShape {
        self.shape
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
    pub(super) fn put(&mut self, index: usize, meta: SampleMeta, features: &dyn Features, targets: &[f32]) {
        features.write(&mut self.row);
        let packed = self.packing.pack(meta, &self.row, targets);
        let arena = arena_of(&mut self.arenas, index, self.capacity);
        arena.put(index % arena::ROWS, packed, &mut self.spare);
    }

    pub(super) fn meta(&self, index: usize) -> SampleMeta {
        self.packing.unpack_meta(self.packed(index))
    }

    #[inline]
    pub(super) fn read(&self, index: usize, features: &mut [f32], targets: &mut [f32]) -> SampleMeta {
        self.packing.unpack(self.packed(index), features, targets)
    }

    /// The targets of samples `first..first + metas.len()`.
    pub(super) fn read_targets(&self, first: usize, metas: &mut [SampleMeta], targets: &mut [f32]) {
        let rows = metas.iter_mut().zip(targets.chunks_exact_mut(self.shape.num_actions));
        for (index, (meta, targets)) in (first..).zip(rows) {
            *meta = self.packing.unpack_targets(self.packed(index), targets);
        }
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

    /// Writes the numbers of the dictionaries and the first `len` samples, each behind its length.
    pub(super) fn save(&self, len: usize, writer: &mut impl Write) -> io::Result<()> {
        let mut out = Pieces::new(writer);
        for numbers in self.packing.numbers() {
            out.put(&(numbers.len() as u16).to_le_bytes())?;
            numbers.iter().try_for_each(|number| out.put(&number.to_le_bytes()))?;
        }
        for index in 0..len {
            let packed = self.packed(index);
            out.put(&(packed.len() as u32).to_le_bytes())?;
            out.put(packed)?;
        }
        out.finish()
    }

    /// Takes `len` samples that [`PackedSamples::save`] wrote in place of its own.
    pub(super) fn load(&mut self, len: usize, reader: &mut impl Read) -> Result<(), LoadError> {
        self.clear();
        self.packing = Packing::new(self.shape);
        for group in 0..self.packing.groups() {
            let count = u16::from_le_bytes(read_array(reader)?);
            for _ in 0..count {
                let number = f32::from_le_bytes(read_array(reader)?);
                let added = self.packing.add_number(group, number);
                added.ok_or(LoadError::Damaged { what: "dictionary", index: group })?;
            }
        }
        let mut packed = vec![0; packing::max_bytes(self.shape)];
        for index in 0..len {
            let damaged = LoadError::Damaged { what: "sample", index };
            let len = u32::from_le_bytes(read_array(reader)?) as usize;
            let Some(packed) = packed.get_mut(..len) else { return Err(damaged) };
            reader.read_exact(packed)?;
            if !self.packing.may_have_packed(packed) {
                return Err(damaged);
            }
            self.place(index, packed);
        }
        Ok(())
    }

    /// Puts what is packed already at `index`, at most one past the last.
    fn place(&mut self, index: usize, packed: &[u8]) {
        let arena = arena_of(&mut self.arenas, index, self.capacity);
        arena.put(index % arena::ROWS, packed, &mut self.spare);
    }

    #[inline]
    fn packed(&self, index: usize) -> &[u8] {
        self.arenas[index / arena::ROWS].get(index % arena::ROWS)
    }
}

/// The arena of sample `index`, which may be the first one of a new arena.
#[inline]
fn arena_of(arenas: &mut Vec<Arena>, index: usize, capacity: usize) -> &mut Arena {
    if index / arena::ROWS == arenas.len() {
        arenas.push(Arena::new(arena::ROWS.min(capacity - index)));
    }
    &mut arenas[index / arena::ROWS]
}

fn read_array<const N: usize>(reader: &mut impl Read) -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    reader.read_exact(&mut bytes)?;
    Ok(bytes)
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
