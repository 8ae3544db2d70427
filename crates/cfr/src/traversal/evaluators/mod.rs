//! Evaluators that answer on the worker's own thread, and decorators over any evaluator.
//!
//! Not here: the client of the batching server, which is an evaluator of another crate.

use std::collections::VecDeque;

mod cached;
mod checked;
mod constant;
mod local;
mod replay;
mod table;

pub use cached::CachedEvaluator;
pub use checked::{CheckReport, CheckedEvaluator};
pub use constant::ConstantEvaluator;
pub use local::{LocalEvaluator, LocalStats};
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
    fn push(&mut self, lane: usize, row: &[f32]) {
        self.write(lane, row);
        self.ready.push_back(lane);
    }

    fn row(&self, lane: usize) -> &[f32] {
        &self.rows[lane * self.width..][..self.width]
    }
}
