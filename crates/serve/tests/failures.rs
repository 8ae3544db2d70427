//! Everything that can go wrong ends in a typed error or a clean end within a second.

mod closed_loop;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{JoinHandle, sleep, spawn};
use std::time::Duration;

use crossbeam::channel::{Receiver, Sender, bounded};
use deepcfr_core::{
    Evaluator, EvaluatorError, Model, ModelError, ModelFactory, ModelSpec, NetId, TableWeights, Weights,
};
use deepcfr_serve::{
    Client, CloseReason, ConfigError, FunctionModel, PublishError, Server, ServerConfig, StartError,
};

use closed_loop::{SPEC, Walk, inline, model, next_numbers, walk, within_a_second};

/// What a faulty model does.
#[derive(Clone, Copy)]
enum Fault {
    Error,
    Panic,
}

/// Works until its `good_calls` are used up, then does `fault` for good.
#[derive(Clone)]
struct Faulty {
    calls_left: Arc<AtomicUsize>,
    fault: Fault,
}

impl Faulty {
    fn after(good_calls: usize, fault: Fault) -> Self {
        Self { calls_left: Arc::new(AtomicUsize::new(good_calls)), fault }
    }
}

const BURNT: ModelError = ModelError::NoSuchNet { net: NetId(77), nets: 78 };

impl ModelFactory for Faulty {
    fn spec(&self) -> ModelSpec {
        SPEC
    }

    fn open(&self) -> Result<Box<dyn Model>, ModelError> {
        Ok(Box::new(self.clone()))
    }
}

impl Model for Faulty {
    fn spec(&self) -> ModelSpec {
        SPEC
    }

    fn forward(&mut self, net: NetId, rows: &[f32], out: &mut [f32]) -> Result<(), ModelError> {
        let left =
            self.calls_left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1));
        match (left, self.fault) {
            (Err(_), Fault::Error) => return Err(BURNT),
            (Err(_), Fault::Panic) => panic!("smoke from the {}", "device"),
            (Ok(_), _) => {}
        }
        for (row, out) in rows.chunks(SPEC.num_features).zip(out.chunks_mut(SPEC.num_outputs)) {
            next_numbers(net, row, out);
        }
        Ok(())
    }

    fn load(&mut self, _: NetId, weights: &Arc<Weights>) -> Result<(), ModelError> {
        if matches!(**weights, Weights::Mlp(_)) {
            return Err(ModelError::Kind { kind: weights.kind() });
        }
        Ok(())
    }
}

/// A model that tells when a forward call has begun, and ends it when told to.
fn gated() -> (impl ModelFactory, Receiver<()>, Sender<()>) {
    let (begun, has_begun) = bounded(100);
    let (open, gate) = bounded::<()>(100);
    let model = FunctionModel::new(SPEC, move |net: NetId, row: &[f32], out: &mut [f32]| {
        // Not every test wants to know.
        let _ = begun.try_send(());
        gate.recv().expect("the gate is opened or the test ends");
        next_numbers(net, row, out);
    });
    (model, has_begun, open)
}

fn config() -> ServerConfig {
    ServerConfig { warm_up: false, ..Default::default() }
}

fn start(model: &dyn ModelFactory, config: ServerConfig) -> Server {
    Server::start(&[model], config).expect("the server starts")
}

fn table() -> Arc<Weights> {
    let table = TableWeights { inputs: SPEC.num_features, outputs: SPEC.num_outputs, ..Default::default() };
    Arc::new(Weights::Table(table))
}

/// Lanes, groups and steps of a worker.
type Shape = (usize, usize, u32);

/// How an asking thread ends.
type Asking<T = ()> = JoinHandle<Result<T, EvaluatorError>>;

/// A worker on a thread of its own.
fn worker(mut client: Client, index: usize, (lanes, groups, steps): Shape) -> Asking<Vec<Walk>> {
    spawn(move || walk(&mut client, index, lanes, groups, steps, || ()))
}

/// Workers whose clients all exist before the first row is sent.
fn workers(server: &Server, shapes: &[Shape]) -> Vec<Result<Vec<Walk>, EvaluatorError>> {
    let clients = shapes.iter().map(|shape| server.client(shape.1).expect("the server runs"));
    let clients: Vec<_> = clients.collect();
    let threads = clients.into_iter().zip(shapes).enumerate();
    let threads = threads.map(|(index, (client, &shape))| worker(client, index, shape));
    let threads: Vec<_> = threads.collect();
    threads.into_iter().map(|thread| thread.join().expect("no worker panics")).collect()
}

