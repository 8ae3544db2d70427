//! What the benches share: criterion's measurements, told in the units that the targets have.
//!
//! Not here: what is measured.

use std::time::{Duration, Instant};

use criterion::{Bencher, Criterion};
use deepcfr_timing::median;

/// A figure that a bench must reach.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Target {
    /// At least so many a second.
    PerSecond(f64),
    /// At most so many milliseconds each.
    Milliseconds(f64),
    /// At most so many nanoseconds each.
    Nanoseconds(f64),
    /// Told for comparison, in runs a second.
    None,
}

/// Measures `run(count)`, which does something `count` times, and prints beside criterion's statistics
/// the median speed in the target's unit.
pub fn measure(criterion: &mut Criterion, name: &str, target: Target, mut run: impl FnMut(u64)) {
    measure_part(criterion, name, target, |count| {
        let begin = Instant::now();
        run(count);
        begin.elapsed()
    });
}

/// As [`measure`], for work that tells how long the part of it took that is measured.
pub fn measure_part(
    criterion: &mut Criterion,
    name: &str,
    target: Target,
    mut run: impl FnMut(u64) -> Duration,
) {
    let mut rates = Vec::new();
    criterion.bench_function(name, |bencher: &mut Bencher<'_>| {
        bencher.iter_custom(|count| {
            let took = run(count);
            rates.push((count, took));
            took
        });
    });
    if let Some(rate) = median_rate(rates) {
        println!("{name}: {}", told(rate, target));
    }
}

/// Runs a second, the median of the measurements, short warm-up measurements left out; `None`
/// where the bench was filtered out.
fn median_rate(measured: Vec<(u64, Duration)>) -> Option<f64> {
    let longest = measured.iter().map(|(count, _)| *count).max()?;
    let long = measured.into_iter().filter(|(count, _)| count * 10 >= longest);
    Some(median(long.map(|(count, took)| count as f64 / took.as_secs_f64())))
}

fn told(rate: f64, target: Target) -> String {
    let verdict = |reached| if reached { "reached" } else { "MISSED" };
    match target {
        Target::PerSecond(least) => {
            format!(
                "{} iterations/s (target ≥ {}: {})",
                grouped(rate),
                grouped(least),
                verdict(rate >= least)
            )
        }
        Target::Milliseconds(most) => {
            let each = 1e3 / rate;
            format!("{each:.4} ms (target ≤ {most} ms: {})", verdict(each <= most))
        }
        Target::Nanoseconds(most) => {
            let each = 1e9 / rate;
            format!(
                "{each:.1} ns, {} a second (target ≤ {most} ns: {})",
                grouped(rate),
                verdict(each <= most)
            )
        }
        Target::None => format!("{} iterations/s", grouped(rate)),
    }
}

/// `1,234,567`.
fn grouped(value: f64) -> String {
    let digits = format!("{value:.0}");
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_told_in_the_target_s_unit() {
        assert_eq!(told(1_234_567.4, Target::None), "1,234,567 iterations/s");
        assert_eq!(told(999.0, Target::PerSecond(2_500.0)), "999 iterations/s (target ≥ 2,500: MISSED)");
        assert_eq!(told(4_000.0, Target::Milliseconds(1.0)), "0.2500 ms (target ≤ 1 ms: reached)");
        let ns = told(2e6, Target::Nanoseconds(400.0));
        assert_eq!(ns, "500.0 ns, 2,000,000 a second (target ≤ 400 ns: MISSED)");
    }

    #[test]
    fn the_median_leaves_warming_up_out() {
        let seconds = Duration::from_secs;
        let measured = vec![(1, seconds(100)), (100, seconds(1)), (50, seconds(1)), (80, seconds(1))];
        assert_eq!(median_rate(measured), Some(80.0));
        assert_eq!(median_rate(Vec::new()), None);
    }
}
