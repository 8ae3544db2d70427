//! What turns without and with a lever say: the observed speed-up with its interval, and whether learning
//! drifted.
//!
//! A turn runs some iterations without the lever or the same iterations with it, from the same state and
//! seeds; a pair is one turn of each, and pairs follow each other. Disturbances that last longer than a pair fall on both
//! sides. Not here: running the turns.

use std::fmt;

use deepcfr_core::Stream;
use serde::{Deserialize, Serialize};

use crate::statistics::{Estimate, Use, bootstrap_factor, deviation, mean, median, resample, stream};

/// Pairs below which no interval is given.
pub const MIN_PAIRS: usize = 2;
const REPLICATES: usize = 1000;
/// Standard deviations between seeds that a difference may have before it counts as drift.
const DRIFT_DEVIATIONS: f64 = 2.0;

/// One pair of turns: seconds of each iteration, warm-up left out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TurnPair {
    /// Without the lever.
    pub without_seconds: Vec<f64>,
    /// With the lever.
    pub with_seconds: Vec<f64>,
}

/// What was measured.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Observed {
    /// Seconds without over seconds with the lever.
    pub speed_up: Estimate,
    /// Pairs of turns.
    pub turns: usize,
    /// Iterations on each side, over all turns.
    pub iterations: usize,
}

/// Turns that no speed-up follows from.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum VerifyError {
    /// Too few pairs.
    #[error("{got} pairs of turns where {expected} are needed for an interval")]
    Pairs {
        /// Pairs that are there.
        got: usize,
        /// Pairs that are needed.
        expected: usize,
    },
    /// A turn without iterations, or whose seconds are not positive numbers.
    #[error("pair {pair} has a turn without a positive time")]
    Turn {
        /// The pair, from 1.
        pair: usize,
    },
}

impl Observed {
    /// The mean ratio of the pairs (geometric, of the turns' mean seconds), with a bootstrap interval
    /// over pairs and, within them, iterations.
    ///
    /// # Errors
    /// [`VerifyError`] if there are too few pairs or a turn has no positive time.
    pub fn of(pairs: &[TurnPair], seed: u64) -> Result<Self, VerifyError> {
        if pairs.len() < MIN_PAIRS {
            return Err(VerifyError::Pairs { got: pairs.len(), expected: MIN_PAIRS });
        }
        let usable =
            |seconds: &[f64]| !seconds.is_empty() && seconds.iter().all(|s| s.is_finite() && *s > 0.0);
        let broken =
            pairs.iter().position(|pair| !usable(&pair.without_seconds) || !usable(&pair.with_seconds));
        if let Some(index) = broken {
            return Err(VerifyError::Turn { pair: index + 1 });
        }
        let best = mean(&pairs.iter().map(log_ratio).collect::<Vec<_>>());
        let factor = bootstrap_factor(pairs.len());
        let replicates =
            (0..REPLICATES).map(|index| (best + factor * (replicate(pairs, seed, index) - best)).exp());
        let speed_up = Estimate::of_draws(best.exp(), &replicates.collect::<Vec<_>>(), pairs.len());
        let iterations = pairs.iter().map(|pair| pair.with_seconds.len()).sum();
        Ok(Self { speed_up, turns: pairs.len(), iterations })
    }
}

fn log_ratio(pair: &TurnPair) -> f64 {
    (mean(&pair.without_seconds) / mean(&pair.with_seconds)).ln()
}

fn replicate(pairs: &[TurnPair], seed: u64, index: usize) -> f64 {
    let mut stream = stream(seed, Use::Verification, index);
    let chosen = resample(&mut stream, pairs.len(), pairs.len());
    let ratios = chosen.into_iter().map(|place| {
        let pair = &pairs[place];
        log_ratio(&TurnPair {
            without_seconds: redrawn(&mut stream, &pair.without_seconds),
            with_seconds: redrawn(&mut stream, &pair.with_seconds),
        })
    });
    mean(&ratios.collect::<Vec<_>>())
}

fn redrawn(stream: &mut Stream, seconds: &[f64]) -> Vec<f64> {
    resample(stream, seconds.len(), seconds.len()).into_iter().map(|place| seconds[place]).collect()
}

/// Whether learning stayed the same.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "verdict", rename_all = "snake_case", deny_unknown_fields)]
pub enum Drift {
    /// Every compared figure is the same, bit for bit.
    Identical {
        /// Figures compared.
        compared: usize,
    },
    /// They differ by no more than two standard deviations between seeds.
    WithinSeedNoise {
        /// The difference in standard deviations between seeds.
        deviations: f64,
        /// Seeds that the noise was measured over.
        seeds: usize,
    },
    /// They differ by more, or differ at all where the lever is exact.
    Drifted {
        /// The first figure that differs, from 0.
        first: usize,
        /// The difference in standard deviations between seeds; `None` where the lever is exact.
        deviations: Option<f64>,
    },
    /// Nobody knows: too few seeds tell what noise is.
    Unknown {
        /// Seeds that are there.
        seeds: usize,
    },
}

impl Drift {
    /// For a lever that must not change any figure: `without` and `with` in the same order.
    pub fn exact(without: &[f64], with: &[f64]) -> Self {
        let differs = without.iter().zip(with).position(|(a, b)| a.to_bits() != b.to_bits());
        match differs {
            Some(first) => Self::Drifted { first, deviations: None },
            None if without.len() == with.len() => Self::Identical { compared: without.len() },
            None => Self::Drifted { first: without.len().min(with.len()), deviations: None },
        }
    }

