//! The server's handle: start, publish, clients, metrics, and the two ways to end. The protocol is
//! in the crate's documentation. Not here: batches and forward passes.

use std::convert::Infallible;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{Builder, JoinHandle};

use crossbeam::channel::{Receiver, Sender, bounded, select};
use deepcfr_core::{EvaluatorError, Model, ModelError, ModelFactory, ModelSpec, NetId, Weights};

use crate::client::Client;
use crate::collector::Collector;
use crate::config::{ConfigError, ServerConfig};
use crate::events::{Control, Event, Inbox, Publication};
use crate::metrics::ServerMetrics;
use crate::runner::{Runner, Token};
use crate::shared::{Shared, Signals};

/// How many events can be queued before clients have to wait for room.
const EVENT_CAPACITY: usize = 1024;

/// An inference server: threads that answer the rows of many clients in common batches.
///
/// Dropping it is [`Server::abort`] without a report.
pub struct Server {
    shared: Arc<Shared>,
    events: Sender<Event>,
    controls: Vec<Sender<Control>>,
    threads: Vec<JoinHandle<()>>,
    /// Held while weights are published.
    publishing: Mutex<()>,
}

impl Server {
    /// Starts `config.server_threads` threads for each device, which all take batches from one
    /// queue. Returns once every model is open and warm (as far as it runs without weights).
    ///
    /// # Errors
    /// A knob out of range, devices that do not agree, or one that cannot be opened or warmed up.
    pub fn start(devices: &[&dyn ModelFactory], config: ServerConfig) -> Result<Self, StartError> {
        config.validate()?;
        let spec = common_spec(devices)?;
        let models = open_models(devices, config.server_threads)?;
        // One place although nothing is ever sent: waiting on a channel without any allocates.
        let (stop, stopped) = bounded(1);
        let (alive, ended) = bounded(1);
        let (events, queue) = bounded(EVENT_CAPACITY);
        let shared = Arc::new(Shared::new(spec, config, Signals { stop, ended }));
        let mut server =
            Self { shared, events, controls: vec![], threads: vec![], publishing: Mutex::new(()) };
        server.spawn(models, &queue, &stopped, &alive)?;
        server.load_everywhere(Publication { version: 0, weights: vec![] }).map_err(StartError::Failed)?;
        tracing::debug!(threads = server.threads.len(), "the inference server has started");
        Ok(server)
    }

    fn spawn(
        &mut self,
        models: Vec<Box<dyn Model>>,
        queue: &Receiver<Event>,
        stopped: &Receiver<Infallible>,
        alive: &Sender<Infallible>,
    ) -> Result<(), StartError> {
        let (give, take) = bounded(1);
        give.send(Box::new(Collector::new(Arc::clone(&self.shared)))).expect("there is room for one");
        for (index, model) in models.into_iter().enumerate() {
            let (control, orders) = bounded(1);
            let inbox = Inbox { events: queue.clone(), control: orders, stop: stopped.clone() };
            let token = Token { give: give.clone(), take: take.clone() };
            let runner = Runner::new(Arc::clone(&self.shared), inbox, token, model);
            let name = format!("inference-{index}");
            let alive = alive.clone();
            let thread = Builder::new().name(name).spawn(move || {
                runner.run();
                drop(alive);
            });
            self.threads.push(thread.map_err(StartError::Thread)?);
            self.controls.push(control);
        }
        Ok(())
    }

    /// Puts weights in force on every thread, as `version`; networks that are not named keep
    /// theirs. Returns once all have them. To be called at a barrier, while no sweep is in flight.
    ///
    /// # Errors
    /// Everything but [`PublishError::Failed`] leaves the server as it was; that one has stopped it.
    pub fn publish(&self, version: u64, weights: &[(NetId, Arc<Weights>)]) -> Result<(), PublishError> {
        let _alone = self.publishing.lock().unwrap_or_else(PoisonError::into_inner);
        if self.shared.closing.load(Ordering::Acquire) {
            return Err(self.shared.why_stopped().into());
        }
        let current = self.version();
        if version <= current {
            return Err(PublishError::VersionNotNewer { current, got: version });
        }
        for (net, weights) in weights {
            check_shape(&self.shared.spec, *net, weights)?;
        }
        // No lock against sweeps: the caller stands at a barrier, and this finds one that does not. A sweep that
        // slips in after it is refused by its version, so no row is ever answered by the wrong weights.
        let sweeps = self.shared.sweeps_in_flight();
        if sweeps > 0 {
            return Err(PublishError::SweepsInFlight { sweeps });
        }
        self.load_everywhere(Publication { version, weights: weights.to_vec() })?;
        self.shared.version.store(version, Ordering::Release);
        tracing::debug!(version, nets = weights.len(), "published weights");
        Ok(())
    }

    fn load_everywhere(&self, publication: Publication) -> Result<(), EvaluatorError> {
        let publication = Arc::new(publication);
        let (done, loaded) = bounded(self.controls.len());
        for control in &self.controls {
            let order = Control::Load { publication: Arc::clone(&publication), done: done.clone() };
            control.send(order).map_err(|_| self.shared.why_stopped())?;
        }
        // The last sender is an order's: with one of its own this thread would wait for ever after the others
        // have failed.
        drop(done);
        for _ in &self.controls {
            select! {
                recv(loaded) -> loaded => loaded.map_err(|_| self.shared.why_stopped())?,
                // The order may lie in the queue of a thread that has ended.
                recv(self.shared.ended) -> _ => return Err(self.shared.why_stopped()),
            }
        }
        Ok(())
    }

