//! Each close rule closes what it should, padding and warm-up run the sizes they should, and
//! several threads and devices share the work.

mod closed_loop;

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::thread::{scope, sleep, spawn};
use std::time::{Duration, Instant};

use deepcfr_core::{Evaluator, Model, ModelError, ModelFactory, ModelSpec, NetId, Weights};
use deepcfr_serve::{Client, CloseReason, Server, ServerConfig, SimulatedDevice};

use closed_loop::{SPEC, Walk, inline, model, next_numbers, walk, within_a_second};

/// An hour: the window never closes a batch.
const NEVER: u64 = 3_600_000_000;

fn config() -> ServerConfig {
    ServerConfig { batch_window_us: NEVER, min_batch: 1000, warm_up: false, ..Default::default() }
}

fn submit(client: &mut Client, net: u16, lanes: std::ops::Range<usize>) {
    for lane in lanes {
        client.submit(lane, NetId(net), &Walk::new(0, lane, 1)).unwrap();
    }
}

/// The only reason for which a server closed `batches` batches.
fn only_reason(server: Server, reason: CloseReason, batches: u64) {
    let metrics = server.drain().unwrap();
    assert_eq!((metrics.closes(reason), metrics.batches), (batches, batches), "{metrics:?}");
}

#[test]
fn a_full_network_closes_although_others_work() {
    within_a_second(|| {
        let server = Server::start(&[&model()], ServerConfig { max_batch: 8, ..config() }).unwrap();
        let (mut client, _working) = (server.client(1).unwrap(), server.client(1).unwrap());
        submit(&mut client, 1, 0..8);
        client.wait().unwrap();
        only_reason(server, CloseReason::Full, 1);
    });
}

#[test]
fn rows_of_different_networks_do_not_fill_a_batch_together() {
    within_a_second(|| {
        let server = Server::start(&[&model()], ServerConfig { max_batch: 8, ..config() }).unwrap();
        let mut client = server.client(1).unwrap();
        submit(&mut client, 0, 0..7);
        submit(&mut client, 2, 7..14);
        client.wait().unwrap();
        only_reason(server, CloseReason::Quorum, 1);
    });
}

#[test]
fn a_sweep_above_max_batch_is_run_in_calls_of_max_batch() {
    within_a_second(|| {
        for padding_classes in [vec![], vec![2]] {
            let config = ServerConfig { max_batch: 8, padding_classes, ..config() };
            let server = Server::start(&[&model()], config).unwrap();
            let client = &mut server.client(1).unwrap();
            assert_eq!(walk(client, 0, 29, 1, 3, || ()).unwrap(), inline(0, 29, 3));
            let metrics = server.take_metrics();
            assert_eq!((metrics.rows, metrics.sizes.max()), (87, 8));
        }
    });
}

#[test]
fn an_idle_device_starts_at_min_batch_although_others_work() {
    within_a_second(|| {
        let server = Server::start(&[&model()], ServerConfig { min_batch: 4, ..config() }).unwrap();
        let (mut client, mut other) = (server.client(1).unwrap(), server.client(1).unwrap());
        submit(&mut client, 0, 0..2);
        client.flush().unwrap();
        sleep(Duration::from_millis(20));
        assert_eq!(server.take_metrics().batches, 0, "two rows are not enough");
        submit(&mut other, 2, 0..2);
        other.flush().unwrap();
        // Four rows wait, but both clients are blocked: that is a quorum, and comes first.
        client.wait().unwrap();
        other.wait().unwrap();
        assert_eq!(server.take_metrics().closes(CloseReason::Quorum), 1);
        submit(&mut client, 0, 0..4);
        client.wait().unwrap();
        only_reason(server, CloseReason::Idle, 1);
    });
}

#[test]
fn the_window_closes_for_a_client_that_neither_works_nor_waits() {
    within_a_second(|| {
        let server =
            Server::start(&[&model()], ServerConfig { batch_window_us: 30_000, ..config() }).unwrap();
        let (mut client, _idle) = (server.client(1).unwrap(), server.client(1).unwrap());
        let start = Instant::now();
        submit(&mut client, 0, 0..1);
        client.wait().unwrap();
        assert!(start.elapsed() >= Duration::from_millis(30), "it was held back for the window");
        only_reason(server, CloseReason::Window, 1);
    });
}

#[test]
fn a_client_with_a_free_group_is_not_blocked_until_it_waits() {
    within_a_second(|| {
        let server = Server::start(&[&model()], config()).unwrap();
        let mut client = server.client(2).unwrap();
        submit(&mut client, 0, 0..1);
        client.flush().unwrap();
        sleep(Duration::from_millis(20));
        assert_eq!(server.take_metrics().batches, 0, "the second group may still come");
        client.wait().unwrap();
        submit(&mut client, 0, 0..1);
        client.flush().unwrap();
        submit(&mut client, 0, 1..2);
        client.flush().unwrap();
        client.wait().unwrap();
        assert_eq!(client.next_ready(), Some(0));
        assert_eq!(server.take_metrics().batches, 2, "one for each wait");
        client.wait().unwrap();
        assert_eq!(client.next_ready(), Some(1));
        only_reason(server, CloseReason::Quorum, 0);
    });
}

