//! Figures with their units. Not here: which figures.

use crate::statistics::Estimate;

const PREFIXES: [(f64, &str); 4] = [(1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")];

/// A time with the unit that suits it: `1.23 s`, `45.6 ms`, `789 µs`, `12.0 ns`.
pub fn seconds(value: f64) -> String {
    let (scaled, unit) = match value.abs() {
        size if size >= 1.0 || size == 0.0 => (value, "s"),
        size if size >= 1e-3 => (value * 1e3, "ms"),
        size if size >= 1e-6 => (value * 1e6, "µs"),
        _ => (value * 1e9, "ns"),
    };
    format!("{} {unit}", three_digits(scaled))
}

/// A speed-up with its interval: `×1.53 (1.41 to 1.66)`.
pub fn ratio(estimate: &Estimate) -> String {
    // Two decimals say nothing of a ratio far below 1.
    let digits = if estimate.value < 0.1 { 4 } else { 2 };
    format!("×{:.digits$} ({:.digits$} to {:.digits$})", estimate.value, estimate.low, estimate.high)
}

/// A share with its interval: `62 % (60 to 64)`.
pub fn share(estimate: &Estimate) -> String {
    let percent = |share: f64| 100.0 * share;
    let [value, low, high] = [estimate.value, estimate.low, estimate.high].map(percent);
    format!("{value:.0} % ({low:.0} to {high:.0})")
}

/// A rate with a decimal prefix: `31.4 GFLOP/s`.
pub fn rate(value: f64, unit: &str) -> String {
    let (scaled, prefix) = prefixed(value);
    format!("{} {prefix}{unit}", three_digits(scaled))
}

/// A size in bytes with a decimal prefix.
pub fn bytes(value: f64) -> String {
    rate(value, "B")
}

/// A number of rows or the like: `100`, `3.5`, `1.20M`; `∞` where there is no limit.
pub fn count(value: f64) -> String {
    if value.is_infinite() {
        return "∞".to_owned();
    }
    let (scaled, prefix) = if value.abs() < 1e4 { (value, "") } else { prefixed(value) };
    if scaled.fract() == 0.0 {
        format!("{scaled}{prefix}")
    } else {
        format!("{}{prefix}", three_digits(scaled))
    }
}

fn prefixed(value: f64) -> (f64, &'static str) {
    let found = PREFIXES.iter().find(|(size, _)| value.abs() >= *size);
    found.map_or((value, ""), |&(size, prefix)| (value / size, prefix))
}

fn three_digits(value: f64) -> String {
    match value.abs() {
        size if size >= 99.95 => format!("{value:.0}"),
        size if size >= 9.995 => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_take_the_unit_that_suits_them() {
        let shown = [12.345, 0.0456, 789e-6, 99.96e-6, 12e-9, 0.0].map(seconds);
        assert_eq!(shown, ["12.3 s", "45.6 ms", "789 µs", "100 µs", "12.0 ns", "0.00 s"]);
    }

    #[test]
    fn figures_carry_prefixes_and_intervals() {
        assert_eq!(rate(31.44e9, "FLOP/s"), "31.4 GFLOP/s");
        assert_eq!([count(100.0), count(3.5), count(1.2e6)], ["100", "3.50", "1.20M"]);
        assert_eq!(count(f64::INFINITY), "∞");
        let estimate = Estimate { value: 1.5, low: 1.25, high: 2.0, samples: 3 };
        assert_eq!(ratio(&estimate), "×1.50 (1.25 to 2.00)");
        let part = Estimate { value: 0.5, low: 0.25, high: 0.75, samples: 3 };
        assert_eq!((share(&part), bytes(512.0)), ("50 % (25 to 75)".to_owned(), "512 B".to_owned()));
    }
}
