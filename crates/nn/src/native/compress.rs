//! The non-zero values of a block of a row, moved to the front, with their positions.
//!
//! Eight at a time where the processor can permute vectors, else one by one: the same lists. Not here:
//! where the lists lie.

/// Values in a block.
pub(super) const BLOCK: usize = 128;

/// Values that are written past the last one of a full block.
pub(super) const SLACK: usize = 8;

/// Where a block's list is written: positions and values.
pub(super) type Slots<'a> = (&'a mut [u32; BLOCK + SLACK], &'a mut [f32; BLOCK + SLACK]);

/// Compresses blocks as this machine does it best.
#[derive(Clone, Copy, Debug)]
pub(super) struct Compressor {
    #[cfg(target_arch = "x86_64")]
    vectors: Option<pulp::x86::V3>,
}

impl Compressor {
    pub(super) fn new() -> Self {
        Self {
            #[cfg(target_arch = "x86_64")]
            vectors: pulp::x86::V3::try_new(),
        }
    }

    /// Lists the non-zero of `values`, at most a block of them, whose first one has position `first`; how
    /// many there are. What lies behind them in the slots is overwritten.
    #[inline(always)]
    pub(super) fn compress(self, first: usize, values: &[f32], slots: Slots<'_>) -> usize {
        #[cfg(target_arch = "x86_64")]
        if let Some(simd) = self.vectors {
            return pulp::Simd::vectorize(simd, x86::Compress { simd, first, values, slots });
        }
        one_by_one(first, values, slots, 0)
    }
}

/// Lists the non-zero of `values` behind `count` entries; how many there are then.
#[inline(always)]
fn one_by_one(first: usize, values: &[f32], slots: Slots<'_>, mut count: usize) -> usize {
    for (within, &value) in values.iter().enumerate() {
        // Written first, kept or overwritten by the next: a branch on a value that is zero or not by chance
        // would often be guessed wrong.
        // Never past the last value's slot; the remainder spares a check.
        slots.0[count % BLOCK] = (first + within) as u32;
        slots.1[count % BLOCK] = value;
        count += usize::from(value != 0.0);
    }
    count
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use pulp::x86::V3;
    use pulp::{NullaryFnOnce, Simd, u32x8};

    use super::{BLOCK, Slots, one_by_one};

    const LANES: usize = 8;

    /// "Not equal, or not a number", for vector comparisons.
    const NOT_EQUAL: i32 = 4;

    /// By the set of lanes to keep, where each lane of the result comes from.
    static KEEP: [[u32; LANES]; 1 << LANES] = {
        let mut table = [[0; LANES]; 1 << LANES];
        let mut set = 0;
        while set < table.len() {
            let (mut lane, mut kept) = (0, 0);
            while lane < LANES {
                if set >> lane & 1 == 1 {
                    table[set][kept] = lane as u32;
                    kept += 1;
                }
                lane += 1;
            }
            set += 1;
        }
        table
    };

    pub(super) struct Compress<'a> {
        pub(super) simd: V3,
        pub(super) first: usize,
        pub(super) values: &'a [f32],
        pub(super) slots: Slots<'a>,
    }

    impl NullaryFnOnce for Compress<'_> {
        type Output = usize;

        #[inline(always)]
        fn call(self) -> usize {
            let Self { simd, first, values, slots: (positions, numbers) } = self;
            let (vectors, rest) = values.as_chunks::<LANES>();
            let step = simd.splat_u32s(LANES as u32);
            let mut lanes = simd.add_u32s(u32x8(0, 1, 2, 3, 4, 5, 6, 7), simd.splat_u32s(first as u32));
            let mut count = 0;
            for vector in vectors {
                // The set of non-zero lanes names a permutation that moves them to the front. All eight are
                // written: what lies behind the kept ones is overwritten by the next vector, or is slack. What
                // is not a number is kept, so that it shows in the answer instead of counting as zero.
                let vector = pulp::cast(*vector);
                let set = simd.avx._mm256_cmp_ps::<NOT_EQUAL>(vector, simd.avx._mm256_setzero_ps());
                let set = simd.avx._mm256_movemask_ps(set) as usize % KEEP.len();
                let keep = pulp::cast(KEEP[set]);
                let kept = simd.avx2._mm256_permutevar8x32_ps(vector, keep);
                let kept_lanes = simd.avx2._mm256_permutevar8x32_epi32(pulp::cast(lanes), keep);
                // Never past the last vector's slots; the remainder spares a check.
                let place = count % BLOCK;
                numbers[place..place + LANES].copy_from_slice(&pulp::cast::<_, [f32; LANES]>(kept));
                positions[place..place + LANES].copy_from_slice(&pulp::cast::<_, [u32; LANES]>(kept_lanes));
                count += set.count_ones() as usize;
                lanes = simd.add_u32s(lanes, step);
            }
            one_by_one(first + values.len() - rest.len(), rest, (positions, numbers), count)
        }
    }
}

#[cfg(test)]
mod tests {
    use deepcfr_core::{Purpose, Stream};

    use super::*;

    #[test]
    fn vectors_list_what_one_by_one_lists() {
        let compressor = Compressor::new();
        let mut stream = Stream::new(3, Purpose::Test, 0, 0, 0);
        let odd = [-0.0, f32::NAN, f32::MIN_POSITIVE / 2.0, f32::NEG_INFINITY];
        for len in 0..=BLOCK {
            for density in [0, 1, 50, 99, 100] {
                let mut value = || match stream.below(100) {
                    draw if draw >= density => 0.0,
                    draw if draw % 10 == 0 => odd[stream.below(4) as usize],
                    _ => stream.uniform() as f32 - 0.5,
                };
                let values: Vec<f32> = (0..len).map(|_| value()).collect();
                let mut got = ([7; BLOCK + SLACK], [7.0; BLOCK + SLACK]);
                let mut expected = got;
                let count = compressor.compress(256, &values, (&mut got.0, &mut got.1));
                assert_eq!(count, one_by_one(256, &values, (&mut expected.0, &mut expected.1), 0));
                let bits = |list: &[f32]| list.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
                assert_eq!(got.0[..count], expected.0[..count], "{values:?}");
                assert_eq!(bits(&got.1[..count]), bits(&expected.1[..count]), "{values:?}");
                let kept = values.iter().filter(|&&value| value != 0.0);
                assert_eq!(bits(&got.1[..count]), kept.map(|value| value.to_bits()).collect::<Vec<_>>());
            }
        }
    }
}
