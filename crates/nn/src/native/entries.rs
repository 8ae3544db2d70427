//! The non-zero values of a tile of rows, as lists of (position, value).
//!
//! Lists are cut at multiples of a block length, so that a kernel can walk a block of inputs for
//! all rows of a tile while that block's weights stay in the nearest cache. Each part is filled up
//! with zeros to whole groups: a kernel that takes a group a turn ends its loops after much the same
//! number of turns each time, which a processor can predict. Not here: arithmetic.

use super::compress::{BLOCK, Compressor, SLACK};

/// Entries that a kernel takes a turn.
pub(super) const GROUP: usize = 4;

/// A part of a list, in groups: positions in the row, and the values there. Both are equally long.
#[derive(Clone, Copy)]
pub(super) struct List<'a> {
    pub(super) positions: &'a [[u32; GROUP]],
    pub(super) values: &'a [[f32; GROUP]],
}

/// The non-zero values of up to a tile of rows.
#[derive(Debug)]
pub(super) struct Entries {
    compressor: Compressor,
    positions: Vec<u32>,
    values: Vec<f32>,
    /// Per row, where each block's entries end in the row's list, whole groups; the first element is 0.
    ends: Vec<u32>,
    stride: usize,
    blocks: usize,
}

impl Entries {
    /// Room for `rows` rows of up to `widest` values.
    pub(super) fn new(rows: usize, widest: usize) -> Self {
        let blocks = widest.div_ceil(BLOCK);
        // Wherever a block's list starts, there is room for all its values.
        let stride = blocks * BLOCK + SLACK;
        Self {
            compressor: Compressor::new(),
            positions: vec![0; rows * stride],
            values: vec![0.0; rows * stride],
            ends: vec![0; rows * (blocks + 1)],
            stride,
            blocks,
        }
    }

    /// Lists the non-zero values of `values` as row `row`.
    #[inline(always)]
    pub(super) fn set_row(&mut self, row: usize, values: &[f32]) {
        let start = row * self.stride;
        let ends = &mut self.ends[row * (self.blocks + 1)..][..self.blocks + 1];
        let mut end = 0;
        for (block, chunk) in values.chunks(BLOCK).enumerate() {
            let positions = room(&mut self.positions[start + end..start + self.stride]);
            let values = room(&mut self.values[start + end..start + self.stride]);
            let count = self.compressor.compress(block * BLOCK, chunk, (positions, values));
            positions[count..count + GROUP].fill((block * BLOCK) as u32);
            values[count..count + GROUP].fill(0.0);
            end += count.next_multiple_of(GROUP);
            ends[block + 1] = end as u32;
        }
    }

    /// The entries of `row` in block `block`.
    #[inline(always)]
    pub(super) fn block(&self, row: usize, block: usize) -> List<'_> {
        let ends = &self.ends[row * (self.blocks + 1) + block..][..2];
        let part = row * self.stride + ends[0] as usize..row * self.stride + ends[1] as usize;
        List {
            positions: self.positions[part.clone()].as_chunks().0,
            values: self.values[part].as_chunks().0,
        }
    }
}

#[inline(always)]
fn room<T>(slots: &mut [T]) -> &mut [T; BLOCK + SLACK] {
    slots.first_chunk_mut().expect("a list has room for all values of the blocks that follow")
}
