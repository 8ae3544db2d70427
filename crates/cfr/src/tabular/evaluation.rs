//! How good a strategy is, exactly: values, best responses, NashConv.
//!
//! A best response decides once per infoset, on counterfactual values summed over all its
//! histories; nothing here looks at a printed state. Not here: strategies that are too big to
//! tabulate.

use deepcfr_core::Player;

use super::policy::TabularPolicy;
use super::tree::{GameTree, OwnTree};

/// How good a strategy is. All figures in the game's points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Evaluation {
    /// What each player gets when both follow the strategy.
    pub values: [f64; 2],
    /// What each player could get against the other's part of the strategy.
    pub best_response_values: [f64; 2],
    /// `Σ_p (best_response_values[p] − values[p])`; 0 at an equilibrium, never negative but for
    /// rounding.
    pub nash_conv: f64,
    /// `nash_conv / 2`.
    pub exploitability: f64,
}

/// Evaluates strategies exactly; keeps its working space from one call to the next.
#[derive(Clone, Debug, Default)]
pub struct BestResponse {
    reach: [Vec<f64>; 2],
    values: Vec<f64>,
    parallel: bool,
}

/// Evaluates one strategy on one thread. See [`BestResponse`] for many.
pub fn evaluate(tree: &GameTree, policy: &TabularPolicy) -> Evaluation {
    BestResponse::default().evaluate(tree, policy)
}

impl BestResponse {
    /// Spreads the work on big games over the threads of the current rayon pool. Changes no bit of
    /// any result.
    pub fn parallel() -> Self {
        Self { parallel: true, ..Self::default() }
    }

    /// Evaluates `policy`, which belongs to `tree`.
    pub fn evaluate(&mut self, tree: &GameTree, policy: &TabularPolicy) -> Evaluation {
        let form = tree.sequence_form();
        for player in 0..2 {
            let own = &form.own[player];
            self.reach[player].resize(own.num_slots() + 1, 0.0);
            own.reaches(&policy.slots()[tree.slots_of(player)], &mut self.reach[player]);
        }
        let mut value = 0.0;
        let best_response_values = [0, 1].map(|player| {
            self.action_values(tree, player);
            if player == 0 {
                value = self.values.iter().zip(&self.reach[0]).map(|(value, reach)| value * reach).sum();
            }
            best_value(&form.own[player], &mut self.values, |_, _| ())
        });
        // The values are opposite, so that they drop out of the sum.
        let nash_conv = best_response_values[0] + best_response_values[1];
        let exploitability = nash_conv / 2.0;
        Evaluation { values: [value, -value], best_response_values, nash_conv, exploitability }
    }

    /// `player`'s best pure answer to `policy`, in place of `player`'s part of it; the first of
    /// equally good actions.
    pub fn respond(&mut self, tree: &GameTree, policy: &TabularPolicy, player: Player) -> TabularPolicy {
        let form = tree.sequence_form();
        let other = 1 - player;
        self.reach[other].resize(form.own[other].num_slots() + 1, 0.0);
        form.own[other].reaches(&policy.slots()[tree.slots_of(other)], &mut self.reach[other]);
        self.action_values(tree, player);
        let mut slots = policy.slots().to_vec();
        let own = &mut slots[tree.slots_of(player)];
        own.fill(0.0);
        best_value(&form.own[player], &mut self.values, |_, best| own[best] = 1.0);
        TabularPolicy::from_weights(tree, slots)
    }

    /// What each of `player`'s sequences earns by itself against the other's reach.
    fn action_values(&mut self, tree: &GameTree, player: Player) {
        let form = tree.sequence_form();
        self.values.resize(form.own[player].num_slots() + 1, 0.0);
        form.payoffs[player].product(&self.reach[1 - player], self.parallel, &mut self.values);
    }
}

/// Folds `values` from the last infosets to the first, taking the best action of each; calls
/// `chosen(infoset, slot)` for it.
fn best_value(own: &OwnTree, values: &mut [f64], mut chosen: impl FnMut(usize, usize)) -> f64 {
    for infoset in (0..own.num_infosets()).rev() {
        let slots = own.slots(infoset);
        let mut best = slots.start;
        for slot in slots {
            if values[slot] > values[best] {
                best = slot;
            }
        }
        chosen(infoset, best);
        values[own.parent(infoset)] += values[best];
    }
    values[own.num_slots()]
}
