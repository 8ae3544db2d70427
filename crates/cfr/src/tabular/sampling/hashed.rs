//! Sampling on the game itself, with tables that grow as infosets are met: for games whose tree does
//! not fit.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::Arc;

use deepcfr_core::{ActionSet, Game, InfosetKey, Player, Stream, Turn};

use super::{Sampler, Scheme, Slots, Tables, Walk};
use crate::tabular::algorithm::{Algorithm, AlgorithmError};
use crate::tabular::keyed::KeyedPolicy;
use crate::tabular::saved::{Reader, SavedError, Writer};

/// External or outcome sampling without a tree. Deterministic by seed; the same regrets as
/// `Solver` gives on the tree.
///
/// Memory grows by about 50 bytes for each infoset met and 16 for each of its actions.
#[derive(Clone, Debug)]
pub struct HashedSolver<G: Game> {
    algorithm: Algorithm,
    walk: HashedWalk<G>,
    sampler: Sampler,
    iterations: u64,
    nodes: u64,
}

impl<G: Game> HashedSolver<G> {
    /// A solver before its first iteration.
    ///
    /// # Errors
    /// If `algorithm` is not a sampling one, or its parameters are out of range.
    pub fn new(game: G, algorithm: Algorithm, seed: u64) -> Result<Self, AlgorithmError> {
        Self::shared(Arc::new(game), algorithm, seed)
    }

    /// [`HashedSolver::new`] on a game that others use too.
    ///
    /// # Errors
    /// If `algorithm` is not a sampling one, or its parameters are out of range.
    pub fn shared(game: Arc<G>, algorithm: Algorithm, seed: u64) -> Result<Self, AlgorithmError> {
        let scheme = Scheme::of(algorithm)?;
        let walk = HashedWalk { game, index: HashMap::default(), infosets: Vec::new() };
        Ok(Self { algorithm, walk, sampler: Sampler::new(scheme, seed, 0), iterations: 0, nodes: 0 })
    }

    /// Runs `iterations` more: one traversal for each player each.
    pub fn step(&mut self, iterations: u64) {
        for _ in 0..iterations {
            self.iterations += 1;
            self.nodes += self.sampler.iterate(&mut self.walk, self.iterations);
        }
    }

    /// Iterations done.
    pub fn iterations(&self) -> u64 {
        self.iterations
    }

    /// Decision and terminal nodes visited.
    pub fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Infosets met so far.
    pub fn num_infosets(&self) -> usize {
        self.walk.infosets.len()
    }

    /// The average strategy at the infosets met so far.
    pub fn average_policy(&self) -> KeyedPolicy {
        self.policy(&self.sampler.tables.sums)
    }

    /// The strategy of the next iteration at the infosets met so far.
    pub fn current_policy(&self) -> KeyedPolicy {
        let positive = self.sampler.tables.regrets.iter().map(|regret| regret.max(0.0)).collect::<Vec<_>>();
        self.policy(&positive)
    }

    fn policy(&self, weights: &[f64]) -> KeyedPolicy {
        let mut policy = KeyedPolicy::default();
        let mut first = 0;
        for met in &self.walk.infosets {
            let slots = first..first + met.legal.len();
            first = slots.end;
            policy.insert(met.player, met.key, met.legal, &weights[slots]);
        }
        policy
    }

    /// Everything needed to go on, as bytes.
    pub fn save(&self) -> Vec<u8> {
        let mut writer = Writer::new(self.algorithm);
        writer.words(&[self.iterations, self.nodes, self.sampler.seed(), self.walk.infosets.len() as u64]);
        for met in &self.walk.infosets {
            writer.wide(met.key.0);
            writer.wide(met.legal.bits());
            writer.words(&[met.player as u64]);
        }
        writer.numbers(&self.sampler.tables.regrets);
        writer.numbers(&self.sampler.tables.sums);
        writer.finish()
    }

