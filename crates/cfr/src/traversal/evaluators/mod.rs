//! Evaluators that answer on the worker's own thread and, with the feature `testkit`, decorators over any
//! evaluator and stand-ins for one.
//!
//! Not here: the client of the batching server, which is an evaluator of another crate.

use std::collections::VecDeque;

#[cfg(feature = "testkit")]
mod cached;
#[cfg(feature = "testkit")]
mod checked;
#[cfg(feature = "testkit")]
mod constant;
mod local;
#[cfg(feature = "testkit")]
mod replay;
mod table;

#[cfg(feature = "testkit")]
pub use cached::CachedEvaluator;
#[cfg(feature = "testkit")]
pub use checked::{CheckReport, CheckedEvaluator};
#[cfg(feature = "testkit")]
pub use constant::ConstantEvaluator;
pub use local::{LocalEvaluator, LocalStats};
#[cfg(feature = "testkit")]
pub use replay::{Recorded, RecordingEvaluator, ReplayEvaluator};
pub use table::TableEvaluator;

/// Output rows by lane, and the lanes that are ready, in order. Grows to the highest lane seen.
#[derive(Clone, Debug)]
struct Answers {
    width: usize,
    rows: Vec<f32>,
    ready: VecDeque<usize>,
}

impl Answers {
    fn new(width: usize) -> Self {
        Self { width, rows: Vec::new(), ready: VecDeque::new() }
    }

    fn write(&mut self, lane: usize, row: &[f32]) {
        let start = lane * self.width;
        if self.rows.len() < start + self.width {
            self.rows.resize(start + self.width, 0.0);
        }
        self.rows[start..start + self.width].copy_from_slice(row);
    }

    /// Writes a lane's row and marks the lane ready.
    #[cfg(feature = "testkit")]
    fn push(&mut self, lane: usize, row: &[f32]) {
        self.write(lane, row);
        self.ready.push_back(lane);
    }

    fn row(&self, lane: usize) -> &[f32] {
        &self.rows[lane * self.width..][..self.width]
    }
}
