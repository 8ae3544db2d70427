//! Several pairings, each played until its stopping rule is content.
//!
//! Pairings that want more go on together, so that lanes stay full. Not here: the rules, and ratings.

use deepcfr_core::{Encoder, Evaluator, Game};

use super::stopping::Stopping;
use super::{MatchError, MatchPlan, MatchRecord, PairOutcome, Pairing, Watch, play_deals};

/// A pairing that was played to its end.
#[derive(Clone, Debug, PartialEq)]
pub struct Settled {
    /// Its games.
    pub record: MatchRecord,
    /// Half-width of the 95 % interval of the mean difference by the stopping rule, in points a game:
    /// valid although results decided when to stop, which `record.result.ci95` is not.
    pub half_width: f64,
}

/// Plays every pairing as `stopping` says; `plan.deals` is not looked at. Workers and lanes change no
/// result.
///
/// # Errors
/// As [`super::play`], or if the rule makes no sense.
///
/// # Panics
/// As [`super::play`].
pub fn tournament<G: Game, E: Encoder<G>, V: Evaluator + Send>(
    game: &G,
    encoder: &E,
    plan: &MatchPlan,
    pairings: &[Pairing<'_, G>],
    stopping: &Stopping,
    workers: &mut [V],
    watch: &dyn Watch,
) -> Result<Vec<Settled>, MatchError> {
    stopping.check()?;
    let mut played: Vec<Vec<PairOutcome>> = vec![Vec::new(); pairings.len()];
    loop {
        let next = |pairs: &Vec<PairOutcome>| match pairs.len() as u32 {
            0 => 0..stopping.first(),
            some => some..stopping.wanted(pairs),
        };
        let deals: Vec<_> = played.iter().map(next).collect();
        if deals.iter().all(std::ops::Range::is_empty) {
            break;
        }
        let more = play_deals(game, encoder, plan, pairings, &deals, workers, watch)?;
        played.iter_mut().zip(more).for_each(|(pairs, more)| pairs.extend(more));
    }
    Ok(played.into_iter().map(|pairs| settled(pairs, stopping)).collect())
}

fn settled(pairs: Vec<PairOutcome>, stopping: &Stopping) -> Settled {
    let half_width = stopping.half_width(&pairs);
    Settled { record: MatchRecord::of(pairs), half_width }
}
