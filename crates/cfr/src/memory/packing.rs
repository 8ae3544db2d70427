//! Samples as bytes, as few as is cheap, and back bit for bit. The only place that knows their format.
//!
//! | bytes | what |
//! |---|---|
//! | 4 | iteration |
//! | 16 | legal actions, a bit each |
//! | 8 + 8 for each 64 features | which are `1.0`; which have a code in their [`Dictionary`] |
//! | 8 for each 64 actions | which targets are not `0.0` |
//! | 1 for each feature with a code | the code |
//! | 4 for each target that is not `0.0` | its bits |
//! | 4 + 4 for each other feature that is not `0.0` | its index, its bits |
//!
//! All little-endian. `0.0` is the number of bits 0; `-0.0` is another one. A sample that
//! would become no shorter has its numbers in full after the legal actions, and is told by its length.
//!
//! Not here: where the bytes of many samples lie.

use deepcfr_core::{ActionSet, SampleMeta, SampleShape};

use super::dictionary::Dictionary;

/// Features and actions share masks in groups of this size.
const GROUP: usize = u64::BITS as usize;
const MASK_BYTES: usize = size_of::<u64>();
const NUMBER_BYTES: usize = size_of::<f32>();
/// A feature without a code: its index and its bits.
const WRITTEN_OUT_BYTES: usize = size_of::<u32>() + NUMBER_BYTES;
const META_BYTES: usize = size_of::<u32>() + size_of::<u128>();

/// Packs samples of one shape, and unpacks those that it packed. Its dictionaries only grow: what was
/// packed once can always be unpacked.
#[derive(Clone, Debug)]
pub(super) struct Packing {
    shape: SampleShape,
    /// For each group of features: near ones are often of a kind.
    dictionaries: Box<[Dictionary]>,
    /// The packed sample, with room for the longest before it is seen to be no shorter than in full.
    packed: Box<[u8]>,
    /// Features without a code, as they are met.
    written_out: Vec<u8>,
}

impl Packing {
    pub(super) fn new(shape: SampleShape) -> Self {
        Self {
            shape,
            dictionaries: vec![Dictionary::new(); shape.num_features.div_ceil(GROUP)].into(),
            packed: vec![0; room_bytes(shape)].into(),
            written_out: Vec::with_capacity(WRITTEN_OUT_BYTES * shape.num_features),
        }
    }

    /// What a packing allocates itself, whatever the samples.
    pub(super) fn own_bytes(shape: SampleShape) -> usize {
        shape.num_features.div_ceil(GROUP) * size_of::<Dictionary>()
            + room_bytes(shape)
            + WRITTEN_OUT_BYTES * shape.num_features
    }

    /// How many groups of features there are.
    pub(super) fn groups(&self) -> usize {
        self.dictionaries.len()
    }

    /// For each group of features, the numbers that have codes, by code.
    pub(super) fn numbers(&self) -> impl Iterator<Item = &[f32]> {
        self.dictionaries.iter().map(Dictionary::numbers)
    }

    /// Gives `number` the next code of a group. `None` if it has one, or can have none.
    pub(super) fn add_number(&mut self, group: usize, number: f32) -> Option<()> {
        let dictionary = &mut self.dictionaries[group];
        let next = dictionary.numbers().len();
        let code = is_number(number).then(|| dictionary.code(number)).flatten()?;
        (usize::from(code) == next).then_some(())
    }

    /// # Panics
    /// If a row's length is not the shape's.
    pub(super) fn pack(&mut self, meta: SampleMeta, features: &[f32], targets: &[f32]) -> &[u8] {
        let SampleShape { num_features, num_actions } = self.shape;
        assert_eq!((features.len(), targets.len()), (num_features, num_actions), "the lengths of the rows");
        let mut start = Writer(&mut self.packed);
        start.put(&meta.iteration.to_le_bytes());
        start.put(&meta.legal.bits().to_le_bytes());
        let len = META_BYTES + self.pack_rows(features, targets);
        if len < max_bytes(self.shape) {
            return &self.packed[..len];
        }
        let mut numbers = Writer(&mut self.packed[META_BYTES..]);
        features.iter().chain(targets).for_each(|number| numbers.put(&number.to_le_bytes()));
        &self.packed[..max_bytes(self.shape)]
    }

