//! External sampling: every action of the traverser, one of everybody else's.

use deepcfr_core::{Player, Stream, Turn};

use super::{Slots, Tables, Walk, pick, push_strategy};

struct Traversal<'a, W: Walk> {
    walk: &'a mut W,
    tables: &'a mut Tables,
    scratch: &'a mut Vec<f64>,
    rng: Stream,
    traverser: Player,
    weight: f64,
    nodes: u64,
}

/// Walks once for `traverser`, counting what it finds `weight` times, and returns the number of decision and terminal nodes visited.
pub(super) fn traverse<W: Walk>(
    walk: &mut W,
    tables: &mut Tables,
    scratch: &mut Vec<f64>,
    rng: Stream,
    traverser: Player,
    weight: f64,
) -> u64 {
    scratch.clear();
    let root = walk.root();
    let mut traversal = Traversal { walk, tables, scratch, rng, traverser, weight, nodes: 0 };
    traversal.value(root);
    traversal.nodes
}

impl<W: Walk> Traversal<'_, W> {
    /// The sampled value of `node` for the traverser. Recurs at the traverser's nodes only.
    fn value(&mut self, mut node: W::Node) -> f64 {
        loop {
            match self.walk.turn(&node) {
                Turn::Chance => node = self.walk.draw(&node, &mut self.rng),
                Turn::Terminal => {
                    self.nodes += 1;
                    let utility = self.walk.utility(&node);
                    return if self.traverser == 0 { utility } else { -utility };
                }
                Turn::Player(player) => {
                    self.nodes += 1;
                    let slots = self.walk.slots(&node, player, self.tables);
                    if player == self.traverser {
                        return self.explore(&node, slots);
                    }
                    node = self.sample(&node, slots);
                }
            }
        }
    }

    /// Adds the regrets of all actions and returns the value of the infoset.
    fn explore(&mut self, node: &W::Node, slots: Slots) -> f64 {
        let strategy = push_strategy(self.tables, slots, self.scratch);
        let values = self.scratch.len();
        self.scratch.resize(values + slots.len, 0.0);
        let mut mean = 0.0;
        for rank in 0..slots.len {
            let value = self.value(self.walk.child(node, rank));
            self.scratch[values + rank] = value;
            mean += self.scratch[strategy + rank] * value;
        }
        let regrets = &mut self.tables.regrets[slots.range()];
        let sampled = regrets.iter_mut().zip(&self.scratch[values..]);
        sampled.for_each(|(regret, value)| *regret += self.weight * (value - mean));
        self.scratch.truncate(strategy);
        mean
    }

    /// Adds the opponent's strategy to the average and follows it.
    #[inline]
    fn sample(&mut self, node: &W::Node, slots: Slots) -> W::Node {
        let strategy = push_strategy(self.tables, slots, self.scratch);
        let sums = &mut self.tables.sums[slots.range()];
        let shares = sums.iter_mut().zip(&self.scratch[strategy..]);
        shares.for_each(|(sum, share)| *sum += self.weight * share);
        let rank = pick(&self.scratch[strategy..], self.rng.uniform());
        self.scratch.truncate(strategy);
        self.walk.child(node, rank)
    }
}
