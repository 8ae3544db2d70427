//! What the machine can do at most, of one thread and of all at once.
//!
//! Not here: what stages reach.

use std::hint::black_box;

use deepcfr_core::{Purpose, Stream};
use deepcfr_nn::{MatrixProduct, multiply_adds, read_all};
use deepcfr_timing::limit;
use serde::Serialize;

/// Stretches of which the fastest counts. They are short, so that some are not interrupted.
const STRETCHES: usize = 100;
/// Rounds of multiply-adds in a stretch.
const ROUNDS: usize = 10_000;
/// Rows and columns of the measured matrix product.
const PRODUCT: usize = 512;
/// Bytes read over and over: within the second cache, within the third, beyond any.
const READ: [usize; 3] = [256 << 10, 4 << 20, 64 << 20];
/// Bytes read in a stretch, at least.
const READ_AT_ONCE: usize = 32 << 20;
/// Floats of a copied buffer beyond any cache: 64 MiB.
const COPIED: usize = 1 << 24;
/// Floats written over and over, within the first cache.
const WRITTEN: usize = 2 << 10;
const WRITES: usize = 2000;
/// Random numbers drawn in a stretch.
const DRAWS: usize = 100_000;

/// What the machine can do at most.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CpuLimits {
    /// Of one thread.
    pub one: ThreadLimits,
    /// Threads that the machine can run at once.
    pub threads: usize,
    /// Of all of them together.
    pub all: ThreadLimits,
    /// Random numbers that one thread draws in a second.
    pub draws_per_second: f64,
    /// Bytes that one thread writes in a second to its first cache.
    pub first_cache_bytes_per_second: f64,
}

/// What some threads can do at most.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ThreadLimits {
    /// Floating-point operations a second of multiply-adds on operands in the first cache.
    pub flops_per_second: f64,
    /// Floating-point operations a second of a product of two matrices of 512 × 512 (sgemm), on burn's
    /// CPU backend.
    pub product_flops_per_second: f64,
    /// Bytes a second in a copy between memories beyond any cache, read or written.
    pub copy_bytes_per_second: f64,
    /// Bytes a second read from 256 KiB (the second cache), from 4 MiB (the third), from 64 MiB.
    pub read_bytes_per_second: [f64; 3],
}

impl CpuLimits {
    /// Measures; a few seconds.
    pub(super) fn measure() -> Self {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        Self {
            one: ThreadLimits::of(1),
            threads,
            all: ThreadLimits::of(threads),
            draws_per_second: limit(1, STRETCHES, || (), |()| draws()),
            first_cache_bytes_per_second: limit(1, STRETCHES, || vec![0.0; WRITTEN], |buffer| writes(buffer)),
        }
    }
}

impl CpuLimits {
    /// The higher of two measurements of each limit, on the same machine.
    pub(super) fn best(&self, other: &Self) -> Self {
        Self {
            one: self.one.best(&other.one),
            threads: self.threads,
            all: self.all.best(&other.all),
            draws_per_second: self.draws_per_second.max(other.draws_per_second),
            first_cache_bytes_per_second: self
                .first_cache_bytes_per_second
                .max(other.first_cache_bytes_per_second),
        }
    }
}

impl ThreadLimits {
    fn best(&self, other: &Self) -> Self {
        let read = |place: usize| self.read_bytes_per_second[place].max(other.read_bytes_per_second[place]);
        Self {
            flops_per_second: self.flops_per_second.max(other.flops_per_second),
            product_flops_per_second: self.product_flops_per_second.max(other.product_flops_per_second),
            copy_bytes_per_second: self.copy_bytes_per_second.max(other.copy_bytes_per_second),
            read_bytes_per_second: std::array::from_fn(read),
        }
    }

    fn of(threads: usize) -> Self {
        let product = |product: &mut MatrixProduct| black_box(product.run()).0;
        let multiplied = |(): &mut ()| black_box(multiply_adds(black_box(ROUNDS))).0;
        let far = || [vec![1.0f32; COPIED], vec![0.0f32; COPIED]];
        let read = |bytes: usize| limit(threads, STRETCHES, || vec![1.0; bytes / 4], |values| reads(values));
        Self {
            flops_per_second: limit(threads, STRETCHES, || (), multiplied),
            product_flops_per_second: limit(threads, STRETCHES, || MatrixProduct::new(PRODUCT), product),
            copy_bytes_per_second: limit(threads, STRETCHES / 10, far, copies),
            read_bytes_per_second: READ.map(read),
        }
    }
}

fn reads(values: &[f32]) -> f64 {
    let bytes = size_of_val(values);
    let times = READ_AT_ONCE.div_ceil(bytes);
    (0..times).for_each(|_| {
        black_box(read_all(black_box(values)));
    });
    (times * bytes) as f64
}

/// Bytes read and written.
fn copies([from, to]: &mut [Vec<f32>; 2]) -> f64 {
    black_box(&mut *to).copy_from_slice(black_box(from));
    2.0 * size_of_val(&from[..]) as f64
}

fn writes(buffer: &mut [f32]) -> f64 {
    (0..WRITES).for_each(|_| black_box(&mut *buffer).fill(black_box(1.0)));
    (WRITES * size_of_val(buffer)) as f64
}

fn draws() -> f64 {
    let mut stream = Stream::new(1, Purpose::Test, 0, 0, 0);
    (0..DRAWS).for_each(|_| {
        black_box(stream.below(6));
    });
    DRAWS as f64
}
