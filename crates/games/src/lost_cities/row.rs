//! Writes a feature row from front to back, every element once.
//!
//! Not here: what the features are.

/// The part of a row that is not yet written.
pub(super) struct Row<'a>(&'a mut [f32]);

impl<'a> Row<'a> {
    pub(super) fn new(row: &'a mut [f32]) -> Self {
        Self(row)
    }

    /// Writes the next `N` features.
    #[inline]
    pub(super) fn put<const N: usize>(&mut self, features: [f32; N]) {
        let rest = std::mem::take(&mut self.0);
        let (head, tail) = rest.split_first_chunk_mut().expect("the row is as long as its features");
        *head = features;
        self.0 = tail;
    }

    /// Writes the next `count` features: the low bits of `bits`, lowest first.
    #[inline]
    pub(super) fn put_bits(&mut self, bits: u32, count: usize) {
        let rest = std::mem::take(&mut self.0);
        let (head, tail) = rest.split_at_mut(count);
        let (nibbles, last) = head.as_chunks_mut();
        let mut left = bits;
        for nibble in nibbles {
            *nibble = NIBBLES[left as usize & 15];
            left >>= 4;
        }
        for (feature, value) in last.iter_mut().zip(NIBBLES[left as usize & 15]) {
            *feature = value;
        }
        self.0 = tail;
    }

    /// # Panics
    /// If a part of the row was not written.
    pub(super) fn finish(self) {
        assert!(self.0.is_empty(), "{} features were not written", self.0.len());
    }
}

/// The bits of every nibble as features, lowest first: four features a load, where shifts by a
/// variable would be one.
const NIBBLES: [[f32; 4]; 16] = {
    let mut table = [[0.0; 4]; 16];
    let mut nibble = 0;
    while nibble < 16 {
        let mut bit = 0;
        while bit < 4 {
            table[nibble][bit] = (nibble >> bit & 1) as f32;
            bit += 1;
        }
        nibble += 1;
    }
    table
};

/// 1 for true, 0 for false.
#[inline]
pub(super) fn flag(set: bool) -> f32 {
    f32::from(u8::from(set))
}
