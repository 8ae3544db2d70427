//! Merging samples whose features and legal actions are equal.
//!
//! For losses that are linear or quadratic in the target, `Σ w_i·loss(q, y_i)` over the samples of a
//! row differs from `(Σ w_i)·loss(q, ȳ)` with the weighted mean target `ȳ` by a constant: the merged
//! memory has the same gradients as the whole one. A source may have merged them itself. Not here: batches.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use deepcfr_core::{ActionSet, Edition, MergedSamples, SampleMeta, SampleSource, row_hash};

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
    /// Standard deviation of the targets around the means of their rows, likewise.
    pub(super) target_spread: f64,
    /// How many samples were merged.
    pub(super) samples: u64,
}

/// Sums over all samples of a memory.
#[derive(Clone, Copy, Default)]
struct Totals {
    samples: u64,
    /// `Σ w · Σ_a y(a)²` over legal actions.
    squares: f64,
    /// `Σ w · |legal|`.
    legal_weight: f64,
}

impl MergedRows {
    /// The rows of a source that has merged its samples itself.
    ///
    /// # Panics
    /// If it weighed them otherwise.
    pub(super) fn of(
        source: &dyn SampleSource,
        merged: MergedSamples,
        weighting: Weighting,
        iteration: u32,
    ) -> Self {
        assert_eq!(merged.weighting, weighting, "a memory weighs samples as its learner does");
        let rows = u32::try_from(source.len()).expect("a memory holds fewer than 2^32 rows");
        let mut targets = vec![0.0; source.len() * source.shape().num_actions];
        source.read_targets(0, &mut vec![NO_META; source.len()], &mut targets);
        let scaled = |weight| weighting.scaled(weight, iteration);
        let totals = Totals {
            samples: merged.samples,
            squares: scaled(merged.squares),
            legal_weight: scaled(merged.legal_weight),
        };
        Self::new((0..rows).collect(), merged.weights.into_iter().map(scaled).collect(), targets, totals)
    }

    fn new(sample: Vec<u32>, weight: Vec<f64>, targets: Vec<f32>, totals: Totals) -> Self {
        let Totals { samples, squares, legal_weight } = totals;
        // What is 0 at illegal actions adds nothing.
        let num_actions = targets.len() / weight.len().max(1);
        let rows = targets.chunks_exact(num_actions.max(1)).zip(&weight);
        let square = |row: &[f32]| row.iter().map(|&mean| f64::from(mean).powi(2)).sum::<f64>();
        let explained: f64 = rows.map(|(means, weight)| weight * square(means)).sum();
        Self {
            total_weight: weight.iter().sum(),
            target_rms: (squares / legal_weight).sqrt(),
            target_spread: ((squares - explained).max(0.0) / legal_weight).sqrt(),
            samples,
            sample,
            weight,
            targets,
        }
    }
}

const NO_META: SampleMeta = SampleMeta { legal: ActionSet::EMPTY, iteration: 0 };

/// The distinct rows of a memory's samples, told apart by [`row_hash`] alone. They are kept from fit to fit:
/// only samples that have changed since the last one have their features read.
#[derive(Default)]
pub(super) struct KnownRows {
    /// What `of_sample` describes; `None` if nothing can be said of what has changed since.
    edition: Option<Edition>,
    /// Numbers of rows, in the order in which they were met.
    of_hash: HashMap<u128, u32, BuildHasherDefault<AlreadyHashed>>,
    /// By sample, its row's number.
    of_sample: Vec<u32>,
}

/// Samples whose targets are read at once.
const CHUNK: usize = 256;

/// So many rows are kept, whether or not the memory still has samples of them.
const ROWS_KEPT: usize = 1 << 16;

impl KnownRows {
    /// Merges all samples. What comes out depends on the samples and their order alone.
    pub(super) fn merge(
        &mut self,
        source: &dyn SampleSource,
        weighting: Weighting,
        iteration: u32,
    ) -> MergedRows {
        self.follow(source);
        let num_actions = source.shape().num_actions;
        let mut merging = Merging::new(num_actions, self.of_hash.len());
        let weights: Vec<f64> = (0..=iteration).map(|drawn| weight(weighting, drawn, iteration)).collect();
        let weigh = |drawn: u32| {
            weights.get(drawn as usize).copied().unwrap_or_else(|| weight(weighting, drawn, iteration))
        };
        let (mut metas, mut targets) = ([NO_META; CHUNK], vec![0.0; CHUNK * num_actions]);
        for (chunk, rows) in self.of_sample.chunks(CHUNK).enumerate() {
            let (metas, targets) = (&mut metas[..rows.len()], &mut targets[..rows.len() * num_actions]);
            source.read_targets(chunk * CHUNK, metas, targets);
            merging.add(chunk * CHUNK, rows, metas, targets, weigh);
        }
        merging.finish()
    }

