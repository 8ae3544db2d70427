//! What words of a configuration are called in the crates below.
//!
//! Not here: words that one module alone reads.

use deepcfr_cfr::regret::AllNegative;
use deepcfr_config::{self as config, RunConfig};
use deepcfr_core::{Activation, Weighting};

/// Regret matching's rule where no advantage is positive.
pub fn all_negative(config: &RunConfig) -> AllNegative {
    match config.regret_matching.all_negative {
        config::AllNegative::Argmax => AllNegative::Argmax,
        config::AllNegative::Uniform => AllNegative::Uniform,
    }
}

/// The non-linearity that a configuration names.
pub fn activation(word: config::Activation) -> Activation {
    match word {
        config::Activation::Relu => Activation::Relu,
        config::Activation::Gelu => Activation::Gelu,
    }
}

/// How samples are weighed.
pub fn weighting(config: &RunConfig) -> Weighting {
    match config.training.weighting {
        config::Weighting::Linear => Weighting::Linear,
        config::Weighting::None => Weighting::Uniform,
    }
}
