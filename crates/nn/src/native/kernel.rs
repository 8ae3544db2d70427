//! The vector kernels: sums of weight rows over lists of non-zero inputs.
//!
//! Every output element starts at its bias and takes one fused multiply-add per non-zero input,
//! inputs ascending, and a few with zeros, the same whatever the batch and whichever rows share a call. Not here: packing.

use deepcfr_core::Activation;
use pulp::{Simd, WithSimd};

use super::compress::BLOCK;
use super::entries::{Entries, GROUP, List};
use super::gelu::gelu;
use super::packed::{PANEL_VECTORS, PackedLayer, PackedMlp};

/// Rows that go through all layers together.
pub(super) const TILE: usize = 64;

/// Rows from which the weights of a block are read while those before it are in use. Fewer rows are done
/// with a block sooner than the next one arrives.
const AHEAD: usize = 32;

/// Rows from which, below [`AHEAD`], the weights of a block are read in order before any row uses them: the
/// processor sees ahead in a stream, but not in pieces of which some are skipped. A single row needs too
/// few of them.
const STREAMED: usize = 2;

/// Floats in a cache line of 64 bytes.
const LINE: usize = 16;

/// Buffers of one model, reused by every call.
#[derive(Debug)]
pub(super) struct Scratch {
    entries: Entries,
    sums: super::aligned::AlignedBuffer,
    stride: usize,
}

impl Scratch {
    /// Room for a tile of rows of up to `widest` values.
    pub(super) fn new(widest: usize) -> Self {
        // Rows start at a cache line, but not all at the same offset within a page.
        let stride = widest.next_multiple_of(16) + 16;
        Self {
            entries: Entries::new(TILE, widest),
            sums: super::aligned::AlignedBuffer::zeros(TILE * stride),
            stride,
        }
    }
}

/// A forward pass of `rows` `[n, inputs]` into `out` `[n, outputs]`.
pub(super) struct Forward<'a> {
    pub(super) mlp: &'a PackedMlp,
    pub(super) scratch: &'a mut Scratch,
    pub(super) rows: &'a [f32],
    pub(super) out: &'a mut [f32],
}

impl WithSimd for Forward<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { mlp, scratch, rows, out } = self;
        let (first, last) = (&mlp.layers[0], &mlp.layers[mlp.layers.len() - 1]);
        let tiles = rows.chunks(TILE * first.inputs).zip(out.chunks_mut(TILE * last.outputs));
        for (rows, out) in tiles {
            let count = rows.len() / first.inputs;
            for (row, values) in rows.chunks_exact(first.inputs).enumerate() {
                scratch.entries.set_row(row, values);
            }
            for layer in &mlp.layers[..mlp.layers.len() - 1] {
                sum_layer(simd, layer, scratch, count);
                activate(simd, mlp.activation, layer.outputs, scratch, count);
            }
            sum_layer(simd, last, scratch, count);
            write_outputs(out, scratch, last.outputs, mlp.output_scale);
        }
    }
}

/// The layer's sums for the first `count` rows of the scratch.
#[inline(always)]
fn sum_layer<S: Simd>(simd: S, layer: &PackedLayer, scratch: &mut Scratch, count: usize) {
    for first in (0..layer.vectors).step_by(PANEL_VECTORS) {
        let width = PANEL_VECTORS.min(layer.vectors - first);
        let panel = Panel { layer, first, count };
        // The narrower a panel, the more rows go together: enough independent sums in flight.
        match width {
            1 => panel.sum::<S, 1, 8>(simd, scratch),
            2 => panel.sum::<S, 2, 4>(simd, scratch),
            3 => panel.sum::<S, 3, 4>(simd, scratch),
            4 => panel.sum::<S, 4, 2>(simd, scratch),
            5 => panel.sum::<S, 5, 2>(simd, scratch),
            6 => panel.sum::<S, 6, 2>(simd, scratch),
            7 => panel.sum::<S, 7, 1>(simd, scratch),
            _ => panel.sum::<S, PANEL_VECTORS, 1>(simd, scratch),
        }
    }
}

struct Panel<'a> {
    layer: &'a PackedLayer,
    first: usize,
    count: usize,
}

impl Panel<'_> {
    /// Sums `V` vectors of outputs, `R` rows at a time.
    #[inline(always)]
    fn sum<S: Simd, const V: usize, const R: usize>(&self, simd: S, scratch: &mut Scratch) {
        let Scratch { entries, sums, stride } = scratch;
        let (weights, _) = S::as_simd_f32s(self.layer.panel(self.first, V, S::F32_LANES));
        let (weights, _) = pulp::as_arrays::<V, _>(weights);
        let (bias, _) = S::as_simd_f32s(self.layer.bias());
        let bias: [S::f32s; V] = array(&bias[self.first..self.first + V]);
        let start = self.first * S::F32_LANES;
        let far = self.layer.far(self.first);
        let block_len = BLOCK * V * S::F32_LANES;
        // Blocks outside, rows inside: a block's weights are used by every row of the tile while they are near,
        // and what goes to memory and back between blocks is a row's few sums. Each row meets the blocks in
        // ascending order whoever its neighbours are, so that its sums do not depend on them.
        for block in 0..self.layer.inputs.div_ceil(BLOCK) {
            let mut following: &[f32] = &[];
            if self.count >= AHEAD {
                following = floats(far, (block + 1) * block_len, block_len);
            } else if self.count >= STREAMED {
                touch(floats(far, block * block_len, block_len), 0, 1, 1);
            }
            let mut row = 0;
            while row < self.count {
                let rows = R.min(self.count - row);
                touch(following, row, rows, self.count);
                let out = &mut sums.as_mut_slice()[row * *stride..];
                if rows == R {
                    let lists = std::array::from_fn(|r| entries.block(row + r, block));
                    step::<S, V, R>(simd, weights, lists, &bias, block == 0, out, (start, *stride));
                } else {
                    for r in 0..rows {
                        let out = &mut out[r * *stride..];
                        let lists = [entries.block(row + r, block)];
                        step::<S, V, 1>(simd, weights, lists, &bias, block == 0, out, (start, *stride));
                    }
                }
                row += rows;
            }
        }
    }
}

