//! The games of a call, claimed one by one by the lanes of all workers.
//!
//! Not here: how lanes are driven (`lanes`), and which games there are (`schedule`).

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use deepcfr_core::{Encoder, Evaluator, Game};

use super::lane::{Context, Lane};
use super::{GameOutcome, MatchError, Watch};
use crate::lanes::{self, Driver, Work};

/// What workers share of the games.
#[derive(Default)]
pub(super) struct Claims {
    next: AtomicU64,
    /// A worker has failed: nobody needs the games any more.
    closed: AtomicBool,
}

/// Finished games by number, in any order.
pub(super) type Played = Vec<(u64, GameOutcome)>;

/// Plays games as one of `workers` until none is left to claim.
pub(super) fn play<G: Game, E: Encoder<G>, V: Evaluator>(
    context: &Context<'_, G, E>,
    claims: &Claims,
    evaluator: &mut V,
    workers: usize,
    watch: &dyn Watch,
) -> Result<Played, MatchError> {
    let lanes = lanes::per_worker(context.plan.lanes, context.num_games() as usize, workers);
    // What an idle lane holds is replaced when it sets out; without any game there is no lane.
    let lanes = (0..lanes).map(|_| Lane::begin(context, 0)).collect();
    let games = Games { context, claims, watch, played: Vec::new() };
    let (_, games) = Driver::new(context, evaluator, games, lanes).run(context.plan.groups)?;
    Ok(games.played)
}

/// A worker's access to the games.
struct Games<'c, 'a, G: Game, E> {
    context: &'c Context<'a, G, E>,
    claims: &'c Claims,
    watch: &'c dyn Watch,
    played: Played,
}

impl<'a, G: Game, E> Work<Lane<'a, G>> for Games<'_, 'a, G, E> {
    fn begin(&mut self, lane: &mut Lane<'a, G>, _patient: bool) -> bool {
        let index = self.claims.next.fetch_add(1, Ordering::Relaxed);
        if index >= self.context.num_games() {
            return false;
        }
        *lane = Lane::begin(self.context, index);
        true
    }

    fn finish(&mut self, lane: &mut Lane<'a, G>) {
        self.played.push(lane.finish(self.context.game));
        self.watch.finished();
    }

    /// Results stay with the worker until all games are over.
    fn hand_in(&mut self) {}

    fn is_closed(&self) -> bool {
        self.claims.closed.load(Ordering::Relaxed)
    }

    /// Takes the games that are left, too: a worker whose bots never ask a network sees only those.
    fn close(&mut self) {
        self.claims.next.store(self.context.num_games(), Ordering::Relaxed);
        self.claims.closed.store(true, Ordering::Relaxed);
    }
}
