//! Rule-based opponents for any game and for poker.
//!
//! Not here: bots of Lost Cities, which live with that game.

use deepcfr_core::{Action, Policy};

pub use deepcfr_core::RandomPolicy;

use crate::kuhn::{self, Kuhn, KuhnState};
use crate::leduc::{self, Leduc, LeducState};

/// Never folds and never raises: calls whatever there is to call, otherwise checks.
#[derive(Clone, Copy, Debug, Default)]
pub struct AlwaysCall;

impl Policy<Kuhn> for AlwaysCall {
    fn probabilities(&self, _game: &Kuhn, state: &KuhnState, probabilities: &mut [f64]) {
        put_all_on(if state.facing_bet() { kuhn::BET } else { kuhn::PASS }, probabilities);
    }
}

impl Policy<Leduc> for AlwaysCall {
    fn probabilities(&self, _game: &Leduc, _state: &LeducState, probabilities: &mut [f64]) {
        put_all_on(leduc::CALL, probabilities);
    }
}

fn put_all_on(action: Action, probabilities: &mut [f64]) {
    probabilities.fill(0.0);
    probabilities[action as usize] = 1.0;
}
