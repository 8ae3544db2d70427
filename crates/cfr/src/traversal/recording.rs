//! The samples and counts of one traversal, in buffers that are reused by later traversals.

use deepcfr_core::{ActionSet, Player, SampleMeta, SampleShape, SampleSink};

/// Samples of one kind in flat arrays, in the order of their nodes (pre-order). The arrays keep
/// their longest length, so that neither a new slot nor a reused one is ever zeroed first.
#[derive(Debug, Default)]
pub(super) struct SampleBuffer {
    len: usize,
    features: Vec<f32>,
    targets: Vec<f32>,
    legal: Vec<ActionSet>,
}

impl SampleBuffer {
    /// Opens a slot at the end. Its rows hold arbitrary numbers until written.
    #[inline]
    pub(super) fn open(&mut self, shape: SampleShape, legal: ActionSet) -> usize {
        let slot = self.len;
        if slot == self.legal.len() {
            self.grow(shape);
        }
        self.legal[slot] = legal;
        self.len += 1;
        slot
    }

    #[inline]
    pub(super) fn legal(&self, slot: usize) -> ActionSet {
        self.legal[slot]
    }

    #[inline]
    pub(super) fn features(&self, shape: SampleShape, slot: usize) -> &[f32] {
        &self.features[slot * shape.num_features..][..shape.num_features]
    }

    #[inline]
    pub(super) fn features_mut(&mut self, shape: SampleShape, slot: usize) -> &mut [f32] {
        &mut self.features[slot * shape.num_features..][..shape.num_features]
    }

    /// The slot's target row; the strategy at the node until the target is known.
    #[inline]
    pub(super) fn targets_mut(&mut self, shape: SampleShape, slot: usize) -> &mut [f32] {
        &mut self.targets[slot * shape.num_actions..][..shape.num_actions]
    }

    #[cold]
    fn grow(&mut self, shape: SampleShape) {
        let slots = (2 * self.legal.len()).max(16);
        grow(&mut self.features, slots * shape.num_features, 0.0);
        grow(&mut self.targets, slots * shape.num_actions, 0.0);
        grow(&mut self.legal, slots, ActionSet::EMPTY);
    }

    fn each(&self, shape: SampleShape, iteration: u32, mut visit: impl FnMut(SampleMeta, &[f32], &[f32])) {
        for slot in 0..self.len {
            let targets = &self.targets[slot * shape.num_actions..][..shape.num_actions];
            let meta = SampleMeta { legal: self.legal[slot], iteration };
            visit(meta, self.features(shape, slot), targets);
        }
    }
}

/// Lengthens `rows`. A fresh `vec!` of zeros is zeroed by the system, page by page as it is first
/// written; `resize` would write it all now.
fn grow<T: Copy>(rows: &mut Vec<T>, len: usize, zero: T) {
    let mut longer = vec![zero; len];
    longer[..rows.len()].copy_from_slice(rows);
    *rows = longer;
}

/// One traversal's outcome.
#[derive(Debug, Default)]
pub(super) struct Recording {
    pub(super) advantage: SampleBuffer,
    pub(super) strategy: SampleBuffer,
    /// Decision and terminal nodes.
    pub(super) nodes: u64,
    /// Rows asked for.
    pub(super) rows: u64,
    pub(super) max_depth: u32,
    /// The root's sampled value for the traverser; meaningless if `cut`.
    pub(super) value: f64,
    /// Whether the node budget ended the traversal.
    pub(super) cut: bool,
}

impl Recording {
    /// Empties the recording, keeping its buffers.
    pub(super) fn clear(&mut self) {
        (self.nodes, self.rows, self.max_depth, self.value, self.cut) = (0, 0, 0, 0.0, false);
        self.discard_samples();
    }

    pub(super) fn discard_samples(&mut self) {
        (self.advantage.len, self.strategy.len) = (0, 0);
    }

    /// The numbers of advantage and strategy samples.
    pub(super) fn samples(&self) -> (u64, u64) {
        (self.advantage.len as u64, self.strategy.len as u64)
    }

    pub(super) fn commit(
        &self,
        shape: SampleShape,
        traverser: Player,
        iteration: u32,
        sink: &mut impl SampleSink,
    ) {
        self.advantage.each(shape, iteration, |meta, features, targets| {
            sink.advantage(traverser, meta, features, targets);
        });
        self.strategy.each(shape, iteration, |meta, features, targets| {
            sink.strategy(meta, features, targets);
        });
    }
}
