//! A server thread: takes a batch, runs it on its model, sends the sweeps back. Not here: when a
//! batch closes.

use std::any::Any;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crossbeam::channel::{Receiver, Sender, TryRecvError, select};
use deepcfr_core::{EvaluatorError, Model, ModelError, NetId};

use crate::collector::{Batch, Collected, Collector, Inbox};
use crate::metrics::{BatchRecord, CloseReason};
use crate::server::{Control, Publication};
use crate::shared::Shared;
use crate::sweep::{Outcome, Ticket};

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
        select! {
            recv(self.token.take) -> collector => collector.map_err(|_| Collected::Stop),
            recv(self.inbox.control) -> control => Err(control.map_or(Collected::Stop, Collected::Control)),
            recv(self.inbox.stop) -> _ => Err(Collected::Stop),
        }
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

/// One forward call, as it was run.
struct Call {
    rows: usize,
    padding: usize,
    forward: Duration,
}

/// A model with the buffers that rows of several sweeps are gathered in.
struct Engine {
    model: Box<dyn Model>,
    rows: Vec<f32>,
    out: Vec<f32>,
}

impl Engine {
    fn new(model: Box<dyn Model>, shared: &Shared) -> Self {
        let (spec, max_batch) = (&shared.spec, shared.config.max_batch);
        let rows = vec![0.0; max_batch * spec.num_features];
        Self { model, rows, out: vec![0.0; max_batch * spec.num_outputs] }
    }

    /// Calls the model; a panic becomes an error.
    fn guarded(
        &mut self,
        call: impl FnOnce(&mut dyn Model) -> Result<(), ModelError>,
    ) -> Result<(), EvaluatorError> {
        // After a panic the thread ends, so nobody sees a model that was left half-way.
        let result = catch_unwind(AssertUnwindSafe(|| call(self.model.as_mut())));
        Ok(result.map_err(|payload| EvaluatorError::ModelPanicked { message: message_of(&*payload) })??)
    }

    /// Whether the network could run.
    fn warm_up(&mut self, net: NetId, shared: &Shared) -> Result<bool, EvaluatorError> {
        let spec = shared.spec;
        for size in shared.config.warm_up_sizes() {
            let rows = vec![0.0; size * spec.num_features];
            let mut out = vec![0.0; size * spec.num_outputs];
            match self.guarded(|model| model.forward(net, &rows, &mut out)) {
                Err(EvaluatorError::Model(ModelError::NotLoaded { .. })) => return Ok(false),
                result => result?,
            }
        }
        Ok(true)
    }

    /// Runs a network's rows where they lie: only one sweep has any.
    fn run_in_place(
        &mut self,
        net: usize,
        tickets: &mut [Ticket],
        shared: &Shared,
        note: &mut impl FnMut(Call),
    ) -> Result<(), EvaluatorError> {
        let (spec, max_batch) = (&shared.spec, shared.config.max_batch);
        let blocks = tickets.iter_mut().map(|ticket| &mut ticket.sweep_mut().blocks[net]);
        for block in blocks.filter(|block| block.count > 0) {
            let (rows, out) = block.split(spec);
            let chunks = rows.chunks(max_batch * spec.num_features);
            for (rows, out) in chunks.zip(out.chunks_mut(max_batch * spec.num_outputs)) {
                let forward = self.forward(net, rows, out)?;
                note(Call { rows: rows.len() / spec.num_features, padding: 0, forward });
            }
        }
        Ok(())
    }

    fn forward(&mut self, net: usize, rows: &[f32], out: &mut [f32]) -> Result<Duration, EvaluatorError> {
        let start = Instant::now();
        self.guarded(|model| model.forward(NetId(net as u16), rows, out))?;
        Ok(start.elapsed())
    }

    /// Gathers a network's rows of all sweeps, runs them in calls of at most `max_batch`, each
    /// padded to its class, and scatters the answers.
    fn run_gathered(
        &mut self,
        net: usize,
        tickets: &mut [Ticket],
        shared: &Shared,
        note: &mut impl FnMut(Call),
    ) -> Result<(), EvaluatorError> {
        let spec = shared.spec;
        let count = self.gather(net, tickets, shared);
        for start in (0..count).step_by(shared.config.max_batch) {
            let rows = (count - start).min(shared.config.max_batch);
            let end = start + shared.config.padded(rows);
            self.grow(end, shared);
            self.rows[(start + rows) * spec.num_features..end * spec.num_features].fill(0.0);
            let from = std::mem::take(&mut self.rows);
            let mut to = std::mem::take(&mut self.out);
            let (f, o) = (spec.num_features, spec.num_outputs);
            let result = self.forward(net, &from[start * f..end * f], &mut to[start * o..end * o]);
            (self.rows, self.out) = (from, to);
            note(Call { rows, padding: end - start - rows, forward: result? });
        }
        self.scatter(net, tickets, shared);
        Ok(())
    }

    /// Makes room for `rows` rows.
    fn grow(&mut self, rows: usize, shared: &Shared) {
        if self.rows.len() < rows * shared.spec.num_features {
            self.rows.resize(rows * shared.spec.num_features, 0.0);
            self.out.resize(rows * shared.spec.num_outputs, 0.0);
        }
    }

    fn gather(&mut self, net: usize, tickets: &mut [Ticket], shared: &Shared) -> usize {
        let mut count = 0;
        for ticket in tickets {
            let block = &mut ticket.sweep_mut().blocks[net];
            let start = count * shared.spec.num_features;
            count += block.count;
            self.grow(count, shared);
            let (rows, _) = block.split(&shared.spec);
            self.rows[start..start + rows.len()].copy_from_slice(rows);
        }
        count
    }

    fn scatter(&self, net: usize, tickets: &mut [Ticket], shared: &Shared) {
        let mut start = 0;
        for ticket in tickets {
            let (_, out) = ticket.sweep_mut().blocks[net].split(&shared.spec);
            out.copy_from_slice(&self.out[start..start + out.len()]);
            start += out.len();
        }
    }
}

/// What a panic said.
fn message_of(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().map(ToString::to_string);
    text.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_else(|| "no message".into())
}
