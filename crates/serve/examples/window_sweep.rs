//! Measures what the knobs do for closed clients on a simulated GPU: the tables in
//! `docs/serving.md`. Run with `cargo run --release -p deepcfr-serve --example window_sweep`.
//!
//! A client's lane is a chain of rows: the next is sent `LOGIC` after the answer to the last one is
//! read. The settings of a table take `TURNS` turns; the best turn of each counts, as everything
//! that disturbs a run slows it down.

use std::hint::black_box;
use std::thread::scope;
use std::time::{Duration, Instant};

use deepcfr_core::{Evaluator, InfosetKey, ModelSpec, NetId, Query};
use deepcfr_serve::{
    Client, CloseReason, FunctionModel, Server, ServerConfig, ServerMetrics, SimulatedDevice,
};

const TURNS: usize = 12;
const MEASURE: Duration = Duration::from_millis(60);
/// Game logic of a lane between two rows.
const LOGIC: Duration = Duration::from_nanos(500);
const FEATURES: usize = 365;
/// The simulated GPU: 80 µs a call and 0.08 µs a row.
const PER_CALL: Duration = Duration::from_micros(80);
const PER_ROW: Duration = Duration::from_nanos(80);

/// A closed set of clients.
#[derive(Clone, Copy)]
struct Load {
    workers: usize,
    lanes: usize,
    groups: usize,
}

struct Row;

impl Query for Row {
    fn key(&self) -> InfosetKey {
        InfosetKey(0)
    }

    fn encode(&self, row: &mut [f32]) {
        row.fill(1.0);
    }
}

fn spin(time: Duration) {
    let until = Instant::now() + time;
    while Instant::now() < until {
        black_box(());
    }
}

fn advance(client: &mut Client, lane: usize) {
    spin(LOGIC);
    client.submit(lane, NetId(0), &Row).expect("the server runs");
}

fn work(mut client: Client, load: Load, until: Instant) {
    for lane in 0..load.lanes {
        advance(&mut client, lane);
        if (lane + 1) % (load.lanes / load.groups) == 0 {
            client.flush().expect("the server runs");
        }
    }
    while Instant::now() < until {
        client.wait().expect("the server runs");
        while let Some(lane) = client.next_ready() {
            black_box(client.output(lane));
            advance(&mut client, lane);
        }
        client.flush().expect("the server runs");
    }
}

fn measure(load: Load, config: &ServerConfig) -> ServerMetrics {
    let spec = ModelSpec { num_features: FEATURES, num_outputs: 22, num_nets: 1, row_invariant: true };
    let zero_cost = FunctionModel::new(spec, |_, _: &[f32], out: &mut [f32]| out.fill(0.0));
    let device = SimulatedDevice::new(zero_cost, PER_CALL, PER_ROW);
    let server = Server::start(&[&device], config.clone()).expect("the knobs are in range");
    let clients: Vec<_> = (0..load.workers).map(|_| server.client(load.groups).expect("it runs")).collect();
    server.take_metrics();
    let until = Instant::now() + MEASURE;
    scope(|scope| {
        for client in clients {
            scope.spawn(move || work(client, load, until));
        }
    });
    server.drain().expect("nothing fails")
}

fn rate(metrics: &ServerMetrics) -> f64 {
    metrics.rows as f64 / metrics.elapsed_s
}

fn print_row(knob: impl std::fmt::Display, metrics: &ServerMetrics, reference: f64) {
    let closes = CloseReason::ALL.map(|reason| {
        let share = 100.0 * metrics.closes(reason) as f64 / metrics.batches.max(1) as f64;
        format!("{share:.0}")
    });
    let [full, _, quorum, idle, window] = [0, 4, 1, 2, 3].map(|index: usize| &closes[index]);
    println!(
        "| {knob} | {:.0} | {:.2} | {:.1} | {:.0} | {:.0} | {full} / {quorum} / {idle} / {window} |",
        rate(metrics) / 1e3,
        rate(metrics) / reference,
        metrics.sizes.mean(),
        1e6 * metrics.queue_wait_mean_s,
        100.0 * metrics.busy_share,
    );
}

fn table<K: std::fmt::Display + Copy>(title: &str, load: Load, knob: &str, settings: &[(K, ServerConfig)]) {
    println!("\n{title}: {} workers × {} lanes in {} groups\n", load.workers, load.lanes, load.groups);
    println!(
        "| {knob} | krows/s | ratio | mean batch | queue wait µs | busy % | full/quorum/idle/window % |"
    );
    println!("|---|---|---|---|---|---|---|");
    let mut reference = None;
    for ((name, _), metrics) in settings.iter().zip(best_of_turns(load, settings)) {
        let reference = *reference.get_or_insert(rate(&metrics));
        print_row(name, &metrics, reference);
    }
}

fn best_of_turns<K>(load: Load, settings: &[(K, ServerConfig)]) -> Vec<ServerMetrics> {
    let turn = |_| settings.iter().map(|(_, config)| measure(load, config)).collect();
    let better = |a: ServerMetrics, b| if rate(&a) >= rate(&b) { a } else { b };
    let best = |best: Vec<_>, turn: Vec<_>| best.into_iter().zip(turn).map(|(a, b)| better(a, b)).collect();
    (0..TURNS).map(turn).reduce(best).expect("there are turns")
}

fn main() {
    let loads =
        [(8, 1, 1), (2, 64, 1), (2, 64, 2)].map(|(workers, lanes, groups)| Load { workers, lanes, groups });
    for load in loads {
        let settings = [0, 20, 50, 100, 200, 500, 1000].map(|batch_window_us| {
            let config = ServerConfig { batch_window_us, min_batch: usize::MAX, ..Default::default() };
            (batch_window_us, config)
        });
        table("Window", load, "window µs", &settings);
        let settings = [1, 4, 16, 32, 64, 1024].map(|min_batch| {
            let config = ServerConfig { min_batch, max_batch: 1024, ..Default::default() };
            (min_batch, config)
        });
        table("Idle rule", load, "min_batch", &settings);
    }
}
