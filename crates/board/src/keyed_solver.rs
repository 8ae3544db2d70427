//! A sampling solver whose tables grow as infosets are met, with its game's types hidden.

use deepcfr_cfr::tabular::{HashedSolver, KeyedPolicy, SavedError};
use deepcfr_core::Game;

/// A sampling solver with tables by infoset. Nothing that it finds can be evaluated exactly.
pub trait KeyedSolver: Send {
    /// Runs so many more iterations.
    fn step(&mut self, iterations: u64);

    /// Iterations so far.
    fn iterations(&self) -> u64;

    /// Decision and terminal nodes visited so far.
    fn nodes(&self) -> u64;

    /// Infosets met so far.
    fn num_infosets(&self) -> usize;

    /// The average strategy.
    fn average_policy(&self) -> KeyedPolicy;

    /// Everything that is needed to go on.
    fn save(&self) -> Vec<u8>;

    /// Takes over what [`KeyedSolver::save`] gave.
    ///
    /// # Errors
    /// If the bytes are not of this solver.
    fn restore(&mut self, bytes: &[u8]) -> Result<(), SavedError>;
}

impl<G: Game> KeyedSolver for HashedSolver<G> {
    fn step(&mut self, iterations: u64) {
        self.step(iterations);
    }

    fn iterations(&self) -> u64 {
        self.iterations()
    }

    fn nodes(&self) -> u64 {
        self.nodes()
    }

    fn num_infosets(&self) -> usize {
        self.num_infosets()
    }

    fn average_policy(&self) -> KeyedPolicy {
        self.average_policy()
    }

    fn save(&self) -> Vec<u8> {
        self.save()
    }

    fn restore(&mut self, bytes: &[u8]) -> Result<(), SavedError> {
        self.restore(bytes)
    }
}
