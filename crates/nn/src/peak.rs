//! The ceilings of one thread: multiply-adds as the inner kernel of a large matrix product has them, on
//! operands that stay in the first cache; a large matrix product itself; reading memory.
//!
//! Not here: timing them, and what real networks reach.

use burn::tensor::{Device, Tensor, TensorData};
use pulp::{Arch, Simd, WithSimd};

/// Depth of the operands: (2 × vector + 6) × 64 floats lie in the first cache of any processor.
const DEPTH: usize = 64;
/// Sums, columns and a row's value take 15 registers of 16: one more and the compiler keeps a sum in
/// memory, whose latency halves the speed.
const VECTORS: usize = 2;
const ROWS: usize = 6;

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

/// A product of two square matrices on burn's CPU backend, in a private pool of one thread.
pub struct MatrixProduct {
    factors: [Tensor<2>; 2],
    size: usize,
    pool: rayon::ThreadPool,
}

impl MatrixProduct {
    /// Two matrices of `size` rows and columns.
    ///
    /// # Panics
    /// If a thread cannot be started.
    pub fn new(size: usize) -> Self {
        let factor = |scale: f32| {
            let values: Vec<f32> = (0..size * size).map(|index| scale * (index % 7) as f32).collect();
            Tensor::from_data(TensorData::new(values, [size, size]), &Device::flex())
        };
        let pool = crate::pool::private_pool(1).expect("one more thread can be started");
        Self { factors: [factor(1.0), factor(0.5)], size, pool }
    }

    /// Computes the product. Returns the floating-point operations and the product's first element.
    pub fn run(&self) -> (f64, f32) {
        let [left, right] = self.factors.clone();
        let product = self.pool.install(|| crate::network::floats(left.matmul(right)));
        (2.0 * (self.size as f64).powi(3), product[0])
    }
}

/// The sum of `values`, which are all read; as fast as vectors of the machine allow.
pub fn read_all(values: &[f32]) -> f32 {
    Arch::new().dispatch(ReadAll(values))
}

struct ReadAll<'a>(&'a [f32]);

impl WithSimd for ReadAll<'_> {
    type Output = f32;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> f32 {
        let (vectors, rest) = S::as_simd_f32s(self.0);
        let (eights, others) = pulp::as_arrays::<8, _>(vectors);
        let mut sums = [simd.splat_f32s(0.0); 8];
        for eight in eights {
            for (sum, &vector) in sums.iter_mut().zip(eight) {
                *sum = simd.add_f32s(*sum, vector);
            }
        }
        for (sum, &vector) in sums.iter_mut().zip(others) {
            *sum = simd.add_f32s(*sum, vector);
        }
        sums.into_iter().map(|sum| simd.reduce_sum_f32s(sum)).sum::<f32>() + rest.iter().sum::<f32>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_product_is_one_and_everything_is_read() {
        let (operations, first) = MatrixProduct::new(69).run();
        let expected: f32 = (0..69).map(|k| (k % 7) as f32 * 0.5 * (69 * k % 7) as f32).sum();
        assert_eq!((operations, first), (657_018.0, expected));
        for len in [0, 1, 63, 64, 1000, 1003] {
            let values: Vec<f32> = (0..len).map(|value| value as f32).collect();
            assert_eq!(read_all(&values), values.iter().sum::<f32>(), "{len}");
        }
    }

    /// Every product is there: Σ_k Σ_r (k + r) · 1e-3 over the vectors, times the lanes that the
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
