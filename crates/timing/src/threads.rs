//! What a machine can do at most on some threads at once.
//!
//! Not here: contenders that take turns (see `turns`).

use std::sync::Barrier;
use std::time::Instant;

/// The highest rate of what `work` counts, on `threads` threads that start together, in the fastest of
/// so many repetitions: a limit of the machine is what was possible once. Each thread works once before, on
/// operands of its own.
///
/// # Panics
/// If `prepare` or `work` panics.
pub fn limit<T>(
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
        let of = |threads| {
            let sleep = |(): &mut ()| {
                std::thread::sleep(std::time::Duration::from_millis(5));
                1.0
            };
            limit(threads, 5, || (), sleep)
        };
        let (one, two) = (of(1), of(2));
        assert!((100.0..=200.0).contains(&one) && (1.3 * one..=400.0).contains(&two), "{one} {two}");
    }
}
