//! The memories of a run.
//!
//! Not here: what a memory keeps.

use std::io::{self, Read, Write};

use deepcfr_core::{Features, NUM_PLAYERS, Player, SampleMeta, SampleShape, SampleSink, SampleSource};

use super::{Fnv, LoadError, Memory, MemoryKind};

/// The memory identity of the strategy memory; a player's advantage memory has the player's.
const STRATEGY_MEMORY: u32 = NUM_PLAYERS as u32;

/// The memories of a run: one for each player's advantages, one for strategies.
#[derive(Clone, Debug)]
pub struct Memories {
    /// By player.
    pub advantage: [Memory; NUM_PLAYERS],
    /// Both players' strategies.
    pub strategy: Memory,
}

impl Memories {
    /// Empty memories of the given kinds, `advantage` for each player; a number is a reservoir's capacity.
    ///
    /// # Panics
    /// As [`Memory::new`].
    pub fn new(
        shape: SampleShape,
        advantage: impl Into<MemoryKind>,
        strategy: impl Into<MemoryKind>,
        seed: u64,
    ) -> Self {
        let kind = advantage.into();
        let advantage = |player: Player| Memory::new(shape, kind, seed, player as u32);
        let strategy = Memory::new(shape, strategy, seed, STRATEGY_MEMORY);
        Self { advantage: std::array::from_fn(advantage), strategy }
    }

    /// Memories of the same kinds and sizes, without samples.
    #[must_use]
    pub fn empty(&self, seed: u64) -> Self {
        let shape = self.strategy.shape();
        Self::new(shape, self.advantage[0].kind(), self.strategy.kind(), seed)
    }

    /// The bytes that full memories take, as [`MemoryKind::bytes_expected`] expects.
    pub fn bytes_expected(
        shape: SampleShape,
        advantage: impl Into<MemoryKind>,
        strategy: impl Into<MemoryKind>,
    ) -> u64 {
        let (advantage, strategy) = (advantage.into(), strategy.into());
        NUM_PLAYERS as u64 * advantage.bytes_expected(shape) + strategy.bytes_expected(shape)
    }

    /// The bytes that full memories take whatever the samples.
    pub fn bytes_at_most(
        shape: SampleShape,
        advantage: impl Into<MemoryKind>,
        strategy: impl Into<MemoryKind>,
    ) -> u64 {
        let (advantage, strategy) = (advantage.into(), strategy.into());
        NUM_PLAYERS as u64 * advantage.bytes_at_most(shape) + strategy.bytes_at_most(shape)
    }

    /// The three memories, players' first.
    pub fn iter(&self) -> impl Iterator<Item = &Memory> {
        self.advantage.iter().chain([&self.strategy])
    }

    /// A fingerprint of all contents.
    pub fn hash(&self) -> u64 {
        let mut state = Fnv::new();
        self.iter().for_each(|memory| state.word(memory.hash()));
        state.0
    }

    /// Writes the three memories.
    ///
    /// # Errors
    /// What the writer returns.
    pub fn save(&self, writer: &mut impl Write) -> io::Result<()> {
        self.iter().try_for_each(|memory| memory.save(writer))
    }

    /// Reads the three memories.
    ///
    /// # Errors
    /// As [`Memory::load`].
    pub fn load(&mut self, reader: &mut impl Read) -> Result<(), LoadError> {
        self.advantage.iter_mut().try_for_each(|memory| memory.load(reader))?;
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

#[cfg(test)]
mod tests {
    use deepcfr_core::{ActionSet, SampleSource, Weighting};

    use super::*;

    const SHAPE: SampleShape = SampleShape { num_features: 3, num_actions: 2 };

    /// Ten samples of two rows of each player's, and twenty strategies.
    fn fill(memories: &mut Memories) {
        for ordinal in 0..20u32 {
            let meta = SampleMeta { legal: ActionSet::first(2), iteration: 1 + ordinal };
            let row = [(ordinal / 2 % 2) as f32, 0.0, 1.0];
            memories.advantage(ordinal as usize % 2, meta, &row, &[ordinal as f32, -1.0]);
            memories.strategy(meta, &row, &[0.25, 0.75]);
        }
    }

    #[test]
    fn each_memory_may_be_of_either_kind() {
        let merged = MemoryKind::Merged { limit: 2, weighting: Weighting::Linear };
        let small = MemoryKind::Merged { limit: 1, weighting: Weighting::Uniform };
        let reservoir = MemoryKind::Reservoir { capacity: 5 };
        for (advantage, strategy, lens, left_out) in [
            (merged, reservoir, [2, 2, 5], [0, 0, 15]),
            (reservoir, merged, [5, 5, 2], [5, 5, 0]),
            (small, small, [1, 1, 1], [5, 5, 10]),
        ] {
            let mut memories = Memories::new(SHAPE, advantage, strategy, 3);
            fill(&mut memories);
            let kinds: Vec<_> = memories.iter().map(Memory::kind).collect();
            assert_eq!(kinds, [advantage, advantage, strategy]);
            assert_eq!(memories.iter().map(SampleSource::len).collect::<Vec<_>>(), lens);
            assert_eq!(memories.iter().map(Memory::left_out).collect::<Vec<_>>(), left_out);
            assert!(memories.iter().all(|memory| memory.overflowed() == (memory.left_out() > 0)));
            assert!(memories.iter().all(|memory| memory.is_full() && memory.capacity() == memory.len()));
            let mut bytes = Vec::new();
            memories.save(&mut bytes).expect("writing to memory");
            let mut loaded = Memories::new(SHAPE, advantage, strategy, 3);
            loaded.load(&mut bytes.as_slice()).expect("the same memories");
            assert_eq!(loaded.hash(), memories.hash());
            let allocated: u64 = memories.iter().map(Memory::bytes_allocated).sum();
            assert!(allocated <= Memories::bytes_at_most(SHAPE, advantage, strategy));
        }
    }

    #[test]
    fn a_number_is_the_capacity_of_a_reservoir() {
        let memories = Memories::new(SHAPE, 4, 8, 3);
        let kinds = [4, 4, 8].map(|capacity| MemoryKind::Reservoir { capacity });
        assert_eq!(memories.iter().map(Memory::kind).collect::<Vec<_>>(), kinds);
    }
}
