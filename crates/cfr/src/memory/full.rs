//! Samples in full: flat arrays of numbers, in segments that are allocated when first needed.

use std::ops::Range;

use deepcfr_core::{Features, SampleMeta, SampleShape};

use super::{set_of, words_of};

/// Samples in a segment (the last may hold fewer).
pub(super) const ROWS: usize = 4096;

#[derive(Clone, Debug)]
pub(super) struct FullSamples {
    shape: SampleShape,
    capacity: usize,
    segments: Vec<Segment>,
}

/// Legal actions as four words, lowest first, and the iteration: less than an aligned [`SampleMeta`].
type Meta = [u32; 5];

#[derive(Clone, Debug)]
struct Segment {
    features: Box<[f32]>,
    targets: Box<[f32]>,
    meta: Box<[Meta]>,
}

impl FullSamples {
    pub(super) fn new(shape: SampleShape, capacity: usize) -> Self {
        Self { shape, capacity, segments: Vec::new() }
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
        Self::bytes_of(self.shape, self.segments.iter().map(|segment| segment.meta.len()).sum())
    }

    /// Puts a sample at `index`, at most one past the last.
    pub(super) fn put(&mut self, index: usize, meta: SampleMeta, features: &dyn Features, targets: &[f32]) {
        if index / ROWS == self.segments.len() {
            self.segments.push(Segment::new(self.shape, ROWS.min(self.capacity - index)));
        }
        let (segment, row) = (&mut self.segments[index / ROWS], index % ROWS);
        features.write(&mut segment.features[span(row, self.shape.num_features)]);
        segment.targets[span(row, self.shape.num_actions)].copy_from_slice(targets);
        let [a, b, c, d] = words_of(meta.legal);
        segment.meta[row] = [a, b, c, d, meta.iteration];
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
    fn new(shape: SampleShape, rows: usize) -> Self {
        Self {
            features: vec![0.0; rows * shape.num_features].into(),
            targets: vec![0.0; rows * shape.num_actions].into(),
            meta: vec![[0; 5]; rows].into(),
        }
    }
}

#[inline]
fn span(row: usize, width: usize) -> Range<usize> {
    row * width..(row + 1) * width
}
