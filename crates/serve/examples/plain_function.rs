//! Serves a plain function to several threads: no games, no networks, no weights.
//!
//! Each worker iterates the logistic map on many numbers at once; the server gathers the steps of
//! all workers into common calls. Run with `cargo run -p deepcfr-serve --example plain_function`.

use std::thread;

use deepcfr_core::{Evaluator, EvaluatorError, InfosetKey, ModelSpec, NetId, Query};
use deepcfr_serve::{Client, FunctionModel, Server, ServerConfig};

const WORKERS: usize = 4;
const LANES: usize = 32;
const STEPS: usize = 1000;

/// One number that waits for its successor.
struct Population(f32);

impl Query for Population {
    fn key(&self) -> InfosetKey {
        InfosetKey(self.0.to_bits().into())
    }

    fn encode(&self, row: &mut [f32]) {
        row[0] = self.0;
    }
}

/// Advances every number by `STEPS` steps. The numbers form one group of lanes: they are sent
/// together and waited for together.
fn iterate(client: &mut Client, numbers: &mut [f32]) -> Result<(), EvaluatorError> {
    for _ in 0..STEPS {
        for (lane, &number) in numbers.iter().enumerate() {
            client.submit(lane, NetId(0), &Population(number))?;
        }
        client.wait()?;
        while let Some(lane) = client.next_ready() {
            numbers[lane] = client.output(lane)[0];
        }
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let spec = ModelSpec { num_features: 1, num_outputs: 1, num_nets: 1, row_invariant: true };
    let logistic = |_: NetId, row: &[f32], out: &mut [f32]| out[0] = 3.7 * row[0] * (1.0 - row[0]);
    let server = Server::start(&[&FunctionModel::new(spec, logistic)], ServerConfig::default())?;

    // All clients exist before the first row is sent, so that every batch waits for all of them.
    let clients: Vec<_> = (0..WORKERS).map(|_| server.client(1)).collect::<Result<_, _>>()?;
    let workers: Vec<_> = clients
        .into_iter()
        .enumerate()
        .map(|(worker, mut client)| {
            thread::spawn(move || {
                let mut numbers: Vec<_> =
                    (0..LANES).map(|lane| (1 + worker * LANES + lane) as f32 / 200.0).collect();
                iterate(&mut client, &mut numbers).map(|()| numbers)
            })
        })
        .collect();
    for (worker, thread) in workers.into_iter().enumerate() {
        let numbers = thread.join().expect("workers do not panic")?;
        println!("worker {worker}: {:.4} {:.4} {:.4} …", numbers[0], numbers[1], numbers[2]);
    }

    let metrics = server.drain()?;
    println!("{} rows in {} calls: {metrics}", metrics.rows, metrics.calls);
    Ok(())
}
