//! Shares out the traversals of a run among workers and brings their results to the committer.
//!
//! One worker runs on the calling thread and commits as it goes. Several run on scoped threads
//! around a ledger under one lock, taken once per batch of traversals and never per node:
//!
//! 1. A worker claims the next few traversals. It may not claim beyond `window` traversals after the
//!    oldest uncommitted one; it then goes on with what it has, or blocks if it has nothing.
//! 2. It leaves finished traversals in the ledger and wakes the calling thread, which commits them
//!    in order, outside the lock, puts the emptied buffers back and wakes blocked workers.
//! 3. The oldest uncommitted traversal is always with a worker that is not blocked, because a worker
//!    blocks only after leaving everything it finished: so somebody can always go on.
//! 4. Closing (last traversal committed, node budget reached, failure, panic on either side) wakes
//!    everybody; workers take back their outstanding rows and leave. The calling thread goes when
//!    the last worker has left.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::ScopedJoinHandle;

use deepcfr_core::{Encoder, Evaluator, EvaluatorError, Game, SampleSink};

use super::commit::{Committer, Finished};
use super::context::Context;
use super::error::TraversalError;
use super::lane::{Course, Lane};
use super::plan::TraversalPlan;
use super::recording::Recording;
use super::scheme::Scheme;
use super::share::{Claim, Desk, HAND_IN, Share};
use super::stats::TraversalStats;
use crate::lanes::{Driver, DriverTimes};

/// Runs all traversals on the calling thread.
pub(super) fn run_alone<G: Game, E: Encoder<G>, V: Evaluator>(
    context: &Context<'_, G, E>,
    plan: &TraversalPlan,
    scheme: &impl Scheme<G>,
    evaluator: &mut V,
    sink: &mut dyn SampleSink,
) -> Result<TraversalStats, TraversalError> {
    let shares = Shares::new(plan, 1);
    let committer = Committer::new(context, sink, plan, shares.window as usize);
    let desk = OwnDesk { committer, shares, next: 0, spare: Vec::new() };
    let (times, desk) = drive(context, plan, scheme, evaluator, desk, 1)?;
    let mut stats = desk.committer.into_stats();
    stats.times.inference_wait = times.inference_wait;
    stats.times.logic = times.logic.saturating_sub(stats.times.commit);
    Ok(stats)
}

/// Runs the traversals on one thread per evaluator; the calling thread commits.
pub(super) fn run_threads<G: Game, E: Encoder<G>, V: Evaluator + Send>(
    context: &Context<'_, G, E>,
    plan: &TraversalPlan,
    scheme: &impl Scheme<G>,
    evaluators: &mut [V],
    sink: &mut dyn SampleSink,
) -> Result<TraversalStats, TraversalError> {
    let workers = evaluators.len();
    let exchange = Exchange::new(Shares::new(plan, workers), workers);
    let mut committer = Committer::new(context, sink, plan, exchange.shares.window as usize);
    let results: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = evaluators
            .iter_mut()
            .map(|evaluator| scope.spawn(|| work(&exchange, context, plan, scheme, evaluator, workers)))
            .collect();
        exchange.commit_until_closed(&mut committer);
        threads.into_iter().map(joined).collect()
    });
    let mut stats = committer.into_stats();
    for result in results {
        let times = result?;
        stats.times.inference_wait += times.inference_wait;
        stats.times.logic += times.logic;
    }
    Ok(stats)
}

fn work<G: Game, E: Encoder<G>, V: Evaluator>(
    exchange: &Exchange<G::State>,
    context: &Context<'_, G, E>,
    plan: &TraversalPlan,
    scheme: &impl Scheme<G>,
    evaluator: &mut V,
    workers: usize,
) -> Result<DriverTimes, EvaluatorError> {
    let _presence = Presence(exchange);
    let (times, _) = drive(context, plan, scheme, evaluator, SharedDesk(exchange), workers)?;
    Ok(times)
}

/// Works at `desk`, one of `workers`, until it closes.
fn drive<G: Game, E: Encoder<G>, V: Evaluator, D: Desk<G::State>>(
    context: &Context<'_, G, E>,
    plan: &TraversalPlan,
    scheme: &impl Scheme<G>,
    evaluator: &mut V,
    desk: D,
    workers: usize,
) -> Result<(DriverTimes, D), EvaluatorError> {
    let lanes = (0..plan.lanes_per_worker(workers)).map(|_| Lane::new(context)).collect();
    let course = Course { context, scheme };
    let (times, share) =
        Driver::new(&course, evaluator, Share::new(context, desk), lanes).run(plan.groups)?;
    Ok((times, share.desk))
}

fn joined<T>(thread: ScopedJoinHandle<'_, T>) -> T {
    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

/// How traversals are shared out.
#[derive(Clone, Copy)]
struct Shares {
    count: u64,
    /// Traversals in a claim.
    block: u64,
    /// How far a claim may reach beyond the oldest uncommitted traversal.
    window: u64,
}

impl Shares {
    fn new(plan: &TraversalPlan, workers: usize) -> Self {
        let count = u64::from(plan.count);
        let in_flight = (workers * plan.lanes_per_worker(workers)) as u64;
        Self {
            count,
            block: (count / (4 * in_flight)).clamp(1, HAND_IN as u64),
            window: (4 * in_flight).max(8 * HAND_IN as u64),
        }
    }

    /// The next traversals to claim; empty if the window is full.
    fn next(&self, next: u64, committed: u64) -> Range<u32> {
        let end = (next + self.block).min(self.count).min(committed + self.window);
        next as u32..end.max(next) as u32
    }
}

/// The desk of a lone worker.
struct OwnDesk<'a, G: Game, E> {
    committer: Committer<'a, G, E>,
    shares: Shares,
    next: u64,
    spare: Vec<Recording<G::State>>,
}

