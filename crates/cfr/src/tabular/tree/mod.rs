//! A game laid out in flat arrays: every history a node, every infoset an index.
//!
//! Not here: how the arrays are filled (`build`), the seams they implement (`game`, `features`), the tree with
//! its histories folded away (`sequence`) and any algorithm on them.

mod build;
mod error;
mod features;
mod game;
mod sequence;
#[cfg(test)]
mod tests;

use std::sync::OnceLock;

use deepcfr_core::{ActionSet, Game, GameSpec, InfosetKey, Player};

pub use error::{TreeError, TreeLimits};
pub use features::FeatureTable;
pub(super) use sequence::{OwnTree, SequenceForm};

/// A node of a [`GameTree`]: its position in preorder, the root being 0.
pub type NodeId = u32;

/// What a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeKind {
    /// The end of a game.
    Terminal,
    /// Nature draws.
    Chance,
    /// Player 0 moves.
    First,
    /// Player 1 moves.
    Second,
}

/// A player's own past up to an infoset: the last infoset and which of its actions was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sequence {
    /// Index of the player's previous infoset.
    pub infoset: u32,
    /// Position of the action taken there among the legal ones.
    pub rank: u32,
}

/// An information set.
#[derive(Clone, Debug, PartialEq)]
pub struct Infoset {
    /// Who moves.
    pub owner: Player,
    /// What is legal, the same at every history of the infoset.
    pub legal: ActionSet,
    /// The key that the game gives it. Keys of different players may coincide.
    pub key: InfosetKey,
    /// The first history, in preorder, that belongs to it.
    pub representative: NodeId,
    /// How many histories belong to it.
    pub num_histories: u32,
    /// The owner's own past, the same at every history (perfect recall); `None` at first moves.
    pub parent: Option<Sequence>,
    /// Position of its first action in arrays that hold one entry per infoset and legal action.
    pub first_slot: u32,
}

impl Infoset {
    /// Its entries in arrays that hold one entry per infoset and legal action.
    #[inline]
    pub fn slots(&self) -> std::ops::Range<usize> {
        let first = self.first_slot as usize;
        first..first + self.legal.len()
    }
}

/// How much there is of everything in a tree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TreeCounts {
    /// Chance nodes.
    pub chance: usize,
    /// Decision nodes of each player.
    pub decision: [usize; 2],
    /// Terminal nodes.
    pub terminal: usize,
    /// Infosets of each player.
    pub infosets: [usize; 2],
    /// Pairs of an infoset and a legal action, both players together.
    pub slots: usize,
    /// The most edges from the root to a terminal node.
    pub depth: usize,
}

impl TreeCounts {
    /// All nodes.
    pub fn nodes(&self) -> usize {
        self.chance + self.terminal + self.decision.iter().sum::<usize>()
    }

    /// Decision and terminal nodes: what one full pass over the tree visits, chance excluded.
    pub fn visited(&self) -> u64 {
        (self.terminal + self.decision.iter().sum::<usize>()) as u64
    }
}

/// A game laid out in flat arrays, nodes in preorder.
///
/// Infosets of player 0 come first, then those of player 1, each in the order of their first
/// history; so an infoset's [`Infoset::parent`] has a smaller index. A *slot* is a pair of an
/// infoset and one of its legal actions, ascending in both; strategies and regrets are flat arrays
/// over slots.
#[derive(Debug)]
pub struct GameTree {
    spec: GameSpec,
    counts: TreeCounts,
    kinds: Vec<NodeKind>,
    parents: Vec<NodeId>,
    /// What the node is in the table of its kind: infoset, chance node, or terminal.
    payloads: Vec<u32>,
    /// Children of node `n`: `children[first_edges[n]..first_edges[n + 1]]`.
    first_edges: Vec<u32>,
    children: Vec<NodeId>,
    /// Action or outcome of each edge, ascending within a node.
    actions: Vec<u16>,
    infosets: Vec<Infoset>,
    chance_totals: Vec<u32>,
    /// Weights of chance node `c`: `chance_weights[first_weights[c]..first_weights[c + 1]]`.
    first_weights: Vec<u32>,
    chance_weights: Vec<u32>,
    utilities: Vec<f64>,
    /// Terminal nodes that a cap on plies produced, ascending.
    truncated: Vec<NodeId>,
    sequence_form: OnceLock<SequenceForm>,
}

impl GameTree {
    /// Walks the whole of `game`.
    ///
    /// Stops as soon as a limit is exceeded, so it also serves as an infoset counter with early
    /// stop: see [`GameTree::counts`].
    ///
    /// # Errors
    /// [`TreeError`] if the game is refused, too big, or breaks the contract of [`Game`] in a way
    /// that the walk sees.
    pub fn build<G: Game>(game: &G, limits: TreeLimits) -> Result<Self, TreeError> {
        build::build(game, limits)
    }

