//! A worker's side of the server: fills sweeps, sends them, and reads the answers. Not here: any
//! decision about batches.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use crossbeam::channel::{Receiver, Sender, bounded, select};
use deepcfr_core::{Evaluator, EvaluatorError, ModelError, NetId, Query};

use crate::events::Event;
use crate::shared::Shared;
use crate::sweep::{Outcome, Place, Route, Sweep, Ticket};

/// A worker's access to the server's networks. Belongs to one thread, may be moved to it.
///
/// It has up to `groups` sweeps under way; [`Evaluator::flush`] sends what is queued if one more
/// may be, and [`Evaluator::wait`] does so too before it waits for the oldest. While it exists, the
/// server counts on it (see the crate's documentation): drop it when its worker is done.
///
/// After an error the client answers every call with that error.
pub struct Client {
    shared: Arc<Shared>,
    events: Sender<Event>,
    route: Arc<Route>,
    replies: Receiver<Sweep>,
    /// Weights that the rows are meant for.
    version: u64,
    /// Collects rows.
    filling: Sweep,
    /// Its answers are being read.
    ready: Option<Sweep>,
    /// How many lanes of `ready` have been named.
    named: usize,
    /// Sweeps at rest.
    spare: Vec<Sweep>,
    /// Sweeps that came back before their turn.
    early: VecDeque<Sweep>,
    sent: u64,
    received: u64,
    /// Where the last answer of each lane lies within `ready`.
    places: Vec<Place>,
    /// One more than the highest lane so far.
    lanes: usize,
    failed: Option<EvaluatorError>,
}

impl Client {
    pub(crate) fn new(
        shared: Arc<Shared>,
        events: Sender<Event>,
        groups: usize,
    ) -> Result<Self, EvaluatorError> {
        let (reply, replies) = bounded(groups);
        let client = shared.next_client.fetch_add(1, Ordering::Relaxed);
        let returned = AtomicU64::new(0);
        let route = Arc::new(Route { client, groups, returned, reply, shared: Arc::clone(&shared) });
        let sweep = || Sweep::new(Arc::clone(&route), shared.spec.num_nets);
        // `groups` under way, one being read, one being filled.
        let (filling, spare) = (sweep(), (0..=groups).map(|_| sweep()).collect());
        let version = shared.version.load(Ordering::Acquire);
        events.send(Event::Joined(Arc::clone(&route))).map_err(|_| shared.why_stopped())?;
        Ok(Self {
            shared,
            events,
            route,
            replies,
            version,
            filling,
            ready: None,
            named: 0,
            spare,
            early: VecDeque::with_capacity(groups),
            sent: 0,
            received: 0,
            places: Vec::new(),
            lanes: 0,
            failed: None,
        })
    }

    /// The weight version that this client's rows are meant for: at first the one in force when the
    /// client was created.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// Means the rows that are sent from now on for other weights.
    pub fn expect_version(&mut self, version: u64) {
        self.version = version;
    }

    fn in_flight(&self) -> u64 {
        self.sent - self.received
    }

    fn check(&self) -> Result<(), EvaluatorError> {
        match &self.failed {
            None => Ok(()),
            Some(error) => Err(error.clone()),
        }
    }

    fn fail<T>(&mut self, error: EvaluatorError) -> Result<T, EvaluatorError> {
        self.failed = Some(error.clone());
        Err(error)
    }

    /// Sends the queued rows if there are any and another sweep may be under way.
    fn hand_over(&mut self) -> Result<(), EvaluatorError> {
        if self.filling.num_rows() == 0 || self.in_flight() == self.route.groups as u64 {
            return Ok(());
        }
        if self.shared.closing.load(Ordering::Acquire) {
            return self.fail(self.shared.why_stopped());
        }
        let empty = self.spare.pop().expect("there are two more sweeps than may be under way");
        let mut sweep = std::mem::replace(&mut self.filling, empty);
        sweep.sequence = self.sent;
        sweep.version = self.version;
        sweep.lanes = self.lanes;
        sweep.sent_at = Instant::now();
        self.sent += 1;
        match self.events.send(Event::Sweep(Ticket::new(sweep))) {
            Ok(()) => Ok(()),
            Err(_) => self.fail(self.shared.why_stopped()),
        }
    }