fn assert_all_inline(results: Vec<Result<Vec<Walk>, EvaluatorError>>, shapes: &[Shape]) {
    for (index, (result, &(lanes, _, steps))) in results.into_iter().zip(shapes).enumerate() {
        assert_eq!(result.expect("nothing fails"), inline(index, lanes, steps));
    }
}

fn ask(client: &mut Client) -> Result<(), EvaluatorError> {
    client.submit(0, NetId(0), &Walk::new(0, 0, 1))?;
    client.wait()
}

const ENDLESS: u32 = u32::MAX;

#[test]
fn a_model_error_at_any_batch_reaches_every_worker_and_stays() {
    for (threads, good_calls) in [(1, 0), (1, 1), (1, 50), (2, 0), (2, 50)] {
        within_a_second(move || {
            let config = ServerConfig { server_threads: threads, min_batch: 1, ..config() };
            let server = start(&Faulty::after(good_calls, Fault::Error), config);
            for result in workers(&server, &[(1, 1, ENDLESS), (5, 2, ENDLESS), (3, 1, ENDLESS)]) {
                assert!(matches!(result, Err(EvaluatorError::Model(BURNT))), "{result:?}");
            }
            assert!(matches!(server.failure(), Some(EvaluatorError::Model(BURNT))));
            assert!(matches!(server.client(1).map(|mut client| ask(&mut client)), Err(_) | Ok(Err(_))));
            assert!(matches!(
                server.publish(1, &[]),
                Err(PublishError::Failed(EvaluatorError::Model(BURNT)))
            ));
            assert!(matches!(server.drain(), Err(EvaluatorError::Model(BURNT))));
        });
    }
}

#[test]
fn a_model_panic_reaches_every_worker_with_its_message() {
    within_a_second(|| {
        let server = start(&Faulty::after(20, Fault::Panic), config());
        for result in workers(&server, &[(1, 1, ENDLESS), (5, 2, ENDLESS)]) {
            let Err(EvaluatorError::ModelPanicked { message }) = result else { panic!("{result:?}") };
            assert_eq!(message, "smoke from the device");
        }
        assert!(matches!(server.abort(), Err(EvaluatorError::ModelPanicked { .. })));
    });
}

#[test]
fn an_error_during_warm_up_fails_the_start() {
    within_a_second(|| {
        let config = ServerConfig { padding_classes: vec![1, 8], ..Default::default() };
        for (good_calls, starts) in [(0, false), (8, false), (9, true)] {
            let model = Faulty::after(good_calls, Fault::Error);
            let result = Server::start(&[&model], config.clone());
            // Three networks, each with the classes 1, 8 and the largest batch.
            assert_eq!(result.is_ok(), starts, "{good_calls} good calls");
            assert!(matches!(result.err(), None | Some(StartError::Failed(EvaluatorError::Model(BURNT)))));
        }
    });
}

#[test]
fn a_worker_that_panics_leaves_the_quorum() {
    within_a_second(|| {
        // Only the quorum closes batches: the window is an hour.
        let config = ServerConfig { min_batch: 1000, batch_window_us: 3_600_000_000, ..config() };
        let server = start(&model(), config);
        let (mut panicking, survivor) =
            (server.client(2).unwrap(), worker(server.client(2).unwrap(), 1, (4, 2, 200)));
        let panicked = spawn(move || {
            let mut steps = 0;
            walk(&mut panicking, 0, 4, 2, ENDLESS, || {
                steps += 1;
                assert!(steps < 50, "a bug in a worker");
            })
        });
        assert!(panicked.join().is_err());
        assert_eq!(survivor.join().unwrap().unwrap(), inline(1, 4, 200));
        let metrics = server.drain().unwrap();
        assert_eq!(metrics.closes(CloseReason::Quorum), metrics.batches);
    });
}

