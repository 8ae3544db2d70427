//! What the server counts, and the snapshot of it that users read. Not here: output formats.

use std::fmt;
use std::time::{Duration, Instant};

use deepcfr_core::BatchSizes;

/// Why a batch was closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CloseReason {
    /// The rows of a network filled `max_batch`.
    Full,
    /// Every client waited, so that no further row could come.
    Quorum,
    /// The device was idle and `min_batch` rows waited.
    Idle,
    /// The oldest sweep had waited for `batch_window_us`.
    Window,
    /// The server was being drained.
    Drain,
}

impl CloseReason {
    /// Every reason, in the order of [`ServerMetrics::closes`].
    pub const ALL: [Self; 5] = [Self::Full, Self::Quorum, Self::Idle, Self::Window, Self::Drain];

    /// The reason in lower case.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Quorum => "quorum",
            Self::Idle => "idle",
            Self::Window => "window",
            Self::Drain => "drain",
        }
    }
}

/// What the server did since the last snapshot.
#[derive(Clone, Debug, PartialEq)]
pub struct ServerMetrics {
    /// Time covered, in seconds.
    pub elapsed_s: f64,
    /// Server threads over all devices.
    pub threads: usize,
    /// Rows answered.
    pub rows: u64,
    /// Rows of zeros added to reach a padding class.
    pub padding_rows: u64,
    /// Sweeps answered.
    pub sweeps: u64,
    /// Batches closed.
    pub batches: u64,
    /// Forward calls: one per network and batch, more where a sweep exceeds `max_batch`.
    pub calls: u64,
    /// Batches by the reason they closed for, in the order of [`CloseReason::ALL`].
    pub closes: [u64; CloseReason::ALL.len()],
    /// Forward calls by their rows, without padding.
    pub sizes: BatchSizes,
    /// Mean time from a sweep's sending to the start of its batch, in seconds.
    pub queue_wait_mean_s: f64,
    /// The longest such time, in seconds.
    pub queue_wait_max_s: f64,
    /// Time within forward calls, summed over the threads, in seconds.
    pub forward_s: f64,
    /// The share of the threads' time that was spent within forward calls, 0 to 1.
    pub busy_share: f64,
    /// Mean rows in flight, from sending to answer (Little's law: row-seconds over seconds).
    pub in_flight_mean: f64,
    /// Most rows in flight at a time.
    pub in_flight_peak: usize,
    /// The most lanes that the clients had together.
    pub lanes: usize,
    /// Networks that were asked for rows.
    pub networks: usize,
}

impl ServerMetrics {
    /// Batches closed for `reason`.
    pub fn closes(&self, reason: CloseReason) -> u64 {
        self.closes[reason as usize]
    }

    /// The in-flight law's bound on the mean batch: see [`in_flight_bound`].
    pub fn in_flight_bound(&self) -> f64 {
        in_flight_bound(self.lanes, self.networks)
    }

    /// Adds another stretch of time: shares and means are those over both stretches and nothing between them,
    /// `lanes` and `networks` the most of either.
    pub fn merge(&mut self, other: &Self) {
        let row_seconds = |metrics: &Self| metrics.in_flight_mean * metrics.elapsed_s;
        let waited = |metrics: &Self| metrics.queue_wait_mean_s * metrics.sweeps as f64;
        let [row_seconds, waited] = [row_seconds(self) + row_seconds(other), waited(self) + waited(other)];
        self.elapsed_s += other.elapsed_s;
        self.threads = self.threads.max(other.threads);
        self.rows += other.rows;
        self.padding_rows += other.padding_rows;
        self.sweeps += other.sweeps;
        self.batches += other.batches;
        self.calls += other.calls;
        self.closes.iter_mut().zip(other.closes).for_each(|(own, more)| *own += more);
        self.sizes.merge(&other.sizes);
        self.queue_wait_mean_s = share(waited, self.sweeps as f64);
        self.queue_wait_max_s = self.queue_wait_max_s.max(other.queue_wait_max_s);
        self.forward_s += other.forward_s;
        self.busy_share = share(self.forward_s, self.elapsed_s * self.threads as f64);
        self.in_flight_mean = share(row_seconds, self.elapsed_s);
        self.in_flight_peak = self.in_flight_peak.max(other.in_flight_peak);
        self.lanes = self.lanes.max(other.lanes);
        self.networks = self.networks.max(other.networks);
    }
}

