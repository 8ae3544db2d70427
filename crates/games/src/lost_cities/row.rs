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
        for (bit, feature) in head.iter_mut().enumerate() {
            *feature = (bits >> bit & 1) as f32;
        }
        self.0 = tail;
    }

    /// # Panics
    /// If a part of the row was not written.
    pub(super) fn finish(self) {
        assert!(self.0.is_empty(), "{} features were not written", self.0.len());
    }
}

/// 1 for true, 0 for false.
#[inline]
pub(super) fn flag(set: bool) -> f32 {
    f32::from(u8::from(set))
}