    fn announce_waiting(&mut self) -> Result<(), EvaluatorError> {
        // Sweeps that came back early are back: the server has counted them as returned.
        let returned = self.received + self.early.len() as u64;
        let event = Event::Waiting { client: self.route.client, returned };
        match self.events.send(event) {
            Ok(()) => Ok(()),
            Err(_) => self.fail(self.shared.why_stopped()),
        }
    }

    /// Makes the last answers' sweep one at rest.
    fn release_ready(&mut self) {
        if let Some(mut sweep) = self.ready.take() {
            sweep.clear();
            self.spare.push(sweep);
        }
    }

    /// The oldest sweep under way, once it is back.
    fn receive_oldest(&mut self) -> Result<Sweep, EvaluatorError> {
        // Several server threads may answer in another order than they were asked. A worker's groups of lanes
        // advance in turn, so the order of sending is what it is told, and what is early waits here.
        let oldest = self.received;
        if let Some(index) = self.early.iter().position(|sweep| sweep.sequence == oldest) {
            return Ok(self.early.remove(index).expect("the position was just found"));
        }
        loop {
            let sweep = match self.replies.try_recv() {
                Ok(sweep) => sweep,
                Err(_) => self.await_reply()?,
            };
            if sweep.sequence == oldest {
                return Ok(sweep);
            }
            self.early.push_back(sweep);
        }
    }

    fn await_reply(&mut self) -> Result<Sweep, EvaluatorError> {
        let at_the_server = self.in_flight() - self.early.len() as u64;
        // With every group at the server, the server knows by itself that this client waits.
        if at_the_server < self.route.groups as u64 {
            self.announce_waiting()?;
        }
        let reply = select! {
            recv(self.replies) -> sweep => sweep.ok(),
            // The sweep may lie in the queue for ever, or have come back just before.
            recv(self.shared.ended) -> _ => self.replies.try_recv().ok(),
        };
        match reply {
            Some(sweep) => Ok(sweep),
            None => self.fail(self.shared.why_stopped()),
        }
    }

    fn read(&mut self, sweep: Sweep) {
        for &place in &sweep.places {
            self.places[place.lane] = place;
        }
        self.named = 0;
        self.ready = Some(sweep);
    }
}

impl Evaluator for Client {
    fn submit<Q: Query>(&mut self, lane: usize, net: NetId, query: &Q) -> Result<(), EvaluatorError> {
        self.check()?;
        let spec = self.shared.spec;
        let Some(block) = self.filling.blocks.get_mut(net.index()) else {
            return Err(ModelError::NoSuchNet { net, nets: spec.num_nets }.into());
        };
        let place = Place { lane, net, row: block.count };
        query.encode(block.push(&spec));
        self.filling.places.push(place);
        if lane >= self.lanes {
            self.lanes = lane + 1;
            self.places.resize(self.lanes, place);
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<(), EvaluatorError> {
        self.check()?;
        self.hand_over()
    }

    fn wait(&mut self) -> Result<(), EvaluatorError> {
        self.check()?;
        self.release_ready();
        self.hand_over()?;
        if self.in_flight() == 0 {
            return Ok(());
        }
        let sweep = self.receive_oldest()?;
        self.received += 1;
        match &sweep.outcome {
            Outcome::Answered => {
                self.read(sweep);
                Ok(())
            }
            Outcome::Refused(error) => self.fail(error.clone()),
            Outcome::Dropped => self.fail(self.shared.why_stopped()),
        }
    }

    fn rest(&mut self) -> Result<(), EvaluatorError> {
        self.check()?;
        self.announce_waiting()
    }

    fn next_ready(&mut self) -> Option<usize> {
        let place = self.ready.as_ref()?.places.get(self.named)?;
        self.named += 1;
        Some(place.lane)
    }

    fn output(&self, lane: usize) -> &[f32] {
        let ready = self.ready.as_ref().expect("a lane is ready until the next wait");
        let place = self.places[lane];
        ready.blocks[place.net.index()].output(place.row, &self.shared.spec)
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // A server that is gone does not count on anybody.
        let _ = self.events.send(Event::Left { client: self.route.client });
    }
}
