//! Filling a [`GameTree`]: one walk in preorder, on an explicit stack.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use deepcfr_core::{Action, Game, InfosetKey, Player, Turn};

use super::error::estimate_nodes;
use super::{GameTree, Infoset, NodeId, NodeKind, Sequence, TreeCounts, TreeError, TreeLimits};

pub(super) fn build<G: Game>(game: &G, limits: TreeLimits) -> Result<GameTree, TreeError> {
    game.spec().check()?;
    let mut builder = Builder::new(game, limits);
    builder.stack.push(Pending { state: game.root(), parent: 0, edge: None, depth: 0, past: [None; 2] });
    while let Some(pending) = builder.stack.pop() {
        builder.visit(pending)?;
    }
    Ok(builder.finish())
}

/// A node that is known but not yet visited.
struct Pending<S> {
    state: S,
    parent: NodeId,
    /// The entry of `children` to fill with the node's number.
    edge: Option<usize>,
    depth: usize,
    past: [Option<Sequence>; 2],
}

struct Builder<'g, G: Game> {
    game: &'g G,
    limits: TreeLimits,
    tree: GameTree,
    index: HashMap<(Player, InfosetKey), u32>,
    stack: Vec<Pending<G::State>>,
    /// The moves from the node being visited.
    moves: Vec<Action>,
}

impl<'g, G: Game> Builder<'g, G> {
    fn new(game: &'g G, limits: TreeLimits) -> Self {
        let tree = GameTree {
            spec: game.spec(),
            counts: TreeCounts::default(),
            kinds: Vec::new(),
            parents: Vec::new(),
            payloads: Vec::new(),
            first_edges: vec![0],
            children: Vec::new(),
            actions: Vec::new(),
            infosets: Vec::new(),
            chance_totals: Vec::new(),
            first_weights: vec![0],
            chance_weights: Vec::new(),
            utilities: Vec::new(),
            truncated: Vec::new(),
            sequence_form: Default::default(),
        };
        Self { game, limits, tree, index: HashMap::new(), stack: Vec::new(), moves: Vec::new() }
    }

    fn visit(&mut self, mut pending: Pending<G::State>) -> Result<(), TreeError> {
        let node = self.tree.kinds.len();
        if node >= self.limits.max_nodes.min(NodeId::MAX as usize) {
            return Err(TreeError::TooManyNodes {
                game: self.tree.spec.name,
                limit: self.limits.max_nodes,
                estimated_nodes: estimate_nodes(self.game),
            });
        }
        let node = node as NodeId;
        self.tree.parents.push(pending.parent);
        if let Some(edge) = pending.edge {
            self.tree.children[edge] = node;
        }
        self.tree.counts.depth = self.tree.counts.depth.max(pending.depth);
        self.moves.clear();
        let mover = match self.game.turn(&pending.state) {
            Turn::Terminal => {
                self.terminal(node, &pending.state);
                return Ok(());
            }
            Turn::Chance => self.chance(&pending.state).map(|()| None)?,
            Turn::Player(player) => Some((player, self.decision(node, player, &mut pending)?)),
        };
        if self.moves.is_empty() {
            return Err(TreeError::DeadEnd { game: self.tree.spec.name, depth: pending.depth });
        }
        self.push_children(node, &pending, mover);
        Ok(())
    }

    fn terminal(&mut self, node: NodeId, state: &G::State) {
        let tree = &mut self.tree;
        tree.kinds.push(NodeKind::Terminal);
        tree.payloads.push(tree.utilities.len() as u32);
        tree.utilities.push(self.game.utility(state));
        tree.first_edges.push(tree.children.len() as u32);
        tree.counts.terminal += 1;
        if self.game.truncated(state) {
            tree.truncated.push(node);
        }
    }

