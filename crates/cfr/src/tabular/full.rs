//! CFR over the whole tree, one sparse product and one pass over a player's infosets an update.
//!
//! The pass works on the sequence form, which gives the same counterfactual values as a walk over
//! all histories: `v(I, a)` is the sum, over the histories of `I`, of the others' reach times the
//! value after `a`. Not here: the sampling members of the family.

use super::algorithm::{FullTree, RegretRule, Updates};
use super::policy::normalise;
use super::tree::{OwnTree, SequenceForm};

/// One player's tables: one entry per own slot; `reach` and `values` one more, for the empty
/// sequence.
#[derive(Clone, Debug)]
pub(super) struct PlayerTables {
    pub(super) regrets: Vec<f64>,
    pub(super) sums: Vec<f64>,
    pub(super) strategy: Vec<f64>,
    reach: Vec<f64>,
    values: Vec<f64>,
}

impl PlayerTables {
    fn new(own: &OwnTree) -> Self {
        let slots = own.num_slots();
        let mut tables = Self {
            regrets: vec![0.0; slots],
            sums: vec![0.0; slots],
            strategy: vec![0.0; slots],
            reach: vec![0.0; slots + 1],
            values: vec![0.0; slots + 1],
        };
        tables.match_regrets(own);
        tables
    }

    /// Recomputes strategy and reach from the regrets, as a restore must.
    fn match_regrets(&mut self, own: &OwnTree) {
        for infoset in 0..own.num_infosets() {
            let slots = own.slots(infoset);
            regret_matching(&self.regrets[slots.clone()], &mut self.strategy[slots]);
        }
        own.reaches(&self.strategy, &mut self.reach);
    }

    #[inline]
    fn add_to_average(&mut self, weight: f64) {
        self.sums.iter_mut().zip(&self.reach).for_each(|(sum, reach)| *sum += weight * reach);
    }

    /// Folds the values of the last infosets into those before, adds regrets, matches them.
    /// `keep(R + r)` is what the cumulative regret becomes.
    #[inline]
    fn update(&mut self, own: &OwnTree, keep: impl Fn(f64) -> f64) {
        for infoset in (0..own.num_infosets()).rev() {
            let slots = own.slots(infoset);
            let strategy = &mut self.strategy[slots.clone()];
            let values = &self.values[slots.clone()];
            let value: f64 =
                strategy.iter().zip(values).map(|(probability, value)| probability * value).sum();
            let regrets = &mut self.regrets[slots];
            regrets.iter_mut().zip(values).for_each(|(regret, q)| *regret = keep(*regret + (q - value)));
            regret_matching(regrets, strategy);
            self.values[own.parent(infoset)] += value;
        }
        own.reaches(&self.strategy, &mut self.reach);
    }
}

/// `σ(a) = max(R(a), 0) / Σ_b max(R(b), 0)`, uniform where no regret is positive.
#[inline]
fn regret_matching(regrets: &[f64], strategy: &mut [f64]) {
    strategy.iter_mut().zip(regrets).for_each(|(share, &regret)| *share = regret.max(0.0));
    normalise(strategy);
}

/// A solver of the full-tree family, without its tree.
#[derive(Clone, Debug)]
pub(super) struct FullTreeSolver {
    rules: FullTree,
    pub(super) players: [PlayerTables; 2],
}

impl FullTreeSolver {
    pub(super) fn new(rules: FullTree, form: &SequenceForm) -> Self {
        Self { rules, players: form.own.each_ref().map(PlayerTables::new) }
    }

    /// Iteration `t`, counted from 1.
    #[inline]
    pub(super) fn iterate(&mut self, form: &SequenceForm, t: u64, parallel: bool) {
        let weight = (t as f64).powf(self.rules.averaging);
        self.players.iter_mut().for_each(|player| player.add_to_average(weight));
        match self.rules.updates {
            Updates::Alternating => {
                for player in 0..2 {
                    self.value(form, player, parallel);
                    self.update(form, player, t);
                }
            }
            Updates::Simultaneous => {
                (0..2).for_each(|player| self.value(form, player, parallel));
                (0..2).for_each(|player| self.update(form, player, t));
            }
        }
    }

    /// Strategy and reach follow from the regrets.
    pub(super) fn match_regrets(&mut self, form: &SequenceForm) {
        self.players.iter_mut().zip(&form.own).for_each(|(player, own)| player.match_regrets(own));
    }

    #[inline]
    fn value(&mut self, form: &SequenceForm, player: usize, parallel: bool) {
        let [first, second] = &mut self.players;
        let (own, other) = if player == 0 { (first, second) } else { (second, first) };
        form.payoffs[player].product(&other.reach, parallel, &mut own.values);
    }

    #[inline]
    fn update(&mut self, form: &SequenceForm, player: usize, t: u64) {
        let (tables, own) = (&mut self.players[player], &form.own[player]);
        match self.rules.regrets {
            RegretRule::Plain => tables.update(own, |regret| regret),
            RegretRule::Plus => tables.update(own, |regret| regret.max(0.0)),
            RegretRule::Discounted { alpha, beta } => {
                let [positive, negative] = [alpha, beta].map(|exponent| discount(t, exponent));
                tables.update(own, |regret| regret * if regret >= 0.0 { positive } else { negative });
            }
        }
    }
}

/// `t^exponent / (t^exponent + 1)`.
fn discount(t: u64, exponent: f64) -> f64 {
    let power = (t as f64).powf(exponent);
    if power == f64::INFINITY { 1.0 } else { power / (power + 1.0) }
}