    /// Registers a client that has up to `groups` sweeps under way at a time: 1 for a worker that
    /// waits for every answer, 2 for one whose lanes advance in two groups.
    ///
    /// # Errors
    /// If the server has stopped.
    ///
    /// # Panics
    /// If `groups` is 0.
    pub fn client(&self, groups: usize) -> Result<Client, EvaluatorError> {
        assert!(groups > 0, "a client without groups could never send");
        Client::new(Arc::clone(&self.shared), self.events.clone(), groups)
    }

    /// The weight version in force; 0 before the first publication.
    pub fn version(&self) -> u64 {
        self.shared.version.load(Ordering::Acquire)
    }

    /// The shape of the models.
    pub fn spec(&self) -> ModelSpec {
        self.shared.spec
    }

    /// What stopped the server, if it failed.
    pub fn failure(&self) -> Option<EvaluatorError> {
        self.shared.failure()
    }

    /// What happened since the last call, or since the start.
    pub fn take_metrics(&self) -> ServerMetrics {
        let peak = self.shared.take_rows_peak();
        self.shared.tally().take(self.controls.len(), peak)
    }

    /// Ends the server after answering everything that has been sent.
    ///
    /// # Errors
    /// What the server failed with, now or before.
    pub fn drain(mut self) -> Result<ServerMetrics, EvaluatorError> {
        // Clients are turned away before the event is queued: what they have sent lies before it in the same
        // queue and is answered; what slips in behind it is given up when the last thread ends.
        self.shared.closing.store(true, Ordering::Release);
        // A server that has already stopped has nothing to drain.
        let _ = self.events.send(Event::Drain);
        self.join();
        self.report()
    }

    /// Ends the server after the forward calls that are running; sweeps that still wait get
    /// [`EvaluatorError::Stopped`].
    ///
    /// # Errors
    /// What the server failed with, now or before.
    pub fn abort(mut self) -> Result<ServerMetrics, EvaluatorError> {
        self.shared.stop();
        self.join();
        self.report()
    }

    fn report(&self) -> Result<ServerMetrics, EvaluatorError> {
        self.failure().map_or_else(|| Ok(self.take_metrics()), Err)
    }

    fn join(&mut self) {
        for thread in self.threads.drain(..) {
            // A thread that panicked has stopped the server and answered its sweeps.
            let _ = thread.join();
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.shared.stop();
        self.join();
    }
}

fn common_spec(devices: &[&dyn ModelFactory]) -> Result<ModelSpec, StartError> {
    let expected = devices.first().ok_or(StartError::NoDevice)?.spec();
    for (index, device) in devices.iter().enumerate() {
        let got = device.spec();
        if got != expected {
            return Err(StartError::SpecsDiffer { index, expected, got });
        }
    }
    Ok(expected)
}

fn open_models(devices: &[&dyn ModelFactory], threads: usize) -> Result<Vec<Box<dyn Model>>, ModelError> {
    devices.iter().flat_map(|device| (0..threads).map(|_| device.open())).collect()
}

fn check_shape(spec: &ModelSpec, net: NetId, weights: &Weights) -> Result<(), ModelError> {
    if net.index() >= spec.num_nets {
        return Err(ModelError::NoSuchNet { net, nets: spec.num_nets });
    }
    let shapes =
        [("inputs", spec.num_features, weights.inputs()), ("outputs", spec.num_outputs, weights.outputs())];
    for (what, expected, got) in shapes {
        if expected != got {
            return Err(ModelError::Shape { what, expected, got });
        }
    }
    Ok(())
}

/// Why the server did not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// No device was given.
    #[error("the inference server needs at least one device")]
    NoDevice,
    /// The devices' models have different shapes.
    #[error("device {index} offers {got:?}, the first one {expected:?}")]
    SpecsDiffer {
        /// The device's position.
        index: usize,
        /// The first device's shape.
        expected: ModelSpec,
        /// This device's shape.
        got: ModelSpec,
    },
    /// A knob is out of range.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// A device could not be opened.
    #[error("failed to open a model: {0}")]
    Open(#[from] ModelError),
    /// A thread could not be started.
    #[error("failed to start a server thread: {0}")]
    Thread(#[source] std::io::Error),
    /// A model failed during warm-up.
    #[error("failed to warm up: {0}")]
    Failed(#[source] EvaluatorError),
}

/// Why weights were not published.
#[derive(Clone, Debug, thiserror::Error)]
pub enum PublishError {
    /// Not at a barrier.
    #[error("{sweeps} sweeps are in flight: weights are published between them")]
    SweepsInFlight {
        /// How many.
        sweeps: usize,
    },
    /// Versions only grow.
    #[error("version {got} is not newer than version {current}")]
    VersionNotNewer {
        /// The version in force.
        current: u64,
        /// The version offered.
        got: u64,
    },
    /// The weights do not fit the models.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The server has failed or stopped.
    #[error(transparent)]
    Failed(#[from] EvaluatorError),
}