#[test]
fn unequal_workers_and_early_ends_never_wait_for_the_window() {
    within_a_second(|| {
        let config = ServerConfig { min_batch: 1000, batch_window_us: 3_600_000_000, ..config() };
        let server = start(&model(), config);
        let shapes = [(1, 1, 1), (9, 2, 100), (4, 3, 0), (2, 1, 40)];
        assert_all_inline(workers(&server, &shapes), &shapes);
        let metrics = server.drain().unwrap();
        assert_eq!(metrics.closes(CloseReason::Quorum), metrics.batches);
    });
}

#[test]
fn a_resting_client_does_not_hold_the_others_up() {
    within_a_second(|| {
        let config = ServerConfig { min_batch: 1000, batch_window_us: 3_600_000_000, ..config() };
        let server = start(&model(), config);
        let mut resting = server.client(1).unwrap();
        ask(&mut resting).unwrap();
        resting.rest().unwrap();
        assert_all_inline(workers(&server, &[(3, 1, 20)]), &[(3, 1, 20)]);
        ask(&mut resting).unwrap();
        drop(resting);
        assert_eq!(server.drain().unwrap().rows, 62);
    });
}

#[test]
fn edge_knobs_end_cleanly() {
    let configs = [
        ServerConfig { max_batch: 1, ..config() },
        ServerConfig { batch_window_us: 0, ..config() },
        ServerConfig { batch_window_us: 10_000, ..config() },
        ServerConfig { batch_window_us: 10_000, min_batch: 1000, ..config() },
        ServerConfig { max_batch: 1, min_batch: 1, server_threads: 3, ..config() },
        ServerConfig { batch_window_us: u64::MAX, min_batch: usize::MAX, ..config() },
    ];
    for config in configs {
        for shapes in [&[(1, 1, 30)][..], &[(1, 1, 30), (7, 2, 10)]] {
            let config = config.clone();
            within_a_second(move || {
                let server = start(&model(), config.clone());
                assert_all_inline(workers(&server, shapes), shapes);
                let metrics = server.drain().unwrap();
                assert!(metrics.sizes.max() <= config.max_batch);
            });
        }
    }
}

/// A server whose device is held within a call for one client while another client's sweep waits.
fn held_up() -> (Server, Sender<()>, [Asking; 2]) {
    let (model, has_begun, open) = gated();
    let server = start(&model, ServerConfig { min_batch: 1, ..config() });
    let (mut first, mut second) = (server.client(1).unwrap(), server.client(1).unwrap());
    let running = spawn(move || ask(&mut first));
    has_begun.recv().unwrap();
    let (sent, has_sent) = bounded(1);
    let waiting = spawn(move || {
        second.submit(0, NetId(0), &Walk::new(0, 0, 1))?;
        second.flush()?;
        sent.send(()).unwrap();
        second.wait()
    });
    has_sent.recv().unwrap();
    (server, open, [running, waiting])
}

#[test]
fn drain_answers_what_was_sent_and_abort_only_what_runs() {
    within_a_second(|| {
        let (server, open, [running, waiting]) = held_up();
        open.send(()).unwrap();
        open.send(()).unwrap();
        assert_eq!(server.drain().unwrap().rows, 2);
        assert!(running.join().unwrap().is_ok() && waiting.join().unwrap().is_ok());
    });
    within_a_second(|| {
        let (server, open, [running, waiting]) = held_up();
        let aborting = spawn(move || server.abort());
        sleep(Duration::from_millis(50));
        open.send(()).unwrap();
        assert_eq!(aborting.join().unwrap().unwrap().rows, 1);
        assert!(running.join().unwrap().is_ok());
        assert!(matches!(waiting.join().unwrap(), Err(EvaluatorError::Stopped)));
    });
}

#[test]
fn clients_of_a_server_that_is_gone_are_told_so() {
    within_a_second(|| {
        let server = start(&model(), config());
        let (mut idle, endless) =
            (server.client(1).unwrap(), worker(server.client(2).unwrap(), 0, (3, 2, ENDLESS)));
        sleep(Duration::from_millis(20));
        drop(server);
        assert!(matches!(endless.join().unwrap(), Err(EvaluatorError::Stopped)));
        assert!(matches!(ask(&mut idle), Err(EvaluatorError::Stopped)));
        assert!(matches!(ask(&mut idle), Err(EvaluatorError::Stopped)), "and again");
    });
}

