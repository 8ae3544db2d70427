//! A fixed run of samples in flat arrays. The only place that knows how rows are stored.
//!
//! Rows go in and out through `write`, `store` and `fetch`: another element type is a change to
//! those, to `Stored` and to the two word conversions.

use deepcfr_core::{Features, SampleMeta, SampleShape};

use super::{set_of, words_of};

/// Samples in a segment (the last of a memory may hold fewer).
pub(super) const ROWS: usize = 4096;

/// The element type that rows are kept in.
type Stored = f32;

/// Words of meta data in a sample: legal actions (4) and iteration (1).
const META_WORDS: usize = 5;

#[derive(Clone, Debug)]
pub(super) struct Segment {
    features: Box<[Stored]>,
    targets: Box<[Stored]>,
    meta: Box<[[u32; META_WORDS]]>,
}

/// The bytes of one sample, in memory and saved.
pub(super) fn bytes_per_sample(shape: SampleShape) -> u64 {
    let row = (shape.num_features + shape.num_actions) * size_of::<Stored>();
    (row + META_WORDS * size_of::<u32>()) as u64
}

impl Segment {
    pub(super) fn new(shape: SampleShape, rows: usize) -> Self {
        Self {
            features: vec![0.0; rows * shape.num_features].into(),
            targets: vec![0.0; rows * shape.num_actions].into(),
            meta: vec![[0; META_WORDS]; rows].into(),
        }
    }

    pub(super) fn rows(&self) -> usize {
        self.meta.len()
    }

    pub(super) fn write(
        &mut self,
        row: usize,
        shape: SampleShape,
        meta: SampleMeta,
        features: &impl Features,
        targets: &[f32],
    ) {
        features.write(&mut self.features[span(row, shape.num_features)]);
        store(targets, &mut self.targets[span(row, shape.num_actions)]);
        let [a, b, c, d] = words_of(meta.legal);
        self.meta[row] = [a, b, c, d, meta.iteration];
    }

    pub(super) fn read(
        &self,
        row: usize,
        shape: SampleShape,
        features: &mut [f32],
        targets: &mut [f32],
    ) -> SampleMeta {
        fetch(&self.features[span(row, shape.num_features)], features);
        fetch(&self.targets[span(row, shape.num_actions)], targets);
        let [a, b, c, d, iteration] = self.meta[row];
        SampleMeta { legal: set_of([a, b, c, d]), iteration }
    }

    /// A sample as words, in a fixed order.
    pub(super) fn visit_words(&self, row: usize, shape: SampleShape, mut visit: impl FnMut(u32)) {
        self.meta[row].iter().for_each(|&word| visit(word));
        self.features[span(row, shape.num_features)].iter().for_each(|value| visit(value.to_bits()));
        self.targets[span(row, shape.num_actions)].iter().for_each(|value| visit(value.to_bits()));
    }

    /// The inverse of [`Segment::visit_words`].
    pub(super) fn read_words(
        &mut self,
        row: usize,
        shape: SampleShape,
        words: &mut impl Iterator<Item = u32>,
    ) {
        let mut next = || words.next().expect("the caller read a whole sample");
        self.meta[row].iter_mut().for_each(|word| *word = next());
        for value in &mut self.features[span(row, shape.num_features)] {
            *value = Stored::from_bits(next());
        }
        for value in &mut self.targets[span(row, shape.num_actions)] {
            *value = Stored::from_bits(next());
        }
    }
}

fn span(row: usize, width: usize) -> std::ops::Range<usize> {
    row * width..(row + 1) * width
}

fn store(values: &[f32], stored: &mut [Stored]) {
    stored.copy_from_slice(values);
}

fn fetch(stored: &[Stored], values: &mut [f32]) {
    values.copy_from_slice(stored);
}
