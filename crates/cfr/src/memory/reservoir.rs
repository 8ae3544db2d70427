//! Uniform reservoirs of fixed capacity.
//!
//! Not here: how samples lie (`store`), and what they mean.

use deepcfr_core::{Edition, Features, Purpose, SampleMeta, SampleShape, SampleSource, Stream, Weighting};

use super::Fnv;
use super::identity::Identity;
use super::saved::Rows;
use super::store::Store;

mod saved;
#[cfg(test)]
mod tests;

/// A uniform sample of fixed size from everything offered so far (Vitter 1985, algorithm R).
///
/// The `n`-th sample offered (counting from 1) enters a full memory with probability
/// `capacity / n` and replaces a uniformly drawn one. The draw depends on (seed, memory, `n`)
/// alone, so that a memory is a function of the sequence of samples offered.
///
/// Samples of more than 64 numbers are packed: bits mark what is 0 or 1 in a row, and any other feature
/// takes a byte if it is one of the first 256 numbers met in its group of 64. All are read back bit for
/// bit. Storage grows as it is needed and never exceeds [`Reservoir::bytes_at_most`].
#[derive(Clone, Debug)]
pub struct Reservoir {
    shape: SampleShape,
    capacity: usize,
    seed: u64,
    memory: u32,
    identity: Identity,
    offered: u64,
    len: usize,
    store: Store,
}

impl Reservoir {
    /// An empty memory for `capacity` samples. `memory` tells memories of one run apart.
    ///
    /// # Panics
    /// If `capacity` is 0.
    pub fn new(shape: SampleShape, capacity: usize, seed: u64, memory: u32) -> Self {
        assert!(capacity > 0, "a reservoir holds at least one sample");
        let (identity, store) = (Identity::new(), Store::new(shape, capacity));
        Self { shape, capacity, seed, memory, identity, offered: 0, len: 0, store }
    }

    /// The bytes that a full memory of `capacity` samples takes. For packed samples an estimate: a third
    /// of all features are neither 0 nor 1, a sixteenth of those have no code, and 16 actions are legal.
    pub fn bytes_expected(shape: SampleShape, capacity: usize) -> u64 {
        Store::bytes_expected(shape, capacity)
    }

    /// The bytes that a full memory of `capacity` samples takes whatever the samples; never exceeded.
    pub fn bytes_at_most(shape: SampleShape, capacity: usize) -> u64 {
        Store::bytes_at_most(shape, capacity)
    }

    /// The bytes allocated now.
    pub fn bytes_allocated(&self) -> u64 {
        self.store.bytes_allocated()
    }

    /// The most samples held.
    pub fn capacity(&self) -> usize {
        self.capacity
    }

    /// How many samples were ever offered.
    pub fn offered(&self) -> u64 {
        self.offered
    }

    /// Whether as many samples are held as there is room for.
    pub fn is_full(&self) -> bool {
        self.len == self.capacity
    }

    /// Whether samples were offered that are not, or no longer, held.
    pub fn overflowed(&self) -> bool {
        self.offered > self.capacity as u64
    }

    /// The noise below which weighted means of targets do not come, however long a full memory is offered
    /// samples: `s/√(κ·C/rows)` with `s` the `spread` of targets around the means of their rows, `C` the
    /// capacity, `rows` distinct rows that are sampled alike, and `κ` the share of
    /// [`Weighting::effective_share`]. In the units of `spread`; the standard deviation of a row's mean in the
    /// memory around that over all samples offered, once those are many times the capacity (times `√(1 − C/n)`
    /// after `n` samples).
    pub fn noise_floor(&self, rows: usize, spread: f64, weighting: Weighting) -> f64 {
        spread / (weighting.effective_share() * self.capacity as f64 / rows as f64).sqrt()
    }

    /// Offers a sample; it may be kept. The features are written only then.
    ///
    /// # Panics
    /// If a row's length is not the shape's.
    pub fn offer(&mut self, meta: SampleMeta, features: &dyn Features, targets: &[f32]) {
        self.offered += 1;
        self.len = self.capacity.min(self.len + 1);
        if let Some(index) = self.place(self.offered) {
            self.store.put(index, meta, features, targets);
        }
    }

    /// Forgets every sample, and that any was offered; keeps the storage.
    pub fn clear(&mut self) {
        (self.len, self.offered) = (0, 0);
        self.identity = Identity::new();
        self.store.clear();
    }

    /// A 64-bit fingerprint of everything that decides later behaviour: counts and contents.
    pub fn hash(&self) -> u64 {
        let mut state = Fnv::new();
        for count in [self.capacity as u64, self.offered, self.len as u64] {
            state.word(count);
        }
        let mut rows = Rows::new(self.shape);
        for index in 0..self.len {
            self.store.words(index, &mut rows).for_each(|word| state.word(u64::from(word)));
        }
        state.0
    }

    /// Where the `number`-th sample offered goes, if anywhere.
    fn place(&self, number: u64) -> Option<usize> {
        if number <= self.capacity as u64 {
            return Some(number as usize - 1);
        }
        let (high, low) = ((number >> 32) as u32, number as u32);
        let drawn = Stream::new(self.seed, Purpose::Reservoir, high, self.memory, low).below_u64(number);
        (drawn < self.capacity as u64).then_some(drawn as usize)
    }
}

impl SampleSource for Reservoir {
    fn shape(&self) -> SampleShape {
        self.shape
    }

    fn len(&self) -> usize {
        self.len
    }

    fn read(&self, index: usize, features: &mut [f32], targets: &mut [f32]) -> SampleMeta {
        assert!(index < self.len, "sample {index} of {}", self.len);
        self.store.read(index, features, targets)
    }

    fn read_targets(&self, first: usize, metas: &mut [SampleMeta], targets: &mut [f32]) {
        assert!(first + metas.len() <= self.len, "{} samples from {first} of {}", metas.len(), self.len);
        assert_eq!(targets.len(), metas.len() * self.shape.num_actions, "the length of the targets");
        self.store.read_targets(first, metas, targets);
    }

    fn edition(&self) -> Option<Edition> {
        Some(Edition { identity: self.identity.number(), offered: self.offered })
    }

    fn changed_since(&self, edition: Edition) -> Option<Vec<u32>> {
        let earlier = edition.identity == self.identity.number() && edition.offered <= self.offered;
        let numbers = edition.offered + 1..=self.offered;
        earlier.then(|| numbers.filter_map(|number| Some(self.place(number)? as u32)).collect())
    }

    fn prefetch(&self, indices: &[u32]) {
        self.store.prefetch(indices);
    }
}
