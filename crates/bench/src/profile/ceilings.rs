//! What the machine can do at most: multiply-adds from the first cache, and copies between memories
//! too large for any cache; of one thread, and of all at once.
//!
//! Not here: how near calls come to it.

use std::hint::black_box;
use std::sync::Barrier;
use std::time::Instant;

use deepcfr_levers::fit::Ceilings;
use deepcfr_nn::multiply_adds;

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
        flops_per_second: fastest(
            threads,
            REPETITIONS,
            || (),
            |()| black_box(multiply_adds(black_box(ROUNDS))).0,
        ),
        bytes_per_second: fastest(
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

/// The highest rate of what `work` counts, on `threads` threads that start together, in the fastest of
/// so many repetitions.
pub(crate) fn fastest<T>(
    threads: usize,
    repetitions: usize,
    prepare: impl Fn() -> T + Sync,
    work: impl Fn(&mut T) -> f64 + Sync,
) -> f64 {
    let barrier = Barrier::new(threads);
    let thread = || {
        let mut operands = prepare();
        work(&mut operands);
        let mut timed = Vec::with_capacity(repetitions);
        for _ in 0..repetitions {
            barrier.wait();
            let begin = Instant::now();
            let done = work(&mut operands);
            timed.push(done / begin.elapsed().as_secs_f64());
        }
        timed
    };
    let rates: Vec<Vec<f64>> = std::thread::scope(|scope| {
        let running: Vec<_> = (0..threads).map(|_| scope.spawn(thread)).collect();
        running.into_iter().map(|thread| thread.join().expect("the kernel does not panic")).collect()
    });
    (0..repetitions).map(|round| rates.iter().map(|rates| rates[round]).sum()).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_threads_count_what_both_do() {
        let one = fastest(
            1,
            REPETITIONS,
            || (),
            |()| {
                std::thread::sleep(std::time::Duration::from_millis(5));
                1.0
            },
        );
        let two = fastest(
            2,
            REPETITIONS,
            || (),
            |()| {
                std::thread::sleep(std::time::Duration::from_millis(5));
                1.0
            },
        );
        assert!((100.0..=200.0).contains(&one) && (1.3 * one..=400.0).contains(&two), "{one} {two}");
    }
}