#[test]
fn closed_clients_that_wait_for_every_answer_fill_every_batch() {
    within_a_second(|| {
        let server = Server::start(&[&model()], config()).unwrap();
        let clients = [(); 8].map(|()| server.client(1).unwrap());
        scope(|scope| {
            for mut client in clients {
                scope.spawn(move || {
                    for _ in 0..50 {
                        submit(&mut client, 0, 0..1);
                        client.wait().unwrap();
                    }
                });
            }
        });
        let metrics = server.take_metrics();
        assert_eq!((metrics.lanes, metrics.networks, metrics.in_flight_bound()), (8, 1, 8.0));
        assert_eq!((metrics.sizes.percentile(0.5), metrics.sizes.max(), metrics.in_flight_peak), (8, 8, 8));
    });
}

/// Notes the batch sizes of its forward calls, and whether unused rows are zeros.
#[derive(Clone, Default)]
struct Watched {
    calls: Arc<Mutex<Vec<(NetId, usize)>>>,
    nets_loaded: BTreeSet<NetId>,
}

impl ModelFactory for Watched {
    fn spec(&self) -> ModelSpec {
        SPEC
    }

    fn open(&self) -> Result<Box<dyn Model>, ModelError> {
        Ok(Box::new(self.clone()))
    }
}

impl Model for Watched {
    fn spec(&self) -> ModelSpec {
        SPEC
    }

    fn forward(&mut self, net: NetId, rows: &[f32], out: &mut [f32]) -> Result<(), ModelError> {
        if !self.nets_loaded.contains(&net) {
            return Err(ModelError::NotLoaded { net });
        }
        self.calls.lock().unwrap().push((net, rows.len() / SPEC.num_features));
        for (row, out) in rows.chunks(SPEC.num_features).zip(out.chunks_mut(SPEC.num_outputs)) {
            next_numbers(net, row, out);
        }
        Ok(())
    }

    fn load(&mut self, net: NetId, _: &Arc<Weights>) -> Result<(), ModelError> {
        self.nets_loaded.insert(net);
        Ok(())
    }
}

#[test]
fn every_class_is_warmed_up_once_and_nothing_else_is_ever_run() {
    within_a_second(|| {
        let model = Watched::default();
        let padding_classes = vec![4, 8];
        let config = ServerConfig { max_batch: 16, padding_classes, warm_up: true, ..config() };
        let server = Server::start(&[&model], config).unwrap();
        assert!(model.calls.lock().unwrap().is_empty(), "nothing is loaded yet");
        let table = deepcfr_core::TableWeights { inputs: 2, outputs: 3, ..Default::default() };
        let weights = [0, 1, 2].map(|net| (NetId(net), Arc::new(Weights::Table(table.clone()))));
        server.publish(1, &weights[..1]).unwrap();
        server.publish(2, &weights).unwrap();
        let warmed = std::mem::take(&mut *model.calls.lock().unwrap());
        let expected: Vec<_> = (0..3).flat_map(|net| [4, 8, 16].map(|size| (NetId(net), size))).collect();
        assert_eq!(warmed, expected);
        let client = &mut server.client(1).unwrap();
        assert_eq!(walk(client, 0, 30, 1, 20, || ()).unwrap(), inline(0, 30, 20));
        let calls = model.calls.lock().unwrap();
        assert!(calls.iter().all(|(_, size)| [4, 8, 16].contains(size)), "{calls:?}");
        let metrics = server.take_metrics();
        let run: usize = calls.iter().map(|(_, size)| size).sum();
        assert_eq!(metrics.rows + metrics.padding_rows, run as u64);
        assert!(metrics.padding_rows > 0);
    });
}

#[test]
fn threads_and_devices_share_one_queue() {
    within_a_second(|| {
        let device = SimulatedDevice::new(model(), Duration::from_millis(5), Duration::ZERO);
        let devices: [&dyn ModelFactory; 2] = [&device, &device];
        let config = ServerConfig { max_batch: 1, server_threads: 2, ..config() };
        let server = Server::start(&devices, config).unwrap();
        let clients = [(); 4].map(|()| server.client(1).unwrap());
        let threads = clients.map(|mut client| spawn(move || walk(&mut client, 0, 1, 1, 20, || ()).unwrap()));
        for thread in threads {
            assert_eq!(thread.join().unwrap(), inline(0, 1, 20));
        }
        let metrics = server.drain().unwrap();
        assert_eq!(metrics.threads, 4);
        // Rows of four clients, one a batch: one thread at a time would take as long as it calls.
        assert!(metrics.forward_s > 2.0 * metrics.elapsed_s, "{metrics:?}");
    });
}
