//! Head-to-head matches: contestants play mirrored deals, many games at a time.
//!
//! Deal `k` is played twice with seats swapped and the chance stream started anew, so that both
//! seatings draw the same numbers. A game whose chance outcomes are what is left of a deck then deals
//! the same cards in the same order, and luck of the deal cancels within the pair (the factor by
//! which the variance falls is part of every result).
//!
//! A *lane* is one game in flight, which pauses where a network must answer; lanes are refilled at
//! once, and pairings share the lanes, so that batches stay full to the end of the list. Chance draws
//! from the stream of (evaluation, deal), each seat from that of (evaluation, seat, game): workers,
//! lanes, groups, batches and the other pairings of a call change the speed and never a game (given an
//! evaluator whose rows do not depend on their batch).
//!
//! Not here: exact evaluation, rules of bots, and when evaluations happen.

mod bots;
mod contestant;
mod error;
mod estimate;
mod games;
mod lane;
mod rating;
mod schedule;
mod statistics;
mod stopping;
mod tournament;

use std::ops::Range;

use deepcfr_core::{Encoder, Evaluator, Game};

pub use bots::{NoNetworks, play_bots};
pub use contestant::{Bot, Contestant, NetworkStrategy, OutputRule, PolicyBot};
pub use error::MatchError;
pub use estimate::{Estimate, wilson_interval};
pub use rating::{Meeting, Rating, bradley_terry};
pub use schedule::round_robin;
pub use statistics::{Finished, GameOutcome, MatchResult, PairOutcome};
pub use stopping::{ConfidenceSequence, Stein, Stopping};
pub use tournament::{Settled, tournament};

use games::Claims;
use lane::Context;
use schedule::Timetable;

use crate::lanes;

/// What is played. `seed`, `evaluation` and `deals` decide the games; `lanes` and `groups` only
/// the speed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MatchPlan {
    /// The run's seed.
    pub seed: u64,
    /// A coordinate of the random streams: evaluations with different numbers draw different deals.
    pub evaluation: u32,
    /// Deals per pairing; each is two games.
    pub deals: u32,
    /// Games in flight per worker, at least 1.
    pub lanes: usize,
    /// 1: rows are handed over when nothing else can advance. 2: the lanes of a worker form two
    /// groups, one of which advances while the other's rows are under way (worth it only where the
    /// evaluator answers from another thread or device).
    pub groups: usize,
}

/// Who plays against whom.
pub struct Pairing<'a, G: Game> {
    /// Whose results are reported; sits in seat 0 first.
    pub subject: Contestant<'a, G>,
    /// The other one.
    pub opponent: Contestant<'a, G>,
}

/// The games of one pairing.
#[derive(Clone, Debug, PartialEq)]
pub struct MatchRecord {
    /// Statistics of `pairs`.
    pub result: MatchResult,
    /// Every deal's two games, in order of deals.
    pub pairs: Vec<PairOutcome>,
}

impl MatchRecord {
    /// The record of `pairs`.
    ///
    /// # Panics
    /// If there is no pair.
    pub fn of(pairs: Vec<PairOutcome>) -> Self {
        Self { result: MatchResult::of(&pairs), pairs }
    }
}

/// Sees matches go on. Called from the workers' threads.
pub trait Watch: Sync {
    /// So many more games are going to be played.
    fn planned(&self, _games: u64) {}

    /// A game has ended.
    fn finished(&self) {}
}

/// Sees nothing.
impl Watch for () {}

/// Plays all pairings with one thread per evaluator and returns their records in the same order.
/// One evaluator runs on the calling thread.
///
/// # Errors
/// If the plan or the game cannot be played, a bot chooses an illegal action, or an evaluator fails.
///
/// # Panics
/// If the game, the encoder or a bot panics.
pub fn play<G: Game, E: Encoder<G>, V: Evaluator + Send>(
    game: &G,
    encoder: &E,
    plan: &MatchPlan,
    pairings: &[Pairing<'_, G>],
    workers: &mut [V],
) -> Result<Vec<MatchRecord>, MatchError> {
    if plan.deals == 0 {
        return Err(MatchError::Deals { got: 0 });
    }
    let deals = vec![0..plan.deals; pairings.len()];
    let played = play_deals(game, encoder, plan, pairings, &deals, workers, &())?;
    Ok(played.into_iter().map(MatchRecord::of).collect())
}

/// [`play`], with deals `deals[i]` for pairing `i` in place of `plan.deals`; ranges may be empty. A deal
/// is the same whichever call plays it.
///
/// # Errors
/// As [`play`].
///
/// # Panics
/// As [`play`], or if there is not one range for each pairing.
pub fn play_deals<G: Game, E: Encoder<G>, V: Evaluator + Send>(
    game: &G,
    encoder: &E,
    plan: &MatchPlan,
    pairings: &[Pairing<'_, G>],
    deals: &[Range<u32>],
    workers: &mut [V],
    watch: &dyn Watch,
) -> Result<Vec<Vec<PairOutcome>>, MatchError> {
    assert_eq!(pairings.len(), deals.len(), "one range of deals for each pairing");
    check(game, plan, deals, workers.len())?;
    let context = Context::new(game, encoder, plan, pairings, Timetable::new(deals));
    watch.planned(context.num_games());
    let claims = Claims::default();
    let parts = match workers {
        [evaluator] => vec![games::play(&context, &claims, evaluator, 1, watch)?],
        _ => run_threads(&context, &claims, workers, watch)?,
    };
    let mut games = vec![GameOutcome::default(); context.num_games() as usize];
    for (index, outcome) in parts.into_iter().flatten() {
        games[index as usize] = outcome;
    }
    let mut pairs = games.chunks_exact(2).map(|pair| PairOutcome { games: [pair[0], pair[1]] });
    Ok(deals.iter().map(|range| pairs.by_ref().take(range.len()).collect()).collect())
}

fn check<G: Game>(
    game: &G,
    plan: &MatchPlan,
    deals: &[Range<u32>],
    workers: usize,
) -> Result<(), MatchError> {
    game.spec().check()?;
    if workers == 0 {
        return Err(MatchError::NoWorkers);
    }
    if plan.lanes == 0 {
        return Err(MatchError::NoLanes);
    }
    if !lanes::GROUPS.contains(&plan.groups) {
        return Err(MatchError::Groups { got: plan.groups });
    }
    match deals.iter().find(|range| range.end > MatchError::MAX_DEALS) {
        Some(range) => Err(MatchError::Deals { got: range.end }),
        None => Ok(()),
    }
}

fn run_threads<G: Game, E: Encoder<G>, V: Evaluator + Send>(
    context: &Context<'_, G, E>,
    claims: &Claims,
    workers: &mut [V],
    watch: &dyn Watch,
) -> Result<Vec<games::Played>, MatchError> {
    let count = workers.len();
    std::thread::scope(|scope| {
        let spawn = |evaluator| scope.spawn(move || games::play(context, claims, evaluator, count, watch));
        let threads: Vec<_> = workers.iter_mut().map(spawn).collect();
        let joined = threads
            .into_iter()
            .map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        joined.collect()
    })
}
