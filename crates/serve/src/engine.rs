//! A model with the buffers that a thread gathers rows in: gather, pad, call, scatter. Not here:
//! which sweeps are run, and what is counted.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use deepcfr_core::{EvaluatorError, Model, ModelError, NetId};

use crate::shared::Shared;
use crate::sweep::Ticket;

/// One forward call, as it was run.
pub(crate) struct Call {
    pub(crate) rows: usize,
    pub(crate) padding: usize,
    pub(crate) forward: Duration,
}

/// A model with the buffers that rows of several sweeps are gathered in.
pub(crate) struct Engine {
    model: Box<dyn Model>,
    rows: Vec<f32>,
    out: Vec<f32>,
}

impl Engine {
    pub(crate) fn new(model: Box<dyn Model>, shared: &Shared) -> Self {
        let (spec, max_batch) = (&shared.spec, shared.config.max_batch);
        let rows = vec![0.0; max_batch * spec.num_features];
        Self { model, rows, out: vec![0.0; max_batch * spec.num_outputs] }
    }

    /// Calls the model; a panic becomes an error.
    pub(crate) fn guarded(
        &mut self,
        call: impl FnOnce(&mut dyn Model) -> Result<(), ModelError>,
    ) -> Result<(), EvaluatorError> {
        // After a panic the thread ends, so nobody sees a model that was left half-way.
        let result = catch_unwind(AssertUnwindSafe(|| call(self.model.as_mut())));
        Ok(result.map_err(|payload| EvaluatorError::ModelPanicked { message: message_of(&*payload) })??)
    }

    /// Whether the network could run.
    pub(crate) fn warm_up(&mut self, net: NetId, shared: &Shared) -> Result<bool, EvaluatorError> {
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
    pub(crate) fn run_in_place(
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
    pub(crate) fn run_gathered(
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
