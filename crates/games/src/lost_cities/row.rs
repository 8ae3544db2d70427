//! Writes a feature row from front to back.
//!
//! Rows are written four features at a time. Where a group's length is not a multiple of four, the
//! writes run over into the next group, which then overwrites them: only the last group of a row must
//! end exactly. Not here: what the features are.

/// The part of a row that is not yet written.
pub(super) struct Row<'a>(&'a mut [f32]);

impl<'a> Row<'a> {
    /// # Panics
    /// If the row does not have `len` features. The compiler checks nothing more where it knows `len`.
    #[inline]
    pub(super) fn new(row: &'a mut [f32], len: usize) -> Self {
        assert_eq!(row.len(), len, "the length of a row");
        Self(row)
    }

    /// Writes the next `N` features.
    #[inline]
    pub(super) fn put<const N: usize>(&mut self, features: [f32; N]) {
        self.put_over(features, N);
    }

    /// Writes `features`, the last `N − count` of which are for the next group to overwrite.
    #[inline]
    pub(super) fn put_over<const N: usize>(&mut self, features: [f32; N], count: usize) {
        *self.0.first_chunk_mut().expect("the row is as long as its features") = features;
        self.skip(count);
    }

    /// Writes the next `count` features, the low bits of `bits`, lowest first; runs over up to the
    /// next multiple of four.
    #[inline]
    pub(super) fn put_bits(&mut self, bits: u32, count: usize) {
        let mut left = bits;
        let (nibbles, _) = self.0[..count.next_multiple_of(4)].as_chunks_mut();
        for nibble in nibbles {
            *nibble = NIBBLES[left as usize & 15];
            left >>= 4;
        }
        self.skip(count);
    }

    #[inline]
    fn skip(&mut self, count: usize) {
        self.0 = &mut std::mem::take(&mut self.0)[count..];
    }

    /// # Panics
    /// If a part of the row was not written.
    pub(super) fn finish(self) {
        assert!(self.0.is_empty(), "{} features were not written", self.0.len());
    }
}

/// Each count in its unit. Signed counts, because the processor converts those four at a time.
#[inline]
pub(super) fn scaled<const N: usize>(counts: [i32; N], units: &[f32; N]) -> [f32; N] {
    std::array::from_fn(|index| counts[index] as f32 * units[index])
}

/// 1 unless `count`, below 2¹⁶, is 0. Written so that the compiler makes no branch of it, which half
/// of the features of a position would mislead.
#[inline]
pub(super) fn any(count: u32) -> i32 {
    ((count + 0xffff) >> 16) as i32
}

/// The bits of every nibble as features, lowest first: four features a load, where shifts by a
/// variable would be one.
const NIBBLES: [[f32; 4]; 16] = {
    let mut table = [[0.0; 4]; 16];
    let mut nibble = 0;
    while nibble < 16 {
        table[nibble] = bits(nibble);
        nibble += 1;
    }
    table
};

/// The low `N` bits of `word` as features, lowest first.
pub(super) const fn bits<const N: usize>(word: usize) -> [f32; N] {
    let mut features = [0.0; N];
    let mut bit = 0;
    while bit < N {
        features[bit] = (word >> bit & 1) as f32;
        bit += 1;
    }
    features
}
