//! What a traversal worker sees of the networks.
//!
//! One evaluator belongs to one worker thread. Lanes submit rows; the worker waits; lanes resume.
//! Not here: any policy about batch sizes, which belongs to the implementations.

use crate::{InfosetKey, ModelError, NetId};

/// An infoset that waits for a network's answer.
pub trait Query {
    /// Names the infoset, for tabulated strategies and caches.
    fn key(&self) -> InfosetKey;

    /// Writes the features, every element of `row`.
    fn encode(&self, row: &mut [f32]);
}

/// A worker's access to the networks.
///
/// Protocol: a lane has at most one row outstanding. After [`Evaluator::submit`], the lane becomes
/// ready once; [`Evaluator::next_ready`] names it, and [`Evaluator::output`] is valid from then on
/// until the lane submits again or [`Evaluator::wait`] is called next.
pub trait Evaluator {
    /// Queues one row of `net` for `lane`. May answer at once.
    ///
    /// # Errors
    /// If the row completes a batch and the device fails.
    fn submit<Q: Query>(&mut self, lane: usize, net: NetId, query: &Q) -> Result<(), EvaluatorError>;

    /// Hands queued rows over without waiting for their answers.
    ///
    /// # Errors
    /// If the other side is gone.
    fn flush(&mut self) -> Result<(), EvaluatorError> {
        Ok(())
    }

    /// Returns once at least one lane is ready: hands queued rows over if nothing is under way,
    /// then waits for the oldest rows under way. Returns at once when nothing is outstanding.
    ///
    /// # Errors
    /// Device failure, a wrong weight version, or the other side gone.
    fn wait(&mut self) -> Result<(), EvaluatorError>;

    /// Says that this worker submits nothing for now, with nothing outstanding: it is done, or it
    /// waits for something other than rows. Whoever gathers rows from several workers then does not
    /// wait for this one's, until it submits again.
    ///
    /// # Errors
    /// If the other side is gone.
    fn rest(&mut self) -> Result<(), EvaluatorError> {
        Ok(())
    }

    /// The next lane whose answer has arrived, each once, in submission order.
    fn next_ready(&mut self) -> Option<usize>;

    /// The network's outputs for a ready lane, one per action, in the network's own units.
    fn output(&self, lane: usize) -> &[f32];
}

/// Why a row was not answered. Cloneable, so that one failure can reach every waiting worker.
#[derive(Clone, Debug, thiserror::Error)]
pub enum EvaluatorError {
    /// The model behind the evaluator failed.
    #[error("the model failed: {0}")]
    Model(#[from] ModelError),
    /// The model behind the evaluator panicked.
    #[error("the model panicked: {message}")]
    ModelPanicked {
        /// The panic's message.
        message: String,
    },
    /// The rows were meant for other weights than the ones in force.
    #[error("rows expect weight version {expected}, the server holds {got}")]
    VersionMismatch {
        /// The version that the sweep carries.
        expected: u64,
        /// The version that is loaded.
        got: u64,
    },
    /// The server was shut down, or its thread is gone.
    #[error("the inference server has stopped")]
    Stopped,
}
