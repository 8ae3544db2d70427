//! What traversals and matches share: *lanes* that pause where a network must answer, and one driver
//! that advances many of them over an [`Evaluator`].
//!
//! The seams are [`Lane`], one walk in flight, and [`Work`], which gives lanes something to do and takes
//! their results. Both are generic: nothing here is called through a pointer, locked or allocated for a
//! node. Not here: what a lane walks, and how work is shared out among workers.

use deepcfr_core::{Evaluator, EvaluatorError};

mod driver;

pub(crate) use driver::{Driver, DriverTimes};

/// How many groups the lanes of a worker may form.
pub(crate) const GROUPS: std::ops::RangeInclusive<usize> = 1..=2;

/// Why a lane stopped advancing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// The lane's position must be submitted, then answered.
    NeedsRow,
    /// The walk is over.
    Finished,
}

/// One walk in flight, then the next in the same place. `C` is what all lanes of a run share.
pub(crate) trait Lane<C> {
    /// Why a run can fail.
    type Error: From<EvaluatorError>;

    /// Walks on until a row is needed or the walk is over.
    fn advance(&mut self, context: &C) -> Result<Step, Self::Error>;

    /// Hands the paused position's row to the evaluator, as lane `number`.
    fn submit(
        &mut self,
        context: &C,
        number: usize,
        evaluator: &mut impl Evaluator,
    ) -> Result<(), EvaluatorError>;

    /// Goes on from the paused position with the network's outputs.
    fn answer(&mut self, context: &C, outputs: &[f32]);
}

/// Where the lanes of one worker get work and leave results.
pub(crate) trait Work<L> {
    /// Sets `lane` out on the next piece of work; `false` if there is none for it now. `patient` says
    /// that nothing of this worker is under way, so that this may block until there is some.
    fn begin(&mut self, lane: &mut L, patient: bool) -> bool;

    /// Takes the result of a lane that is over.
    fn finish(&mut self, lane: &mut L);

    /// Passes on results that were held back.
    fn hand_in(&mut self);

    /// Whether the run is over, whatever is still in flight.
    fn is_closed(&self) -> bool;

    /// Ends the run for all its workers, after a failure.
    fn close(&mut self);
}

/// Lanes per worker: no more than its share of `count` walks, so that no worker stands idle while
/// another holds them all.
pub(crate) fn per_worker(lanes: usize, count: usize, workers: usize) -> usize {
    lanes.min(count.div_ceil(workers))
}
