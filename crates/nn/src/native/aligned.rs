//! Buffers of `f32` that start at a cache line, so that vector loads never straddle two lines.
//!
//! Not here: anything that grows.

/// Floats in a cache line of 64 bytes.
const LINE: usize = 16;

/// A fixed number of floats, the first of them at a multiple of 64 bytes.
#[derive(Debug)]
pub(super) struct AlignedBuffer {
    storage: Box<[f32]>,
    offset: usize,
    len: usize,
}

impl AlignedBuffer {
    /// `len` zeros.
    pub(super) fn zeros(len: usize) -> Self {
        let storage = vec![0.0f32; len + LINE].into_boxed_slice();
        // Only speed depends on the alignment, so that an offset refused by the platform is fine.
        let offset = storage.as_ptr().align_offset(64).min(LINE);
        Self { storage, offset, len }
    }

    /// The floats.
    #[inline]
    pub(super) fn as_slice(&self) -> &[f32] {
        &self.storage[self.offset..self.offset + self.len]
    }

    /// The floats, writable.
    #[inline]
    pub(super) fn as_mut_slice(&mut self) -> &mut [f32] {
        &mut self.storage[self.offset..self.offset + self.len]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_buffer_starts_at_a_cache_line() {
        for len in [1, 16, 1000] {
            let buffer = AlignedBuffer::zeros(len);
            assert_eq!((buffer.as_slice().as_ptr() as usize % 64, buffer.as_slice().len()), (0, len));
        }
    }
}
