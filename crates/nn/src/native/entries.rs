//! The non-zero values of a tile of rows, as lists of (position, value).
//!
//! Lists are cut at multiples of a block length, so that a kernel can walk a block of inputs for
//! all rows of a tile while that block's weights stay in the nearest cache. Not here: arithmetic.

/// Inputs in a block.
pub(super) const BLOCK: usize = 128;

/// A non-zero value of a row.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Entry {
    /// Position in the row.
    pub(super) index: u32,
    /// The value there.
    pub(super) value: f32,
}

/// The non-zero values of up to a tile of rows.
#[derive(Debug)]
pub(super) struct Entries {
    entries: Vec<Entry>,
    /// Per row, where each block's entries end in the row's list; the first element is 0.
    ends: Vec<u32>,
    stride: usize,
    blocks: usize,
}

impl Entries {
    /// Room for `rows` rows of up to `widest` values.
    pub(super) fn new(rows: usize, widest: usize) -> Self {
        let blocks = widest.div_ceil(BLOCK);
        Self {
            // One more than a row can hold: the branch-free writer stores before it counts.
            entries: vec![Entry::default(); rows * (widest + 1)],
            ends: vec![0; rows * (blocks + 1)],
            stride: widest + 1,
            blocks,
        }
    }

    /// Lists the non-zero values of `values` as row `row`.
    #[inline(always)]
    pub(super) fn set_row(&mut self, row: usize, values: &[f32]) {
        let list = &mut self.entries[row * self.stride..][..self.stride];
        let ends = &mut self.ends[row * (self.blocks + 1)..][..self.blocks + 1];
        let mut count = 0;
        for (block, chunk) in values.chunks(BLOCK).enumerate() {
            for (within, &value) in chunk.iter().enumerate() {
                list[count] = Entry { index: (block * BLOCK + within) as u32, value };
                count += usize::from(value != 0.0);
            }
            ends[block + 1] = count as u32;
        }
    }

    /// The entries of `row` in block `block`.
    #[inline(always)]
    pub(super) fn block(&self, row: usize, block: usize) -> &[Entry] {
        let ends = &self.ends[row * (self.blocks + 1) + block..][..2];
        &self.entries[row * self.stride + ends[0] as usize..row * self.stride + ends[1] as usize]
    }
}