    /// Packs the rows behind legal actions and iteration; their length.
    fn pack_rows(&mut self, features: &[f32], targets: &[f32]) -> usize {
        let (head, body) = self.packed[META_BYTES..].split_at_mut(all_masks_bytes(self.shape));
        let (mut head, mut body) = (Writer(head), Writer(body));
        let room = body.0.len();
        self.written_out.clear();
        for (index, (group, dictionary)) in features.chunks(GROUP).zip(&mut self.dictionaries).enumerate() {
            let ones = mask(group, |number| number.to_bits() == ONE);
            let mut coded = 0;
            for_each_bit(mask(group, is_number) & !ones, |bit| match dictionary.code(group[bit]) {
                Some(code) => {
                    coded |= 1 << bit;
                    body.put(&[code]);
                }
                None => {
                    self.written_out.extend(((index * GROUP + bit) as u32).to_le_bytes());
                    self.written_out.extend(group[bit].to_le_bytes());
                }
            });
            head.put(&ones.to_le_bytes());
            head.put(&u64::to_le_bytes(coded));
        }
        for group in targets.chunks(GROUP) {
            let numbers = mask(group, is_number);
            head.put(&numbers.to_le_bytes());
            for_each_bit(numbers, |bit| body.put(&group[bit].to_le_bytes()));
        }
        body.put(&self.written_out);
        all_masks_bytes(self.shape) + room - body.0.len()
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
        let meta = packed.meta();
        if packed.0.len() == NUMBER_BYTES * (num_features + num_actions) {
            copy(packed.bytes(NUMBER_BYTES * num_features), features);
            copy(packed.0, targets);
        } else {
            self.unpack_rows(packed, features, targets);
        }
        meta
    }

    /// The targets of [`Packing::unpack`] alone.
    ///
    /// # Panics
    /// If the row's length is not the shape's.
    #[inline]
    pub(super) fn unpack_targets(&self, packed: &[u8], targets: &mut [f32]) -> SampleMeta {
        let SampleShape { num_features, num_actions } = self.shape;
        assert_eq!(targets.len(), num_actions, "the length of the row");
        let mut packed = Reader(packed);
        let meta = packed.meta();
        if packed.0.len() == NUMBER_BYTES * (num_features + num_actions) {
            copy(&packed.0[NUMBER_BYTES * num_features..], targets);
        } else {
            let mut masks = Reader(packed.bytes(2 * masks_bytes(num_features)));
            let mut target_masks = Reader(packed.bytes(masks_bytes(num_actions)));
            let coded = (0..self.groups()).map(|_| (masks.word(), masks.word()).1.count_ones());
            packed.bytes(coded.sum::<u32>() as usize);
            set_targets(&mut packed, &mut target_masks, targets);
        }
        meta
    }

    /// What [`Packing::unpack`] returns.
    pub(super) fn unpack_meta(&self, packed: &[u8]) -> SampleMeta {
        Reader(packed).meta()
    }

    /// Whether [`Packing::unpack`] can read `packed`.
    pub(super) fn may_have_packed(&self, packed: &[u8]) -> bool {
        packed.len() == max_bytes(self.shape)
            || (packed.len() < max_bytes(self.shape) && self.has_parts(packed).is_some())
    }

    /// Something if all parts of a sample that is not in full are there and nothing else is.
    fn has_parts(&self, packed: &[u8]) -> Option<()> {
        let SampleShape { num_features, num_actions } = self.shape;
        let (masks, mut body) = packed.get(META_BYTES..)?.split_at_checked(all_masks_bytes(self.shape))?;
        let mut masks = Reader(masks);
        let group_len = |width: usize, group: usize| GROUP.min(width - group * GROUP);
        for (group, dictionary) in self.dictionaries.iter().enumerate() {
            let (ones, coded) = (masks.word(), masks.word());
            let codes = body.split_off(..coded.count_ones() as usize)?;
            let known = codes.iter().all(|&code| usize::from(code) < dictionary.numbers().len());
            (known && fits(ones | coded, group_len(num_features, group))).then_some(())?;
        }
        for group in 0..num_actions.div_ceil(GROUP) {
            let targets = masks.word();
            body.split_off(..NUMBER_BYTES * targets.count_ones() as usize)?;
            fits(targets, group_len(num_actions, group)).then_some(())?;
        }
        let (written_out, rest) = body.as_chunks::<WRITTEN_OUT_BYTES>();
        let index = |[a, b, c, d, ..]: &[u8; WRITTEN_OUT_BYTES]| u32::from_le_bytes([*a, *b, *c, *d]);
        let known = written_out.iter().all(|bytes| (index(bytes) as usize) < num_features);
        (rest.is_empty() && known).then_some(())
    }

    /// The inverse of [`Packing::pack_rows`].
    #[inline]
    fn unpack_rows(&self, mut packed: Reader<'_>, features: &mut [f32], targets: &mut [f32]) {
        let mut masks = Reader(packed.bytes(2 * masks_bytes(features.len())));
        let mut target_masks = Reader(packed.bytes(masks_bytes(targets.len())));
        for (group, dictionary) in features.chunks_mut(GROUP).zip(&self.dictionaries) {
            let (ones, coded) = (masks.word(), masks.word());
            set_ones(group, ones);
            let codes = packed.bytes(coded.count_ones() as usize);
            set(group, coded, codes.iter().map(|&code| dictionary.number(code)));
        }
        set_targets(&mut packed, &mut target_masks, targets);
        for [a, b, c, d, number @ ..] in packed.0.as_chunks::<WRITTEN_OUT_BYTES>().0 {
            features[u32::from_le_bytes([*a, *b, *c, *d]) as usize] = f32::from_le_bytes(*number);
        }
    }
}

