//! Counter-based random streams: every draw is a function of (seed, purpose, coordinates, position).
//!
//! The generator is Philox4x32-10 (Salmon et al. 2011, "Parallel random numbers: as easy as
//! 1, 2, 3"). A stream is a block counter with a key, so that creating one costs nothing, streams
//! never overlap, and results do not depend on which thread draws them.

/// What a stream is used for; streams of different purposes never share a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Purpose {
    /// Traversals: coordinates (iteration, traverser, traversal).
    Traversal = 1,
    /// Reservoir replacement: coordinates (0, memory, ordinal of the sample).
    Reservoir = 2,
    /// Initial weights: coordinates (iteration, network, layer).
    Weights = 3,
    /// Training batches: coordinates (iteration, network, step).
    Batches = 4,
    /// Chance in evaluation games: coordinates (evaluation, 0, deal).
    EvaluationChance = 5,
    /// Players' choices in evaluation games: coordinates (evaluation, seat, game).
    EvaluationPlay = 6,
    /// Tabular Monte Carlo solvers: coordinates (0, traverser, iteration).
    Tabular = 7,
    /// Resampling in statistics: coordinates (0, 0, replicate).
    Statistics = 8,
    /// Tests.
    Test = 9,
    /// Samples kept for diagnostics: coordinates (iteration, player, 0).
    Diagnostics = 10,
}

/// A random stream.
#[derive(Clone, Debug)]
pub struct Stream {
    key: [u32; 2],
    counter: [u32; 4],
    buffer: [u64; 2],
    left: u8,
}

impl Stream {
    /// The stream of `purpose` at coordinates `(major, minor, index)` for `seed`.
    ///
    /// # Panics
    /// If `minor` does not fit 24 bits.
    #[inline]
    pub fn new(seed: u64, purpose: Purpose, major: u32, minor: u32, index: u32) -> Self {
        assert!(minor < 1 << 24, "the minor coordinate has 24 bits");
        Self {
            key: [seed as u32, (seed >> 32) as u32],
            counter: [0, index, major, (purpose as u32) << 24 | minor],
            buffer: [0; 2],
            left: 0,
        }
    }

    /// A stream of its own, keyed by 64 bits drawn from this one: it can be copied and drawn from
    /// without moving this one. It shares no block with any stream of [`Stream::new`].
    #[inline]
    pub fn branch(&mut self) -> Self {
        let key = self.next_u64();
        Self { key: [key as u32, (key >> 32) as u32], counter: [0; 4], buffer: [0; 2], left: 0 }
    }

    /// A uniform 64-bit number.
    #[inline]
    pub fn next_u64(&mut self) -> u64 {
        if self.left == 0 {
            self.fill();
        }
        self.left -= 1;
        let number = self.buffer[1 - self.left as usize];
        if self.left == 0 {
            // Ahead of the next draw: what is done with this number need not wait for the next ones.
            self.fill();
        }
        number
    }

    /// Computes the next block.
    #[inline]
    fn fill(&mut self) {
        let [a, b, c, d] = philox4x32_10(self.counter, self.key);
        self.buffer = [u64::from(b) << 32 | u64::from(a), u64::from(d) << 32 | u64::from(c)];
        self.counter[0] = self.counter[0].wrapping_add(1);
        self.left = 2;
    }

    /// A uniform number in `[0, 1)` with 53 random bits.
    #[inline]
    pub fn uniform(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// A uniform number in `0..bound`, from one 64-bit draw (bias below `bound / 2^64`).
    ///
    /// # Panics
    /// If `bound` is 0.
    #[inline]
    pub fn below(&mut self, bound: u32) -> u32 {
        assert!(bound > 0, "nothing is below 0");
        ((u128::from(self.next_u64()) * u128::from(bound)) >> 64) as u32
    }

    /// A uniform number in `0..bound`, from one 64-bit draw (bias below `bound / 2^64`).
    ///
    /// # Panics
    /// If `bound` is 0.
    #[inline]
    pub fn below_u64(&mut self, bound: u64) -> u64 {
        assert!(bound > 0, "nothing is below 0");
        ((u128::from(self.next_u64()) * u128::from(bound)) >> 64) as u64
    }

    /// A standard normal number (Box–Muller, one of the pair).
    pub fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.uniform()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.uniform()).cos()
    }
}

#[inline]
fn philox4x32_10(mut counter: [u32; 4], mut key: [u32; 2]) -> [u32; 4] {
    for round in 0..10 {
        if round > 0 {
            key = [key[0].wrapping_add(0x9E37_79B9), key[1].wrapping_add(0xBB67_AE85)];
        }
        let first = u64::from(counter[0]) * 0xD251_1F53;
        let second = u64::from(counter[2]) * 0xCD9E_8D57;
        counter = [
            (second >> 32) as u32 ^ counter[1] ^ key[0],
            second as u32,
            (first >> 32) as u32 ^ counter[3] ^ key[1],
            first as u32,
        ];
    }
    counter
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The known answers that Random123 1.14 ships (kat_vectors, philox4x32 10).
    #[test]
    fn philox_gives_the_known_answers() {
        assert_eq!(philox4x32_10([0; 4], [0; 2]), [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]);
        assert_eq!(
            philox4x32_10([u32::MAX; 4], [u32::MAX; 2]),
            [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd]
        );
        assert_eq!(
            philox4x32_10([0x243f_6a88, 0x85a3_08d3, 0x1319_8a2e, 0x0370_7344], [0xa409_3822, 0x299f_31d0]),
            [0xd16c_fe09, 0x94fd_cceb, 0x5001_e420, 0x2412_6ea1]
        );
    }

    #[test]
    fn streams_of_different_coordinates_differ() {
        let first = |major, minor, index, purpose| Stream::new(7, purpose, major, minor, index).next_u64();
        let base = first(1, 0, 0, Purpose::Traversal);
        for other in [
            first(2, 0, 0, Purpose::Traversal),
            first(1, 1, 0, Purpose::Traversal),
            first(1, 0, 1, Purpose::Traversal),
            first(1, 0, 0, Purpose::Reservoir),
            Stream::new(8, Purpose::Traversal, 1, 0, 0).next_u64(),
        ] {
            assert_ne!(base, other);
        }
    }

    /// χ² with 9 degrees of freedom: 33.7 is the 0.9999 quantile.
    #[test]
    fn below_is_uniform() {
        let mut stream = Stream::new(1, Purpose::Test, 0, 0, 0);
        let mut counts = [0u32; 10];
        (0..100_000).for_each(|_| counts[stream.below(10) as usize] += 1);
        let chi2: f64 = counts.iter().map(|&count| (f64::from(count) - 1e4).powi(2) / 1e4).sum();
        assert!(chi2 < 33.7, "chi2 {chi2}");
    }
}