#[test]
fn a_wrong_version_is_refused_and_harms_nobody_else() {
    within_a_second(|| {
        // Both sweeps are in one batch: only the quorum closes it.
        let config = ServerConfig { min_batch: 1000, batch_window_us: 3_600_000_000, ..config() };
        let server = start(&Faulty::after(usize::MAX, Fault::Error), config);
        let mut stale = server.client(1).unwrap();
        server.publish(5, &[(NetId(1), table())]).unwrap();
        let mut current = server.client(1).unwrap();
        assert_eq!((stale.version(), current.version()), (0, 5));
        let asking = spawn(move || ask(&mut current));
        let error = ask(&mut stale).unwrap_err();
        assert!(matches!(error, EvaluatorError::VersionMismatch { expected: 0, got: 5 }));
        assert!(asking.join().unwrap().is_ok());
        drop(stale);
        let mut renewed = server.client(1).unwrap();
        server.publish(6, &[]).unwrap();
        renewed.expect_version(6);
        ask(&mut renewed).unwrap();
        assert!(server.failure().is_none());
    });
}

#[test]
fn weights_are_published_only_at_a_barrier_and_only_if_they_fit() {
    within_a_second(|| {
        let (server, open, [running, waiting]) = held_up();
        let error = server.publish(1, &[]).unwrap_err();
        assert!(matches!(error, PublishError::SweepsInFlight { sweeps: 2 }), "{error}");
        open.send(()).unwrap();
        open.send(()).unwrap();
        running.join().unwrap().unwrap();
        waiting.join().unwrap().unwrap();
        server.publish(1, &[]).unwrap();
        let error = server.publish(1, &[]).unwrap_err();
        assert!(matches!(error, PublishError::VersionNotNewer { current: 1, got: 1 }));
        let error = server.publish(2, &[(NetId(3), table())]).unwrap_err();
        assert!(matches!(error, PublishError::Model(ModelError::NoSuchNet { .. })));
        let narrow = Arc::new(Weights::Table(TableWeights { inputs: 1, outputs: 3, ..Default::default() }));
        let error = server.publish(2, &[(NetId(0), narrow)]).unwrap_err();
        assert!(matches!(error, PublishError::Model(ModelError::Shape { what: "inputs", .. })));
        assert_eq!(server.version(), 1);
    });
}

#[test]
fn weights_that_a_model_cannot_load_stop_the_server() {
    within_a_second(|| {
        let layer = deepcfr_core::Dense { inputs: 2, outputs: 3, weight: vec![0.0; 6], bias: vec![0.0; 3] };
        let activation = Default::default();
        let mlp = deepcfr_core::MlpWeights { layers: vec![layer], activation, output_scale: 1.0 };
        let config = ServerConfig { server_threads: 2, ..config() };
        let server = start(&Faulty::after(usize::MAX, Fault::Error), config);
        let error = server.publish(1, &[(NetId(0), Arc::new(Weights::Mlp(mlp)))]).unwrap_err();
        let PublishError::Failed(EvaluatorError::Model(ModelError::Kind { kind })) = error else {
            panic!("{error}")
        };
        assert_eq!((kind, server.version()), ("mlp", 0));
        assert!(server.failure().is_some());
    });
}

#[test]
fn servers_that_cannot_work_do_not_start() {
    let narrow = FunctionModel::new(ModelSpec { num_outputs: 1, ..SPEC }, next_numbers);
    assert!(matches!(Server::start(&[], config()), Err(StartError::NoDevice)));
    let result = Server::start(&[&model(), &narrow], config());
    assert!(matches!(result, Err(StartError::SpecsDiffer { index: 1, .. })));
    let zero = ServerConfig { server_threads: 0, ..config() };
    let result = Server::start(&[&model()], zero);
    assert!(matches!(result, Err(StartError::Config(ConfigError::Zero { knob: "server_threads" }))));
}

#[test]
fn an_unknown_network_is_an_error_of_the_submit() {
    let server = start(&model(), config());
    let mut client = server.client(1).unwrap();
    let error = client.submit(0, NetId(3), &Walk::new(0, 0, 1)).unwrap_err();
    assert!(matches!(error, EvaluatorError::Model(ModelError::NoSuchNet { nets: 3, .. })));
    ask(&mut client).unwrap();
}
