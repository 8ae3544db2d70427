//! Which rows a step takes, and their way into flat buffers.
//!
//! Batches are drawn from streams keyed by (seed, iteration, network, step). Not here: losses, and on
//! which thread batches are put together (see `ahead`).

use deepcfr_core::{ActionSet, FitContext, Purpose, SampleMeta, SampleShape, SampleSource, Stream};

use super::merge::{KnownRows, MergedRows};
use super::{LearnerConfig, Loss, weight};

/// The most samples that the RMS of an unmerged memory is taken over.
const RMS_SAMPLES: usize = 1 << 17;

/// The rows of a step, row-major. Its buffers are used again for the next batch that is put into it.
#[derive(Clone, Debug, Default)]
pub(super) struct Batch {
    /// Number of rows.
    pub(super) rows: usize,
    /// `[rows, features]`.
    pub(super) features: Vec<f32>,
    /// `[rows, actions]`, in units of `target_rms`; 0 at illegal actions.
    pub(super) targets: Vec<f32>,
    /// `[rows, actions]`: what an action's loss counts, the batch's mean included; 0 at illegal ones.
    pub(super) weights: Vec<f32>,
    /// `[rows, actions]`, for losses with a softmax: 0 at legal actions, very negative elsewhere.
    pub(super) logit_offsets: Vec<f32>,
}

impl Batch {
    /// Room for `rows` rows, whose contents are left over from earlier ones.
    fn resize(&mut self, rows: usize, shape: SampleShape, with_offsets: bool) {
        self.rows = rows;
        self.features.resize(rows * shape.num_features, 0.0);
        self.targets.resize(rows * shape.num_actions, 0.0);
        self.weights.resize(rows * shape.num_actions, 0.0);
        self.logit_offsets.resize(if with_offsets { rows * shape.num_actions } else { 0 }, 0.0);
    }
}

/// Makes the batches of one fit.
pub(super) struct Batches<'a> {
    source: &'a dyn SampleSource,
    config: &'a LearnerConfig,
    context: FitContext,
    target_rms: f64,
    plan: Plan,
}

enum Plan {
    /// Every step takes all distinct rows.
    AllMerged(MergedRows),
    /// A step draws distinct rows with probability proportional to weight; cumulated weights.
    DrawMerged(MergedRows, Vec<f64>),
    /// A step draws samples without replacement; a permutation that steps shuffle on.
    DrawSamples(Vec<u32>),
}

impl<'a> Batches<'a> {
    /// Plans the batches. Equal rows are merged if the source has done so or the configuration says so: `known`
    /// are the rows of earlier fits.
    pub(super) fn new(
        source: &'a dyn SampleSource,
        config: &'a LearnerConfig,
        context: FitContext,
        known: &mut KnownRows,
    ) -> Self {
        let FitContext { iteration, .. } = context;
        let merged = match source.merged() {
            Some(merged) => Some(MergedRows::of(source, merged, config.weighting, iteration)),
            None => config.merge_duplicates.then(|| known.merge(source, config.weighting, iteration)),
        };
        let rms = merged.as_ref().map(|merged| merged.target_rms);
        let rms = rms.unwrap_or_else(|| sampled_rms(source, config, context));
        let plan = merged.map_or_else(|| Plan::samples(source), |rows| Plan::merged(rows, config.batch_size));
        let scaled = config.loss == Loss::AdvantageMse && rms.is_finite() && rms > 0.0;
        Self { source, config, context, target_rms: if scaled { rms } else { 1.0 }, plan }
    }

    /// The unit of the targets, in points; 1 for strategies.
    pub(super) fn target_rms(&self) -> f64 {
        self.target_rms
    }

    /// The samples that are fitted, merged or not.
    pub(super) fn samples(&self) -> usize {
        self.plan.merged_rows().map_or(self.source.len(), |merged| merged.samples as usize)
    }

    /// Distinct rows where duplicates were merged, otherwise samples.
    pub(super) fn distinct_rows(&self) -> usize {
        self.plan.merged_rows().map_or(self.source.len(), |merged| merged.sample.len())
    }

    /// The standard deviation of targets around the means of their rows where duplicates were merged.
    pub(super) fn target_spread(&self) -> Option<f64> {
        self.plan.merged_rows().map(|merged| merged.target_spread)
    }

    /// Whether all steps take the same batch.
    pub(super) fn is_constant(&self) -> bool {
        match &self.plan {
            Plan::AllMerged(_) => true,
            Plan::DrawMerged(..) => false,
            Plan::DrawSamples(order) => order.len() <= self.config.batch_size,
        }
    }

    /// Puts the batch of step `step` into `batch`. Steps must be asked for in order.
    pub(super) fn put(&mut self, step: usize, batch: &mut Batch) {
        let FitContext { seed, iteration } = self.context;
        let net = u32::from(self.config.net.0);
        let mut stream = Stream::new(seed, Purpose::Batches, iteration, net, step as u32);
        let count = self.config.batch_size;
        if let Plan::DrawSamples(order) = &mut self.plan {
            shuffle_front(order, count, &mut stream);
        }
        match &self.plan {
            Plan::AllMerged(merged) => {
                let scale = 1.0 / merged.samples as f64;
                let rows = (0..merged.sample.len()).map(|row| (row, merged.weight[row] * scale));
                self.put_merged(merged, &rows.collect::<Vec<_>>(), batch);
            }
            Plan::DrawMerged(merged, cumulated) => {
                let weight = merged.total_weight / (merged.samples * count as u64) as f64;
                let mut draw = |draw: usize| {
                    let at = (draw as f64 + stream.uniform()) / count as f64 * merged.total_weight;
                    cumulated.partition_point(|&end| end <= at).min(cumulated.len() - 1)
                };
                let rows = (0..count).map(|row| (draw(row), weight));
                self.put_merged(merged, &rows.collect::<Vec<_>>(), batch);
            }
            Plan::DrawSamples(order) => self.put_samples(&order[..count.min(order.len())], batch),
        }
    }

