//! Answers at once from outputs that were tabulated beforehand.

use std::collections::VecDeque;

use deepcfr_core::{Evaluator, EvaluatorError, NetId, Query};

/// Reads the outputs of an infoset's network from `[infosets, num_actions]`, row `key` for
/// `InfosetKey(key)`: for games whose keys number their infosets, such as an indexed tree. An
/// infoset belongs to one player, so the table holds both networks.
#[derive(Clone, Debug)]
pub struct TableEvaluator<'a> {
    table: &'a [f32],
    num_actions: usize,
    /// Where each lane's row begins.
    rows: Vec<usize>,
    ready: VecDeque<usize>,
}

impl<'a> TableEvaluator<'a> {
    /// An evaluator over `table`, `[infosets, num_actions]`.
    ///
    /// # Panics
    /// If the table is not made of whole rows.
    pub fn new(table: &'a [f32], num_actions: usize) -> Self {
        assert!(num_actions > 0 && table.len().is_multiple_of(num_actions), "a table of whole rows");
        Self { table, num_actions, rows: Vec::new(), ready: VecDeque::new() }
    }
}

impl Evaluator for TableEvaluator<'_> {
    /// # Panics
    /// If the infoset's number is beyond the table.
    #[inline]
    fn submit<Q: Query>(&mut self, lane: usize, _net: NetId, query: &Q) -> Result<(), EvaluatorError> {
        if self.rows.len() <= lane {
            self.rows.resize(lane + 1, 0);
        }
        self.rows[lane] = query.key().0 as usize * self.num_actions;
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
    fn output(&self, lane: usize) -> &[f32] {
        &self.table[self.rows[lane]..][..self.num_actions]
    }
}
