//! Compares every answer with a reference model's.

use deepcfr_core::{Evaluator, EvaluatorError, Model, NetId, Query};

use super::Answers;

/// What a [`CheckedEvaluator`] saw.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CheckReport {
    /// Rows compared.
    pub rows: u64,
    /// Rows with an output outside the tolerance.
    pub mismatches: u64,
    /// The largest `|output − reference| / max(1, |reference|)`; infinite where one is not a number.
    pub max_error: f64,
}

/// Passes the inner evaluator's answers on and compares each with a reference, computed row by row
/// at submission. For tests and for trying a new backend: as slow as the reference.
pub struct CheckedEvaluator<V> {
    inner: V,
    reference: Box<dyn Model>,
    tolerance: f64,
    features: Vec<f32>,
    output: Vec<f32>,
    expected: Answers,
    report: CheckReport,
}

impl<V: Evaluator> CheckedEvaluator<V> {
    /// Checks `inner` against `reference`, which holds the same weights. An output fits if
    /// `|output − reference| ≤ tolerance · max(1, |reference|)`; 0 asks for equality.
    pub fn new(inner: V, reference: Box<dyn Model>, tolerance: f64) -> Self {
        let spec = reference.spec();
        Self {
            inner,
            reference,
            tolerance,
            features: vec![0.0; spec.num_features],
            output: vec![0.0; spec.num_outputs],
            expected: Answers::new(spec.num_outputs),
            report: CheckReport::default(),
        }
    }

    /// What was seen so far.
    pub fn report(&self) -> CheckReport {
        self.report
    }

    /// The evaluator beneath.
    pub fn inner_mut(&mut self) -> &mut V {
        &mut self.inner
    }

    /// The reference, to load weights between runs.
    pub fn reference_mut(&mut self) -> &mut dyn Model {
        &mut *self.reference
    }

    fn compare(&mut self, lane: usize) {
        let pairs = self.inner.output(lane).iter().zip(self.expected.row(lane));
        let worst = pairs.map(|(&got, &expected)| relative_error(got, expected)).fold(0.0, f64::max);
        self.report.rows += 1;
        self.report.mismatches += u64::from(worst > self.tolerance);
        self.report.max_error = self.report.max_error.max(worst);
    }
}

fn relative_error(got: f32, expected: f32) -> f64 {
    let (got, expected) = (f64::from(got), f64::from(expected));
    let error = (got - expected).abs() / expected.abs().max(1.0);
    if got == expected {
        0.0
    } else if error.is_nan() {
        f64::INFINITY
    } else {
        error
    }
}

impl<V: Evaluator> Evaluator for CheckedEvaluator<V> {
    fn submit<Q: Query>(&mut self, lane: usize, net: NetId, query: &Q) -> Result<(), EvaluatorError> {
        query.encode(&mut self.features);
        self.reference.forward(net, &self.features, &mut self.output)?;
        self.expected.write(lane, &self.output);
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
        self.compare(lane);
        Some(lane)
    }

    fn output(&self, lane: usize) -> &[f32] {
        self.inner.output(lane)
    }
}
