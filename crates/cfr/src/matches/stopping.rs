//! When a match has had enough games, without looking at a result until it pleases.
//!
//! Two rules keep the stated coverage although the data decide how many games are played: Stein's
//! two-stage procedure for a wanted precision, and a confidence sequence for a wanted decision. Not
//! here: playing the games.

use super::MatchError;
use super::estimate::{FEWEST_VALUES, mean_and_variance, student_t95};
use super::statistics::PairOutcome;

/// One minus the coverage of all intervals here.
const ALPHA: f64 = 0.05;

/// How many deals a pairing is played.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Stopping {
    /// So many.
    Deals(u32),
    /// As many as a wanted precision takes.
    Precision(Stein),
    /// Until it is clear whose mean points are higher.
    Decided(ConfidenceSequence),
}

/// Stein's two-stage procedure (Stein 1945): `pilot` deals give the sample variance `s²` of pair
/// scores; `n = max(pilot, ⌈(t·s/h)²⌉)` deals in all then give the interval `mean ± t·s/√n`, whose
/// half-width is at most `h`, where `t` is Student's 0.975 quantile with `pilot − 1` degrees of freedom.
///
/// Only the pilot's variance, never a mean, decides the number of games: for normal scores the
/// coverage is 95 % exactly, for others it approaches 95 % as the pilot grows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stein {
    /// The wanted half-width `h` of the 95 % interval of the mean difference, in points; positive.
    pub half_width: f64,
    /// Deals of the first stage.
    pub pilot: u32,
    /// The most deals; where more would be needed, the interval stays wider than wanted.
    pub most: u32,
}

/// An asymptotic 95 % confidence sequence for the mean of pair scores: intervals that hold **at all
/// looks together**, so that a match may stop at the first that excludes 0 (Waudby-Smith, Arbour,
/// Sinha, Kennedy, Ramdas 2024, "Time-uniform central limit theory and asymptotic confidence
/// sequences", theorem 2.2, after Robbins 1970):
/// `mean ± s·√(2(nρ² + 1)/(n²ρ²) · ln(√(nρ² + 1)/α))`, `s²` the sample variance of the `n` scores.
///
/// Asymptotic in the first look, as the central limit theorem is in `n`: hence no look before `first`
/// deals. A bound without asymptotics would have to pay for the game's whole range of points
/// (±780 in Lost Cities) and need some thousand deals for what this sees in a hundred.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ConfidenceSequence {
    /// Deals before the first look.
    pub first: u32,
    /// The most deals.
    pub most: u32,
}

impl Stopping {
    /// Deals to play before anything is looked at.
    pub(super) fn first(&self) -> u32 {
        match self {
            Self::Deals(deals) => *deals,
            Self::Precision(stein) => stein.pilot.min(stein.most),
            Self::Decided(sequence) => sequence.first.min(sequence.most),
        }
    }

    /// Deals that `pairs`, the first [`Stopping::first`] or those of an earlier answer, should become;
    /// their own number where they are enough.
    pub(super) fn wanted(&self, pairs: &[PairOutcome]) -> u32 {
        let played = pairs.len() as u32;
        match self {
            Self::Deals(_) => played,
            Self::Precision(stein) if played == self.first() => stein.deals(pairs),
            Self::Precision(_) => played,
            Self::Decided(sequence) => sequence.deals(pairs),
        }
    }

    /// The half-width of the 95 % interval of the mean difference, in points.
    pub(super) fn half_width(&self, pairs: &[PairOutcome]) -> f64 {
        match self {
            Self::Deals(_) => super::MatchResult::of(pairs).ci95,
            Self::Precision(stein) => stein.interval(pairs),
            Self::Decided(sequence) => sequence.half_width(pairs),
        }
    }

    pub(super) fn check(&self) -> Result<(), MatchError> {
        let most = match self {
            Self::Deals(deals) => *deals,
            Self::Precision(Stein { most, .. }) | Self::Decided(ConfidenceSequence { most, .. }) => *most,
        };
        if !(1..=MatchError::MAX_DEALS).contains(&most) {
            return Err(MatchError::Deals { got: most });
        }
        match self {
            Self::Precision(Stein { half_width, pilot, .. })
                if half_width.is_nan() || *half_width <= 0.0 || *pilot < Stein::LEAST_PILOT =>
            {
                Err(MatchError::Precision { half_width: *half_width, pilot: *pilot })
            }
            _ => Ok(()),
        }
    }
}

impl Stein {
    /// The fewest deals of a pilot.
    pub const LEAST_PILOT: u32 = FEWEST_VALUES;

    /// Student's quantile times the pilot's standard deviation.
    fn spread(&self, pairs: &[PairOutcome]) -> f64 {
        let pilot = &pairs[..pairs.len().min(self.pilot as usize)];
        let (_, variance) = mean_and_variance(pilot.iter().map(PairOutcome::score));
        student_t95((pilot.len() as f64 - 1.0).max(f64::from(Self::LEAST_PILOT) - 1.0)) * variance.sqrt()
    }

    fn deals(&self, pilot: &[PairOutcome]) -> u32 {
        // A float that is too big becomes the highest number.
        let needed = (self.spread(pilot) / self.half_width).powi(2).ceil() as u32;
        needed.max(pilot.len() as u32).min(self.most)
    }

    fn interval(&self, pairs: &[PairOutcome]) -> f64 {
        self.spread(pairs) / (pairs.len() as f64).sqrt()
    }
}

impl ConfidenceSequence {
    /// Each look comes after this many times the deals of the look before.
    const GROWTH: f64 = 1.2;

    fn deals(&self, pairs: &[PairOutcome]) -> u32 {
        let played = pairs.len() as u32;
        let (mean, _) = mean_and_variance(pairs.iter().map(PairOutcome::score));
        if mean.abs() > self.half_width(pairs) {
            return played;
        }
        ((f64::from(played) * Self::GROWTH).ceil() as u32).clamp(played, self.most)
    }

    fn half_width(&self, pairs: &[PairOutcome]) -> f64 {
        let (_, variance) = mean_and_variance(pairs.iter().map(PairOutcome::score));
        let (n, rho2) = (pairs.len() as f64, self.mixing_variance());
        let grown = n * rho2 + 1.0;
        (variance * 2.0 * grown / (n * n * rho2) * (grown.sqrt() / ALPHA).ln()).sqrt()
    }

    /// `ρ²` that makes the interval narrowest at ten times the first look (the same paper, B.1).
    fn mixing_variance(&self) -> f64 {
        let spent = -2.0 * ALPHA.ln();
        (spent + (spent + 1.0).ln()) / (10.0 * f64::from(self.first))
    }
}
