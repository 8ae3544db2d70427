//! Whatever the clients, knobs and timing: walks through the server end where walks without it end.

mod closed_loop;

use std::thread::{scope, sleep, yield_now};
use std::time::Duration;

use deepcfr_core::{ModelFactory, Purpose, Stream};
use deepcfr_serve::{Server, ServerConfig};

use closed_loop::{inline, model, walk};

/// One randomized run.
#[derive(Clone, Debug)]
struct Schedule {
    config: ServerConfig,
    devices: usize,
    /// Lanes, groups and steps of each worker.
    workers: Vec<(usize, usize, u32)>,
    /// Out of 256 steps, how many are followed by a yield, and by a short sleep.
    yields: u32,
    sleeps: u32,
}

impl Schedule {
    fn draw(stream: &mut Stream) -> Self {
        let max_batch = [1, 2, 7, 64][stream.below(4) as usize];
        let mut padding_classes = vec![1, 3, 8, 32];
        padding_classes.retain(|&class| class <= max_batch);
        padding_classes.truncate(stream.below(5) as usize);
        let config = ServerConfig {
            max_batch,
            batch_window_us: [0, 20, 300, 10_000][stream.below(4) as usize],
            min_batch: [1, 4, 16, 1000][stream.below(4) as usize],
            server_threads: 1 + stream.below(2) as usize,
            share_out: stream.below(2) == 0,
            padding_classes,
            warm_up: stream.below(2) == 0,
        };
        let workers = (0..=stream.below(3)).map(|_| {
            let lanes = [1, 2, 3, 9][stream.below(4) as usize];
            (lanes, 1 + stream.below(3) as usize, stream.below(6))
        });
        let workers = workers.collect();
        let devices = 1 + stream.below(2) as usize;
        Self { config, devices, workers, yields: stream.below(64), sleeps: stream.below(4) }
    }

    /// Whether every worker's walks end as they do inline.
    fn run(&self, mut stream: Stream) -> bool {
        let model = model();
        let devices = vec![&model as &dyn ModelFactory; self.devices];
        let server = Server::start(&devices, self.config.clone()).expect("the knobs are in range");
        let clients: Vec<_> =
            self.workers.iter().map(|worker| server.client(worker.1).expect("the server runs")).collect();
        let same = scope(|scope| {
            let workers = clients.into_iter().zip(&self.workers).enumerate();
            let threads = workers.map(|(index, (mut client, &(lanes, groups, steps)))| {
                let mut noise = Stream::new(stream.next_u64(), Purpose::Test, 0, 0, index as u32);
                scope.spawn(move || {
                    let between = || self.disturb(&mut noise);
                    let walks = walk(&mut client, index, lanes, groups, steps, between);
                    walks.expect("nothing fails") == inline(index, lanes, steps)
                })
            });
            let threads: Vec<_> = threads.collect();
            threads.into_iter().all(|thread| thread.join().expect("no worker panics"))
        });
        let metrics = server.drain().expect("nothing fails");
        let rows: usize = self.workers.iter().map(|&(lanes, _, steps)| lanes * steps as usize).sum();
        same && metrics.rows == rows as u64 && metrics.sizes.max() <= self.config.max_batch
    }

    fn disturb(&self, noise: &mut Stream) {
        let draw = noise.below(256);
        if draw < self.sleeps {
            sleep(Duration::from_micros(noise.below(50).into()));
        } else if draw < self.sleeps + self.yields {
            yield_now();
        }
    }
}

#[test]
fn ten_thousand_randomized_schedules_equal_the_inline_result() {
    for seed in 0..10_000 {
        let mut stream = Stream::new(seed, Purpose::Test, 0, 0, 0);
        let schedule = Schedule::draw(&mut stream);
        assert!(schedule.run(stream), "schedule {seed}: {schedule:?}");
    }
}
