//! Remembers a network's outputs by infoset, for one version of the weights.

use std::collections::HashMap;

use deepcfr_core::{Evaluator, EvaluatorError, InfosetKey, NetId, Query};

use super::Answers;

/// Asks the inner evaluator once per infoset and weight version. Worth it where infosets repeat and
/// a forward pass costs more than a hash lookup; results are the inner evaluator's.
#[derive(Debug)]
pub struct CachedEvaluator<V> {
    inner: V,
    version: u64,
    max_entries: usize,
    /// Row number in `rows` by question.
    entries: HashMap<(NetId, InfosetKey), usize>,
    rows: Vec<f32>,
    /// What each lane asked the inner evaluator.
    asked: Vec<(NetId, InfosetKey)>,
    answers: Answers,
    hits: u64,
    misses: u64,
}

impl<V: Evaluator> CachedEvaluator<V> {
    /// A cache of at most `max_entries` rows of `num_outputs` numbers; when full it stops learning.
    pub fn new(inner: V, num_outputs: usize, max_entries: usize) -> Self {
        Self {
            inner,
            version: 0,
            max_entries,
            entries: HashMap::new(),
            rows: Vec::new(),
            asked: Vec::new(),
            answers: Answers::new(num_outputs),
            hits: 0,
            misses: 0,
        }
    }

    /// Says which weights are in force; another version than before empties the cache.
    pub fn set_version(&mut self, version: u64) {
        if version != self.version {
            self.version = version;
            self.entries.clear();
            self.rows.clear();
        }
    }

    /// Rows answered from the cache and rows asked for, so far.
    pub fn hits_and_misses(&self) -> (u64, u64) {
        (self.hits, self.misses)
    }

    /// The evaluator beneath.
    pub fn inner_mut(&mut self) -> &mut V {
        &mut self.inner
    }

    fn learn(&mut self, lane: usize) {
        let output = self.inner.output(lane);
        self.answers.write(lane, output);
        if self.entries.len() < self.max_entries {
            let row = self.rows.len() / self.answers.width;
            if *self.entries.entry(self.asked[lane]).or_insert(row) == row {
                self.rows.extend_from_slice(output);
            }
        }
    }
}

impl<V: Evaluator> Evaluator for CachedEvaluator<V> {
    fn submit<Q: Query>(&mut self, lane: usize, net: NetId, query: &Q) -> Result<(), EvaluatorError> {
        let question = (net, query.key());
        if let Some(&row) = self.entries.get(&question) {
            self.hits += 1;
            let width = self.answers.width;
            self.answers.push(lane, &self.rows[row * width..][..width]);
            return Ok(());
        }
        self.misses += 1;
        if self.asked.len() <= lane {
            self.asked.resize(lane + 1, question);
        }
        self.asked[lane] = question;
        self.inner.submit(lane, net, query)
    }

    fn flush(&mut self) -> Result<(), EvaluatorError> {
        self.inner.flush()
    }

    fn rest(&mut self) -> Result<(), EvaluatorError> {
        self.inner.rest()
    }

    fn wait(&mut self) -> Result<(), EvaluatorError> {
        if self.answers.ready.is_empty() { self.inner.wait() } else { Ok(()) }
    }

    fn next_ready(&mut self) -> Option<usize> {
        if let Some(lane) = self.answers.ready.pop_front() {
            return Some(lane);
        }
        let lane = self.inner.next_ready()?;
        self.learn(lane);
        Some(lane)
    }

    fn output(&self, lane: usize) -> &[f32] {
        self.answers.row(lane)
    }
}
