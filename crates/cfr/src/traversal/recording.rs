//! The samples and counts of one traversal, in buffers that are reused by later traversals.

use deepcfr_core::{Action, ActionSet, Encoder, Features, Game, Player, SampleMeta, SampleShape, SampleSink};

use super::context::Context;

/// Samples of one kind in flat arrays, in the order of their nodes (pre-order). The arrays keep
/// their longest length, so that neither a new slot nor a reused one is ever zeroed first.
///
/// A sample is kept as its state, a fraction of the size of its feature row: many traversals are in
/// flight at once, and their rows would not fit the processor's caches. Rows are encoded where they
/// are wanted: for the network, and in a memory that accepts the sample.
#[derive(Debug)]
pub(super) struct SampleBuffer<P> {
    len: usize,
    nodes: Vec<Node<P>>,
    targets: Vec<f32>,
}

#[derive(Debug)]
struct Node<P> {
    state: P,
    legal: ActionSet,
}

impl<P> Default for SampleBuffer<P> {
    fn default() -> Self {
        Self { len: 0, nodes: Vec::new(), targets: Vec::new() }
    }
}

impl<P: Clone> SampleBuffer<P> {
    /// Opens a slot at the end for the node at `state`. Its targets are arbitrary until written.
    #[inline]
    pub(super) fn open(&mut self, shape: SampleShape, state: &P, legal: ActionSet) -> usize {
        let slot = self.len;
        self.len += 1;
        if let Some(node) = self.nodes.get_mut(slot) {
            node.state.clone_from(state);
            node.legal = legal;
        } else {
            self.add(shape, Node { state: state.clone(), legal });
        }
        slot
    }

    #[inline]
    pub(super) fn legal(&self, slot: usize) -> ActionSet {
        self.nodes[slot].legal
    }

    /// The slot's target row; the strategy at the node until the target is known.
    #[inline]
    pub(super) fn targets_mut(&mut self, shape: SampleShape, slot: usize) -> &mut [f32] {
        &mut self.targets[slot * shape.num_actions..][..shape.num_actions]
    }

    #[cold]
    fn add(&mut self, shape: SampleShape, node: Node<P>) {
        self.nodes.push(node);
        if self.targets.len() < self.nodes.len() * shape.num_actions {
            grow(&mut self.targets, (2 * self.nodes.len()).max(16) * shape.num_actions);
        }
    }

    fn each(&self, shape: SampleShape, iteration: u32, mut visit: impl FnMut(SampleMeta, &P, &[f32])) {
        for slot in 0..self.len {
            let targets = &self.targets[slot * shape.num_actions..][..shape.num_actions];
            let Node { state, legal } = &self.nodes[slot];
            visit(SampleMeta { legal: *legal, iteration }, state, targets);
        }
    }
}

/// The row of a state, encoded when written.
pub(super) struct Encoded<'a, G: Game, E> {
    pub(super) context: &'a Context<'a, G, E>,
    pub(super) state: &'a G::State,
    pub(super) player: Player,
}

impl<G: Game, E: Encoder<G>> Features for Encoded<'_, G, E> {
    #[inline]
    fn num_features(&self) -> usize {
        self.context.shape.num_features
    }

    #[inline]
    fn write(&self, row: &mut [f32]) {
        self.context.encoder.encode(self.context.game, self.state, self.player, row);
    }

    fn action_class(&self, action: Action) -> usize {
        self.context.game.action_class(self.state, action)
    }
}

/// Lengthens `rows`. A fresh `vec!` of zeros is zeroed by the system, page by page as it is first
/// written; `resize` would write it all now.
fn grow(rows: &mut Vec<f32>, len: usize) {
    let mut longer = vec![0.0; len];
    longer[..rows.len()].copy_from_slice(rows);
    *rows = longer;
}

/// One traversal's outcome.
#[derive(Debug)]
pub(super) struct Recording<P> {
    pub(super) advantage: SampleBuffer<P>,
    pub(super) strategy: SampleBuffer<P>,
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

impl<P> Default for Recording<P> {
    fn default() -> Self {
        Self {
            advantage: SampleBuffer::default(),
            strategy: SampleBuffer::default(),
            nodes: 0,
            rows: 0,
            max_depth: 0,
            value: 0.0,
            cut: false,
        }
    }
}

impl<P: Clone> Recording<P> {
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

    pub(super) fn commit<G: Game<State = P>, E: Encoder<G>>(
        &self,
        context: &Context<'_, G, E>,
        sink: &mut dyn SampleSink,
    ) {
        let Context { shape, iteration, traverser, .. } = *context;
        self.advantage.each(shape, iteration, |meta, state, targets| {
            sink.advantage(traverser, meta, &Encoded { context, state, player: traverser }, targets);
        });
        self.strategy.each(shape, iteration, |meta, state, targets| {
            sink.strategy(meta, &Encoded { context, state, player: 1 - traverser }, targets);
        });
    }
}
