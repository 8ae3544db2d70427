//! A fixed run of samples of varying length in one array of bytes.
//!
//! A sample that is no longer than the one it replaces takes its place. Any other goes to the end, and
//! when there is no room left the array is copied without what was replaced, into one with a sixteenth
//! to spare: a sample costs few copied bytes, and little room is lost. The order of copied samples is
//! that of their rows. The copy goes into the spare array that the arenas of a memory share, and the
//! old one is the next spare: in the long run nothing is allocated, and the heap keeps no holes.
//!
//! Not here: what the bytes mean.

use std::ops::Range;

/// Samples in an arena (the last of a memory may hold fewer).
pub(super) const ROWS: usize = 1024;

/// The spare room of a copied array is its contents divided by this.
const SPARE: usize = 16;

#[derive(Clone, Debug)]
pub(super) struct Arena {
    rows: usize,
    spans: Vec<Span>,
    bytes: Vec<u8>,
}

/// Where a sample lies.
#[derive(Clone, Copy, Debug, Default)]
struct Span {
    start: u32,
    len: u32,
}

impl Arena {
    /// No samples, to become at most `rows`.
    pub(super) fn new(rows: usize) -> Self {
        Self { rows, spans: Vec::with_capacity(rows), bytes: Vec::new() }
    }

    /// The bytes that `rows` samples of a mean length take, at most.
    pub(super) fn bytes_of(rows: usize, sample_bytes: usize) -> usize {
        size_of::<Self>() + rows * size_of::<Span>() + spared(rows * sample_bytes)
    }

    /// The bytes allocated, those of the arena itself included.
    pub(super) fn bytes_allocated(&self) -> usize {
        size_of::<Self>() + self.spans.capacity() * size_of::<Span>() + self.bytes.capacity()
    }

    /// Forgets the samples, keeps the storage.
    pub(super) fn clear(&mut self) {
        self.spans.clear();
        self.bytes.clear();
    }

    #[inline]
    pub(super) fn get(&self, row: usize) -> &[u8] {
        &self.bytes[self.spans[row].range()]
    }

    /// Puts a sample in the place of `row`, or adds it if `row` is the next one.
    ///
    /// # Panics
    /// If the arena would grow beyond 4 GiB.
    pub(super) fn put(&mut self, row: usize, packed: &[u8], spare: &mut Vec<u8>) {
        if row == self.spans.len() {
            self.spans.push(Span::default());
        }
        let len = u32::try_from(packed.len()).expect("a sample is shorter than 4 GiB");
        if len > self.spans[row].len {
            self.spans[row] = Span { start: self.room_for(row, packed.len(), spare), len };
            self.bytes.extend_from_slice(packed);
            return;
        }
        self.spans[row].len = len;
        self.bytes[self.spans[row].range()].copy_from_slice(packed);
    }

    /// The end of the array, after making room there for a longer sample of `row`.
    fn room_for(&mut self, row: usize, len: usize, spare: &mut Vec<u8>) -> u32 {
        if self.bytes.capacity() - self.bytes.len() < len {
            self.spans[row].len = 0;
            self.copy(len, spare);
        }
        u32::try_from(self.bytes.len()).expect("an arena is smaller than 4 GiB")
    }

    /// Copies the array without what was replaced. Until all rows are there, the room is for as many
    /// of the present mean length, but no more than twice what is needed: the mean of few says little.
    fn copy(&mut self, arriving: usize, spare: &mut Vec<u8>) {
        let live = arriving + self.spans.iter().map(|span| span.len as usize).sum::<usize>();
        let of_all_rows = live.div_ceil(self.spans.len()) * self.rows;
        spare.clear();
        spare.reserve_exact(spared(of_all_rows.min(2 * live)));
        for span in &mut self.spans {
            let range = span.range();
            span.start = spare.len() as u32;
            spare.extend_from_slice(&self.bytes[range]);
        }
        std::mem::swap(&mut self.bytes, spare);
    }
}

impl Span {
    #[inline]
    fn range(self) -> Range<usize> {
        self.start as usize..(self.start + self.len) as usize
    }
}

fn spared(bytes: usize) -> usize {
    bytes + bytes.div_ceil(SPARE)
}
