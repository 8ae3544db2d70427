//! Training samples on their way out of traversals and into a learner.
//!
//! A sample is a feature row, the set of legal actions, one target per action (0 at illegal ones)
//! and the iteration that it was drawn in. Not here: where samples are kept.

use crate::{Action, ActionSet, Player, Weighting};

/// The lengths of a sample's rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SampleShape {
    /// Length of the feature row.
    pub num_features: usize,
    /// Length of the target row.
    pub num_actions: usize,
}

/// What a sample holds beside its rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SampleMeta {
    /// Legal actions; targets elsewhere are 0 and carry no loss.
    pub legal: ActionSet,
    /// The iteration `t ≥ 1` that drew the sample; Linear CFR weighs it by `t`.
    pub iteration: u32,
}

/// A sample's feature row, which may not exist yet: a sink that does not keep the sample need not
/// have it written. Anything that is a slice of numbers is one.
pub trait Features {
    /// The length of the row.
    fn num_features(&self) -> usize;

    /// Writes every element of `row`, always the same; reads nothing of it.
    ///
    /// # Panics
    /// If `row` does not have [`Features::num_features`] elements.
    fn write(&self, row: &mut [f32]);

    /// Which of the game's action classes an action at this row is, see
    /// [`Game::action_class`](crate::Game::action_class); 0 where nobody knows.
    fn action_class(&self, _action: Action) -> usize {
        0
    }

    /// The row by itself.
    fn to_row(&self) -> Vec<f32> {
        let mut row = vec![0.0; self.num_features()];
        self.write(&mut row);
        row
    }
}

impl<T: AsRef<[f32]> + ?Sized> Features for T {
    fn num_features(&self) -> usize {
        self.as_ref().len()
    }

    fn write(&self, row: &mut [f32]) {
        row.copy_from_slice(self.as_ref());
    }
}

/// Receives samples in traversal order.
pub trait SampleSink {
    /// An advantage sample of `player`: `targets[a]` is the sampled advantage of `a`, in points.
    fn advantage(&mut self, player: Player, meta: SampleMeta, features: &dyn Features, targets: &[f32]);

    /// A strategy sample: `targets` are the probabilities that the player to move gives each action.
    fn strategy(&mut self, meta: SampleMeta, features: &dyn Features, targets: &[f32]);
}

/// What a source held at some time. Equal editions of a source hold the same samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edition {
    /// Tells apart sources of one process whose counts of offers say nothing about each other.
    pub identity: u64,
    /// How many samples had been offered.
    pub offered: u64,
}

/// What a source that keeps each distinct row once knows of the samples behind its rows: sums over them with
/// the weights `w` of [`Weighting::unscaled`].
#[derive(Clone, Debug, PartialEq)]
pub struct MergedSamples {
    /// How the samples were weighed.
    pub weighting: Weighting,
    /// How many samples lie behind the rows.
    pub samples: u64,
    /// By row, `Σ w`; more than 0.
    pub weights: Vec<f64>,
    /// `Σ w · Σ_a y(a)²` over the legal targets of all samples.
    pub squares: f64,
    /// `Σ w · |legal|` over all samples.
    pub legal_weight: f64,
}

/// A memory that a learner draws from. Reading takes `&self`: batches can be read in parallel.
pub trait SampleSource: Sync {
    /// The lengths of the rows.
    fn shape(&self) -> SampleShape;

    /// The number of samples held, or of distinct rows where they are [merged](SampleSource::merged).
    fn len(&self) -> usize;

    /// Copies sample `index` into `features` and `targets`, writing every element.
    ///
    /// # Panics
    /// If `index ≥ len()` or a slice has the wrong length.
    fn read(&self, index: usize, features: &mut [f32], targets: &mut [f32]) -> SampleMeta;

    /// Copies the targets `[samples, actions]` of the samples from `first` on alone, one for each of `metas`.
    ///
    /// # Panics
    /// If there are not that many samples or a slice has the wrong length.
    fn read_targets(&self, first: usize, metas: &mut [SampleMeta], targets: &mut [f32]) {
        let SampleShape { num_features, num_actions } = self.shape();
        assert_eq!(targets.len(), metas.len() * num_actions, "the length of the targets");
        let mut features = vec![0.0; num_features];
        for (place, (meta, targets)) in
            metas.iter_mut().zip(targets.chunks_exact_mut(num_actions)).enumerate()
        {
            *meta = self.read(first + place, &mut features, targets);
        }
    }

    /// What is known of the samples behind the rows, if [`SampleSource::read`] gives distinct rows (by
    /// features and legal actions) with weighted mean targets in place of samples. A row's iteration is then
    /// one of those of its samples and says nothing of its weight. `None` if what is read are samples.
    fn merged(&self) -> Option<MergedSamples> {
        None
    }

    /// What is held now, to ask later what has changed since. `None` if the source cannot tell.
    fn edition(&self) -> Option<Edition> {
        None
    }

    /// The indices of all samples that may differ from those of `edition`, in any order, some perhaps
    /// repeated. `None` if the source cannot tell: then any sample may.
    fn changed_since(&self, edition: Edition) -> Option<Vec<u32>> {
        let _ = edition;
        None
    }

    /// Says that the samples at `indices` are about to be read, a few thousand at most. Changes nothing
    /// but the time that reading takes.
    ///
    /// # Panics
    /// Possibly, if an index is not below `len()`.
    fn prefetch(&self, indices: &[u32]) {
        let _ = indices;
    }

    /// Whether nothing is held.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
