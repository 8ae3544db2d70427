//! The tree while it is read: its arrays, and the path from the root to the node at hand.
//!
//! Not here: words (see `node`).

use deepcfr_core::{Action, NUM_PLAYERS, Player};

use super::infosets::Infosets;
use super::outcomes::Payoffs;
use crate::game::{Node, Past, TreeArrays};

/// How far sums of payoffs may differ, in units of the largest payoff: rounding of a long path.
const SUM_WITHIN: f64 = 1e-10;

/// What the path to a node has brought.
#[derive(Clone, Copy, Debug)]
pub(super) struct Path {
    pub(super) pasts: [Option<Past>; NUM_PLAYERS],
    pub(super) paid: Payoffs,
    pub(super) depth: u32,
    /// Whether chance gives it a positive probability.
    pub(super) possible: bool,
}

impl Path {
    pub(super) const ROOT: Self =
        Self { pasts: [None; NUM_PLAYERS], paid: [0.0; NUM_PLAYERS], depth: 0, possible: true };
}

/// Whose actions a node has.
#[derive(Clone, Copy, Debug)]
pub(super) enum Mover {
    Chance { draw: u32 },
    Player { player: Player, infoset: u32 },
}

/// Where a child is awaited.
#[derive(Clone, Copy, Debug)]
pub(super) struct Awaited {
    pub(super) action: usize,
    /// Where its parent begins.
    pub(super) parent: usize,
}

/// A node whose actions have not all led somewhere.
struct Open {
    mover: Mover,
    first: u32,
    next: u32,
    count: u32,
    path: Path,
    at: usize,
}

/// An end of the game whose payoffs sum to something else than at the first one.
pub(super) struct OtherSum {
    pub(super) sum: f64,
    pub(super) first_sum: f64,
    pub(super) first_at: usize,
}

#[derive(Default)]
pub(super) struct Tree {
    pub(super) nodes: Vec<Node>,
    children: Vec<u32>,
    open: Vec<Open>,
    /// Where the first end stands and what its payoffs sum to.
    first_end: Option<(usize, f64)>,
    pub(super) largest_payoff: f64,
    pub(super) largest_utility: f64,
    pub(super) chance_nodes: usize,
    pub(super) decision_nodes: [usize; NUM_PLAYERS],
    pub(super) terminal_nodes: usize,
    pub(super) unreachable_nodes: usize,
    pub(super) depth: usize,
}

impl Tree {
    /// What is taken from each player's payoffs.
    pub(super) fn shift(&self) -> f64 {
        let sum = self.first_end.map_or(0.0, |(_, sum)| sum);
        if sum.abs() <= SUM_WITHIN * self.largest_payoff { 0.0 } else { sum / 2.0 }
    }

    pub(super) fn end(&mut self, path: &Path, at: usize) -> Result<(), OtherSum> {
        let sum = path.paid[0] + path.paid[1];
        let &mut (first_at, first_sum) = self.first_end.get_or_insert((at, sum));
        if (sum - first_sum).abs() > SUM_WITHIN * self.largest_payoff {
            return Err(OtherSum { sum, first_sum, first_at });
        }
        let utility = path.paid[0] - self.shift();
        self.terminal_nodes += 1;
        self.push(Node::Terminal(utility), path);
        if path.possible {
            self.largest_utility = self.largest_utility.max(utility.abs());
        }
        Ok(())
    }

    pub(super) fn branch(&mut self, mover: Mover, count: usize, path: &Path, at: usize) {
        // As many as nodes, which are counted.
        let first = self.children.len() as u32;
        match mover {
            Mover::Chance { draw } => {
                self.chance_nodes += 1;
                self.push(Node::Chance { draw, first }, path);
            }
            Mover::Player { player, infoset } => {
                self.decision_nodes[player] += 1;
                self.push(Node::Player { infoset, first }, path);
            }
        }
        self.children.resize(self.children.len() + count, 0);
        self.open.push(Open { mover, first, next: 0, count: count as u32, path: *path, at });
    }

    fn push(&mut self, node: Node, path: &Path) {
        self.nodes.push(node);
        if path.possible {
            self.depth = self.depth.max(path.depth as usize);
        } else {
            self.unreachable_nodes += 1;
        }
    }

    /// Where the next node of the file belongs; nowhere if the tree is complete.
    pub(super) fn next_child(&mut self, infosets: &Infosets) -> Option<(Path, Awaited)> {
        let node = self.nodes.len() as u32;
        let open = self.open.last_mut()?;
        let action = open.next as usize;
        let mut path = Path { depth: open.path.depth + 1, ..open.path };
        match open.mover {
            Mover::Chance { draw } => path.possible &= infosets.is_possible(draw, action),
            Mover::Player { player, infoset } => {
                path.pasts[player] = Some(Past { infoset, action: action as Action });
            }
        }
        let awaited = Awaited { action, parent: open.at };
        self.children[open.first as usize + action] = node;
        open.next += 1;
        if open.next == open.count {
            self.open.pop();
        }
        Some((path, awaited))
    }

    pub(super) fn into_arrays(mut self) -> TreeArrays {
        self.nodes.shrink_to_fit();
        self.children.shrink_to_fit();
        TreeArrays { nodes: self.nodes, children: self.children }
    }
}
