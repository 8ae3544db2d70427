//! A table behind the seams of the networks: a learner that makes no approximation error.
//!
//! With it Deep CFR must behave like the tabular solvers, so that whatever else goes wrong shows.
//! Not here: anything fast; a look-up hashes a whole feature row.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

use deepcfr_core::{
    FitContext, FitReport, LearnError, Learner, Model, ModelError, ModelFactory, ModelSpec, NetId, RowKey,
    SampleMeta, SampleSource, TableWeights, Weighting, Weights,
};

/// What an output stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Output {
    Mean,
    LogMean,
}

/// Fits a table: for every distinct feature row, the weighted mean of its targets.
///
/// A mean of sampled advantages is the cumulative regret up to a factor per infoset, which regret
/// matching does not see. Stateless: [`Learner::save`] returns nothing. Of a memory that has merged its samples
/// the reported unit of targets is that of the means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableLearner {
    weighting: Weighting,
    output: Output,
}

impl TableLearner {
    /// For advantage samples: outputs are mean targets.
    pub fn advantages(weighting: Weighting) -> Self {
        Self { weighting, output: Output::Mean }
    }

    /// For strategy samples: outputs are logits, whose softmax over legal actions is the mean of the
    /// targets. Probabilities of 0 count as 1e-30.
    pub fn strategy(weighting: Weighting) -> Self {
        Self { weighting, output: Output::LogMean }
    }

    fn entry(self, sums: &Sums) -> Box<[f32]> {
        let mean = sums.targets.iter().map(|sum| sum / sums.weight);
        match self.output {
            Output::Mean => mean.map(|mean| mean as f32).collect(),
            Output::LogMean => mean.map(|mean| mean.max(1e-30).ln() as f32).collect(),
        }
    }
}

/// Weighted sums over the samples of one row.
struct Sums {
    targets: Box<[f64]>,
    weight: f64,
}

impl Learner for TableLearner {
    fn fit(
        &mut self,
        samples: &dyn SampleSource,
        _context: FitContext,
    ) -> Result<(Arc<Weights>, FitReport), LearnError> {
        if samples.is_empty() {
            return Err(LearnError::NoSamples);
        }
        let start = Instant::now();
        let shape = samples.shape();
        let (mut features, mut targets) = (vec![0.0; shape.num_features], vec![0.0; shape.num_actions]);
        let mut rows: HashMap<RowKey, Sums> = HashMap::new();
        let merged = samples.merged();
        let mut totals = Totals::default();
        for index in 0..samples.len() {
            let meta = samples.read(index, &mut features, &mut targets);
            let unmerged = || self.weighting.unscaled(meta.iteration);
            let weight = merged.as_ref().map_or_else(unmerged, |merged| merged.weights[index]);
            totals.add(weight, meta, &targets);
            let empty = || Sums { targets: vec![0.0; targets.len()].into(), weight: 0.0 };
            let sums = rows.entry(RowKey::new(&features)).or_insert_with(empty);
            sums.weight += weight;
            sums.targets
                .iter_mut()
                .zip(&targets)
                .for_each(|(sum, &target)| *sum += weight * f64::from(target));
        }
        if let Some(merged) = merged {
            assert_eq!(merged.weighting, self.weighting, "a memory weighs samples as its learner does");
            totals.weighted_squares = merged.squares;
        }
        let mut report = totals.report(&rows);
        let rows = rows.into_iter().map(|(key, sums)| (key, self.entry(&sums))).collect();
        let table = TableWeights { inputs: shape.num_features, outputs: shape.num_actions, rows };
        report.total = start.elapsed();
        Ok((Arc::new(Weights::Table(table)), report))
    }

    fn save(&self) -> Result<Vec<u8>, LearnError> {
        Ok(Vec::new())
    }

    fn restore(&mut self, bytes: &[u8]) -> Result<(), LearnError> {
        if bytes.is_empty() {
            return Ok(());
        }
        Err(LearnError::State { reason: format!("a table learner has no state, got {} bytes", bytes.len()) })
    }
}

/// What the report of a fit is made of.
#[derive(Default)]
struct Totals {
    /// Sum of w·y² over legal actions.
    weighted_squares: f64,
    /// Sum of w, once per legal action.
    weight: f64,
    /// Sum of y², and the number of legal actions.
    squares: f64,
    count: usize,
}

impl Totals {
    fn add(&mut self, weight: f64, meta: SampleMeta, targets: &[f32]) {
        let squares: f64 =
            meta.legal.iter().map(|action| f64::from(targets[usize::from(action)]).powi(2)).sum();
        self.squares += squares;
        self.count += meta.legal.len();
        self.weighted_squares += weight * squares;
        self.weight += weight * meta.legal.len() as f64;
    }

