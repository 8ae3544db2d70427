//! Batches a worker's rows and runs its own model on its own thread.

use std::time::{Duration, Instant};

use deepcfr_core::{BatchSizes, Evaluator, EvaluatorError, Model, ModelError, NetId, Query};

use super::Answers;

/// What a [`LocalEvaluator`] did since its statistics were last taken.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LocalStats {
    /// Forward passes by size.
    pub sizes: BatchSizes,
    /// Networks that were asked for rows.
    pub networks: usize,
    /// Time inside the model.
    pub forward: Duration,
}

/// Queues rows by network; each wait runs every network over its rows, `max_batch` at most at a
/// time. With `max_batch` 1 this is one forward pass per row.
///
/// Owned buffers grow to the largest sweep and are reused. Panics of the model are not caught.
pub struct LocalEvaluator {
    model: Box<dyn Model>,
    max_batch: usize,
    num_features: usize,
    blocks: Vec<Block>,
    /// Waiting lanes in submission order, across networks.
    queued: Vec<usize>,
    outputs: Vec<f32>,
    answers: Answers,
    stats: LocalStats,
}

/// Rows that wait for one network.
#[derive(Default)]
struct Block {
    lanes: Vec<usize>,
    rows: Vec<f32>,
    /// Whether there were any since the statistics were last taken.
    asked: bool,
}

impl LocalEvaluator {
    /// An evaluator over a model whose weights are loaded, or will be through
    /// [`LocalEvaluator::model_mut`].
    ///
    /// # Panics
    /// If `max_batch` is 0.
    pub fn new(model: Box<dyn Model>, max_batch: usize) -> Self {
        assert!(max_batch > 0, "a batch holds at least one row");
        let spec = model.spec();
        Self {
            model,
            max_batch,
            num_features: spec.num_features,
            blocks: (0..spec.num_nets).map(|_| Block::default()).collect(),
            queued: Vec::new(),
            outputs: Vec::new(),
            answers: Answers::new(spec.num_outputs),
            stats: LocalStats::default(),
        }
    }

    /// The model, to load weights between runs.
    pub fn model_mut(&mut self) -> &mut dyn Model {
        &mut *self.model
    }

    /// The model back.
    pub fn into_model(self) -> Box<dyn Model> {
        self.model
    }

    /// The statistics so far; they start over at 0.
    pub fn take_stats(&mut self) -> LocalStats {
        let mut stats = std::mem::take(&mut self.stats);
        stats.networks =
            self.blocks.iter_mut().map(|block| usize::from(std::mem::take(&mut block.asked))).sum();
        stats
    }

    fn run_block(&mut self, net: usize) -> Result<(), EvaluatorError> {
        let block = &mut self.blocks[net];
        let width = self.answers.width;
        for (batch, lanes) in block.lanes.chunks(self.max_batch).enumerate() {
            let first = batch * self.max_batch * self.num_features;
            let rows = &block.rows[first..first + lanes.len() * self.num_features];
            if self.outputs.len() < lanes.len() * width {
                self.outputs.resize(lanes.len() * width, 0.0);
            }
            let outputs = &mut self.outputs[..lanes.len() * width];
            let start = Instant::now();
            self.model.forward(NetId(net as u16), rows, outputs)?;
            self.stats.add(lanes.len(), start.elapsed());
            for (lane, output) in lanes.iter().zip(outputs.chunks_exact(width)) {
                self.answers.write(*lane, output);
            }
        }
        block.lanes.clear();
        Ok(())
    }
}

impl LocalStats {
    fn add(&mut self, rows: usize, forward: Duration) {
        self.sizes.add(rows);
        self.forward += forward;
    }

    /// Adds another worker's figures.
    pub fn merge(&mut self, other: &Self) {
        self.sizes.merge(&other.sizes);
        self.networks = self.networks.max(other.networks);
        self.forward += other.forward;
    }
}

impl Evaluator for LocalEvaluator {
    fn submit<Q: Query>(&mut self, lane: usize, net: NetId, query: &Q) -> Result<(), EvaluatorError> {
        let nets = self.blocks.len();
        let block = self.blocks.get_mut(net.index()).ok_or(ModelError::NoSuchNet { net, nets })?;
        let start = block.lanes.len() * self.num_features;
        if block.rows.len() < start + self.num_features {
            block.rows.resize(2 * start + self.num_features, 0.0);
        }
        query.encode(&mut block.rows[start..start + self.num_features]);
        block.lanes.push(lane);
        block.asked = true;
        self.queued.push(lane);
        Ok(())
    }

    fn wait(&mut self) -> Result<(), EvaluatorError> {
        for net in 0..self.blocks.len() {
            if !self.blocks[net].lanes.is_empty() {
                self.run_block(net)?;
            }
        }
        self.answers.ready.extend(self.queued.drain(..));
        Ok(())
    }

    #[inline]
    fn next_ready(&mut self) -> Option<usize> {
        self.answers.ready.pop_front()
    }

    #[inline]
    fn output(&self, lane: usize) -> &[f32] {
        self.answers.row(lane)
    }
}
