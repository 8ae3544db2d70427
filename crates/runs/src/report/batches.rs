//! The inference batches of a run, with the in-flight law in words: what bounds them, and what to
//! change.
//!
//! Not here: taking the figures (see `inference`).

use std::fmt::Write;

use crate::metrics::{BatchMetrics, IterationMetrics};

/// The section of the last iteration that asked networks; empty where none did.
pub(super) fn section(lines: &[IterationMetrics]) -> String {
    let Some(line) = lines.iter().rev().find(|line| line.batches.rows > 0) else { return String::new() };
    let batches = &line.batches;
    let mut text = format!("\n## Inference batches in iteration {}\n\n| | |\n|---|---:|\n", line.iteration);
    let mut row = |name: &str, value: String| {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "| {name} | {value} |");
    };
    let percent = |share: f64| format!("{:.0} %", 100.0 * share);
    row("rows, forward passes", format!("{}, {}", batches.rows, batches.batches));
    row(
        "rows a forward pass: mean, median, 95th percentile, most",
        format!("{:.1}, {}, {}, {}", batches.mean_rows, batches.p50_rows, batches.p95_rows, batches.max_rows),
    );
    row("bound on the mean (in-flight law)", format!("{:.1}", batches.in_flight_bound));
    row(
        "workers × lanes, networks",
        format!("{} × {}, {}", batches.workers, batches.lanes, batches.networks),
    );
    row("workers: game logic, networks", {
        format!("{}, {}", percent(batches.worker_busy_share), percent(batches.worker_wait_share))
    });
    if let Some(share) = batches.device_busy_share {
        row("server threads busy", percent(share));
    }
    if let (Some(mean), Some(longest)) = (batches.queue_wait_mean_seconds, batches.queue_wait_max_seconds) {
        row("wait for a batch: mean, longest", format!("{:.0} µs, {:.0} µs", mean * 1e6, longest * 1e6));
    }
    if let (Some(mean), Some(most)) = (batches.in_flight_mean, batches.in_flight_peak) {
        row("rows in flight: mean, most", format!("{mean:.1}, {most}"));
    }
    if let Some(closes) = batches.closes {
        let named = closes.named().into_iter().filter(|(_, count)| *count > 0);
        let listed: Vec<String> = named.map(|(name, count)| format!("{name} {count}")).collect();
        row("batches closed by", listed.join(", "));
    }
    text.push('\n');
    text.push_str(&advice(batches));
    text.push('\n');
    text
}

/// Lanes a worker that the advice names.
const EXAMPLE_LANES: u64 = 64;

/// What bounds the batches, and what to change.
fn advice(batches: &BatchMetrics) -> String {
    let served = batches.closes.is_some();
    let BatchMetrics { workers, lanes, networks, mean_rows, in_flight_bound, .. } = *batches;
    let sharing = if served { workers } else { 1 };
    let s = |count: u64| if count == 1 { "" } else { "s" };
    let who = match (served, workers) {
        (true, _) => format!("{workers} worker{} share batches", s(workers)),
        (false, 1) => "The worker has its own batches".to_owned(),
        (false, _) => "Each worker has its own batches".to_owned(),
    };
    let law = format!(
        "{who}; {lanes} lane{} a worker keep at most {} row{} in flight for {networks} network{}: a forward \
         pass can have {in_flight_bound:.1} rows in the mean (workers × lanes / networks), and had \
         {mean_rows:.1}.",
        s(lanes),
        sharing * lanes,
        s(sharing * lanes),
        s(networks),
    );
    let remedy = if lanes == 1 {
        let alone = EXAMPLE_LANES as f64 / networks.max(1) as f64;
        format!(
            "Waiting longer cannot help: every worker already waits. Use `traversal.scheduler = \
             \"interleaved\"` (with {EXAMPLE_LANES} lanes each worker fills passes of up to {alone:.0} rows by \
             itself), or \"interleaved+server\" for a device of its own."
        )
    } else if mean_rows < 0.5 * in_flight_bound {
        "Less than half of it: lanes stand idle when an iteration has too few traversals left, and rows \
         come back at different times. More `traversal.traversals_per_player` fills them; more lanes do not."
            .to_owned()
    } else {
        "More `traversal.lanes` raise the bound.".to_owned()
    };
    format!("{law} {remedy}\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::Closes;

    #[test]
    fn one_lane_a_worker_is_told_what_bounds_it_and_what_to_use() {
        let closes = Some(Closes { quorum: 10, ..Closes::default() });
        let batches = BatchMetrics {
            rows: 40,
            batches: 10,
            mean_rows: 4.0,
            workers: 8,
            lanes: 1,
            networks: 2,
            in_flight_bound: 4.0,
            closes,
            ..BatchMetrics::default()
        };
        let line = IterationMetrics { iteration: 3, batches, ..IterationMetrics::default() };
        let text = section(&[line]);
        for said in [
            "Inference batches in iteration 3",
            "| bound on the mean (in-flight law) | 4.0 |",
            "| batches closed by | quorum 10 |",
            "8 workers share batches; 1 lane a worker keep at most 8 rows in flight for 2 networks",
            "traversal.scheduler = \"interleaved\"",
        ] {
            assert!(text.contains(said), "{said}: {text}");
        }
    }

    #[test]
    fn a_run_without_rows_has_no_section() {
        assert_eq!(section(&[IterationMetrics::default()]), "");
    }
}