impl fmt::Display for ServerMetrics {
    /// One line for a run's summary: what was reached, and what could have been at most.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "mean batch {:.1} of at most {:.1} ({} lanes in flight / {} networks), device busy {:.0} %, closed by",
            self.sizes.mean(),
            self.in_flight_bound(),
            self.lanes,
            self.networks,
            100.0 * self.busy_share,
        )?;
        for reason in CloseReason::ALL.into_iter().filter(|&reason| self.closes(reason) > 0) {
            write!(f, " {} {}", reason.name(), self.closes(reason))?;
        }
        Ok(())
    }
}

/// The in-flight law: a lane has one row outstanding and each call serves one network, so `lanes`
/// rows (those of all workers that share batches) make the fewest and largest calls when they all
/// come together; the mean batch is then `lanes / m`, whatever the window, where `m` is the mean
/// number of networks that `lanes` rows ask for if they ask each of `networks` equally often:
/// `m = k·(1 − (1 − 1/k)^lanes)`, which is `k` but for a handful of lanes. 0 where nothing was asked.
pub fn in_flight_bound(lanes: usize, networks: usize) -> f64 {
    if networks == 0 || lanes == 0 {
        return 0.0;
    }
    let (lanes, networks) = (lanes as f64, networks as f64);
    lanes / (networks * (1.0 - (1.0 - 1.0 / networks).powf(lanes)))
}

/// One batch, as its server thread measured it.
pub(crate) struct BatchRecord {
    pub(crate) reason: CloseReason,
    pub(crate) lanes: usize,
    pub(crate) forward: Duration,
    pub(crate) padding_rows: usize,
}

/// Running counts behind [`ServerMetrics`].
pub(crate) struct Tally {
    since: Instant,
    rows: u64,
    padding_rows: u64,
    sweeps: u64,
    closes: [u64; CloseReason::ALL.len()],
    /// Forward calls by their number of rows.
    sizes: BatchSizes,
    /// Forward calls by network.
    calls: Vec<u64>,
    queue_wait: Duration,
    queue_wait_max: Duration,
    forward: Duration,
    row_seconds: f64,
    lanes: usize,
}

impl Tally {
    pub(crate) fn new(num_nets: usize) -> Self {
        Self {
            since: Instant::now(),
            rows: 0,
            padding_rows: 0,
            sweeps: 0,
            closes: [0; CloseReason::ALL.len()],
            sizes: BatchSizes::default(),
            calls: vec![0; num_nets],
            queue_wait: Duration::ZERO,
            queue_wait_max: Duration::ZERO,
            forward: Duration::ZERO,
            row_seconds: 0.0,
            lanes: 0,
        }
    }

    pub(crate) fn note_call(&mut self, net: usize, rows: usize) {
        self.calls[net] += 1;
        self.sizes.add(rows);
    }

    pub(crate) fn note_sweep(&mut self, rows: usize, queued: Duration, in_flight: Duration) {
        self.sweeps += 1;
        self.rows += rows as u64;
        self.queue_wait += queued;
        self.queue_wait_max = self.queue_wait_max.max(queued);
        self.row_seconds += rows as f64 * in_flight.as_secs_f64();
    }

    pub(crate) fn note_batch(&mut self, batch: &BatchRecord) {
        self.closes[batch.reason as usize] += 1;
        self.lanes = self.lanes.max(batch.lanes);
        self.forward += batch.forward;
        self.padding_rows += batch.padding_rows as u64;
    }

    /// The counts so far, which start again from nothing.
    pub(crate) fn take(&mut self, threads: usize, in_flight_peak: usize) -> ServerMetrics {
        let fresh = Self::new(self.calls.len());
        let counts = std::mem::replace(self, fresh);
        counts.snapshot((self.since - counts.since).as_secs_f64(), threads, in_flight_peak)
    }

    fn snapshot(&self, elapsed_s: f64, threads: usize, in_flight_peak: usize) -> ServerMetrics {
        let calls: u64 = self.calls.iter().sum();
        let forward_s = self.forward.as_secs_f64();
        ServerMetrics {
            elapsed_s,
            threads,
            rows: self.rows,
            padding_rows: self.padding_rows,
            sweeps: self.sweeps,
            batches: self.closes.iter().sum(),
            calls,
            closes: self.closes,
            sizes: self.sizes.clone(),
            queue_wait_mean_s: share(self.queue_wait.as_secs_f64(), self.sweeps as f64),
            queue_wait_max_s: self.queue_wait_max.as_secs_f64(),
            forward_s,
            busy_share: share(forward_s, elapsed_s * threads as f64),
            in_flight_mean: share(self.row_seconds, elapsed_s),
            in_flight_peak,
            lanes: self.lanes,
            networks: self.calls.iter().filter(|&&calls| calls > 0).count(),
        }
    }
}

