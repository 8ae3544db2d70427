//! A client's rows on their way to the server and back: owned buffers that are reused for ever, and
//! the ticket that guarantees an answer. Not here: when a sweep is sent or run.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use crossbeam::channel::Sender;
use deepcfr_core::{EvaluatorError, ModelSpec, NetId};

use crate::shared::Shared;

/// The rows of one network within a sweep. The buffers only ever grow.
#[derive(Default)]
pub(crate) struct Block {
    rows: Vec<f32>,
    out: Vec<f32>,
    /// How many rows of the buffers are in use.
    pub(crate) count: usize,
}

impl Block {
    /// Appends a row and returns it for writing; it holds whatever was there before.
    pub(crate) fn push(&mut self, spec: &ModelSpec) -> &mut [f32] {
        let start = self.count * spec.num_features;
        self.count += 1;
        let end = self.count * spec.num_features;
        if self.rows.len() < end {
            self.rows.resize(end, 0.0);
            self.out.resize(self.count * spec.num_outputs, 0.0);
        }
        &mut self.rows[start..end]
    }

    /// The rows in use and the space for their answers.
    pub(crate) fn split(&mut self, spec: &ModelSpec) -> (&[f32], &mut [f32]) {
        let rows = &self.rows[..self.count * spec.num_features];
        (rows, &mut self.out[..self.count * spec.num_outputs])
    }

    /// The answer to a row.
    pub(crate) fn output(&self, row: usize, spec: &ModelSpec) -> &[f32] {
        &self.out[row * spec.num_outputs..][..spec.num_outputs]
    }
}

/// Where the row of a lane lies within a sweep.
#[derive(Clone, Copy)]
pub(crate) struct Place {
    pub(crate) lane: usize,
    pub(crate) net: NetId,
    pub(crate) row: usize,
}

/// What became of a sweep.
pub(crate) enum Outcome {
    /// Every block holds its answers.
    Answered,
    /// This sweep alone was at fault.
    Refused(EvaluatorError),
    /// The server let go of it: it failed or was stopped.
    Dropped,
}

/// The way back to a client, and what the server must know of it.
pub(crate) struct Route {
    pub(crate) client: u64,
    /// The most sweeps that the client has under way at a time.
    pub(crate) groups: usize,
    /// How many sweeps have been sent back so far; counted before each is sent.
    pub(crate) returned: AtomicU64,
    /// Holds `groups` sweeps, so that sending back never blocks.
    pub(crate) reply: Sender<Sweep>,
    pub(crate) shared: Arc<Shared>,
}

/// All the rows that a client sends together.
pub(crate) struct Sweep {
    pub(crate) route: Arc<Route>,
    /// One per network, in the order of their numbers.
    pub(crate) blocks: Vec<Block>,
    /// In the order of submission.
    pub(crate) places: Vec<Place>,
    /// Counts the client's sweeps.
    pub(crate) sequence: u64,
    /// The weight version that the rows are meant for.
    pub(crate) version: u64,
    /// How many lanes the client is known to have.
    pub(crate) lanes: usize,
    pub(crate) sent_at: Instant,
    pub(crate) outcome: Outcome,
}

impl Sweep {
    pub(crate) fn new(route: Arc<Route>, num_nets: usize) -> Self {
        Self {
            route,
            blocks: (0..num_nets).map(|_| Block::default()).collect(),
            places: Vec::new(),
            sequence: 0,
            version: 0,
            lanes: 0,
            sent_at: Instant::now(),
            outcome: Outcome::Dropped,
        }
    }

    pub(crate) fn num_rows(&self) -> usize {
        self.places.len()
    }

    /// Empties the sweep; the buffers stay.
    pub(crate) fn clear(&mut self) {
        self.places.clear();
        self.blocks.iter_mut().for_each(|block| block.count = 0);
    }
}

/// A sweep in the server's hands. Whatever happens to the ticket, the client gets its sweep back:
/// dropping it (a panic's unwinding and a discarded queue included) answers [`Outcome::Dropped`].
pub(crate) struct Ticket {
    /// `None` only once the sweep has been sent back.
    sweep: Option<Sweep>,
}

impl Ticket {
    /// Takes a sweep into the server's hands.
    pub(crate) fn new(sweep: Sweep) -> Self {
        sweep.route.shared.entered(sweep.num_rows());
        Self { sweep: Some(sweep) }
    }

    pub(crate) fn sweep(&self) -> &Sweep {
        self.sweep.as_ref().expect("a ticket holds its sweep until it is answered")
    }

    pub(crate) fn sweep_mut(&mut self) -> &mut Sweep {
        self.sweep.as_mut().expect("a ticket holds its sweep until it is answered")
    }

    /// Sends the sweep back.
    pub(crate) fn answer(mut self, outcome: Outcome) {
        self.send_back(outcome);
    }

    fn send_back(&mut self, outcome: Outcome) {
        let Some(mut sweep) = self.sweep.take() else { return };
        sweep.outcome = outcome;
        let route = Arc::clone(&sweep.route);
        route.shared.left(sweep.num_rows());
        route.returned.fetch_add(1, Ordering::Release);
        // A client that is gone does not miss its sweep.
        let _ = route.reply.send(sweep);
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        self.send_back(Outcome::Dropped);
    }
}