    /// Puts distinct rows, each with its weight.
    fn put_merged(&self, merged: &MergedRows, rows: &[(usize, f64)], batch: &mut Batch) {
        let samples: Vec<u32> = rows.iter().map(|&(row, _)| merged.sample[row]).collect();
        let actions = self.config.shape.num_actions;
        self.put_rows(&samples, batch, |place, targets, _| {
            let (row, weight) = rows[place];
            targets.copy_from_slice(&merged.targets[row * actions..][..actions]);
            weight
        });
    }

    fn put_samples(&self, samples: &[u32], batch: &mut Batch) {
        let rows = samples.len() as f64;
        self.put_rows(samples, batch, |_, _, meta| {
            weight(self.config.weighting, meta.iteration, self.context.iteration) / rows
        });
    }

    /// Reads the samples, one a row; `weigh` says what a row counts and may change its targets.
    fn put_rows(
        &self,
        samples: &[u32],
        batch: &mut Batch,
        weigh: impl Fn(usize, &mut [f32], SampleMeta) -> f64,
    ) {
        let shape = self.config.shape;
        let with_offsets = self.config.loss != Loss::AdvantageMse;
        batch.resize(samples.len(), shape, with_offsets);
        self.source.prefetch(samples);
        let features = batch.features.chunks_exact_mut(shape.num_features);
        let targets = batch.targets.chunks_exact_mut(shape.num_actions);
        let weights = batch.weights.chunks_exact_mut(shape.num_actions);
        let scale = (1.0 / self.target_rms) as f32;
        let rows = samples.iter().zip(features).zip(targets).zip(weights).enumerate();
        for (place, (((&sample, features), targets), weights)) in rows {
            let meta = self.source.read(sample as usize, features, targets);
            let weight = weigh(place, targets, meta) as f32;
            let mut legal = meta.legal.bits();
            for (target, loss_weight) in targets.iter_mut().zip(weights) {
                let is_legal = legal & 1 == 1;
                *target = if is_legal { *target * scale } else { 0.0 };
                *loss_weight = if is_legal { weight } else { 0.0 };
                legal >>= 1;
            }
            if with_offsets {
                let offsets = &mut batch.logit_offsets[place * shape.num_actions..][..shape.num_actions];
                put_offsets(meta.legal, offsets);
            }
        }
    }
}

/// Takes illegal actions out of a softmax.
fn put_offsets(legal: ActionSet, offsets: &mut [f32]) {
    for (action, offset) in offsets.iter_mut().enumerate() {
        *offset = if legal.contains(action as u16) { 0.0 } else { -1e9 };
    }
}

impl Plan {
    fn samples(source: &dyn SampleSource) -> Self {
        let last = u32::try_from(source.len()).expect("a memory holds fewer than 2^32 samples");
        Self::DrawSamples((0..last).collect())
    }

    fn merged_rows(&self) -> Option<&MergedRows> {
        match self {
            Self::AllMerged(merged) | Self::DrawMerged(merged, _) => Some(merged),
            Self::DrawSamples(_) => None,
        }
    }

    fn merged(merged: MergedRows, batch_size: usize) -> Self {
        if merged.sample.len() <= batch_size {
            return Self::AllMerged(merged);
        }
        let cumulated = merged.weight.iter().scan(0.0, |sum, weight| {
            *sum += weight;
            Some(*sum)
        });
        let cumulated = cumulated.collect();
        Self::DrawMerged(merged, cumulated)
    }
}

/// Moves `count` uniformly drawn elements to the front; any starting order gives a uniform draw.
pub(super) fn shuffle_front(order: &mut [u32], count: usize, stream: &mut Stream) {
    if order.len() <= count {
        return;
    }
    for position in 0..count {
        let left = (order.len() - position) as u32;
        order.swap(position, position + stream.below(left) as usize);
    }
}

/// RMS of the targets over legal actions, samples weighted; over evenly spaced samples if there are
/// many. It only sets a unit, so an estimate is as good as the exact value.
fn sampled_rms(source: &dyn SampleSource, config: &LearnerConfig, context: FitContext) -> f64 {
    if config.loss != Loss::AdvantageMse {
        return 1.0;
    }
    let mut features = vec![0.0; config.shape.num_features];
    let mut targets = vec![0.0; config.shape.num_actions];
    let (mut squares, mut legal_weight) = (0.0, 0.0);
    for index in (0..source.len()).step_by(source.len().div_ceil(RMS_SAMPLES)) {
        let meta = source.read(index, &mut features, &mut targets);
        let weight = weight(config.weighting, meta.iteration, context.iteration);
        let sum: f64 = meta.legal.iter().map(|action| f64::from(targets[usize::from(action)]).powi(2)).sum();
        squares += weight * sum;
        legal_weight += weight * meta.legal.len() as f64;
    }
    (squares / legal_weight).sqrt()
}
