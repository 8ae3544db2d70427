//! A worker: one thread's lanes over one evaluator.
//!
//! A sweep is: resume every lane whose answer has arrived, each until it needs another row; then
//! wait. A lane that finishes takes the next traversal at once. With two groups, a sweep's rows are
//! handed over as soon as the sweep is complete, so that one group's rows are under way while the
//! other group advances.

use std::ops::Range;
use std::time::{Duration, Instant};

use deepcfr_core::{Encoder, Evaluator, EvaluatorError, Game};

use super::commit::Finished;
use super::lane::{Context, Lane, Step};
use super::recording::Recording;
use super::scheme::Scheme;

/// Finished traversals are handed in this many at a time, or sooner if they are long: buffers that
/// come back early are still in the processor's cache.
pub(super) const HAND_IN: usize = 32;

/// The nodes of finished traversals that are worth handing in at once.
const HAND_IN_NODES: u64 = 512;

/// Where a worker gets traversals and leaves results.
pub(super) trait Desk<P> {
    /// Claims traversals. With `patient` this may block until there are some.
    fn claim(&mut self, patient: bool) -> Claim;

    /// Leaves results; `finished` is empty afterwards. Gives used buffers in return, as many as were
    /// left if it has them.
    fn hand_in(&mut self, finished: &mut Vec<Finished<P>>, spare: &mut Vec<Recording<P>>);

    /// Whether the iteration is over, whatever is still in flight.
    fn is_closed(&self) -> bool;
}

/// The answer to a claim.
pub(super) enum Claim {
    /// These traversals are the worker's to do.
    Traversals(Range<u32>),
    /// Too far ahead of the oldest traversal in flight: ask again after finishing some.
    Later,
    /// There are no more.
    Closed,
}

/// Time spent by a worker.
#[derive(Clone, Copy, Default)]
pub(super) struct WorkerTimes {
    pub(super) inference_wait: Duration,
    pub(super) logic: Duration,
}

pub(super) struct Worker<'a, G: Game, E, S: Scheme<G>, V, D> {
    context: &'a Context<'a, G, E>,
    scheme: &'a S,
    evaluator: &'a mut V,
    desk: D,
    lanes: Vec<Lane<G, S>>,
    idle: Vec<usize>,
    /// Rows submitted and not yet answered.
    outstanding: usize,
    claimed: Range<u32>,
    spare: Vec<Recording<G::State>>,
    finished: Vec<Finished<G::State>>,
    /// Nodes of the traversals in `finished`.
    finished_nodes: u64,
    inference_wait: Duration,
}

impl<'a, G, E, S, V, D> Worker<'a, G, E, S, V, D>
where
    G: Game,
    E: Encoder<G>,
    S: Scheme<G>,
    V: Evaluator,
    D: Desk<G::State>,
{
    pub(super) fn new(
        context: &'a Context<'a, G, E>,
        scheme: &'a S,
        evaluator: &'a mut V,
        desk: D,
        lanes: usize,
    ) -> Self {
        Self {
            context,
            scheme,
            evaluator,
            desk,
            lanes: (0..lanes).map(|_| Lane::new(context)).collect(),
            idle: (0..lanes).rev().collect(),
            outstanding: 0,
            claimed: 0..0,
            spare: Vec::new(),
            finished: Vec::with_capacity(HAND_IN),
            finished_nodes: 0,
            inference_wait: Duration::ZERO,
        }
    }

    /// Works until the desk closes.
    pub(super) fn run(mut self, groups: usize) -> Result<(WorkerTimes, D), EvaluatorError> {
        let start = Instant::now();
        self.start_group(self.lanes.len().div_ceil(groups))?;
        if groups > 1 {
            self.evaluator.flush()?;
        }
        while self.start_group(usize::MAX)? {
            if groups > 1 {
                self.evaluator.flush()?;
            }
            self.wait()?;
            self.resume_ready()?;
        }
        self.drain()?;
        let times = WorkerTimes {
            inference_wait: self.inference_wait,
            logic: start.elapsed().saturating_sub(self.inference_wait),
        };
        Ok((times, self.desk))
    }

    /// Gives traversals to idle lanes, `most` times at most. `false` when there is nothing left to do.
    fn start_group(&mut self, most: usize) -> Result<bool, EvaluatorError> {
        for _ in 0..most {
            let Some(lane) = self.idle.pop() else { break };
            let patient = self.outstanding == 0;
            if patient {
                self.hand_in();
                self.evaluator.rest()?;
            }
            if !self.begin(lane, patient) {
                self.idle.push(lane);
                break;
            }
            self.drive(lane)?;
        }
        Ok(self.outstanding > 0 && !self.desk.is_closed())
    }

    fn wait(&mut self) -> Result<(), EvaluatorError> {
        let start = Instant::now();
        self.evaluator.wait()?;
        self.inference_wait += start.elapsed();
        Ok(())
    }

    fn resume_ready(&mut self) -> Result<(), EvaluatorError> {
        while let Some(lane) = self.evaluator.next_ready() {
            self.outstanding -= 1;
            self.lanes[lane].answer(self.context, self.scheme, self.evaluator.output(lane));
            self.drive(lane)?;
        }
        Ok(())
    }

    /// Advances a lane, traversal after traversal, until it needs a row or there is no work for it.
    fn drive(&mut self, lane: usize) -> Result<(), EvaluatorError> {
        loop {
            match self.lanes[lane].advance(self.context, self.scheme) {
                Step::NeedsRow => {
                    self.outstanding += 1;
                    return self.lanes[lane].submit(self.context, lane, self.evaluator);
                }
                Step::Finished => self.finish(lane),
            }
            if !self.begin(lane, false) {
                self.idle.push(lane);
                return Ok(());
            }
        }
    }

    fn finish(&mut self, lane: usize) {
        let (index, recording) = self.lanes[lane].finish();
        self.finished_nodes += recording.nodes;
        self.finished.push((index, recording));
        if self.finished.len() == HAND_IN || self.finished_nodes >= HAND_IN_NODES {
            self.hand_in();
        }
    }

    fn hand_in(&mut self) {
        self.finished_nodes = 0;
        self.desk.hand_in(&mut self.finished, &mut self.spare);
    }

    /// Gives a lane its next traversal, if there is one.
    fn begin(&mut self, lane: usize, patient: bool) -> bool {
        if self.claimed.is_empty() {
            match self.desk.claim(patient) {
                Claim::Traversals(range) => self.claimed = range,
                Claim::Later => {
                    self.hand_in();
                    return false;
                }
                Claim::Closed => return false,
            }
        }
        let index = self.claimed.next().expect("a claim is not empty");
        let recording = self.spare.pop().unwrap_or_default();
        self.lanes[lane].begin(self.context, index, recording);
        true
    }

    /// Takes back rows that nobody needs any more, and leaves what was finished.
    fn drain(&mut self) -> Result<(), EvaluatorError> {
        self.hand_in();
        while self.outstanding > 0 {
            self.evaluator.wait()?;
            while self.evaluator.next_ready().is_some() {
                self.outstanding -= 1;
            }
        }
        self.evaluator.rest()
    }
}