    fn chance(&mut self, state: &G::State) -> Result<(), TreeError> {
        let (tree, moves) = (&mut self.tree, &mut self.moves);
        tree.kinds.push(NodeKind::Chance);
        tree.payloads.push(tree.chance_totals.len() as u32);
        let (mut total, mut refused) = (0, None);
        self.game.chance_outcomes(state, |outcome, weight| {
            if weight == 0 || moves.last().is_some_and(|&last| last >= outcome) {
                refused = Some(outcome);
            }
            total += weight;
            moves.push(outcome);
            tree.chance_weights.push(weight);
        });
        tree.chance_totals.push(total);
        tree.first_weights.push(tree.chance_weights.len() as u32);
        tree.counts.chance += 1;
        match refused {
            Some(outcome) => Err(TreeError::Chance { game: tree.spec.name, outcome }),
            None => Ok(()),
        }
    }

    fn decision(
        &mut self,
        node: NodeId,
        player: Player,
        pending: &mut Pending<G::State>,
    ) -> Result<u32, TreeError> {
        let legal = self.game.legal_actions(&pending.state);
        let key = self.game.infoset_key(&pending.state, player);
        let parent = pending.past[player];
        self.moves.extend(legal);
        let infoset = match self.index.entry((player, key)) {
            Entry::Occupied(entry) => *entry.get(),
            Entry::Vacant(entry) => {
                let count = self.tree.infosets.len();
                if count >= self.limits.max_infosets {
                    return Err(TreeError::TooManyInfosets {
                        game: self.tree.spec.name,
                        limit: self.limits.max_infosets,
                        visited_nodes: node as usize,
                        estimated_nodes: estimate_nodes(self.game),
                    });
                }
                self.tree.infosets.push(Infoset {
                    owner: player,
                    legal,
                    key,
                    representative: node,
                    num_histories: 0,
                    parent,
                    first_slot: 0,
                });
                *entry.insert(count as u32)
            }
        };
        let known = &mut self.tree.infosets[infoset as usize];
        if known.legal != legal {
            return Err(TreeError::LegalActions { player, key });
        }
        if known.parent != parent {
            return Err(TreeError::ImperfectRecall { player, key });
        }
        known.num_histories += 1;
        self.tree.kinds.push(if player == 0 { NodeKind::First } else { NodeKind::Second });
        self.tree.payloads.push(infoset);
        self.tree.counts.decision[player] += 1;
        Ok(infoset)
    }

    fn push_children(&mut self, node: NodeId, pending: &Pending<G::State>, mover: Option<(Player, u32)>) {
        let first = self.tree.children.len();
        self.tree.children.resize(first + self.moves.len(), 0);
        self.tree.actions.extend_from_slice(&self.moves);
        self.tree.first_edges.push(self.tree.children.len() as u32);
        for (rank, &action) in self.moves.iter().enumerate().rev() {
            let mut state = pending.state.clone();
            self.game.apply(&mut state, action);
            let mut past = pending.past;
            if let Some((player, infoset)) = mover {
                past[player] = Some(Sequence { infoset, rank: rank as u32 });
            }
            let edge = Some(first + rank);
            self.stack.push(Pending { state, parent: node, edge, depth: pending.depth + 1, past });
        }
    }

    /// Renumbers the infosets: player 0's first, each player's in the order of discovery.
    fn finish(self) -> GameTree {
        let mut tree = self.tree;
        let mut order: Vec<u32> = (0..tree.infosets.len() as u32).collect();
        order.sort_by_key(|&infoset| tree.infosets[infoset as usize].owner);
        let mut renumbered = vec![0; order.len()];
        order.iter().enumerate().for_each(|(new, &old)| renumbered[old as usize] = new as u32);
        let mut infosets = Vec::with_capacity(order.len());
        for &old in &order {
            let mut infoset = tree.infosets[old as usize].clone();
            infoset.first_slot = tree.counts.slots as u32;
            if let Some(parent) = &mut infoset.parent {
                parent.infoset = renumbered[parent.infoset as usize];
            }
            tree.counts.slots += infoset.legal.len();
            tree.counts.infosets[infoset.owner] += 1;
            infosets.push(infoset);
        }
        tree.infosets = infosets;
        for (kind, payload) in tree.kinds.iter().zip(&mut tree.payloads) {
            if matches!(kind, NodeKind::First | NodeKind::Second) {
                *payload = renumbered[*payload as usize];
            }
        }
        tree
    }
}