    /// For a lever that may move figures within the noise between seeds: the final figure of matched
    /// seeds on both sides. The noise is the standard deviation of the side without the lever.
    ///
    /// # Panics
    /// If the sides have different lengths.
    pub fn within_noise(without: &[f64], with: &[f64]) -> Self {
        const MIN_SEEDS: usize = 3;
        assert_eq!(without.len(), with.len(), "seeds are matched");
        let seeds = without.len();
        if seeds < MIN_SEEDS {
            return Self::Unknown { seeds };
        }
        let noise = deviation(without) * (2.0 / seeds as f64).sqrt();
        let difference = mean(with) - mean(without);
        let deviations = if difference == 0.0 { 0.0 } else { difference.abs() / noise };
        if deviations <= DRIFT_DEVIATIONS {
            return Self::WithinSeedNoise { deviations, seeds };
        }
        let first = without.iter().zip(with).position(|(a, b)| a != b).unwrap_or(0);
        Self::Drifted { first, deviations: Some(deviations) }
    }

    /// Whether the lever may stay.
    pub const fn acceptable(&self) -> bool {
        matches!(self, Self::Identical { .. } | Self::WithinSeedNoise { .. })
    }
}

impl fmt::Display for Drift {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Identical { compared } => {
                write!(f, "learning is identical ({compared} figures, bit for bit)")
            }
            Self::WithinSeedNoise { deviations, seeds } => {
                write!(
                    f,
                    "learning is the same within the noise between seeds ({deviations:.1} standard deviations, {seeds} seeds)"
                )
            }
            Self::Drifted { first, deviations: None } => {
                write!(f, "learning drifted: figure {first} differs where the lever is exact")
            }
            Self::Drifted { deviations: Some(deviations), .. } => {
                write!(f, "learning drifted by {deviations:.1} standard deviations between seeds")
            }
            Self::Unknown { seeds } => write!(f, "drift unknown: {seeds} seeds do not tell what noise is"),
        }
    }
}

/// The median turn's seconds of both sides, for tables.
pub fn median_seconds(pairs: &[TurnPair]) -> (f64, f64) {
    let side = |of: fn(&TurnPair) -> &Vec<f64>| {
        median(&pairs.iter().flat_map(|pair| of(pair).iter().copied()).collect::<Vec<_>>())
    };
    (side(|pair| &pair.without_seconds), side(|pair| &pair.with_seconds))
}

#[cfg(test)]
mod tests {
    use deepcfr_core::Purpose;

    use super::*;

    /// Pairs of turns with a shared disturbance a pair and noise of each iteration.
    fn simulate(speed_up: f64, pairs: usize, trial: u32) -> Vec<TurnPair> {
        let mut noise = Stream::new(3, Purpose::Test, trial, 1, 0);
        let pair = |_| {
            let machine = (0.1 * noise.normal()).exp();
            let mut side = |seconds: f64| -> Vec<f64> {
                let turn = (0.01 * noise.normal()).exp();
                (0..5).map(|_| machine * turn * seconds * (1.0 + 0.03 * noise.normal())).collect()
            };
            TurnPair { without_seconds: side(speed_up), with_seconds: side(1.0) }
        };
        (0..pairs).map(pair).collect()
    }

    /// 90 % intervals over 100 trials: 82 is 2.7 standard deviations below.
    #[test]
    fn the_interval_holds_the_true_speed_up() {
        for pairs in [3, 6] {
            let trials: Vec<Observed> =
                (0..100).map(|trial| Observed::of(&simulate(1.4, pairs, trial), 1).unwrap()).collect();
            let covered = trials.iter().filter(|observed| observed.speed_up.contains(1.4)).count();
            assert!(covered >= 82, "{pairs} pairs: {covered}");
        }
        let six = Observed::of(&simulate(1.4, 6, 0), 1).unwrap();
        assert!(six.speed_up.high / six.speed_up.low < 1.1, "{six:?}");
        assert_eq!((six.turns, six.iterations), (6, 30));
    }

    #[test]
    fn turns_that_say_nothing_are_refused() {
        let pairs = simulate(1.0, 2, 0);
        assert_eq!(Observed::of(&pairs[..1], 1), Err(VerifyError::Pairs { got: 1, expected: 2 }));
        let mut broken = pairs;
        broken[1].with_seconds.clear();
        assert_eq!(Observed::of(&broken, 1), Err(VerifyError::Turn { pair: 2 }));
    }

    #[test]
    fn an_exact_lever_may_not_move_a_bit() {
        let without = [0.3, 0.2, 0.1];
        assert_eq!(Drift::exact(&without, &without), Drift::Identical { compared: 3 });
        let moved = [0.3, 0.2, 0.1 + f64::EPSILON];
        assert_eq!(Drift::exact(&without, &moved), Drift::Drifted { first: 2, deviations: None });
        assert_eq!(Drift::exact(&without, &without[..2]), Drift::Drifted { first: 2, deviations: None });
    }

    #[test]
    fn drift_is_measured_in_seed_noise() {
        let without = [1.0, 1.2, 0.8, 1.1, 0.9];
        let near = without.map(|value| value + 0.05);
        let far = without.map(|value| value + 0.5);
        assert!(matches!(Drift::within_noise(&without, &near), Drift::WithinSeedNoise { seeds: 5, .. }));
        let drifted = Drift::within_noise(&without, &far);
        assert!(matches!(drifted, Drift::Drifted { deviations: Some(d), .. } if d > 4.0), "{drifted:?}");
        assert!(!drifted.acceptable() && !Drift::within_noise(&[1.0], &[1.0]).acceptable());
    }
}
