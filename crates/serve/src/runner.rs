//! A server thread: takes a batch, runs it on its model, sends the sweeps back. Not here: when a
//! batch closes.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use crossbeam::channel::{Receiver, Sender, TryRecvError, select};
use deepcfr_core::{EvaluatorError, Model, NetId};

use crate::collector::{Batch, Collected, Collector};
use crate::engine::{Call, Engine};
use crate::events::{Control, Inbox, Publication};
use crate::metrics::{BatchRecord, CloseReason};
use crate::shared::Shared;
use crate::sweep::Outcome;

/// How the threads pass the collector around: whoever takes it collects.
pub(crate) struct Token {
    pub(crate) give: Sender<Box<Collector>>,
    pub(crate) take: Receiver<Box<Collector>>,
}

pub(crate) struct Runner {
    pub(crate) shared: Arc<Shared>,
    pub(crate) inbox: Inbox,
    pub(crate) token: Token,
    engine: Engine,
    batch: Batch,
    /// The version that this thread's model holds.
    version: u64,
    warmed: Vec<bool>,
    /// Rows of each forward call of the batch, by network.
    calls: Vec<(usize, usize)>,
}

/// Whatever ends a server thread, a bug's panic included, ends them all, so that nobody waits for
/// a batch that nobody will run.
struct StopWithMe(Arc<Shared>);

impl Drop for StopWithMe {
    fn drop(&mut self) {
        self.0.stop();
    }
}

impl Runner {
    pub(crate) fn new(shared: Arc<Shared>, inbox: Inbox, token: Token, model: Box<dyn Model>) -> Self {
        let engine = Engine::new(model, &shared);
        let warmed = vec![false; shared.spec.num_nets];
        Self { shared, inbox, token, engine, batch: Batch::default(), version: 0, warmed, calls: Vec::new() }
    }

    /// Serves until the server stops or the model fails.
    pub(crate) fn run(mut self) {
        let _stop = StopWithMe(Arc::clone(&self.shared));
        while self.step().is_continue() {}
    }

    /// Waits for something to do and does it.
    fn step(&mut self) -> ControlFlow<()> {
        if self.inbox.stop.try_recv() == Err(TryRecvError::Disconnected) {
            return ControlFlow::Break(());
        }
        let collected = match self.take_collector() {
            Ok(mut collector) => {
                let collected = collector.collect(&self.inbox, &mut self.batch);
                if !matches!(collected, Collected::Stop) {
                    // There is one collector and room for one: this never blocks.
                    self.token.give.send(collector).expect("this thread holds a receiver");
                }
                collected
            }
            Err(collected) => collected,
        };
        match collected {
            Collected::Batch(reason) => self.serve(reason),
            Collected::Control(control) => self.obey(control),
            Collected::Stop => ControlFlow::Break(()),
        }
    }

    /// Waits for the collector, or for something that comes before it.
    fn take_collector(&self) -> Result<Box<Collector>, Collected> {
        if let Ok(control) = self.inbox.control.try_recv() {
            return Err(Collected::Control(control));
        }
        self.shared.threads_waiting.fetch_add(1, Ordering::Relaxed);
        let taken = select! {
            recv(self.token.take) -> collector => collector.map_err(|_| Collected::Stop),
            recv(self.inbox.control) -> control => Err(control.map_or(Collected::Stop, Collected::Control)),
            recv(self.inbox.stop) -> _ => Err(Collected::Stop),
        };
        self.shared.threads_waiting.fetch_sub(1, Ordering::Relaxed);
        taken
    }

    fn obey(&mut self, control: Control) -> ControlFlow<()> {
        let Control::Load { publication, done } = control;
        match self.load(&publication) {
            Ok(()) => {
                // A publisher that has given up does not miss the answer.
                let _ = done.send(());
                ControlFlow::Continue(())
            }
            // First the reason, then the end of `done`: the publisher looks for the reason.
            Err(error) => self.fail(error),
        }
    }

    fn fail(&self, error: EvaluatorError) -> ControlFlow<()> {
        self.shared.fail(error);
        ControlFlow::Break(())
    }

    fn load(&mut self, publication: &Publication) -> Result<(), EvaluatorError> {
        for (net, weights) in &publication.weights {
            self.engine.guarded(|model| model.load(*net, weights))?;
        }
        self.version = publication.version;
        if self.shared.config.warm_up {
            self.warm_up()?;
        }
        Ok(())
    }

    /// Runs every batch size class of the networks that can run and have not been warmed up yet.
    fn warm_up(&mut self) -> Result<(), EvaluatorError> {
        for net in 0..self.warmed.len() {
            if !self.warmed[net] {
                self.warmed[net] = self.engine.warm_up(NetId(net as u16), &self.shared)?;
            }
        }
        Ok(())
    }

    fn serve(&mut self, reason: CloseReason) -> ControlFlow<()> {
        match self.run_batch(reason) {
            Ok(()) => {
                for ticket in self.batch.tickets.drain(..) {
                    ticket.answer(Outcome::Answered);
                }
                ControlFlow::Continue(())
            }
            // First the reason, then the tickets go: their clients look for the reason.
            Err(error) => self.fail(error),
        }
    }

    fn run_batch(&mut self, reason: CloseReason) -> Result<(), EvaluatorError> {
        let start = Instant::now();
        self.refuse_wrong_versions();
        let mut record =
            BatchRecord { reason, lanes: self.batch.lanes, forward: Duration::ZERO, padding_rows: 0 };
        self.calls.clear();
        for net in 0..self.shared.spec.num_nets {
            self.run_net(net, &mut record)?;
        }
        self.note(start, &record);
        Ok(())
    }

    fn refuse_wrong_versions(&mut self) {
        let got = self.version;
        for ticket in self.batch.tickets.extract_if(.., |ticket| ticket.sweep().version != got) {
            let expected = ticket.sweep().version;
            ticket.answer(Outcome::Refused(EvaluatorError::VersionMismatch { expected, got }));
        }
    }

    /// Runs the batch's rows of one network. A forward pass over several networks at once would
    /// take the place of the loop over this.
    fn run_net(&mut self, net: usize, record: &mut BatchRecord) -> Result<(), EvaluatorError> {
        let mut asking = self.batch.tickets.iter().filter(|ticket| ticket.sweep().blocks[net].count > 0);
        let calls = &mut self.calls;
        let mut note = |call: Call| {
            calls.push((net, call.rows));
            record.forward += call.forward;
            record.padding_rows += call.padding;
        };
        match (asking.next(), asking.next()) {
            (None, _) => Ok(()),
            (Some(_), None) if self.shared.config.padding_classes.is_empty() => {
                self.engine.run_in_place(net, &mut self.batch.tickets, &self.shared, &mut note)
            }
            _ => self.engine.run_gathered(net, &mut self.batch.tickets, &self.shared, &mut note),
        }
    }

    /// Counts the batch before its sweeps go back, so that a client that has its answers finds them
    /// in the metrics.
    fn note(&mut self, start: Instant, record: &BatchRecord) {
        let now = Instant::now();
        let mut tally = self.shared.tally();
        for &(net, rows) in &self.calls {
            tally.note_call(net, rows);
        }
        for ticket in &self.batch.tickets {
            let sweep = ticket.sweep();
            let queued = start.saturating_duration_since(sweep.sent_at);
            tally.note_sweep(sweep.num_rows(), queued, now.saturating_duration_since(sweep.sent_at));
        }
        tally.note_batch(record);
    }
}