fn share(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_snapshot_holds_the_sizes_and_starts_again() {
        let mut tally = Tally::new(3);
        for rows in 1..=40 {
            tally.note_call(rows % 2, rows);
        }
        let metrics = tally.take(2, 77);
        assert_eq!((metrics.calls, metrics.networks, metrics.in_flight_peak), (40, 2, 77));
        assert_eq!(
            (metrics.sizes.percentile(0.5), metrics.sizes.max(), metrics.sizes.mean()),
            (20, 40, 20.5)
        );
        let empty = tally.take(2, 0);
        assert_eq!((empty.calls, empty.sizes.max(), empty.sizes.mean()), (0, 0, 0.0));
    }

    #[test]
    fn two_stretches_together_are_what_one_would_have_been() {
        let ms = Duration::from_millis;
        let batch = |forward| BatchRecord { reason: CloseReason::Full, lanes: 4, forward, padding_rows: 1 };
        let [mut first, mut second, mut whole] = [1; 3].map(Tally::new);
        for (tally, rows, forward) in [(&mut first, 3, 10), (&mut second, 9, 20)] {
            for tally in [tally, &mut whole] {
                tally.note_call(0, rows);
                tally.note_sweep(rows, ms(2 * rows as u64), ms(forward));
                tally.note_batch(&batch(ms(forward)));
            }
        }
        let mut merged = first.snapshot(0.030, 2, 3);
        merged.merge(&second.snapshot(0.020, 2, 9));
        let whole = whole.snapshot(0.050, 2, 9);
        let rounded = |metrics: &ServerMetrics| {
            let figures = [metrics.queue_wait_mean_s, metrics.busy_share, metrics.in_flight_mean];
            figures.map(|figure| (figure * 1e9).round())
        };
        assert_eq!(rounded(&merged), rounded(&whole));
        let plain = |metrics: ServerMetrics| ServerMetrics {
            elapsed_s: 0.0,
            forward_s: 0.0,
            queue_wait_mean_s: 0.0,
            busy_share: 0.0,
            in_flight_mean: 0.0,
            ..metrics
        };
        assert_eq!(plain(merged), plain(whole));
    }

    #[test]
    fn shares_follow_from_times() {
        let mut tally = Tally::new(1);
        tally.note_call(0, 4);
        let ms = Duration::from_millis;
        tally.note_sweep(3, ms(2), ms(10));
        tally.note_sweep(1, ms(4), ms(10));
        let batch = BatchRecord { reason: CloseReason::Idle, lanes: 4, forward: ms(10), padding_rows: 2 };
        tally.note_batch(&batch);
        let metrics = tally.snapshot(0.020, 1, 4);
        assert!((metrics.busy_share - 0.5).abs() < 1e-9);
        assert!((metrics.in_flight_mean - 2.0).abs() < 1e-9, "4 rows for 10 of 20 ms");
        assert!((metrics.queue_wait_mean_s - 0.003).abs() < 1e-9);
        assert_eq!((metrics.queue_wait_max_s, metrics.padding_rows), (0.004, 2));
        assert_eq!((metrics.closes(CloseReason::Idle), metrics.batches), (1, 1));
        assert_eq!(metrics.in_flight_bound(), 4.0);
    }

    #[test]
    fn few_rows_do_not_ask_for_every_network() {
        assert_eq!((in_flight_bound(7, 0), in_flight_bound(1, 2), in_flight_bound(9, 1)), (0.0, 1.0, 9.0));
        assert!((in_flight_bound(2, 2) - 2.0 / 1.5).abs() < 1e-12, "two rows: one call or two");
        assert!((in_flight_bound(512, 2) - 256.0).abs() < 1e-9);
    }

    #[test]
    fn the_summary_names_the_bound() {
        let mut tally = Tally::new(2);
        tally.note_call(0, 4);
        tally.note_call(1, 4);
        let batch =
            BatchRecord { reason: CloseReason::Quorum, lanes: 8, forward: Duration::ZERO, padding_rows: 0 };
        tally.note_batch(&batch);
        let text = tally.snapshot(1.0, 1, 8).to_string();
        let start = "mean batch 4.0 of at most 4.0 (8 lanes in flight / 2 networks), device busy 0 %";
        assert_eq!(text, format!("{start}, closed by quorum 1"));
    }
}