    /// Finds the rows of the samples that have changed.
    fn follow(&mut self, source: &dyn SampleSource) {
        let shape = source.shape();
        let (mut features, mut targets) = (vec![0.0; shape.num_features], vec![0.0; shape.num_actions]);
        for index in self.changes(source) {
            let meta = source.read(index as usize, &mut features, &mut targets);
            let next = self.of_hash.len() as u32;
            self.of_sample[index as usize] =
                *self.of_hash.entry(row_hash(&features, meta.legal)).or_insert(next);
        }
        self.edition = source.edition();
    }

    /// The samples to be read, all where it cannot be told; makes room for them.
    fn changes(&mut self, source: &dyn SampleSource) -> Vec<u32> {
        // A row whose last sample was replaced keeps its number, for nothing counts its samples: with time the
        // table would outgrow the memory. Then all is forgotten, and every sample read once more.
        let few = self.of_hash.len() <= ROWS_KEPT.max(2 * source.len());
        let changed = self.edition.filter(|_| few).and_then(|edition| source.changed_since(edition));
        let changed = changed.unwrap_or_else(|| {
            self.of_hash.clear();
            (0..u32::try_from(source.len()).expect("a memory holds fewer than 2^32 samples")).collect()
        });
        self.of_sample.resize(source.len(), 0);
        changed
    }
}

/// Not a place in a list.
const NOWHERE: u32 = u32::MAX;

struct Merging {
    num_actions: usize,
    /// By a row's number, its place below: in the order of first samples.
    place: Vec<u32>,
    sample: Vec<u32>,
    weight: Vec<f64>,
    sums: Vec<f64>,
    totals: Totals,
}

impl Merging {
    fn new(num_actions: usize, rows: usize) -> Self {
        let (sample, weight, sums) = Default::default();
        let place = vec![NOWHERE; rows];
        Self { num_actions, place, sample, weight, sums, totals: Totals::default() }
    }

    /// Adds the samples from `first` on, whose rows have the numbers `rows`; `weigh` says what a sample of
    /// an iteration counts.
    fn add(
        &mut self,
        first: usize,
        rows: &[u32],
        metas: &[SampleMeta],
        targets: &[f32],
        weigh: impl Fn(u32) -> f64,
    ) {
        let Totals { samples, mut squares, mut legal_weight } = self.totals;
        let targets = targets.chunks_exact(self.num_actions);
        for (index, ((&row, meta), targets)) in (first..).zip(rows.iter().zip(metas).zip(targets)) {
            // A row's number depends on what earlier fits have met, its place on the order of samples alone: a
            // run that was resumed and knows no rows merges to the same bits as one that was never stopped.
            let place = match self.place[row as usize] {
                NOWHERE => self.push(index, row),
                place => place as usize,
            };
            let weight = weigh(meta.iteration);
            self.weight[place] += weight;
            legal_weight += weight * meta.legal.len() as f64;
            let sums = &mut self.sums[place * self.num_actions..][..self.num_actions];
            for action in meta.legal {
                let target = f64::from(targets[usize::from(action)]);
                sums[usize::from(action)] += weight * target;
                squares += weight * target * target;
            }
        }
        self.totals = Totals { samples: samples + rows.len() as u64, squares, legal_weight };
    }

    #[cold]
    fn push(&mut self, index: usize, row: u32) -> usize {
        let place = self.sample.len();
        self.place[row as usize] = place as u32;
        self.sample.push(index as u32);
        self.weight.push(0.0);
        self.sums.resize(self.sums.len() + self.num_actions, 0.0);
        place
    }

    fn finish(self) -> MergedRows {
        let rows = self.sums.chunks_exact(self.num_actions).zip(&self.weight);
        let targets = rows.flat_map(|(sums, weight)| sums.iter().map(move |sum| (sum / weight) as f32));
        let targets = targets.collect();
        MergedRows::new(self.sample, self.weight, targets, self.totals)
    }
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