impl<G: Game, E: Encoder<G>> Desk<G::State> for OwnDesk<'_, G, E> {
    fn claim(&mut self, _patient: bool) -> Claim {
        if self.next == self.shares.count || self.is_closed() {
            return Claim::Closed;
        }
        let range = self.shares.next(self.next, u64::from(self.committer.next()));
        if range.is_empty() {
            return Claim::Later;
        }
        self.next = u64::from(range.end);
        Claim::Traversals(range)
    }

    fn hand_in(&mut self, finished: &mut Vec<Finished<G::State>>, spare: &mut Vec<Recording<G::State>>) {
        let most = finished.len();
        self.committer.accept(finished, &mut self.spare);
        take_spare(&mut self.spare, spare, most);
    }

    fn is_closed(&self) -> bool {
        self.committer.is_done()
    }

    /// Nobody else is there to be told.
    fn close(&mut self) {}
}

/// The state that workers and the calling thread share.
struct Exchange<P> {
    shares: Shares,
    ledger: Mutex<Ledger<P>>,
    /// Signalled when a blocked worker may go on.
    work: Condvar,
    /// Signalled when the calling thread has something to do.
    results: Condvar,
    closed: AtomicBool,
}

struct Ledger<P> {
    next: u64,
    committed: u64,
    workers: usize,
    finished: Vec<Finished<P>>,
    spare: Vec<Recording<P>>,
}

impl<P> Exchange<P> {
    fn new(shares: Shares, workers: usize) -> Self {
        let ledger = Ledger { next: 0, committed: 0, workers, finished: Vec::new(), spare: Vec::new() };
        Self {
            shares,
            ledger: Mutex::new(ledger),
            work: Condvar::new(),
            results: Condvar::new(),
            closed: AtomicBool::new(false),
        }
    }

    /// No code that can panic runs under the lock but `Vec` growth, so a poisoned ledger is whole.
    fn lock(&self) -> MutexGuard<'_, Ledger<P>> {
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Relaxed)
    }

    /// Sets the flag under the lock: a worker that is about to block sees it or is woken.
    fn close(&self) {
        let _ledger = self.lock();
        self.closed.store(true, Ordering::Relaxed);
        self.work.notify_all();
    }

    fn commit_until_closed<G, E>(&self, committer: &mut Committer<'_, G, E>)
    where
        G: Game<State = P>,
        E: Encoder<G>,
    {
        let guard = CloseOnDrop(self);
        let (mut finished, mut spare) = (Vec::new(), Vec::new());
        while self.collect(&mut finished) {
            committer.accept(&mut finished, &mut spare);
            let mut ledger = self.lock();
            ledger.committed = u64::from(committer.next());
            ledger.spare.append(&mut spare);
            self.work.notify_all();
            drop(ledger);
            if committer.is_done() {
                self.close();
            }
        }
        drop(guard);
    }

    /// Waits for results and takes them; `false` when all workers have left and nothing is there.
    fn collect(&self, finished: &mut Vec<Finished<P>>) -> bool {
        let mut ledger = self.lock();
        while ledger.finished.is_empty() && ledger.workers > 0 {
            ledger = self.results.wait(ledger).unwrap_or_else(PoisonError::into_inner);
        }
        std::mem::swap(&mut ledger.finished, finished);
        !finished.is_empty()
    }
}

/// The desk of a worker among several.
struct SharedDesk<'a, P>(&'a Exchange<P>);

impl<P> Desk<P> for SharedDesk<'_, P> {
    fn claim(&mut self, patient: bool) -> Claim {
        let exchange = self.0;
        let mut ledger = exchange.lock();
        loop {
            if ledger.next == exchange.shares.count || exchange.is_closed() {
                return Claim::Closed;
            }
            let range = exchange.shares.next(ledger.next, ledger.committed);
            if !range.is_empty() {
                ledger.next = u64::from(range.end);
                return Claim::Traversals(range);
            }
            if !patient {
                return Claim::Later;
            }
            ledger = exchange.work.wait(ledger).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn hand_in(&mut self, finished: &mut Vec<Finished<P>>, spare: &mut Vec<Recording<P>>) {
        if !finished.is_empty() {
            let mut ledger = self.0.lock();
            take_spare(&mut ledger.spare, spare, finished.len());
            ledger.finished.append(finished);
            self.0.results.notify_one();
        }
    }

    fn is_closed(&self) -> bool {
        self.0.is_closed()
    }

    fn close(&mut self) {
        self.0.close();
    }
}

/// A worker's presence; leaves on drop, and closes the run if that is a panic.
struct Presence<'a, P>(&'a Exchange<P>);

impl<P> Drop for Presence<'_, P> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.close();
        }
        self.0.lock().workers -= 1;
        self.0.results.notify_one();
    }
}

/// Closes the run when the calling thread stops committing, a panicking sink included.
struct CloseOnDrop<'a, P>(&'a Exchange<P>);

impl<P> Drop for CloseOnDrop<'_, P> {
    fn drop(&mut self) {
        self.0.close();
    }
}

/// Moves the buffers that were used last, at most `most`.
fn take_spare<P>(from: &mut Vec<Recording<P>>, to: &mut Vec<Recording<P>>, most: usize) {
    let left = from.len() - most.min(from.len());
    to.extend(from.drain(left..));
}
