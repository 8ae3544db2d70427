//! A memory of either kind, behind one set of methods.
//!
//! Not here: what the kinds do, and which one a run should have.

use std::io::{self, Read, Write};

use deepcfr_core::{Edition, Features, MergedSamples, SampleMeta, SampleShape, SampleSource, Weighting};

use super::{LoadError, MergedMemory, Reservoir};

/// Which kind of memory, and how large.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryKind {
    /// A [`Reservoir`].
    Reservoir {
        /// The most samples.
        capacity: usize,
    },
    /// A [`MergedMemory`].
    Merged {
        /// The most distinct rows.
        limit: usize,
        /// How samples are weighed.
        weighting: Weighting,
    },
}

/// A number alone is the capacity of a reservoir.
impl From<usize> for MemoryKind {
    fn from(capacity: usize) -> Self {
        Self::Reservoir { capacity }
    }
}

impl MemoryKind {
    /// The bytes that a full memory is expected to take: see [`Reservoir::bytes_expected`].
    pub fn bytes_expected(self, shape: SampleShape) -> u64 {
        match self {
            Self::Reservoir { capacity } => Reservoir::bytes_expected(shape, capacity),
            Self::Merged { limit, .. } => MergedMemory::bytes_expected(shape, limit),
        }
    }

    /// The bytes that a full memory takes whatever the samples; never exceeded.
    pub fn bytes_at_most(self, shape: SampleShape) -> u64 {
        match self {
            Self::Reservoir { capacity } => Reservoir::bytes_at_most(shape, capacity),
            Self::Merged { limit, .. } => MergedMemory::bytes_at_most(shape, limit),
        }
    }
}

/// A memory of either kind.
#[derive(Clone, Debug)]
pub enum Memory {
    /// Keeps samples, a uniform choice of them once it is full.
    Reservoir(Reservoir),
    /// Keeps distinct rows and loses no sample of them.
    Merged(MergedMemory),
}

/// The same expression for either kind.
macro_rules! either {
    ($memory:expr, $kind:ident => $value:expr) => {
        match $memory {
            Memory::Reservoir($kind) => $value,
            Memory::Merged($kind) => $value,
        }
    };
}

impl Memory {
    /// An empty memory; `seed` and `memory`, which tells memories of one run apart, are for reservoirs.
    ///
    /// # Panics
    /// If it is to hold nothing, or more than 2³² − 1 distinct rows.
    pub fn new(shape: SampleShape, kind: impl Into<MemoryKind>, seed: u64, memory: u32) -> Self {
        match kind.into() {
            MemoryKind::Reservoir { capacity } => {
                Self::Reservoir(Reservoir::new(shape, capacity, seed, memory))
            }
            MemoryKind::Merged { limit, weighting } => {
                Self::Merged(MergedMemory::new(shape, limit, weighting))
            }
        }
    }

    /// What it was made as.
    pub fn kind(&self) -> MemoryKind {
        match self {
            Self::Reservoir(memory) => MemoryKind::Reservoir { capacity: memory.capacity() },
            Self::Merged(memory) => {
                MemoryKind::Merged { limit: memory.limit(), weighting: memory.weighting() }
            }
        }
    }

    /// The most samples, or distinct rows, held.
    pub fn capacity(&self) -> usize {
        match self {
            Self::Reservoir(memory) => memory.capacity(),
            Self::Merged(memory) => memory.limit(),
        }
    }

    /// How many samples were ever offered.
    pub fn offered(&self) -> u64 {
        either!(self, memory => memory.offered())
    }

    /// How many of the samples offered are neither held nor part of a row that is.
    pub fn left_out(&self) -> u64 {
        match self {
            Self::Reservoir(memory) => memory.offered() - memory.len() as u64,
            Self::Merged(memory) => memory.refused(),
        }
    }

    /// Whether as much is held as can be.
    pub fn is_full(&self) -> bool {
        either!(self, memory => memory.is_full())
    }

    /// Whether samples were left out: what a fit sees is then not all that was offered.
    pub fn overflowed(&self) -> bool {
        either!(self, memory => memory.overflowed())
    }

    /// The bytes allocated now.
    pub fn bytes_allocated(&self) -> u64 {
        either!(self, memory => memory.bytes_allocated())
    }

    /// Offers a sample.
    ///
    /// # Panics
    /// If a row's length is not the shape's.
    #[inline]
    pub fn offer(&mut self, meta: SampleMeta, features: &dyn Features, targets: &[f32]) {
        either!(self, memory => memory.offer(meta, features, targets));
    }

    /// Forgets every sample, and that any was offered; keeps the storage.
    pub fn clear(&mut self) {
        either!(self, memory => memory.clear());
    }

    /// A 64-bit fingerprint of everything that decides later behaviour: counts and contents.
    pub fn hash(&self) -> u64 {
        either!(self, memory => memory.hash())
    }

    /// Writes everything held.
    ///
    /// # Errors
    /// What the writer returns.
    pub fn save(&self, writer: &mut impl Write) -> io::Result<()> {
        either!(self, memory => memory.save(writer))
    }

    /// Replaces the contents by what [`Memory::save`] wrote for a memory of the same kind and size.
    ///
    /// # Errors
    /// [`LoadError`]; the memory is then empty or holds part of the samples, and must not be used.
    pub fn load(&mut self, reader: &mut impl Read) -> Result<(), LoadError> {
        either!(self, memory => memory.load(reader))
    }
}

impl SampleSource for Memory {
    fn shape(&self) -> SampleShape {
        either!(self, memory => memory.shape())
    }

    fn len(&self) -> usize {
        either!(self, memory => memory.len())
    }

    fn read(&self, index: usize, features: &mut [f32], targets: &mut [f32]) -> SampleMeta {
        either!(self, memory => memory.read(index, features, targets))
    }

    fn read_targets(&self, first: usize, metas: &mut [SampleMeta], targets: &mut [f32]) {
        either!(self, memory => memory.read_targets(first, metas, targets));
    }

    fn merged(&self) -> Option<MergedSamples> {
        either!(self, memory => memory.merged())
    }

    fn edition(&self) -> Option<Edition> {
        either!(self, memory => memory.edition())
    }

    fn changed_since(&self, edition: Edition) -> Option<Vec<u32>> {
        either!(self, memory => memory.changed_since(edition))
    }

    fn prefetch(&self, indices: &[u32]) {
        either!(self, memory => memory.prefetch(indices));
    }
}
