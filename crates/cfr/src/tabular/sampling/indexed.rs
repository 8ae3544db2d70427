//! Sampling on a tree in flat arrays.

use std::sync::Arc;

use deepcfr_core::{Game, Player, Stream, Turn};

use super::{Slots, Tables, Walk};
use crate::tabular::tree::{GameTree, NodeId};

/// A tree, with what a walk asks for most in one place.
#[derive(Clone, Debug)]
pub(in crate::tabular) struct IndexedWalk {
    tree: Arc<GameTree>,
    /// First slot and number of actions by infoset.
    slots: Vec<(u32, u32)>,
}

impl IndexedWalk {
    pub(in crate::tabular) fn new(tree: Arc<GameTree>) -> Self {
        let slots = tree.infosets().iter().map(|infoset| (infoset.first_slot, infoset.legal.len() as u32));
        Self { slots: slots.collect(), tree }
    }
}

impl Walk for IndexedWalk {
    type Node = NodeId;

    #[inline]
    fn root(&self) -> NodeId {
        0
    }

    #[inline]
    fn turn(&self, node: &NodeId) -> Turn {
        self.tree.turn(node)
    }

    #[inline]
    fn slots(&mut self, &node: &NodeId, _player: Player, _tables: &mut Tables) -> Slots {
        let (first, len) = self.slots[self.tree.infoset_index(node)];
        Slots { first: first as usize, len: len as usize }
    }

    #[inline]
    fn child(&self, &node: &NodeId, rank: usize) -> NodeId {
        self.tree.children(node)[rank]
    }

    #[inline]
    fn draw(&self, &node: &NodeId, rng: &mut Stream) -> NodeId {
        self.tree.children(node)[self.tree.sample_outcome(node, rng)]
    }

    #[inline]
    fn utility(&self, &node: &NodeId) -> f64 {
        self.tree.payoff(node)
    }
}