    /// How much there is of everything.
    pub fn counts(&self) -> &TreeCounts {
        &self.counts
    }

    /// The number of nodes.
    pub fn len(&self) -> usize {
        self.kinds.len()
    }

    /// Never: a tree has a root.
    pub fn is_empty(&self) -> bool {
        self.kinds.is_empty()
    }

    /// The number of infosets of both players.
    pub fn num_infosets(&self) -> usize {
        self.infosets.len()
    }

    /// The number of slots: pairs of an infoset and a legal action.
    pub fn num_slots(&self) -> usize {
        self.counts.slots
    }

    /// All infosets by index.
    pub fn infosets(&self) -> &[Infoset] {
        &self.infosets
    }

    /// The indices of a player's infosets.
    pub fn infosets_of(&self, player: Player) -> std::ops::Range<usize> {
        let boundary = self.counts.infosets[0];
        if player == 0 { 0..boundary } else { boundary..self.infosets.len() }
    }

    /// A player's slots, contiguous.
    pub fn slots_of(&self, player: Player) -> std::ops::Range<usize> {
        let boundary = self
            .infosets
            .get(self.counts.infosets[0])
            .map_or(self.counts.slots, |infoset| infoset.first_slot as usize);
        if player == 0 { 0..boundary } else { boundary..self.counts.slots }
    }

    /// What a node is.
    #[inline]
    pub fn kind(&self, node: NodeId) -> NodeKind {
        self.kinds[node as usize]
    }

    /// The node that a node follows; the root is its own parent.
    #[inline]
    pub fn parent(&self, node: NodeId) -> NodeId {
        self.parents[node as usize]
    }

    /// The nodes that follow, in ascending order of action or outcome.
    #[inline]
    pub fn children(&self, node: NodeId) -> &[NodeId] {
        &self.children[self.edges(node)]
    }

    /// The actions or outcomes that lead to [`GameTree::children`], ascending.
    #[inline]
    pub fn actions(&self, node: NodeId) -> &[u16] {
        &self.actions[self.edges(node)]
    }

    /// The infoset index of a decision node.
    ///
    /// # Panics
    /// May, at nodes of other kinds; or returns an unrelated number.
    #[inline]
    pub fn infoset_index(&self, node: NodeId) -> usize {
        debug_assert!(matches!(self.kind(node), NodeKind::First | NodeKind::Second));
        self.payloads[node as usize] as usize
    }

    /// The infoset of a decision node.
    #[inline]
    pub fn infoset(&self, node: NodeId) -> &Infoset {
        &self.infosets[self.infoset_index(node)]
    }

    /// The weights of a chance node's outcomes, aligned with [`GameTree::children`].
    #[inline]
    pub fn weights(&self, node: NodeId) -> &[u32] {
        debug_assert!(self.kind(node) == NodeKind::Chance);
        let chance = self.payloads[node as usize] as usize;
        &self.chance_weights[self.first_weights[chance] as usize..self.first_weights[chance + 1] as usize]
    }

    /// The sum of a chance node's weights.
    #[inline]
    pub fn total_weight(&self, node: NodeId) -> u32 {
        debug_assert!(self.kind(node) == NodeKind::Chance);
        self.chance_totals[self.payloads[node as usize] as usize]
    }

    /// What player 0 gets at a terminal node.
    #[inline]
    pub fn payoff(&self, node: NodeId) -> f64 {
        debug_assert!(self.kind(node) == NodeKind::Terminal);
        self.utilities[self.payloads[node as usize] as usize]
    }

    /// The game's own position at `node`, by replaying the actions from the root.
    pub fn replay<G: Game>(&self, game: &G, node: NodeId) -> G::State {
        let mut path = Vec::with_capacity(self.counts.depth);
        let mut at = node;
        while at != 0 {
            path.push(self.incoming_action(at));
            at = self.parent(at);
        }
        let mut state = game.root();
        path.iter().rev().for_each(|&action| game.apply(&mut state, action));
        state
    }

    /// One position of `game` for each infoset, by index.
    pub fn representatives<G: Game>(&self, game: &G) -> Vec<G::State> {
        self.infosets.iter().map(|infoset| self.replay(game, infoset.representative)).collect()
    }

    /// The tree as solvers and evaluation see it, computed at the first call.
    #[inline]
    pub(super) fn sequence_form(&self) -> &SequenceForm {
        self.sequence_form.get_or_init(|| SequenceForm::new(self))
    }

    fn incoming_action(&self, node: NodeId) -> u16 {
        let parent = self.parent(node);
        let position = self.children(parent).partition_point(|&child| child < node);
        self.actions(parent)[position]
    }

    #[inline]
    fn edges(&self, node: NodeId) -> std::ops::Range<usize> {
        self.first_edges[node as usize] as usize..self.first_edges[node as usize + 1] as usize
    }
}
