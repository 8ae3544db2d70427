//! What a learner is told once: the network's shape and how it is fitted.
//!
//! Not here: where the values come from (files, command lines).

use deepcfr_core::{Activation, NetId, SampleShape, Weighting};

/// What is minimised, per sample; samples enter with their weight and as a mean over the batch.
/// Only legal actions carry loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loss {
    /// `Σ_a (q(a) − target(a))²`, targets in units of their own RMS over the memory.
    AdvantageMse,
    /// `−Σ_a target(a)·ln softmax(q)(a)`, the softmax over legal actions: outputs are logits.
    StrategyCrossEntropy,
    /// `Σ_a (softmax(q)(a) − target(a))²`, the softmax over legal actions: outputs are logits.
    StrategyMse,
}

/// The optimiser (β₁ = 0.9, β₂ = 0.999, ε = 1e-8).
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum OptimizerKind {
    /// Adam (Kingma and Ba 2015).
    Adam,
    /// Adam with decoupled decay of weights, biases excluded (Loshchilov and Hutter 2019).
    AdamW {
        /// Fraction of a weight removed per step, before multiplication by the learning rate.
        weight_decay: f32,
    },
}

/// How many steps a fit takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum StepRule {
    /// This many.
    Fixed(usize),
    /// `passes · samples / batch_size`, no fewer than `min` and no more than `max`.
    Scaled {
        /// How often each sample is seen, on average.
        passes: f64,
        /// The fewest steps.
        min: usize,
        /// The most steps.
        max: usize,
    },
}

impl StepRule {
    /// The number of steps for a memory of `samples`.
    pub fn steps(self, samples: usize, batch_size: usize) -> usize {
        match self {
            Self::Fixed(steps) => steps,
            Self::Scaled { passes, min, max } => {
                let wanted = (passes * samples as f64 / batch_size as f64).ceil() as usize;
                wanted.max(min).min(max)
            }
        }
    }
}

/// What a fit starts from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Initialisation {
    /// Fresh random weights for every fit.
    Reinitialise,
    /// The weights and optimiser state that the last fit ended with.
    WarmStart,
}

/// Everything that a [`MlpLearner`](crate::MlpLearner) is told.
#[derive(Clone, Debug, PartialEq)]
pub struct LearnerConfig {
    /// The network that is trained; it keys the random streams.
    pub net: NetId,
    /// Length of feature rows and of target rows.
    pub shape: SampleShape,
    /// Units in each hidden layer.
    pub hidden_size: usize,
    /// Number of hidden layers; 0 is a linear model.
    pub num_layers: usize,
    /// After each hidden layer.
    pub activation: Activation,
    /// What is minimised.
    pub loss: Loss,
    /// How samples are weighted.
    pub weighting: Weighting,
    /// The optimiser.
    pub optimizer: OptimizerKind,
    /// Step size of the optimiser at the first step of a fit.
    pub learning_rate: f64,
    /// The step size falls linearly over the fit towards this fraction of `learning_rate`; 1 keeps it.
    pub final_learning_rate: f64,
    /// The largest global gradient norm; a longer gradient is scaled down to it.
    pub gradient_clip: Option<f32>,
    /// Rows in a step.
    pub batch_size: usize,
    /// How many steps a fit takes.
    pub steps: StepRule,
    /// What a fit starts from.
    pub initialisation: Initialisation,
    /// Whether samples with the same features and legal actions are merged before a fit. Exact for
    /// every loss here; costs memory and a pass over the samples, so it is for games in which rows
    /// recur. Where at most `batch_size` distinct rows are left, every step takes all of them: the
    /// exact gradient of the whole memory. A memory that has merged them itself is taken as it is either way.
    pub merge_duplicates: bool,
    /// Threads of the learner's private pool. Results do not depend on it.
    pub threads: usize,
    /// Whether one more thread puts batches together ahead of the steps. Results do not depend on it.
    pub assemble_ahead: bool,
}

impl LearnerConfig {
    /// The plainest learner of advantages, for measurements and tests to start from: network 0 with ReLU,
    /// one step of 1,024 rows by Adam at 0.001 with gradients clipped to 1, samples weighted linearly, fresh
    /// weights, one thread.
    pub fn plain(shape: SampleShape, hidden_size: usize, num_layers: usize) -> Self {
        Self {
            net: NetId(0),
            shape,
            hidden_size,
            num_layers,
            activation: Activation::Relu,
            loss: Loss::AdvantageMse,
            weighting: Weighting::Linear,
            optimizer: OptimizerKind::Adam,
            learning_rate: 1e-3,
            final_learning_rate: 1.0,
            gradient_clip: Some(1.0),
            batch_size: 1024,
            steps: StepRule::Fixed(1),
            initialisation: Initialisation::Reinitialise,
            merge_duplicates: false,
            threads: 1,
            assemble_ahead: false,
        }
    }
}
