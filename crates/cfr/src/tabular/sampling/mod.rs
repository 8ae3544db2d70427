//! Monte Carlo CFR: regrets from sampled parts of the tree.
//!
//! The sampling schemes (`external`, `outcome`) walk either a tree in flat arrays (`indexed`) or the
//! game itself with tables that grow as infosets are met (`hashed`), through one small trait. Both
//! consume the same random numbers, so they give the same regrets. Not here: the samples of Deep
//! CFR (see `traversal`).

mod external;
mod hashed;
mod indexed;
mod outcome;

use deepcfr_core::{NUM_PLAYERS, Player, Purpose, Stream, Turn};

use super::algorithm::{Algorithm, AlgorithmError};
use super::policy::normalise;

pub use hashed::HashedSolver;
pub(super) use indexed::IndexedWalk;

/// Cumulative regrets and strategies, one entry per slot.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Tables {
    pub(super) regrets: Vec<f64>,
    pub(super) sums: Vec<f64>,
}

/// Where an infoset's entries lie.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slots {
    first: usize,
    len: usize,
}

impl Slots {
    #[inline]
    fn range(self) -> std::ops::Range<usize> {
        self.first..self.first + self.len
    }
}

/// A game as a sampling scheme sees it.
pub(super) trait Walk {
    /// A position.
    type Node: Clone;

    fn root(&self) -> Self::Node;

    fn turn(&self, node: &Self::Node) -> Turn;

    /// The entries of the infoset of `player`, who is to move; may enlarge `tables`.
    fn slots(&mut self, node: &Self::Node, player: Player, tables: &mut Tables) -> Slots;

    /// The position after the legal action at `rank`, in ascending order.
    fn child(&self, node: &Self::Node, rank: usize) -> Self::Node;

    /// The position after an outcome drawn with one number of `rng`.
    fn draw(&self, node: &Self::Node, rng: &mut Stream) -> Self::Node;

    /// What player 0 gets at a terminal position.
    fn utility(&self, node: &Self::Node) -> f64;
}

/// Which parts of the tree a traversal sees.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Scheme {
    /// Iteration `t` counts `t` times where it is linear.
    External {
        linear: bool,
    },
    Outcome {
        exploration: f64,
    },
}

impl Scheme {
    /// The scheme of a sampling algorithm.
    pub(super) fn of(algorithm: Algorithm) -> Result<Self, AlgorithmError> {
        match algorithm {
            Algorithm::FullTree(_) => Err(AlgorithmError::NeedsTree { algorithm }),
            Algorithm::ExternalSampling => Ok(Self::External { linear: false }),
            Algorithm::LinearExternalSampling => Ok(Self::External { linear: true }),
            Algorithm::OutcomeSampling { exploration } if exploration > 0.0 && exploration <= 1.0 => {
                Ok(Self::Outcome { exploration })
            }
            Algorithm::OutcomeSampling { exploration } => {
                Err(AlgorithmError::Parameter { parameter: "exploration", range: "(0, 1]", got: exploration })
            }
        }
    }
}

/// What sampling keeps from one traversal to the next, beside the walk.
#[derive(Clone, Debug)]
pub(super) struct Sampler {
    pub(super) tables: Tables,
    scheme: Scheme,
    seed: u64,
    /// Strategies and values of the nodes on the way, as a stack.
    scratch: Vec<f64>,
    /// The traverser's decisions on a sampled trajectory.
    trail: Vec<outcome::Decision>,
}

impl Sampler {
    pub(super) fn new(scheme: Scheme, seed: u64, num_slots: usize) -> Self {
        let tables = Tables { regrets: vec![0.0; num_slots], sums: vec![0.0; num_slots] };
        Self { tables, scheme, seed, scratch: Vec::new(), trail: Vec::new() }
    }

    pub(super) fn seed(&self) -> u64 {
        self.seed
    }

    pub(super) fn put_back(&mut self, seed: u64, regrets: Vec<f64>, sums: Vec<f64>) {
        self.seed = seed;
        self.tables = Tables { regrets, sums };
    }

    /// Iteration `t`, counted from 1: a traversal for each player. Returns the number of decision
    /// and terminal nodes visited.
    pub(super) fn iterate<W: Walk>(&mut self, walk: &mut W, t: u64) -> u64 {
        (0..NUM_PLAYERS).map(|traverser| self.traverse(walk, t, traverser)).sum()
    }

    fn traverse<W: Walk>(&mut self, walk: &mut W, t: u64, traverser: Player) -> u64 {
        let rng = Stream::new(self.seed, Purpose::Tabular, (t >> 32) as u32, traverser as u32, t as u32);
        let Self { tables, scheme, scratch, trail, .. } = self;
        match *scheme {
            Scheme::External { linear } => {
                let weight = if linear { t as f64 } else { 1.0 };
                external::traverse(walk, tables, scratch, rng, traverser, weight)
            }
            Scheme::Outcome { exploration } => {
                outcome::traverse(walk, tables, scratch, trail, rng, traverser, exploration)
            }
        }
    }
}

/// Pushes the strategy at `slots` onto `scratch` and returns where it begins.
#[inline]
fn push_strategy(tables: &Tables, slots: Slots, scratch: &mut Vec<f64>) -> usize {
    let base = scratch.len();
    scratch.extend(tables.regrets[slots.range()].iter().map(|regret| regret.max(0.0)));
    normalise(&mut scratch[base..]);
    base
}

/// The first position at which the cumulative probability exceeds `draw`, a number in `[0, 1)`;
/// where rounding keeps the sum at or below it, the last position of positive probability.
#[inline]
fn pick(strategy: &[f64], draw: f64) -> usize {
    let (mut cumulative, mut last) = (0.0, 0);
    for (rank, &probability) in strategy.iter().enumerate() {
        cumulative += probability;
        if draw < cumulative {
            return rank;
        }
        if probability > 0.0 {
            last = rank;
        }
    }
    last
}

#[cfg(test)]
mod tests {
    use super::pick;

    #[test]
    fn a_draw_falls_into_its_share() {
        let strategy = [0.0, 0.25, 0.75 - 1e-17, 0.0];
        assert_eq!([0.0, 0.2499, 0.25, 0.9999].map(|draw| pick(&strategy, draw)), [1, 1, 2, 2]);
        assert_eq!(pick(&[0.5, 0.25, 0.0], 0.9), 1);
    }
}
