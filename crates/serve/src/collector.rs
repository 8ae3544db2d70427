//! Forms batches: keeps the waiting sweeps, knows which clients can still send, and decides when a
//! batch closes. One value that the server's threads pass around; its holder collects.
//!
//! Not here: forward passes, and the threads that wait for a batch.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use crossbeam::channel::{TryRecvError, select};

use crate::events::{Control, Event, Inbox};
use crate::metrics::CloseReason;
use crate::shared::Shared;
use crate::sweep::{Route, Ticket};

/// How long a thread without a deadline sleeps before it looks again.
const NO_DEADLINE: Duration = Duration::from_secs(3600);

/// How collecting ended.
pub(crate) enum Collected {
    Batch(CloseReason),
    Control(Control),
    Stop,
}

/// Sweeps that are run together.
#[derive(Default)]
pub(crate) struct Batch {
    pub(crate) tickets: Vec<Ticket>,
    /// Rows per network.
    rows: Vec<usize>,
    /// The lanes of all clients that exist.
    pub(crate) lanes: usize,
}

impl Batch {
    fn has_room_for(&self, ticket: &Ticket, max_batch: usize) -> bool {
        let blocks = &ticket.sweep().blocks;
        self.rows.iter().zip(blocks).all(|(rows, block)| rows + block.count <= max_batch)
    }

    fn push(&mut self, ticket: Ticket) {
        for (rows, block) in self.rows.iter_mut().zip(&ticket.sweep().blocks) {
            *rows += block.count;
        }
        self.tickets.push(ticket);
    }
}

struct Slot {
    route: Arc<Route>,
    /// Sweeps that have reached the collector.
    received: u64,
    /// The `returned` of the last `Waiting` since the last sweep.
    waiting_at: Option<u64>,
    lanes: usize,
}

impl Slot {
    /// Whether the client can send nothing before it gets a sweep back.
    fn is_blocked(&self) -> bool {
        // Counted before a sweep is sent back: in doubt a client counts as able to send, and the batch waits a
        // little longer than it must rather than closing without rows that were about to come. For the same
        // reason "I wait" holds only as long as nothing has come back since.
        let returned = self.route.returned.load(Ordering::Acquire);
        self.received == returned + self.route.groups as u64 || self.waiting_at == Some(returned)
    }
}

pub(crate) struct Collector {
    shared: Arc<Shared>,
    pending: VecDeque<Ticket>,
    /// Waiting rows per network.
    rows: Vec<usize>,
    slots: Vec<Slot>,
    draining: bool,
}

impl Collector {
    pub(crate) fn new(shared: Arc<Shared>) -> Self {
        let rows = vec![0; shared.spec.num_nets];
        Self { shared, pending: VecDeque::new(), rows, slots: Vec::new(), draining: false }
    }

    /// Waits until a batch closes, and moves its sweeps into `batch`.
    pub(crate) fn collect(&mut self, inbox: &Inbox, batch: &mut Batch) -> Collected {
        loop {
            if inbox.stop.try_recv() == Err(TryRecvError::Disconnected) {
                return Collected::Stop;
            }
            // Everything that has arrived is noted before the batch is judged: rows that are here already cost
            // no waiting, and a client whose event lies in the queue would be taken for one that may still
            // send. A full batch is not kept waiting for that: what follows it is the next one's.
            while !self.is_full()
                && let Ok(event) = inbox.events.try_recv()
            {
                self.note(event);
            }
            if let Some(reason) = self.close_reason() {
                self.take(batch);
                return Collected::Batch(reason);
            }
            if self.draining {
                return Collected::Stop;
            }
            select! {
                recv(inbox.events) -> event => match event {
                    Ok(event) => self.note(event),
                    Err(_) => return Collected::Stop,
                },
                recv(inbox.control) -> control => return control.map_or(Collected::Stop, Collected::Control),
                recv(inbox.stop) -> _ => return Collected::Stop,
                default(self.time_left()) => {}
            }
        }
    }

    fn note(&mut self, event: Event) {
        match event {
            Event::Joined(route) => {
                self.slots.push(Slot { route, received: 0, waiting_at: None, lanes: 0 });
            }
            Event::Left { client } => self.forget(client),
            Event::Sweep(ticket) => self.note_sweep(ticket),
            Event::Waiting { client, returned } => {
                if let Some(slot) = self.slot(client) {
                    slot.waiting_at = Some(returned);
                }
            }
            Event::Drain => self.draining = true,
        }
    }

    fn slot(&mut self, client: u64) -> Option<&mut Slot> {
        self.slots.iter_mut().find(|slot| slot.route.client == client)
    }

    fn note_sweep(&mut self, ticket: Ticket) {
        let sweep = ticket.sweep();
        let lanes = sweep.lanes;
        if let Some(slot) = self.slot(sweep.route.client) {
            slot.received += 1;
            slot.waiting_at = None;
            slot.lanes = lanes;
        }
        for (rows, block) in self.rows.iter_mut().zip(&sweep.blocks) {
            *rows += block.count;
        }
        self.pending.push_back(ticket);
    }

    /// A client is gone: its sweeps are not worth running.
    fn forget(&mut self, client: u64) {
        self.slots.retain(|slot| slot.route.client != client);
        self.pending.retain(|ticket| ticket.sweep().route.client != client);
        self.rows.fill(0);
        for ticket in &self.pending {
            for (rows, block) in self.rows.iter_mut().zip(&ticket.sweep().blocks) {
                *rows += block.count;
            }
        }
    }

    fn is_full(&self) -> bool {
        self.rows.iter().any(|&rows| rows >= self.shared.config.max_batch)
    }

    fn close_reason(&self) -> Option<CloseReason> {
        if self.pending.is_empty() {
            None
        } else if self.is_full() {
            Some(CloseReason::Full)
        } else if self.draining {
            Some(CloseReason::Drain)
        } else if self.slots.iter().all(Slot::is_blocked) {
            Some(CloseReason::Quorum)
        } else if self.rows.iter().sum::<usize>() >= self.shared.config.min_batch {
            Some(CloseReason::Idle)
        } else if self.time_left().is_zero() {
            Some(CloseReason::Window)
        } else {
            None
        }
    }

    /// How long the oldest sweep may still be held back.
    fn time_left(&self) -> Duration {
        let window = Duration::from_micros(self.shared.config.batch_window_us);
        let oldest = self.pending.front().map(|ticket| ticket.sweep().sent_at);
        oldest.map_or(NO_DEADLINE, |sent_at| (sent_at + window).saturating_duration_since(Instant::now()))
    }

    /// Moves the oldest sweeps into `batch`: at least one, and as many as fit into one call a
    /// network and make this thread's share.
    fn take(&mut self, batch: &mut Batch) {
        debug_assert!(batch.tickets.is_empty());
        batch.lanes = self.slots.iter().map(|slot| slot.lanes).sum();
        batch.rows.clear();
        batch.rows.resize(self.rows.len(), 0);
        let others = self.shared.threads_waiting.load(Ordering::Relaxed);
        let share = self.shared.config.share(self.rows.iter().sum(), others);
        while let Some(ticket) = self.pending.front() {
            let enough = batch.rows.iter().sum::<usize>() >= share
                || !batch.has_room_for(ticket, self.shared.config.max_batch);
            if !batch.tickets.is_empty() && enough {
                break;
            }
            batch.push(self.pending.pop_front().expect("the front was just seen"));
        }
        for (waiting, taken) in self.rows.iter_mut().zip(&batch.rows) {
            *waiting -= taken;
        }
    }
}
