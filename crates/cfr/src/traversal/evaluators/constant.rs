//! A model of zero cost: the same outputs for every row.

use std::collections::VecDeque;

use deepcfr_core::{Evaluator, EvaluatorError, NetId, Query};

/// Answers every row at once with the same outputs, without encoding it: what remains is the cost
/// of the traversal itself.
#[derive(Clone, Debug)]
pub struct ConstantEvaluator {
    outputs: Vec<f32>,
    ready: VecDeque<usize>,
}

impl ConstantEvaluator {
    /// Always `outputs`, one per action.
    pub fn new(outputs: Vec<f32>) -> Self {
        Self { outputs, ready: VecDeque::new() }
    }
}

impl Evaluator for ConstantEvaluator {
    #[inline]
    fn submit<Q: Query>(&mut self, lane: usize, _net: NetId, _query: &Q) -> Result<(), EvaluatorError> {
        self.ready.push_back(lane);
        Ok(())
    }

    fn wait(&mut self) -> Result<(), EvaluatorError> {
        Ok(())
    }

    #[inline]
    fn next_ready(&mut self) -> Option<usize> {
        self.ready.pop_front()
    }

    #[inline]
    fn output(&self, _lane: usize) -> &[f32] {
        &self.outputs
    }
}
