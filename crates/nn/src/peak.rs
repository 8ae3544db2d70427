//! The arithmetic ceiling of one thread: multiply-adds as the inner kernel of a large matrix product
//! has them, on operands that stay in the first cache.
//!
//! Not here: timing it, and what real networks reach.

use pulp::{Arch, Simd, WithSimd};

/// Depth of the operands: (12 × vector + 4) × 64 floats lie in the first cache of any processor.
const DEPTH: usize = 64;
const VECTORS: usize = 3;
const ROWS: usize = 4;

/// Runs the kernel `rounds` times. Returns the floating-point operations, a multiplication and an
/// addition each counted, and a sum that depends on all of them.
pub fn multiply_adds(rounds: usize) -> (f64, f32) {
    Arch::new().dispatch(Kernel { rounds })
}

struct Kernel {
    rounds: usize,
}

impl WithSimd for Kernel {
    type Output = (f64, f32);

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> Self::Output {
        let columns = [[simd.splat_f32s(1e-3); VECTORS]; DEPTH];
        let rows: [[f32; ROWS]; DEPTH] = std::array::from_fn(|k| std::array::from_fn(|r| (k + r) as f32));
        let (columns, rows) = (std::hint::black_box(columns), std::hint::black_box(rows));
        let mut sums = [[simd.splat_f32s(0.0); VECTORS]; ROWS];
        for _ in 0..self.rounds {
            for (columns, rows) in columns.iter().zip(&rows) {
                for (sums, &row) in sums.iter_mut().zip(rows) {
                    let row = simd.splat_f32s(row);
                    for (sum, &column) in sums.iter_mut().zip(columns) {
                        *sum = simd.mul_add_e_f32s(row, column, *sum);
                    }
                }
            }
        }
        let total = sums.into_iter().flatten().map(|sum| simd.reduce_sum_f32s(sum)).sum();
        let operations = 2 * self.rounds * DEPTH * ROWS * VECTORS * S::F32_LANES;
        (operations as f64, total)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every product is there: Σ_k Σ_r (k + r) · 1e-3 over 3 vectors, times the lanes that the
    /// operations tell.
    #[test]
    fn the_kernel_computes_what_it_counts() {
        let (operations, sum) = multiply_adds(5);
        let lanes = operations / (2 * 5 * DEPTH * ROWS * VECTORS) as f64;
        assert!([1.0, 4.0, 8.0, 16.0].contains(&lanes), "{lanes}");
        let products: usize = (0..DEPTH).flat_map(|k| (0..ROWS).map(move |r| k + r)).sum();
        let expected = 5.0 * products as f64 * 1e-3 * VECTORS as f64 * lanes;
        assert!((f64::from(sum) / expected - 1.0).abs() < 1e-4, "{sum} against {expected}");
    }
}