/// At most `len` of the numbers from `start` on.
#[inline(always)]
fn floats(all: &[f32], start: usize, len: usize) -> &[f32] {
    let rest = all.get(start..).unwrap_or_default();
    &rest[..len.min(rest.len())]
}

/// Reads a number of every cache line of the share that rows `row..row + rows` of `count` have in
/// `following`, the weights that come next, so that they are on their way while these rows are summed.
#[inline(always)]
fn touch(following: &[f32], row: usize, rows: usize, count: usize) {
    let lines = following.len() / LINE;
    let share = &following[LINE * (lines * row / count)..LINE * (lines * (row + rows) / count)];
    let touched = share.iter().step_by(LINE).fold(0, |touched, number| touched ^ number.to_bits());
    std::hint::black_box(touched);
}

/// Adds one block of inputs to the sums of `R` rows; `place` is (first output, row stride).
#[inline(always)]
fn step<S: Simd, const V: usize, const R: usize>(
    simd: S,
    weights: &[[S::f32s; V]],
    lists: [List<'_>; R],
    bias: &[S::f32s; V],
    begin: bool,
    out: &mut [f32],
    place: (usize, usize),
) {
    let (start, stride) = place;
    let width = V * S::F32_LANES;
    let mut sums = [*bias; R];
    if !begin {
        for (r, sums) in sums.iter_mut().enumerate() {
            *sums = array(S::as_simd_f32s(&out[r * stride + start..][..width]).0);
        }
    }
    // As far as all lists go, rows take turns: a multiply-add waits for the one before it in the same sum,
    // and other rows' sums fill that wait. What is left of longer lists follows row by row. Turns change the
    // order between rows, never within one.
    // Loops, since closures would be compiled without the vector instructions.
    let common = lists.iter().map(|list| list.values.len()).min().unwrap_or(0);
    for group in 0..common {
        for (list, sums) in lists.iter().zip(&mut sums) {
            add_group(simd, weights, (&list.positions[group], &list.values[group]), sums);
        }
    }
    for (list, sums) in lists.iter().zip(&mut sums) {
        for group in list.positions[common..].iter().zip(&list.values[common..]) {
            add_group(simd, weights, group, sums);
        }
    }
    for (r, sums) in sums.iter().enumerate() {
        S::as_mut_simd_f32s(&mut out[r * stride + start..][..width]).0.copy_from_slice(sums);
    }
}

/// Adds some inputs, each times its weights.
#[inline(always)]
fn add_group<S: Simd, const V: usize>(
    simd: S,
    weights: &[[S::f32s; V]],
    (positions, values): (&[u32; GROUP], &[f32; GROUP]),
    sums: &mut [S::f32s; V],
) {
    for (&position, &value) in positions.iter().zip(values) {
        let value = simd.splat_f32s(value);
        let weights = &weights[position as usize];
        for v in 0..V {
            sums[v] = simd.mul_add_e_f32s(value, weights[v], sums[v]);
        }
    }
}

#[inline(always)]
fn array<T: Copy, const V: usize>(slice: &[T]) -> [T; V] {
    *slice.first_chunk().expect("the panel has V vectors")
}

/// Applies the activation to the sums and lists what is left as the next layer's inputs.
#[inline(always)]
fn activate<S: Simd>(simd: S, activation: Activation, outputs: usize, scratch: &mut Scratch, count: usize) {
    let Scratch { entries, sums, stride } = scratch;
    let lanes = outputs.next_multiple_of(S::F32_LANES);
    for (row, sums) in sums.as_mut_slice().chunks_exact_mut(*stride).take(count).enumerate() {
        let sums = &mut sums[..lanes];
        match activation {
            Activation::Relu => {
                let zero = simd.splat_f32s(0.0);
                for sum in S::as_mut_simd_f32s(sums).0 {
                    *sum = simd.max_f32s(*sum, zero);
                }
            }
            Activation::Gelu => sums.iter_mut().for_each(|sum| *sum = gelu(*sum)),
        }
        entries.set_row(row, &sums[..outputs]);
    }
}

#[inline(always)]
fn write_outputs(out: &mut [f32], scratch: &Scratch, outputs: usize, scale: f32) {
    let sums = scratch.sums.as_slice().chunks_exact(scratch.stride);
    for (out, sums) in out.chunks_exact_mut(outputs).zip(sums) {
        for (out, sum) in out.iter_mut().zip(sums) {
            // Adding 0.0 turns -0.0 into 0.0, the only trace that a skipped zero could leave.
            *out = sum * scale + 0.0;
        }
    }
}