    /// The loss is the weighted mean squared distance of targets from their row's mean, which no
    /// network can go below.
    fn report(&self, rows: &HashMap<RowKey, Sums>) -> FitReport {
        let explained = |sums: &Sums| sums.targets.iter().map(|sum| sum * sum / sums.weight).sum::<f64>();
        let explained: f64 = rows.values().map(explained).sum();
        FitReport {
            steps: 1,
            loss: ((self.weighted_squares - explained) / self.weight).max(0.0),
            distinct_rows: rows.len(),
            target_rms: (self.squares / self.count as f64).sqrt(),
            ..FitReport::default()
        }
    }
}

/// Opens models that answer from tables, zeros for rows that no sample had.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableModelFactory {
    spec: ModelSpec,
}

impl TableModelFactory {
    /// For `num_nets` tables of `num_features` in and `num_outputs` out.
    pub fn new(num_features: usize, num_outputs: usize, num_nets: usize) -> Self {
        Self { spec: ModelSpec { num_features, num_outputs, num_nets, row_invariant: true } }
    }
}

impl ModelFactory for TableModelFactory {
    fn spec(&self) -> ModelSpec {
        self.spec
    }

    fn open(&self) -> Result<Box<dyn Model>, ModelError> {
        Ok(Box::new(TableModel { spec: self.spec, nets: vec![None; self.spec.num_nets] }))
    }
}

/// Tables in force, one per network.
#[derive(Clone, Debug)]
pub struct TableModel {
    spec: ModelSpec,
    nets: Vec<Option<Arc<Weights>>>,
}

impl Model for TableModel {
    fn spec(&self) -> ModelSpec {
        self.spec
    }

    fn forward(&mut self, net: NetId, rows: &[f32], out: &mut [f32]) -> Result<(), ModelError> {
        let nets = self.nets.len();
        let loaded = self.nets.get(net.index()).ok_or(ModelError::NoSuchNet { net, nets })?;
        let weights = loaded.as_deref().ok_or(ModelError::NotLoaded { net })?;
        let table = table(weights)?;
        let (rows, row_tail) =
            (rows.chunks_exact(self.spec.num_features), rows.len() % self.spec.num_features);
        assert!(row_tail == 0 && out.len() == rows.len() * self.spec.num_outputs, "rows and outputs fit");
        for (row, out) in rows.zip(out.chunks_exact_mut(self.spec.num_outputs)) {
            match table.rows.get(&RowKey::new(row)) {
                Some(entry) => out.copy_from_slice(entry),
                None => out.fill(0.0),
            }
        }
        Ok(())
    }

    fn load(&mut self, net: NetId, weights: &Arc<Weights>) -> Result<(), ModelError> {
        let table = table(weights)?;
        let shapes = [
            ("inputs", self.spec.num_features, table.inputs),
            ("outputs", self.spec.num_outputs, table.outputs),
        ];
        for (what, expected, got) in shapes {
            if got != expected {
                return Err(ModelError::Shape { what, expected, got });
            }
        }
        let nets = self.nets.len();
        let slot = self.nets.get_mut(net.index()).ok_or(ModelError::NoSuchNet { net, nets })?;
        *slot = Some(Arc::clone(weights));
        Ok(())
    }
}

fn table(weights: &Weights) -> Result<&TableWeights, ModelError> {
    match weights {
        Weights::Table(table) => Ok(table),
        Weights::Mlp(_) => Err(ModelError::Kind { kind: weights.kind() }),
    }
}

#[cfg(test)]
mod tests {
    use deepcfr_core::{ActionSet, Activation, MlpWeights, SampleShape};

    use super::*;
    use crate::memory::MergedMemory;

    /// Samples of two actions on one feature: (feature, targets, legal bits, iteration).
    struct Memory(Vec<(f32, [f32; 2], u128, u32)>);

    impl SampleSource for Memory {
        fn shape(&self) -> SampleShape {
            SampleShape { num_features: 1, num_actions: 2 }
        }

        fn len(&self) -> usize {
            self.0.len()
        }

        fn read(&self, index: usize, features: &mut [f32], targets: &mut [f32]) -> SampleMeta {
            let (feature, values, legal, iteration) = self.0[index];
            features[0] = feature;
            targets.copy_from_slice(&values);
            SampleMeta { legal: ActionSet::from_bits(legal), iteration }
        }
    }

    const CONTEXT: FitContext = FitContext { seed: 0, iteration: 3 };

