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
//! lanes, batches and the other pairings of a call change the speed and never a game (given an
//! evaluator whose rows do not depend on their batch).
//!
//! Not here: exact evaluation, rules of bots, and when evaluations happen.

mod contestant;
mod error;
mod lane;
mod statistics;
mod worker;

use std::sync::atomic::AtomicU64;

use deepcfr_core::{Encoder, Evaluator, Game};

pub use contestant::{Bot, Contestant, NetworkStrategy, OutputRule, PolicyBot};
pub use error::MatchError;
pub use statistics::{GameOutcome, MatchResult, PairOutcome, wilson_interval};

use lane::Context;

/// What is played. `seed`, `evaluation` and `deals` decide the games; `lanes` only the speed.
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
    check(game, plan, workers.len())?;
    let context = Context::new(game, encoder, plan, pairings);
    let next = AtomicU64::new(0);
    let parts = match workers {
        [evaluator] => vec![worker::run(&context, &next, evaluator, plan.lanes)?],
        _ => run_threads(&context, &next, workers, plan.lanes)?,
    };
    let mut games = vec![GameOutcome::default(); context.num_games() as usize];
    for (index, outcome) in parts.into_iter().flatten() {
        games[index as usize] = outcome;
    }
    Ok(games.chunks_exact(2 * plan.deals as usize).map(record).collect())
}

fn check<G: Game>(game: &G, plan: &MatchPlan, workers: usize) -> Result<(), MatchError> {
    game.spec().check()?;
    if workers == 0 {
        return Err(MatchError::NoWorkers);
    }
    if plan.lanes == 0 {
        return Err(MatchError::NoLanes);
    }
    if !(1..=MatchError::MAX_DEALS).contains(&plan.deals) {
        return Err(MatchError::Deals { got: plan.deals });
    }
    Ok(())
}

fn run_threads<G: Game, E: Encoder<G>, V: Evaluator + Send>(
    context: &Context<'_, G, E>,
    next: &AtomicU64,
    workers: &mut [V],
    lanes: usize,
) -> Result<Vec<worker::Games>, MatchError> {
    let share = (context.num_games() as usize).div_ceil(workers.len()).max(1);
    let lanes = lanes.min(share);
    std::thread::scope(|scope| {
        let spawn = |evaluator| scope.spawn(move || worker::run(context, next, evaluator, lanes));
        let threads: Vec<_> = workers.iter_mut().map(spawn).collect();
        let joined = threads
            .into_iter()
            .map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        joined.collect()
    })
}

fn record(games: &[GameOutcome]) -> MatchRecord {
    let pairs: Vec<_> = games.chunks_exact(2).map(|pair| PairOutcome { games: [pair[0], pair[1]] }).collect();
    MatchRecord { result: MatchResult::of(&pairs), pairs }
}
