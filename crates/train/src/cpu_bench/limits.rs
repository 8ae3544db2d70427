//! What the machine can do at most, of one thread and of all at once.
//!
//! Not here: what stages reach.

use std::hint::black_box;

use deepcfr_core::{Purpose, Stream};
use deepcfr_nn::{MatrixProduct, read_all};
use serde::Serialize;

use crate::profile::{ceilings, fastest};

/// Rows and columns of the measured matrix product.
const PRODUCT: usize = 1024;
/// Bytes read over and over: within the second cache, within the third, beyond any.
const READ: [usize; 3] = [256 << 10, 4 << 20, 64 << 20];
/// Bytes read for one measurement.
const READ_AT_ONCE: usize = 256 << 20;
/// Bytes copied over and over: both buffers within the first cache.
const COPIED: usize = 8 << 10;
const COPIES: usize = 100_000;
/// Random numbers drawn for one measurement.
const DRAWS: usize = 2_000_000;

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
    /// Bytes that one thread copies in a second within its first cache, read or written.
    pub first_cache_bytes_per_second: f64,
}

/// What some threads can do at most.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ThreadLimits {
    /// Floating-point operations a second of multiply-adds on operands in the first cache.
    pub flops_per_second: f64,
    /// Floating-point operations a second of a product of two matrices of 1024 × 1024 (sgemm), on burn's
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
            draws_per_second: fastest(1, || (), |()| draws()),
            first_cache_bytes_per_second: fastest(1, || [vec![1u8; COPIED], vec![0u8; COPIED]], copies),
        }
    }
}

impl ThreadLimits {
    fn of(threads: usize) -> Self {
        let ceilings = ceilings(threads);
        Self {
            flops_per_second: ceilings.flops_per_second,
            product_flops_per_second: fastest(
                threads,
                || MatrixProduct::new(PRODUCT),
                |product| black_box(product.run()).0,
            ),
            copy_bytes_per_second: ceilings.bytes_per_second,
            read_bytes_per_second: READ
                .map(|bytes| fastest(threads, || vec![1.0; bytes / 4], |values| reads(values))),
        }
    }
}

fn reads(values: &[f32]) -> f64 {
    let bytes = size_of_val(values);
    let times = READ_AT_ONCE / bytes;
    (0..times).for_each(|_| {
        black_box(read_all(black_box(values)));
    });
    (times * bytes) as f64
}

fn copies([from, to]: &mut [Vec<u8>; 2]) -> f64 {
    for _ in 0..COPIES {
        black_box(&mut *to).copy_from_slice(black_box(from));
    }
    (2 * COPIED * COPIES) as f64
}

fn draws() -> f64 {
    let mut stream = Stream::new(1, Purpose::Test, 0, 0, 0);
    (0..DRAWS).for_each(|_| {
        black_box(stream.below(6));
    });
    DRAWS as f64
}
