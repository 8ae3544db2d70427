//! Samples as bytes, as few as is cheap, and back bit for bit. The only place that knows their format.
//!
//! | bytes | what |
//! |---|---|
//! | 4 | iteration |
//! | 16 | legal actions, a bit each |
//! | 8 for each 64 features | which features are not `0.0` |
//! | 8 for each 64 actions | which targets are not `0.0` |
//! | 1 for each feature that is not `0.0` | its code in the memory's [`Dictionary`] |
//! | 4 for each target that is not `0.0` | its bits |
//! | 4 for each feature without a code | its bits, the last such feature first |
//!
//! All little-endian. `0.0` is the number of bits 0; `-0.0` is another one. Not here: where the bytes
//! of many samples lie.

use deepcfr_core::{ActionSet, SampleMeta, SampleShape};

use super::dictionary::{Dictionary, WRITTEN_OUT};

/// Features and actions share a mask in groups of this size.
const GROUP: usize = u64::BITS as usize;
const MASK_BYTES: usize = size_of::<u64>();
const NUMBER_BYTES: usize = size_of::<f32>();
const META_BYTES: usize = size_of::<u32>() + size_of::<u128>();

/// Packs samples of one shape, and unpacks those that it packed. Its dictionary only grows: what was
/// packed once can always be unpacked.
#[derive(Clone, Debug)]
pub(super) struct Packing {
    shape: SampleShape,
    dictionary: Box<Dictionary>,
    /// The packed sample, with room for the longest.
    packed: Box<[u8]>,
    /// Features without a code, as they are met.
    written_out: Vec<f32>,
}

impl Packing {
    pub(super) fn new(shape: SampleShape) -> Self {
        Self {
            shape,
            dictionary: Box::new(Dictionary::new()),
            packed: vec![0; max_bytes(shape)].into(),
            written_out: Vec::with_capacity(shape.num_features),
        }
    }

    /// What a packing allocates itself, whatever the samples.
    pub(super) fn own_bytes(shape: SampleShape) -> usize {
        size_of::<Dictionary>() + max_bytes(shape) + NUMBER_BYTES * shape.num_features
    }

    /// # Panics
    /// If a row's length is not the shape's.
    pub(super) fn pack(&mut self, meta: SampleMeta, features: &[f32], targets: &[f32]) -> &[u8] {
        let SampleShape { num_features, num_actions } = self.shape;
        assert_eq!((features.len(), targets.len()), (num_features, num_actions), "the lengths of the rows");
        let (iteration, rest) = split(&mut self.packed);
        *iteration = meta.iteration.to_le_bytes();
        let (legal, rest) = split(rest);
        *legal = meta.legal.bits().to_le_bytes();
        let (feature_masks, rest) = rest.split_at_mut(mask_bytes(num_features));
        let (target_masks, body) = rest.split_at_mut(mask_bytes(num_actions));
        let mut end = 0;
        self.written_out.clear();
        for_each_number(features, feature_masks, |number| {
            body[end] = self.dictionary.code(number);
            if body[end] == WRITTEN_OUT {
                self.written_out.push(number);
            }
            end += 1;
        });
        let mut write = |number: f32| {
            body[end..end + NUMBER_BYTES].copy_from_slice(&number.to_le_bytes());
            end += NUMBER_BYTES;
        };
        for_each_number(targets, target_masks, &mut write);
        self.written_out.iter().rev().copied().for_each(write);
        &self.packed[..head_bytes(self.shape) + end]
    }

    /// Writes every element of both rows.
    ///
    /// # Panics
    /// If a row's length is not the shape's.
    #[inline]
    pub(super) fn unpack(&self, packed: &[u8], features: &mut [f32], targets: &mut [f32]) -> SampleMeta {
        let SampleShape { num_features, num_actions } = self.shape;
        assert_eq!((features.len(), targets.len()), (num_features, num_actions), "the lengths of the rows");
        let mut packed = Reader(packed);
        let iteration = u32::from_le_bytes(packed.first());
        let legal = ActionSet::from_bits(u128::from_le_bytes(packed.first()));
        let feature_masks = packed.bytes(mask_bytes(num_features));
        let target_masks = packed.bytes(mask_bytes(num_actions));
        fill(features, feature_masks, || match packed.first() {
            [WRITTEN_OUT] => f32::from_le_bytes(packed.last()),
            [code] => self.dictionary.number(code),
        });
        fill(targets, target_masks, || f32::from_le_bytes(packed.first()));
        SampleMeta { legal, iteration }
    }
}

/// The length of the longest packed sample.
pub(super) fn max_bytes(shape: SampleShape) -> usize {
    bytes_of(shape, shape.num_features, shape.num_features, shape.num_actions)
}

/// The length of a packed sample of so many features that are not `0.0`, of which some have no code,
/// and so many targets that are not.
pub(super) fn bytes_of(shape: SampleShape, features: usize, without_code: usize, targets: usize) -> usize {
    head_bytes(shape) + features + NUMBER_BYTES * (targets + without_code)
}

fn head_bytes(shape: SampleShape) -> usize {
    META_BYTES + mask_bytes(shape.num_features) + mask_bytes(shape.num_actions)
}

fn mask_bytes(width: usize) -> usize {
    width.div_ceil(GROUP) * MASK_BYTES
}

/// Writes the masks of `row` and visits its numbers other than `0.0`, in order.
#[inline]
fn for_each_number(row: &[f32], masks: &mut [u8], mut visit: impl FnMut(f32)) {
    for (group, written) in row.chunks(GROUP).zip(masks.as_chunks_mut().0) {
        let mask = mask(group);
        *written = mask.to_le_bytes();
        for_each_bit(mask, |bit| visit(group[bit]));
    }
}

/// The inverse of [`for_each_number`]: every element of `row` is 0 or the `next` number.
#[inline]
fn fill(row: &mut [f32], masks: &[u8], mut next: impl FnMut() -> f32) {
    for (group, mask) in row.chunks_mut(GROUP).zip(masks.as_chunks().0) {
        group.fill(0.0);
        for_each_bit(u64::from_le_bytes(*mask), |bit| group[bit] = next());
    }
}

#[inline]
fn mask(group: &[f32]) -> u64 {
    group.iter().rev().fold(0, |mask, number| mask << 1 | u64::from(number.to_bits() != 0))
}

#[inline]
fn for_each_bit(mut mask: u64, mut visit: impl FnMut(usize)) {
    while mask != 0 {
        visit(mask.trailing_zeros() as usize);
        mask &= mask - 1;
    }
}

fn split<const N: usize>(bytes: &mut [u8]) -> (&mut [u8; N], &mut [u8]) {
    bytes.split_first_chunk_mut().expect("room for the longest sample")
}

/// What is left of a packed sample, read from both ends.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    #[inline]
    fn first<const N: usize>(&mut self) -> [u8; N] {
        let (first, rest) = self.0.split_first_chunk().expect("a whole sample was packed");
        self.0 = rest;
        *first
    }

    #[inline]
    fn last<const N: usize>(&mut self) -> [u8; N] {
        let (rest, last) = self.0.split_last_chunk().expect("a whole sample was packed");
        self.0 = rest;
        *last
    }

    #[inline]
    fn bytes(&mut self, len: usize) -> &'a [u8] {
        let (bytes, rest) = self.0.split_at(len);
        self.0 = rest;
        bytes
    }
}
