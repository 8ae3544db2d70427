//! Records a network's answers and plays them back without the network: the cost of a run apart
//! from inference, on the very same path.

use std::collections::HashMap;

use deepcfr_core::{Evaluator, EvaluatorError, InfosetKey, ModelError, NetId, Query};

use super::Answers;

/// Outputs by network and infoset.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Recorded {
    rows: HashMap<(NetId, InfosetKey), Box<[f32]>>,
}

impl Recorded {
    /// The number of infosets.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether nothing was recorded.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }
}

/// Passes answers on and keeps each. Memory grows with the number of infosets.
#[derive(Debug)]
pub struct RecordingEvaluator<V> {
    inner: V,
    asked: Vec<(NetId, InfosetKey)>,
    recorded: Recorded,
}

impl<V: Evaluator> RecordingEvaluator<V> {
    /// Records what `inner` answers.
    pub fn new(inner: V) -> Self {
        Self { inner, asked: Vec::new(), recorded: Recorded::default() }
    }

    /// The recorded answers.
    pub fn into_recorded(self) -> Recorded {
        self.recorded
    }
}

impl<V: Evaluator> Evaluator for RecordingEvaluator<V> {
    fn submit<Q: Query>(&mut self, lane: usize, net: NetId, query: &Q) -> Result<(), EvaluatorError> {
        let question = (net, query.key());
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
        self.inner.wait()
    }

    fn next_ready(&mut self) -> Option<usize> {
        let lane = self.inner.next_ready()?;
        let output = self.inner.output(lane);
        self.recorded.rows.entry(self.asked[lane]).or_insert_with(|| output.into());
        Some(lane)
    }

    fn output(&self, lane: usize) -> &[f32] {
        self.inner.output(lane)
    }
}

/// Answers at once from a recording; an infoset that it lacks is an error.
#[derive(Debug)]
pub struct ReplayEvaluator<'a> {
    recorded: &'a Recorded,
    answers: Answers,
}

impl<'a> ReplayEvaluator<'a> {
    /// Plays back `recorded`, whose rows have `num_outputs` numbers.
    pub fn new(recorded: &'a Recorded, num_outputs: usize) -> Self {
        Self { recorded, answers: Answers::new(num_outputs) }
    }
}

impl Evaluator for ReplayEvaluator<'_> {
    fn submit<Q: Query>(&mut self, lane: usize, net: NetId, query: &Q) -> Result<(), EvaluatorError> {
        let row = self.recorded.rows.get(&(net, query.key())).ok_or_else(|| ModelError::Device {
            device: "replay",
            reason: "the recording lacks this infoset; it was made from another run".into(),
        })?;
        self.answers.push(lane, row);
        Ok(())
    }

    fn wait(&mut self) -> Result<(), EvaluatorError> {
        Ok(())
    }

    fn next_ready(&mut self) -> Option<usize> {
        self.answers.ready.pop_front()
    }

    fn output(&self, lane: usize) -> &[f32] {
        self.answers.row(lane)
    }
}
