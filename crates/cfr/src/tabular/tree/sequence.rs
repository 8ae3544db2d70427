//! The sequence form of a tree: what a game looks like to strategies, histories folded away.
//!
//! With perfect recall a player's own past at an infoset is one sequence of own actions, so the
//! payoff of two strategies is bilinear in their *reaches* of sequences (Koller, Megiddo and von
//! Stengel 1996, "Efficient computation of equilibria for extensive two-person games"). Everything
//! exact here costs one sparse product and one pass over a player's own infosets. Not here: what the
//! passes compute.

use deepcfr_core::Player;
use rayon::prelude::*;

use super::{GameTree, Infoset, NodeId, NodeKind};

/// Below this many payoffs a product is over before other threads have woken up.
const PARALLEL_FROM: usize = 1 << 18;
/// Sequences that a thread takes at a time.
const CHUNK: usize = 1 << 12;

/// One player's infosets as a tree of sequences.
///
/// Sequences are numbered like the player's own slots, from 0; the empty sequence comes last.
#[derive(Clone, Debug)]
pub(in crate::tabular) struct OwnTree {
    /// Slots of infoset `i`: `first_slots[i]..first_slots[i + 1]`.
    first_slots: Vec<u32>,
    /// The sequence that leads to each infoset.
    parents: Vec<u32>,
}

impl OwnTree {
    fn new(tree: &GameTree, player: Player) -> Self {
        let base = tree.slots_of(player).start as u32;
        let empty = tree.slots_of(player).len() as u32;
        let infosets = &tree.infosets()[tree.infosets_of(player)];
        let first_slots = infosets.iter().map(|infoset| infoset.first_slot - base).chain([empty]).collect();
        let sequence = |infoset: &Infoset| match infoset.parent {
            Some(parent) => tree.infosets()[parent.infoset as usize].first_slot + parent.rank - base,
            None => empty,
        };
        Self { first_slots, parents: infosets.iter().map(sequence).collect() }
    }

    pub(in crate::tabular) fn num_infosets(&self) -> usize {
        self.parents.len()
    }

    /// The player's slots, which is the number of sequences but the empty one.
    pub(in crate::tabular) fn num_slots(&self) -> usize {
        self.first_slots[self.parents.len()] as usize
    }

    #[inline]
    pub(in crate::tabular) fn slots(&self, infoset: usize) -> std::ops::Range<usize> {
        self.first_slots[infoset] as usize..self.first_slots[infoset + 1] as usize
    }

    #[inline]
    pub(in crate::tabular) fn parent(&self, infoset: usize) -> usize {
        self.parents[infoset] as usize
    }

    /// Writes the reach of every sequence under `strategy` (one probability a slot), 1 for the
    /// empty one.
    #[inline]
    pub(in crate::tabular) fn reaches(&self, strategy: &[f64], reach: &mut [f64]) {
        reach[self.num_slots()] = 1.0;
        for infoset in 0..self.num_infosets() {
            let before = reach[self.parent(infoset)];
            let slots = self.slots(infoset);
            for (reach, probability) in reach[slots.clone()].iter_mut().zip(&strategy[slots]) {
                *reach = before * probability;
            }
        }
    }
}

/// A player's payoffs by own sequence (rows) and the other's (columns), chance included: only the
/// pairs that end a game, in compressed rows.
#[derive(Clone, Debug)]
pub(in crate::tabular) struct Payoffs {
    first: Vec<u32>,
    columns: Vec<u32>,
    values: Vec<f64>,
}

impl Payoffs {
    /// From `(row << 32 | column, value)`; equal pairs are added in the order given.
    fn new(mut cells: Vec<(u64, f64)>, rows: usize) -> Self {
        cells.sort_by_key(|&(cell, _)| cell);
        cells.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 += next.1;
            }
            same
        });
        cells.retain(|&(_, value)| value != 0.0);
        let mut first = vec![0; rows + 1];
        cells.iter().for_each(|&(cell, _)| first[(cell >> 32) as usize + 1] += 1);
        (0..rows).for_each(|row| first[row + 1] += first[row]);
        let columns = cells.iter().map(|&(cell, _)| cell as u32).collect();
        Self { first, columns, values: cells.into_iter().map(|(_, value)| value).collect() }
    }

    #[inline]
    fn row(&self, row: usize, reach: &[f64]) -> f64 {
        let cells = self.first[row] as usize..self.first[row + 1] as usize;
        let products =
            self.columns[cells.clone()].iter().zip(&self.values[cells]).map(|(&c, v)| v * reach[c as usize]);
        products.fold(0.0, |sum, product| sum + product)
    }

    /// Writes, for each own sequence, what games that end with it are worth against the other's
    /// `reach`. `parallel` spreads big products over threads and changes no bit.
    #[inline]
    pub(in crate::tabular) fn product(&self, reach: &[f64], parallel: bool, out: &mut [f64]) {
        if parallel && self.values.len() >= PARALLEL_FROM {
            out.par_chunks_mut(CHUNK).enumerate().for_each(|(chunk, out)| {
                out.iter_mut().enumerate().for_each(|(row, out)| *out = self.row(chunk * CHUNK + row, reach));
            });
        } else {
            out.iter_mut().enumerate().for_each(|(row, out)| *out = self.row(row, reach));
        }
    }
}

/// The sequence form of a [`GameTree`].
#[derive(Clone, Debug)]
pub(in crate::tabular) struct SequenceForm {
    pub(in crate::tabular) own: [OwnTree; 2],
    pub(in crate::tabular) payoffs: [Payoffs; 2],
}

impl SequenceForm {
    pub(in crate::tabular) fn new(tree: &GameTree) -> Self {
        let own = [OwnTree::new(tree, 0), OwnTree::new(tree, 1)];
        let ends = ends(tree, &own);
        let cells = |player: Player| {
            let sign = if player == 0 { 1.0 } else { -1.0 };
            let cell = |end: &End| {
                let rows = u64::from(end.sequences[player]) << 32;
                (rows | u64::from(end.sequences[1 - player]), sign * end.payoff)
            };
            Payoffs::new(ends.iter().map(cell).collect(), own[player].num_slots() + 1)
        };
        let payoffs = [cells(0), cells(1)];
        Self { own, payoffs }
    }
}

/// A terminal node: who did what, and player 0's payoff times the probability of chance's part.
struct End {
    sequences: [u32; 2],
    payoff: f64,
}

fn ends(tree: &GameTree, own: &[OwnTree; 2]) -> Vec<End> {
    let empty = own.each_ref().map(|own| own.num_slots() as u32);
    let mut reached = vec![(empty, 1.0); tree.len()];
    let mut ends = Vec::with_capacity(tree.counts().terminal);
    for node in 0..tree.len() as NodeId {
        let (sequences, chance) = reached[node as usize];
        let children = tree.children(node);
        match tree.kind(node) {
            NodeKind::Terminal => ends.push(End { sequences, payoff: chance * tree.payoff(node) }),
            NodeKind::Chance => {
                let total = f64::from(tree.total_weight(node));
                for (&child, &weight) in children.iter().zip(tree.weights(node)) {
                    reached[child as usize] = (sequences, chance * (f64::from(weight) / total));
                }
            }
            NodeKind::First | NodeKind::Second => {
                let infoset = tree.infoset(node);
                let first = infoset.first_slot - tree.slots_of(infoset.owner).start as u32;
                for (rank, &child) in children.iter().enumerate() {
                    let mut after = sequences;
                    after[infoset.owner] = first + rank as u32;
                    reached[child as usize] = (after, chance);
                }
            }
        }
    }
    ends
}
