//! Fitting one network to a memory of samples.
//!
//! Not here: how samples are drawn by traversals, or when fits happen.

use std::sync::Arc;
use std::time::Duration;

use crate::{SampleSource, Weights};

/// What a fit needs to know beside the samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FitContext {
    /// The run's seed: batches and initial weights come from streams keyed by it.
    pub seed: u64,
    /// The iteration `T ≥ 1` that the fit belongs to.
    pub iteration: u32,
}

/// What a fit did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FitReport {
    /// Optimiser steps taken, skipped ones excluded.
    pub steps: usize,
    /// Steps skipped because a loss or gradient was not finite.
    pub skipped: usize,
    /// What the loss is multiplied by at the end of the fit, so that gradients stay within the range of
    /// half floats; `None` where it is not.
    pub loss_scale: Option<f64>,
    /// Mean loss over the last tenth of the steps, in the loss's own units.
    pub loss: f64,
    /// Distinct rows fitted, where duplicates were merged; otherwise the number of samples.
    pub distinct_rows: usize,
    /// The standard deviation of targets around the weighted mean of their row, in points, over legal actions
    /// with samples weighted; `None` where samples were not merged.
    pub target_spread: Option<f64>,
    /// Global gradient norm before clipping, mean over the last tenth of the steps.
    pub grad_norm: f64,
    /// RMS of the targets, in points: the unit that the network was fitted in.
    pub target_rms: f64,
    /// Time that the optimiser waited for batches to be assembled.
    pub batch_assembly: Duration,
    /// Time of the whole fit, batch assembly included.
    pub total: Duration,
}

/// Trains one network. Deterministic: the same samples and context give the same weights.
pub trait Learner: Send {
    /// Fits the network to `samples` and returns its new weights.
    ///
    /// # Errors
    /// If there is nothing to fit or the device fails.
    fn fit(
        &mut self,
        samples: &dyn SampleSource,
        context: FitContext,
    ) -> Result<(Arc<Weights>, FitReport), LearnError>;

    /// Everything that `fit` carries from one call to the next (weights, optimiser), as bytes.
    ///
    /// # Errors
    /// If the device fails.
    fn save(&self) -> Result<Vec<u8>, LearnError>;

    /// Restores what [`Learner::save`] returned.
    ///
    /// # Errors
    /// If the bytes are damaged or of another configuration.
    fn restore(&mut self, bytes: &[u8]) -> Result<(), LearnError>;
}

/// Why a fit, a save or a restore failed.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
pub enum LearnError {
    /// No samples.
    #[error("the memory is empty: nothing to fit")]
    NoSamples,
    /// Every step of a fit was skipped.
    #[error("all {steps} optimiser steps had a non-finite loss or gradient; lower the learning rate")]
    NeverFinite {
        /// The number of steps tried.
        steps: usize,
    },
    /// Saved bytes that do not fit.
    #[error("saved learner state does not fit: {reason}")]
    State {
        /// What is wrong.
        reason: String,
    },
    /// The device or its runtime failed.
    #[error("device {device}: {reason}")]
    Device {
        /// The device's name.
        device: &'static str,
        /// The runtime's own words.
        reason: String,
    },
}
