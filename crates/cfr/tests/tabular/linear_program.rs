//! Kuhn poker as linear programs over sequences (Koller, Megiddo and von Stengel 1996), solved apart
//! from everything in the crate but its tree: best responses, NashConv, the value, an equilibrium.

use deepcfr_cfr::tabular::{GameTree, NodeId, NodeKind, TabularPolicy, evaluate};
use deepcfr_core::{Player, Purpose, Stream};
use deepcfr_games::kuhn::Kuhn;

use super::reference::tree;
use super::simplex::{Optimum, maximise};

/// The sequences of both players: their slots, and the empty sequence last.
struct Game {
    sequences: [usize; 2],
    /// Payoff to player 0 by sequence of player 0 and of player 1, chance included.
    payoffs: Vec<Vec<f64>>,
    /// `constraints[p]·plan = (1, 0, 0, …)`: the empty sequence has reach 1, and at every infoset the
    /// sequences that go on share the reach of the one that leads there.
    constraints: [Vec<Vec<f64>>; 2],
}

impl Game {
    fn new(tree: &GameTree) -> Self {
        let sequences = [0, 1].map(|player| tree.slots_of(player).len() + 1);
        let mut payoffs = vec![vec![0.0; sequences[1]]; sequences[0]];
        add_payoffs(tree, 0, 1.0, sequences.map(|count| count - 1), &mut payoffs);
        Self { sequences, payoffs, constraints: [0, 1].map(|player| constraints(tree, player)) }
    }

    /// The plan that a strategy follows: reach by sequence.
    fn plan(&self, tree: &GameTree, policy: &TabularPolicy, player: Player) -> Vec<f64> {
        let base = tree.slots_of(player).start;
        let mut plan = vec![0.0; self.sequences[player]];
        plan[self.sequences[player] - 1] = 1.0;
        for infoset in &tree.infosets()[tree.infosets_of(player)] {
            let before = plan[leading(tree, infoset.parent, player)];
            infoset.slots().for_each(|slot| plan[slot - base] = before * policy.slots()[slot]);
        }
        plan
    }

    /// What each sequence of `player` is worth to it against the other's plan.
    fn worth(&self, player: Player, other: &[f64]) -> Vec<f64> {
        let entry = |own: usize, other: usize| {
            if player == 0 { self.payoffs[own][other] } else { -self.payoffs[other][own] }
        };
        let worth = |own| other.iter().enumerate().map(|(index, reach)| entry(own, index) * reach).sum();
        (0..self.sequences[player]).map(worth).collect()
    }

    /// The best that `player` can do against the other's plan.
    fn best_response(&self, player: Player, other: &[f64]) -> Optimum {
        maximise(&self.worth(player, other), &self.constraints[player], &self.right(player))
    }

    fn right(&self, player: Player) -> Vec<f64> {
        (0..self.constraints[player].len()).map(|row| if row == 0 { 1.0 } else { 0.0 }).collect()
    }

    /// `player`'s equilibrium plan and the value to it: maximise `f·q` over plans `x` and free `q`
    /// with `xᵀA ≥ qᵀF`, `q` being what the other's infosets are worth. Variables: `x`, `q⁺`, `q⁻`,
    /// slack.
    fn equilibrium(&self, player: Player) -> Optimum {
        let (own, other) = (self.sequences[player], self.sequences[1 - player]);
        let duals = self.constraints[1 - player].len();
        let width = own + 2 * duals + other;
        let mut rows = Vec::new();
        for constraint in &self.constraints[player] {
            let mut row = vec![0.0; width];
            row[..own].copy_from_slice(constraint);
            rows.push(row);
        }
        for answer in 0..other {
            let mut row = vec![0.0; width];
            for (sequence, entry) in row[..own].iter_mut().enumerate() {
                *entry = if player == 0 {
                    self.payoffs[sequence][answer]
                } else {
                    -self.payoffs[answer][sequence]
                };
            }
            for (dual, constraint) in self.constraints[1 - player].iter().enumerate() {
                row[own + dual] = -constraint[answer];
                row[own + duals + dual] = constraint[answer];
            }
            row[own + 2 * duals + answer] = -1.0;
            rows.push(row);
        }
        let mut cost = vec![0.0; width];
        (cost[own], cost[own + duals]) = (1.0, -1.0);
        let right: Vec<f64> = self.right(player).into_iter().chain(vec![0.0; other]).collect();
        maximise(&cost, &rows, &right)
    }
}

