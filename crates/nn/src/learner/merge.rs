//! Merging samples whose features and legal actions are equal.
//!
//! For losses that are linear or quadratic in the target, `Σ w_i·loss(q, y_i)` over the samples of a
//! row differs from `(Σ w_i)·loss(q, ȳ)` with the weighted mean target `ȳ` by a constant: the merged
//! memory has the same gradients as the whole one. Not here: batches.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use deepcfr_core::{SampleMeta, SampleSource};

use super::{Weighting, weight};

/// Distinct rows of a memory, in the order of their first samples.
pub(super) struct MergedRows {
    /// A sample that has the row's features.
    pub(super) sample: Vec<u32>,
    /// Total weight of the row's samples.
    pub(super) weight: Vec<f64>,
    /// Weighted mean targets `[rows, actions]`.
    pub(super) targets: Vec<f32>,
    /// Total weight of all samples.
    pub(super) total_weight: f64,
    /// RMS of the targets over legal actions, samples weighted.
    pub(super) target_rms: f64,
}

impl MergedRows {
    /// Reads every sample once, in order.
    pub(super) fn new(source: &dyn SampleSource, weighting: Weighting, iteration: u32) -> Self {
        let shape = source.shape();
        let mut features = vec![0.0; shape.num_features];
        let mut targets = vec![0.0; shape.num_actions];
        let mut merging = Merging::default();
        for index in 0..source.len() {
            let meta = source.read(index, &mut features, &mut targets);
            let weight = weight(weighting, meta.iteration, iteration);
            merging.add(index, row_hash(&features, meta), meta, weight, &targets);
        }
        merging.finish(shape.num_actions)
    }
}

#[derive(Default)]
struct Merging {
    row_of: HashMap<u128, u32, BuildHasherDefault<AlreadyHashed>>,
    sample: Vec<u32>,
    weight: Vec<f64>,
    sums: Vec<f64>,
    squares: f64,
    legal_weight: f64,
}

impl Merging {
    fn add(&mut self, index: usize, hash: u128, meta: SampleMeta, weight: f64, targets: &[f32]) {
        let row = *self.row_of.entry(hash).or_insert_with(|| {
            self.sample.push(u32::try_from(index).expect("a memory holds fewer than 2^32 samples"));
            self.weight.push(0.0);
            self.sums.resize(self.sums.len() + targets.len(), 0.0);
            (self.sample.len() - 1) as u32
        }) as usize;
        self.weight[row] += weight;
        self.legal_weight += weight * meta.legal.len() as f64;
        let sums = &mut self.sums[row * targets.len()..][..targets.len()];
        for action in meta.legal {
            let target = f64::from(targets[usize::from(action)]);
            sums[usize::from(action)] += weight * target;
            self.squares += weight * target * target;
        }
    }

    fn finish(self, num_actions: usize) -> MergedRows {
        let rows = self.sums.chunks_exact(num_actions).zip(&self.weight);
        let targets = rows.flat_map(|(sums, weight)| sums.iter().map(move |sum| (sum / weight) as f32));
        MergedRows {
            targets: targets.collect(),
            total_weight: self.weight.iter().sum(),
            target_rms: (self.squares / self.legal_weight).sqrt(),
            sample: self.sample,
            weight: self.weight,
        }
    }
}

/// A 128-bit hash of the bits of a row and its legal actions: rows are told apart by it alone (two
/// of a million distinct rows meet with a probability below 1e-26).
fn row_hash(features: &[f32], meta: SampleMeta) -> u128 {
    let legal = meta.legal.bits();
    let mut state = [0x9E37_79B9_7F4A_7C15, 0xD1B5_4A32_D192_ED03];
    mix(&mut state, legal as u64, (legal >> 64) as u64);
    let quads = features.chunks_exact(4);
    let rest = quads.remainder();
    for quad in quads {
        mix(&mut state, word(quad[0], quad[1]), word(quad[2], quad[3]));
    }
    for &value in rest {
        mix(&mut state, word(value, 0.0), 0);
    }
    mix(&mut state, features.len() as u64, 0);
    u128::from(state[0]) << 64 | u128::from(state[1])
}

/// Folded 128-bit products, as in wyhash, with the other half of the state in each operand.
#[inline]
fn mix(state: &mut [u64; 2], a: u64, b: u64) {
    let [first, second] = *state;
    state[0] = fold(a ^ first ^ 0xA076_1D64_78BD_642F, b ^ second ^ 0xE703_7ED1_A0B4_28DB);
    state[1] = fold(a ^ second ^ 0x8EBC_6AF0_9C88_C6E3, b ^ first.rotate_left(32) ^ 0x5899_65CC_7537_4CC3);
}

#[inline]
fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    product as u64 ^ (product >> 64) as u64
}

#[inline]
fn word(low: f32, high: f32) -> u64 {
    u64::from(high.to_bits()) << 32 | u64::from(low.to_bits())
}

/// Takes a key that is a hash as its own hash.
#[derive(Default)]
struct AlreadyHashed(u64);

impl Hasher for AlreadyHashed {
    fn write(&mut self, bytes: &[u8]) {
        self.0 = bytes.iter().fold(self.0, |hash, &byte| hash.rotate_left(8) ^ u64::from(byte));
    }

    fn write_u128(&mut self, key: u128) {
        self.0 = key as u64;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}
