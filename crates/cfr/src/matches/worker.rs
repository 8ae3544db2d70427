//! A worker: one thread's lanes over one evaluator.
//!
//! A lane plays game after game until it needs a row; when every lane waits, the rows are handed
//! over together. Not here: which games there are.

use std::sync::atomic::{AtomicU64, Ordering};

use deepcfr_core::{Encoder, Evaluator, EvaluatorError, Game};

use super::lane::{Context, Lane, Step};
use super::{GameOutcome, MatchError, Watch};

/// Finished games by number, in any order.
pub(super) type Games = Vec<(u64, GameOutcome)>;

/// Plays games until none is left to claim from `next`. A failure takes the games that are left, so
/// that the other workers end too.
pub(super) fn run<G: Game, E: Encoder<G>, V: Evaluator>(
    context: &Context<'_, G, E>,
    next: &AtomicU64,
    evaluator: &mut V,
    lanes: usize,
    watch: &dyn Watch,
) -> Result<Games, MatchError> {
    let mut worker = Worker {
        context,
        next,
        watch,
        lanes: Vec::new(),
        outstanding: 0,
        probabilities: vec![0.0; context.num_actions],
        games: Vec::new(),
    };
    let result = worker.play(evaluator, lanes);
    if result.is_err() {
        next.store(context.num_games(), Ordering::Relaxed);
        // The first failure is the one to report.
        let _ = worker.drain(evaluator);
    }
    let rested = evaluator.rest();
    result?;
    rested?;
    Ok(worker.games)
}

struct Worker<'c, 'a, G: Game, E> {
    context: &'c Context<'a, G, E>,
    next: &'c AtomicU64,
    watch: &'c dyn Watch,
    lanes: Vec<Lane<'a, G>>,
    /// Rows submitted and not yet answered.
    outstanding: usize,
    probabilities: Vec<f32>,
    games: Games,
}

impl<'a, G: Game, E: Encoder<G>> Worker<'_, 'a, G, E> {
    fn play<V: Evaluator>(&mut self, evaluator: &mut V, lanes: usize) -> Result<(), MatchError> {
        for _ in 0..lanes {
            let Some(lane) = self.next_game() else { break };
            self.lanes.push(lane);
            self.drive(self.lanes.len() - 1, evaluator)?;
        }
        while self.outstanding > 0 {
            evaluator.wait()?;
            while let Some(lane) = evaluator.next_ready() {
                self.outstanding -= 1;
                let outputs = evaluator.output(lane);
                self.lanes[lane].answer(self.context.game, outputs, &mut self.probabilities);
                self.drive(lane, evaluator)?;
            }
        }
        Ok(())
    }

    /// Advances a lane, game after game, until it needs a row or there is no game for it.
    fn drive<V: Evaluator>(&mut self, lane: usize, evaluator: &mut V) -> Result<(), MatchError> {
        loop {
            match self.lanes[lane].advance(self.context)? {
                Step::NeedsRow(net) => {
                    self.outstanding += 1;
                    return Ok(evaluator.submit(lane, net, &self.lanes[lane].query(self.context))?);
                }
                Step::Finished(outcome) => {
                    self.games.push((self.lanes[lane].index, outcome));
                    self.watch.finished();
                }
            }
            match self.next_game() {
                Some(game) => self.lanes[lane] = game,
                None => return Ok(()),
            }
        }
    }

    fn next_game(&self) -> Option<Lane<'a, G>> {
        let index = self.next.fetch_add(1, Ordering::Relaxed);
        (index < self.context.num_games()).then(|| Lane::begin(self.context, index))
    }

    /// Takes back rows that nobody needs any more.
    fn drain<V: Evaluator>(&mut self, evaluator: &mut V) -> Result<(), EvaluatorError> {
        while self.outstanding > 0 {
            evaluator.wait()?;
            let before = self.outstanding;
            while evaluator.next_ready().is_some() {
                self.outstanding -= 1;
            }
            // An evaluator that failed may never answer what it held.
            if self.outstanding == before {
                break;
            }
        }
        Ok(())
    }
}
