//! What the machine can do at most: multiply-adds from the first cache, and copies between memories
//! too large for any cache; of one thread, and of all at once.
//!
//! Not here: how near calls come to it.

use std::hint::black_box;

use deepcfr_levers::fit::Ceilings;
use deepcfr_nn::multiply_adds;
use deepcfr_timing::limit;

/// Repetitions: a ceiling is what is possible.
const REPETITIONS: usize = 5;
/// Rounds of the kernel, some ten milliseconds.
const ROUNDS: usize = 100_000;
/// Floats of a copied buffer: 64 MiB.
const COPIED: usize = 1 << 24;
/// A copy reads and writes.
const BYTES_PER_COPIED_FLOAT: usize = 8;

/// The ceilings of one thread, and of `threads` at once.
pub(super) fn measure(threads: usize) -> (Ceilings, Ceilings) {
    (ceilings(1), ceilings(threads.max(1)))
}

fn ceilings(threads: usize) -> Ceilings {
    Ceilings {
        flops_per_second: limit(
            threads,
            REPETITIONS,
            || (),
            |()| black_box(multiply_adds(black_box(ROUNDS))).0,
        ),
        bytes_per_second: limit(
            threads,
            REPETITIONS,
            || (vec![1.0f32; COPIED], vec![0.0f32; COPIED]),
            |(from, to)| {
                to.copy_from_slice(black_box(from));
                black_box(&to);
                (COPIED * BYTES_PER_COPIED_FLOAT) as f64
            },
        ),
    }
}