/// Writes every target; `packed` starts with those that are not `0.0`.
#[inline]
fn set_targets(packed: &mut Reader<'_>, masks: &mut Reader<'_>, targets: &mut [f32]) {
    for group in targets.chunks_mut(GROUP) {
        let mask = masks.word();
        group.fill(0.0);
        let numbers = packed.bytes(NUMBER_BYTES * mask.count_ones() as usize).as_chunks().0;
        set(group, mask, numbers.iter().map(|bytes| f32::from_le_bytes(*bytes)));
    }
}

/// The length of the longest packed sample.
pub(super) fn max_bytes(shape: SampleShape) -> usize {
    META_BYTES + NUMBER_BYTES * (shape.num_features + shape.num_actions)
}

fn room_bytes(shape: SampleShape) -> usize {
    max_bytes(shape).max(bytes_of(shape, 0, shape.num_features, shape.num_actions))
}

/// The length of a packed sample of so many features with a code, others that are neither 0 nor 1, and
/// targets that are not 0.
pub(super) fn bytes_of(shape: SampleShape, coded: usize, without_code: usize, targets: usize) -> usize {
    let rows = coded + NUMBER_BYTES * targets + WRITTEN_OUT_BYTES * without_code;
    META_BYTES + all_masks_bytes(shape) + rows
}

fn all_masks_bytes(shape: SampleShape) -> usize {
    2 * masks_bytes(shape.num_features) + masks_bytes(shape.num_actions)
}

/// The length of one mask for each group of a row.
fn masks_bytes(width: usize) -> usize {
    width.div_ceil(GROUP) * MASK_BYTES
}

/// Whether only the lowest `len` bits of `mask` are set.
fn fits(mask: u64, len: usize) -> bool {
    len >= GROUP || mask >> len == 0
}

const ONE: u32 = 1.0f32.to_bits();

#[inline]
fn is_number(number: f32) -> bool {
    number.to_bits() != 0
}

/// Which numbers of a group pass. By eights, whose lanes the compiler tests four or eight at a time.
#[inline]
fn mask(group: &[f32], passes: impl Fn(f32) -> bool) -> u64 {
    let (eights, rest) = group.as_chunks::<8>();
    let byte = |eight: &[f32]| {
        eight.iter().zip(&BITS).fold(0, |byte, (&n, bit)| byte | if passes(n) { *bit } else { 0 })
    };
    let mut mask = 0;
    for (index, eight) in eights.iter().enumerate() {
        mask |= u64::from(byte(eight)) << (8 * index);
    }
    if rest.is_empty() { mask } else { mask | u64::from(byte(rest)) << (8 * eights.len()) }
}

const BITS: [u32; 8] = [1, 2, 4, 8, 16, 32, 64, 128];

/// Writes 1 where `ones` has a bit, elsewhere 0.
#[inline]
fn set_ones(group: &mut [f32], mut ones: u64) {
    let eight_of = |ones: u64| BITS.map(|bit| if ones as u32 & bit == 0 { 0.0 } else { 1.0 });
    let (eights, rest) = group.as_chunks_mut::<8>();
    for eight in eights {
        *eight = eight_of(ones);
        ones >>= 8;
    }
    rest.iter_mut().zip(eight_of(ones)).for_each(|(number, one)| *number = one);
}

/// Writes the numbers where `mask` has a bit.
#[inline]
fn set(group: &mut [f32], mut mask: u64, numbers: impl Iterator<Item = f32>) {
    for number in numbers {
        group[mask.trailing_zeros() as usize % GROUP] = number;
        mask &= mask.wrapping_sub(1);
    }
}

/// Reads the numbers of a row in full.
fn copy(bytes: &[u8], row: &mut [f32]) {
    for (number, bytes) in row.iter_mut().zip(bytes.as_chunks().0) {
        *number = f32::from_le_bytes(*bytes);
    }
}

#[inline]
fn for_each_bit(mut mask: u64, mut visit: impl FnMut(usize)) {
    while mask != 0 {
        visit(mask.trailing_zeros() as usize);
        mask &= mask - 1;
    }
}

/// Room left for a packed sample.
struct Writer<'a>(&'a mut [u8]);

impl Writer<'_> {
    #[inline]
    fn put(&mut self, bytes: &[u8]) {
        let room = std::mem::take(&mut self.0);
        let (written, rest) = room.split_at_mut(bytes.len());
        written.copy_from_slice(bytes);
        self.0 = rest;
    }
}

/// What is left of a packed sample.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    #[inline]
    fn array<const N: usize>(&mut self) -> [u8; N] {
        let (array, rest) = self.0.split_first_chunk().expect("a whole sample was packed");
        self.0 = rest;
        *array
    }

    #[inline]
    fn word(&mut self) -> u64 {
        u64::from_le_bytes(self.array())
    }

    /// What every sample begins with.
    #[inline]
    fn meta(&mut self) -> SampleMeta {
        let iteration = u32::from_le_bytes(self.array());
        SampleMeta { legal: ActionSet::from_bits(u128::from_le_bytes(self.array())), iteration }
    }

    #[inline]
    fn bytes(&mut self, len: usize) -> &'a [u8] {
        let (bytes, rest) = self.0.split_at(len);
        self.0 = rest;
        bytes
    }
}
