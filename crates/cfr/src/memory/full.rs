//! Samples in full: flat arrays of numbers, in segments that are allocated when first needed. The first one
//! starts small and doubles: a memory of few samples takes little.
//!
//! Not here: which samples are kept.

use std::ops::Range;

use deepcfr_core::{ActionSet, Features, SampleMeta, SampleShape};

use super::{set_of, words_of};

/// Samples in a segment (the last may hold fewer).
pub(super) const ROWS: usize = 4096;

/// Samples that the first segment starts with.
const FIRST_ROWS: usize = 64;

#[derive(Clone, Debug)]
pub(super) struct FullSamples {
    shape: SampleShape,
    capacity: usize,
    /// Samples that the segments have room for.
    room: usize,
    segments: Vec<Segment>,
}

/// Legal actions as four words, lowest first, and the iteration: less than an aligned [`SampleMeta`].
type Meta = [u32; 5];

#[derive(Clone, Debug, Default)]
struct Segment {
    features: Vec<f32>,
    targets: Vec<f32>,
    meta: Vec<Meta>,
}

impl FullSamples {
    pub(super) fn new(shape: SampleShape, capacity: usize) -> Self {
        Self { shape, capacity, room: 0, segments: Vec::new() }
    }

    pub(super) fn shape(&self) -> SampleShape {
        self.shape
    }

    /// The bytes that `samples` take.
    pub(super) fn bytes_of(shape: SampleShape, samples: usize) -> u64 {
        let numbers = (shape.num_features + shape.num_actions) * size_of::<f32>();
        let segments = samples.div_ceil(ROWS) * size_of::<Segment>();
        samples as u64 * (numbers + size_of::<Meta>()) as u64 + segments as u64
    }

    pub(super) fn bytes_allocated(&self) -> u64 {
        Self::bytes_of(self.shape, self.room)
    }

    /// Puts a sample at `index`, at most one past the last.
    pub(super) fn put(&mut self, index: usize, meta: SampleMeta, features: &dyn Features, targets: &[f32]) {
        if index >= self.room {
            self.grow();
        }
        let (segment, row) = (&mut self.segments[index / ROWS], index % ROWS);
        features.write(&mut segment.features[span(row, self.shape.num_features)]);
        segment.targets[span(row, self.shape.num_actions)].copy_from_slice(targets);
        let [a, b, c, d] = words_of(meta.legal);
        segment.meta[row] = [a, b, c, d, meta.iteration];
    }

    #[cold]
    fn grow(&mut self) {
        let rows = match self.room {
            0 => FIRST_ROWS,
            room if room < ROWS => room,
            _ => ROWS,
        };
        let rows = rows.min(self.capacity - self.room);
        if self.room.is_multiple_of(ROWS) {
            self.segments.push(Segment::default());
        }
        self.segments.last_mut().expect("there is one now").grow(self.shape, rows);
        self.room += rows;
    }

    pub(super) fn meta(&self, index: usize) -> SampleMeta {
        meta_of(self.segments[index / ROWS].meta[index % ROWS])
    }

    /// Whether sample `index` has these features, bit for bit, and legal actions.
    #[inline]
    pub(super) fn has(&self, index: usize, legal: ActionSet, features: &[f32]) -> bool {
        let (segment, row) = (&self.segments[index / ROWS], index % ROWS);
        let [a, b, c, d, _] = segment.meta[row];
        words_of(legal) == [a, b, c, d]
            && same_bits(&segment.features[span(row, self.shape.num_features)], features)
    }

    #[inline]
    pub(super) fn read(&self, index: usize, features: &mut [f32], targets: &mut [f32]) -> SampleMeta {
        let (segment, row) = (&self.segments[index / ROWS], index % ROWS);
        features.copy_from_slice(&segment.features[span(row, self.shape.num_features)]);
        targets.copy_from_slice(&segment.targets[span(row, self.shape.num_actions)]);
        meta_of(segment.meta[row])
    }

    /// The targets of samples `first..first + metas.len()`.
    pub(super) fn read_targets(&self, first: usize, mut metas: &mut [SampleMeta], mut targets: &mut [f32]) {
        let mut index = first;
        while !metas.is_empty() {
            let (segment, row) = (&self.segments[index / ROWS], index % ROWS);
            let rows = metas.len().min(ROWS - row);
            let (these, numbers);
            (these, metas) = metas.split_at_mut(rows);
            (numbers, targets) = targets.split_at_mut(rows * self.shape.num_actions);
            these.iter_mut().zip(&segment.meta[row..]).for_each(|(to, from)| *to = meta_of(*from));
            numbers.copy_from_slice(&segment.targets[row * self.shape.num_actions..][..numbers.len()]);
            index += rows;
        }
    }
}

#[inline]
fn meta_of([a, b, c, d, iteration]: Meta) -> SampleMeta {
    SampleMeta { legal: set_of([a, b, c, d]), iteration }
}

impl Segment {
    /// Makes room for so many rows more, and no others.
    fn grow(&mut self, shape: SampleShape, rows: usize) {
        lengthen(&mut self.features, rows * shape.num_features);
        lengthen(&mut self.targets, rows * shape.num_actions);
        lengthen(&mut self.meta, rows);
    }
}

fn lengthen<T: Clone + Default>(list: &mut Vec<T>, by: usize) {
    if list.is_empty() {
        // Zeros of the operating system, where it has any.
        *list = vec![T::default(); by];
        return;
    }
    list.reserve_exact(by);
    list.resize(list.len() + by, T::default());
}

/// Without early exit, so that many numbers are compared at once.
#[inline]
pub(super) fn same_bits(a: &[f32], b: &[f32]) -> bool {
    a.len() == b.len() && a.iter().zip(b).fold(0, |differ, (a, b)| differ | (a.to_bits() ^ b.to_bits())) == 0
}

#[inline]
fn span(row: usize, width: usize) -> Range<usize> {
    row * width..(row + 1) * width
}
