//! An inference-batching server: many workers send rows, few devices answer them in large batches.
//!
//! Deliberately absent: games, traversals, networks. It serves anything that implements
//! [`deepcfr_core::Model`]; [`FunctionModel`] serves a plain function.
//!
//! ```
//! use deepcfr_core::{Evaluator, InfosetKey, ModelSpec, NetId, Query};
//! use deepcfr_serve::{FunctionModel, Server, ServerConfig};
//!
//! struct Number(f32);
//! impl Query for Number {
//!     fn key(&self) -> InfosetKey {
//!         InfosetKey(self.0.to_bits().into())
//!     }
//!     fn encode(&self, row: &mut [f32]) {
//!         row[0] = self.0;
//!     }
//! }
//!
//! let spec = ModelSpec { num_features: 1, num_outputs: 1, num_nets: 1, row_invariant: true };
//! let square = FunctionModel::new(spec, |_, row: &[f32], out: &mut [f32]| out[0] = row[0] * row[0]);
//! let server = Server::start(&[&square], ServerConfig::default()).unwrap();
//! let mut client = server.client(1).unwrap();
//! for lane in 0..3 {
//!     client.submit(lane, NetId(0), &Number(lane as f32)).unwrap();
//! }
//! client.wait().unwrap();
//! while let Some(lane) = client.next_ready() {
//!     assert_eq!(client.output(lane), [(lane * lane) as f32]);
//! }
//! drop(client);
//! assert_eq!(server.drain().unwrap().rows, 3);
//! ```
//!
//! # Protocol
//!
//! The unit is a *sweep*: all rows that a client has queued, a block per network, in buffers that
//! it owns, lends to the server and gets back. Clients speak to the server through one bounded
//! queue of events (joined, left, sweep, waiting, drain), so that the server sees everything in
//! order; a sweep goes back through a queue of its client's own. All queues are crossbeam channels.
//!
//! One server thread at a time collects: it holds the *collector*, a value that the threads hand
//! to each other through a queue with one place. It takes events until a batch closes, passes the
//! collector on, runs the batch on its own model, and sends the sweeps back.
//!
//! A batch closes for the first of these reasons that holds:
//!
//! 1. **full**: `max_batch` rows of one network wait.
//! 2. **drain**: the server is being drained.
//! 3. **quorum**: every client that exists is blocked: all its groups are at the server, or it has
//!    said that it waits. Nothing more can come, so waiting longer cannot grow the batch.
//! 4. **idle**: `min_batch` rows wait. The collecting thread has nothing else to do, so its device
//!    is idle.
//! 5. **window**: the oldest sweep has waited for `batch_window_us`.
//!
//! A client with two groups that works on one while the other is at the server is not blocked: the
//! quorum waits for it, and rule 4 is what keeps the device busy meanwhile.
//!
//! Creating a client joins the quorum. Dropping it, also while a panic unwinds, leaves the quorum,
//! discards its waiting sweeps and wakes the server. [`deepcfr_core::Evaluator::rest`]
//! leaves until the next sweep, for a worker that pauses without dropping its client.
//!
//! Weights are immutable and versioned. [`Server::publish`] puts them in force on every thread and
//! refuses to while a sweep is in flight. A sweep carries the version that it is meant for; one with
//! another version than the thread's is refused with [`deepcfr_core::EvaluatorError::VersionMismatch`],
//! and the rest of its batch is not affected.
//!
//! # Failure and shutdown
//!
//! No path can leave a client waiting: a sweep that a server thread has taken is a ticket that sends
//! it back when it is dropped, and a sweep that still lies in the queue when the last thread ends is
//! given up by its client, which waits for that end as well as for its sweep. If a model fails or
//! panics:
//!
//! 1. Its thread records the error. It is the server's for good, and every client's from now on.
//! 2. It disconnects the stop channel, which every thread listens to, and turns new sweeps away.
//! 3. It drops its batch; the clients get their sweeps back and find the error.
//! 4. Each thread ends after its running batch, whose sweeps are answered. The collector goes with
//!    the thread that holds it or with the last one; its sweeps go back as in step 3.
//! 5. The end of the last thread wakes the clients whose sweeps are still in the queue.
//!
//! [`Server::drain`] answers what was sent:
//!
//! 1. New sweeps are turned away with [`deepcfr_core::EvaluatorError::Stopped`].
//! 2. The drain event goes to the end of the queue, behind every sweep that was sent before.
//! 3. From then on batches close at once, until nothing waits.
//! 4. The collecting thread disconnects the stop channel; the others end after their batch.
//! 5. Clients whose sweeps slipped in behind the event are told *stopped* by the threads' end.
//! 6. The threads are joined.
//!
//! [`Server::abort`], and dropping the server, answer only what is already running:
//!
//! 1. New sweeps are turned away and the stop channel is disconnected.
//! 2. Each thread ends after its running batch, whose sweeps are answered.
//! 3. The clients of all other sweeps are told *stopped*: the collector's sweeps go back, the
//!    queue's are given up at the last thread's end.
//! 4. The threads are joined.
//!
//! A forward call that never returns holds up its clients and both ways to end: nothing can
//! interrupt it.

mod client;
mod collector;
mod config;
mod engine;
mod events;
mod function;
mod metrics;
mod runner;
mod server;
mod shared;
mod simulated;
mod sweep;

pub use client::Client;
pub use config::{ConfigError, ServerConfig};
pub use function::FunctionModel;
pub use metrics::{CloseReason, ServerMetrics, in_flight_bound};
pub use server::{PublishError, Server, StartError};
pub use simulated::SimulatedDevice;