    fn answer(mut learner: TableLearner, memory: &Memory, rows: &[f32]) -> (Vec<f32>, FitReport) {
        let (weights, report) = learner.fit(memory, CONTEXT).expect("there are samples");
        let mut model = TableModelFactory::new(1, 2, 1).open().expect("tables need no device");
        model.load(NetId(0), &weights).expect("the shapes fit");
        let mut out = vec![9.0; rows.len() * 2];
        model.forward(NetId(0), rows, &mut out).expect("it is loaded");
        (out, report)
    }

    fn memory() -> Memory {
        Memory(vec![(0.5, [2.0, -2.0], 3, 1), (-0.0, [5.0, 0.0], 1, 2), (0.5, [-4.0, 4.0], 3, 3)])
    }

    #[test]
    fn rows_answer_with_weighted_means() {
        let rows = [0.5, 0.0, 7.0];
        let (linear, report) = answer(TableLearner::advantages(Weighting::Linear), &memory(), &rows);
        assert_eq!(linear, [-2.5, 2.5, 5.0, 0.0, 0.0, 0.0]);
        // 2·(1·4.5² + 3·1.5²) over a weight of 2·1 + 1·2 + 2·3.
        assert!((report.loss - 5.4).abs() < 1e-12 && report.distinct_rows == 2, "{report:?}");
        assert!((report.target_rms - (65.0f64 / 5.0).sqrt()).abs() < 1e-12, "{report:?}");
        let (uniform, _) = answer(TableLearner::advantages(Weighting::Uniform), &memory(), &rows);
        assert_eq!(uniform, [-1.0, 1.0, 5.0, 0.0, 0.0, 0.0]);
    }

    /// The same table and loss come from samples and from sums over them.
    #[test]
    fn merged_memories_teach_what_reservoirs_teach() {
        let shape = SampleShape { num_features: 1, num_actions: 2 };
        for weighting in [Weighting::Linear, Weighting::Uniform] {
            let mut memory = MergedMemory::new(shape, 10, weighting);
            let samples = self::memory();
            for (feature, targets, legal, iteration) in &samples.0 {
                let meta = SampleMeta { legal: ActionSet::from_bits(*legal), iteration: *iteration };
                memory.offer(meta, &[*feature], targets);
            }
            let mut learner = TableLearner::advantages(weighting);
            let (from_samples, report) = learner.fit(&samples, CONTEXT).expect("there are samples");
            let (from_sums, merged_report) = learner.fit(&memory, CONTEXT).expect("there are samples");
            assert_eq!(from_samples, from_sums);
            assert!((report.loss - merged_report.loss).abs() < 1e-12, "{report:?}, {merged_report:?}");
        }
    }

    #[test]
    fn logits_give_back_the_mean_strategy() {
        let memory = Memory(vec![(1.0, [0.25, 0.75], 3, 1), (1.0, [1.0, 0.0], 3, 2)]);
        let (logits, _) = answer(TableLearner::strategy(Weighting::Linear), &memory, &[1.0]);
        let exps: Vec<f32> = logits.iter().map(|logit| logit.exp()).collect();
        assert!((exps[0] / (exps[0] + exps[1]) - 0.75).abs() < 1e-6);
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let mut learner = TableLearner::advantages(Weighting::Linear);
        assert_eq!(learner.fit(&Memory(Vec::new()), CONTEXT).err(), Some(LearnError::NoSamples));
        assert!(learner.restore(&learner.save().expect("nothing to save")).is_ok());
        assert!(matches!(learner.restore(&[1]), Err(LearnError::State { .. })));
        let (weights, _) = learner.fit(&memory(), CONTEXT).expect("there are samples");
        let mut model = TableModelFactory::new(1, 2, 1).open().expect("tables need no device");
        assert_eq!(model.forward(NetId(0), &[], &mut []), Err(ModelError::NotLoaded { net: NetId(0) }));
        assert_eq!(model.load(NetId(1), &weights), Err(ModelError::NoSuchNet { net: NetId(1), nets: 1 }));
        let mlp = MlpWeights { layers: Vec::new(), activation: Activation::Relu, output_scale: 1.0 };
        let refused = model.load(NetId(0), &Arc::new(Weights::Mlp(mlp)));
        assert_eq!(refused, Err(ModelError::Kind { kind: "mlp" }));
        let mut wide = TableModelFactory::new(3, 2, 1).open().expect("tables need no device");
        let refused = wide.load(NetId(0), &weights);
        assert_eq!(refused, Err(ModelError::Shape { what: "inputs", expected: 3, got: 1 }));
    }
}
