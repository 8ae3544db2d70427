//! The memories of a run.
//!
//! Not here: what a memory keeps.

use std::io::{self, Read, Write};

use deepcfr_core::{Features, NUM_PLAYERS, Player, SampleMeta, SampleShape, SampleSink};

use super::{Fnv, LoadError, Reservoir};

/// The memory identity of the strategy memory; a player's advantage memory has the player's.
const STRATEGY_MEMORY: u32 = NUM_PLAYERS as u32;

/// The memories of a run: one for each player's advantages, one for strategies.
#[derive(Clone, Debug)]
pub struct Memories {
    /// By player.
    pub advantage: [Reservoir; NUM_PLAYERS],
    /// Both players' strategies.
    pub strategy: Reservoir,
}

impl Memories {
    /// Empty memories; `advantage_capacity` samples for each player.
    ///
    /// # Panics
    /// If a capacity is 0.
    pub fn new(shape: SampleShape, advantage_capacity: usize, strategy_capacity: usize, seed: u64) -> Self {
        let advantage = |player: Player| Reservoir::new(shape, advantage_capacity, seed, player as u32);
        let strategy = Reservoir::new(shape, strategy_capacity, seed, STRATEGY_MEMORY);
        Self { advantage: std::array::from_fn(advantage), strategy }
    }

    /// The bytes that full memories take, as expected by [`Reservoir::bytes_expected`].
    pub fn bytes_expected(shape: SampleShape, advantage_capacity: usize, strategy_capacity: usize) -> u64 {
        let each = |capacity| Reservoir::bytes_expected(shape, capacity);
        NUM_PLAYERS as u64 * each(advantage_capacity) + each(strategy_capacity)
    }

    /// The bytes that full memories take whatever the samples.
    pub fn bytes_at_most(shape: SampleShape, advantage_capacity: usize, strategy_capacity: usize) -> u64 {
        let each = |capacity| Reservoir::bytes_at_most(shape, capacity);
        NUM_PLAYERS as u64 * each(advantage_capacity) + each(strategy_capacity)
    }

    /// The three reservoirs, players' first.
    pub fn iter(&self) -> impl Iterator<Item = &Reservoir> {
        self.advantage.iter().chain([&self.strategy])
    }

    /// A fingerprint of all contents.
    pub fn hash(&self) -> u64 {
        let mut state = Fnv::new();
        self.iter().for_each(|reservoir| state.word(reservoir.hash()));
        state.0
    }

    /// Writes the three reservoirs.
    ///
    /// # Errors
    /// What the writer returns.
    pub fn save(&self, writer: &mut impl Write) -> io::Result<()> {
        self.iter().try_for_each(|reservoir| reservoir.save(writer))
    }

    /// Reads the three reservoirs.
    ///
    /// # Errors
    /// As [`Reservoir::load`].
    pub fn load(&mut self, reader: &mut impl Read) -> Result<(), LoadError> {
        self.advantage.iter_mut().try_for_each(|reservoir| reservoir.load(reader))?;
        self.strategy.load(reader)
    }
}

impl SampleSink for Memories {
    fn advantage(&mut self, player: Player, meta: SampleMeta, features: &dyn Features, targets: &[f32]) {
        self.advantage[player].offer(meta, features, targets);
    }

    fn strategy(&mut self, meta: SampleMeta, features: &dyn Features, targets: &[f32]) {
        self.strategy.offer(meta, features, targets);
    }
}
