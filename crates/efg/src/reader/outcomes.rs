//! The outcomes of a file: payoffs under a number.
//!
//! Not here: where they are paid (see `tree`).

use std::collections::HashMap;

use deepcfr_core::NUM_PLAYERS;

/// One payoff for each player.
pub(super) type Payoffs = [f64; NUM_PLAYERS];

#[derive(Default)]
pub(super) struct Outcomes {
    defined: HashMap<u64, (Payoffs, usize)>,
}

impl Outcomes {
    pub(super) fn len(&self) -> usize {
        self.defined.len()
    }

    pub(super) fn get(&self, outcome: u64) -> Option<Payoffs> {
        self.defined.get(&outcome).map(|&(payoffs, _)| payoffs)
    }

    /// Takes payoffs that are given at a byte; fails with the byte at which there were others.
    pub(super) fn define(&mut self, outcome: u64, payoffs: Payoffs, at: usize) -> Result<(), usize> {
        let &mut (known, first) = self.defined.entry(outcome).or_insert((payoffs, at));
        if known == payoffs { Ok(()) } else { Err(first) }
    }
}