    /// Puts back what [`HashedSolver::save`] returned, seed included; further steps are those that
    /// the saved solver would have made.
    ///
    /// # Errors
    /// If the bytes are damaged or come from another algorithm. The solver is unchanged then.
    pub fn restore(&mut self, bytes: &[u8]) -> Result<(), SavedError> {
        let mut reader = Reader::new(bytes, self.algorithm)?;
        let [iterations, nodes, seed, count] = reader.words()?;
        let mut infosets = Vec::new();
        let mut index = Index::default();
        let mut slots = 0;
        for _ in 0..count {
            let (key, legal) = (InfosetKey(reader.wide()?), ActionSet::from_bits(reader.wide()?));
            let [player] = reader.words()?;
            let player = usize::from(player != 0);
            index.insert((player, key), (slots as u32, legal.len() as u32));
            infosets.push(Met { player, key, legal });
            slots += legal.len();
        }
        let (regrets, sums) = (reader.numbers(slots)?, reader.numbers(slots)?);
        reader.end()?;
        (self.walk.index, self.walk.infosets) = (index, infosets);
        (self.iterations, self.nodes) = (iterations, nodes);
        self.sampler.put_back(seed, regrets, sums);
        Ok(())
    }
}

/// An infoset that some traversal came to.
#[derive(Clone, Debug)]
struct Met {
    player: Player,
    key: InfosetKey,
    legal: ActionSet,
}

type Index = HashMap<(Player, InfosetKey), (u32, u32), BuildHasherDefault<FoldHasher>>;

#[derive(Clone, Debug)]
struct HashedWalk<G: Game> {
    game: Arc<G>,
    /// First slot and number of actions.
    index: Index,
    /// In the order of their slots.
    infosets: Vec<Met>,
}

impl<G: Game> Walk for HashedWalk<G> {
    type Node = G::State;

    fn root(&self) -> G::State {
        self.game.root()
    }

    #[inline]
    fn turn(&self, state: &G::State) -> Turn {
        self.game.turn(state)
    }

    #[inline]
    fn slots(&mut self, state: &G::State, player: Player, tables: &mut Tables) -> Slots {
        let key = self.game.infoset_key(state, player);
        let (first, len) = *self.index.entry((player, key)).or_insert_with(|| {
            let legal = self.game.legal_actions(state);
            let first = tables.regrets.len();
            tables.regrets.resize(first + legal.len(), 0.0);
            tables.sums.resize(first + legal.len(), 0.0);
            self.infosets.push(Met { player, key, legal });
            let first = u32::try_from(first).expect("tables of 4 billion slots do not fit in memory");
            (first, legal.len() as u32)
        });
        Slots { first: first as usize, len: len as usize }
    }

    #[inline]
    fn child(&self, state: &G::State, rank: usize) -> G::State {
        let action =
            self.game.legal_actions(state).nth(rank).expect("the rank is below the number of actions");
        let mut child = state.clone();
        self.game.apply(&mut child, action);
        child
    }

    #[inline]
    fn draw(&self, state: &G::State, rng: &mut Stream) -> G::State {
        let outcome = self.game.sample_chance(state, rng);
        let mut child = state.clone();
        self.game.apply(&mut child, outcome);
        child
    }

    #[inline]
    fn utility(&self, state: &G::State) -> f64 {
        self.game.utility(state)
    }
}

/// Multiplies and folds words: keys come from games, not from adversaries, and are the whole cost
/// of a look-up.
#[derive(Clone, Copy, Debug, Default)]
struct FoldHasher(u64);

impl FoldHasher {
    #[inline]
    fn fold(&mut self, word: u64) {
        let product = u128::from(self.0 ^ word ^ 0x9E37_79B9_7F4A_7C15) * 0xD6E8_FEB8_6659_FD93;
        self.0 = product as u64 ^ (product >> 64) as u64;
    }
}

impl Hasher for FoldHasher {
    #[inline]
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.fold(u64::from_le_bytes(word));
        }
    }

    #[inline]
    fn write_usize(&mut self, word: usize) {
        self.fold(word as u64);
    }

    #[inline]
    fn write_u128(&mut self, wide: u128) {
        self.fold(wide as u64);
        self.fold((wide >> 64) as u64);
    }
}
