//! What the server's hop costs: a row, or a sweep of rows, to a model of zero cost and back.
//!
//! `cargo bench --workspace --bench serving`. The same rows through an evaluator on the worker's
//! own thread stand beside it: the difference is the hand-over between threads. Not here: what batching
//! gains (`schedulers`, and `deepcfr bench schedulers`).

use std::hint::black_box;
use std::time::Duration;

use criterion::Criterion;
use deepcfr_benches::{Target, measure};
use deepcfr_cfr::traversal::evaluators::LocalEvaluator;
use deepcfr_core::{Evaluator, InfosetKey, ModelFactory, ModelSpec, NetId, Query};
use deepcfr_serve::{FunctionModel, Server, ServerConfig};

/// The length of a Lost Cities row.
const FEATURES: usize = 365;
const SPEC: ModelSpec =
    ModelSpec { num_features: FEATURES, num_outputs: 22, num_nets: 2, row_invariant: true };

struct Row;

impl Query for Row {
    fn key(&self) -> InfosetKey {
        InfosetKey(0)
    }

    fn encode(&self, row: &mut [f32]) {
        row.fill(1.0);
    }
}

fn main() {
    let criterion = Criterion::default().warm_up_time(Duration::from_millis(300)).sample_size(20);
    let mut criterion = criterion.measurement_time(Duration::from_secs(1)).configure_from_args();
    for lanes in [1, 16, 64, 256] {
        let model = free_model().open().expect("it opens");
        let mut local = LocalEvaluator::new(model, 256);
        rounds(&mut criterion, "own thread", &mut local, lanes);
        let server = Server::start(&[&free_model()], ServerConfig::default()).expect("it starts");
        let mut client = server.client(1).expect("it runs");
        rounds(&mut criterion, "server", &mut client, lanes);
    }
    criterion.final_summary();
}

fn free_model() -> impl ModelFactory {
    FunctionModel::new(SPEC, |_, _: &[f32], out: &mut [f32]| out.fill(0.0))
}

/// Sweeps of one row for each lane, alternating between the networks.
fn rounds<V: Evaluator>(criterion: &mut Criterion, name: &str, evaluator: &mut V, lanes: usize) {
    measure(criterion, &format!("a sweep of {lanes} rows, {name}"), Target::None, |count| {
        for _ in 0..count {
            for lane in 0..lanes {
                evaluator.submit(lane, NetId((lane % 2) as u16), &Row).expect("nothing fails");
            }
            evaluator.wait().expect("nothing fails");
            while let Some(lane) = evaluator.next_ready() {
                black_box(evaluator.output(lane));
            }
        }
    });
}