/// The sequence that leads to an infoset of this parent.
fn leading(tree: &GameTree, parent: Option<deepcfr_cfr::tabular::Sequence>, player: Player) -> usize {
    let slots = tree.slots_of(player);
    parent.map_or(slots.len(), |parent| {
        (tree.infosets()[parent.infoset as usize].first_slot + parent.rank) as usize - slots.start
    })
}

fn constraints(tree: &GameTree, player: Player) -> Vec<Vec<f64>> {
    let slots = tree.slots_of(player);
    let mut root = vec![0.0; slots.len() + 1];
    root[slots.len()] = 1.0;
    let infosets = tree.infosets()[tree.infosets_of(player)].iter().map(|infoset| {
        let mut row = vec![0.0; slots.len() + 1];
        row[leading(tree, infoset.parent, player)] = -1.0;
        infoset.slots().for_each(|slot| row[slot - slots.start] = 1.0);
        row
    });
    std::iter::once(root).chain(infosets).collect()
}

/// Walks every history, carrying chance's probability and both players' last sequences.
fn add_payoffs(tree: &GameTree, node: NodeId, chance: f64, last: [usize; 2], payoffs: &mut [Vec<f64>]) {
    let children = tree.children(node);
    match tree.kind(node) {
        NodeKind::Terminal => payoffs[last[0]][last[1]] += chance * tree.payoff(node),
        NodeKind::Chance => {
            let total = f64::from(tree.total_weight(node));
            for (&child, &weight) in children.iter().zip(tree.weights(node)) {
                add_payoffs(tree, child, chance * f64::from(weight) / total, last, payoffs);
            }
        }
        NodeKind::First | NodeKind::Second => {
            let infoset = tree.infoset(node);
            let first = infoset.first_slot as usize - tree.slots_of(infoset.owner).start;
            for (rank, &child) in children.iter().enumerate() {
                let mut after = last;
                after[infoset.owner] = first + rank;
                add_payoffs(tree, child, chance, after, payoffs);
            }
        }
    }
}

#[test]
fn nash_conv_on_kuhn_is_what_linear_programs_find() {
    let tree = tree(&Kuhn);
    let game = Game::new(&tree);
    for index in 0..200 {
        let mut rng = Stream::new(3, Purpose::Test, 0, 0, index);
        let weights = (0..tree.num_slots()).map(|_| if rng.below(4) == 0 { 0.0 } else { rng.uniform() });
        let policy = TabularPolicy::from_weights(&tree, weights.collect());
        let plans = [0, 1].map(|player| game.plan(&tree, &policy, player));
        let best = [0, 1].map(|player| game.best_response(player, &plans[1 - player]).value);
        let found = evaluate(&tree, &policy);
        for player in 0..2 {
            let error = (found.best_response_values[player] - best[player]).abs();
            assert!(error < 1e-12, "policy {index}, player {player}: {found:?}, {best:?}");
        }
        // The values of both are opposite, so NashConv is the sum of the two optima.
        assert!((found.nash_conv - (best[0] + best[1])).abs() < 1e-12, "policy {index}: {found:?}, {best:?}");
    }
}

#[test]
fn the_equilibrium_of_a_linear_program_has_no_nash_conv_and_kuhns_value() {
    let tree = tree(&Kuhn);
    let game = Game::new(&tree);
    let optima = [0, 1].map(|player| game.equilibrium(player));
    assert!((optima[0].value + 1.0 / 18.0).abs() < 1e-12, "{}", optima[0].value);
    assert!((optima[1].value - 1.0 / 18.0).abs() < 1e-12, "{}", optima[1].value);
    let mut weights = vec![0.0; tree.num_slots()];
    for (player, optimum) in optima.iter().enumerate() {
        let slots = tree.slots_of(player);
        let plan = &optimum.x[..slots.len()];
        weights[slots].iter_mut().zip(plan).for_each(|(weight, reach)| *weight = reach.max(0.0));
    }
    // Within an infoset a plan is in proportion to the strategy.
    let found = evaluate(&tree, &TabularPolicy::from_weights(&tree, weights));
    assert!(found.nash_conv.abs() < 1e-12, "{found:?}");
    assert!((found.values[0] + 1.0 / 18.0).abs() < 1e-12, "{found:?}");
}
