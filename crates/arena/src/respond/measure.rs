//! What a learned response is worth: fresh games against the strategy that it was learned against.
//!
//! Not here: learning it.

use std::sync::Arc;

use deepcfr_board::{Board, Contestant, Pairing};
use deepcfr_cfr::matches::{MatchPlan, MatchRecord, NetworkStrategy, OutputRule, PairOutcome, Watch};
use deepcfr_config::RunConfig;
use deepcfr_core::{NUM_PLAYERS, NetId, Weights};
use deepcfr_train::inference::Inference;
use deepcfr_train::lanes::Lanes;
use deepcfr_train::networks::factories;
use deepcfr_train::{Nets, all_negative};

use crate::error::ArenaError;
use crate::frozen::Frozen;

/// Streams that no evaluation and no arena draws from: choosing between ways to play, then measuring.
const CHOOSING: u32 = u32::MAX - 1;
const MEASURING: u32 = u32::MAX - 2;
/// Deals that choose, as a share of those that measure.
const CHOOSING_SHARE: u32 = 5;

/// A lower bound on exploitability, in points a game.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measured {
    /// Mean over both seats of what the responses gain: an unbiased estimate of a lower bound.
    pub bound: f64,
    /// Half-width of its 95 % interval.
    pub ci95: f64,
    /// What the response in each seat gains.
    pub by_seat: [f64; NUM_PLAYERS],
    /// Games played.
    pub games: u64,
    /// Whether the responses play their highest advantage, and not in proportion to advantages.
    pub greedy: bool,
}

/// Measures `responses` against `frozen`. Which way to play them is chosen on other games, so that the
/// measured games favour none.
pub(super) fn measure(
    (config, board, workers): (&RunConfig, &dyn Board, usize),
    (frozen, mut nets): (&Frozen, Nets),
    responses: [&Arc<Weights>; NUM_PLAYERS],
    deals: u32,
    watch: &dyn Watch,
) -> Result<Measured, ArenaError> {
    let own: [NetId; NUM_PLAYERS] = responses.map(|weights| nets.add(weights));
    nets.check()?;
    let factories = factories(config, board.facts().shape(), nets.len())?;
    let mut inference = Inference::open(config, &factories, workers)?;
    inference.publish(&nets.numbered())?;
    let lanes = Lanes::of(config, workers).of_matches(nets.len());
    let mut play = |rules: &[OutputRule], evaluation: u32, deals: u32| {
        let strategies: Vec<_> = rules.iter().map(|&rule| NetworkStrategy::of_seats(own, rule)).collect();
        let pairing =
            |strategy| Pairing { subject: Contestant::Networks(strategy), opponent: frozen.contestant() };
        let pairings: Vec<_> = strategies.iter().map(pairing).collect();
        let groups = config.traversal.scheduler.groups();
        let plan = MatchPlan { seed: config.run.seed, evaluation, deals, lanes, groups };
        let ranges = vec![0..deals; pairings.len()];
        inference.with_workers(|workers| board.play(&plan, &pairings, &ranges, workers, watch))
    };
    let rules = [OutputRule::Greedy, OutputRule::RegretMatching(all_negative(config))];
    let tried = play(&rules, CHOOSING, (deals / CHOOSING_SHARE).max(2))?;
    let [greedy, matching] = [0, 1].map(|rule: usize| MatchRecord::of(tried[rule].clone()).result);
    let greedy = greedy.mean_difference >= matching.mean_difference;
    let rule = if greedy { rules[0] } else { rules[1] };
    let pairs = play(&[rule], MEASURING, deals)?.remove(0);
    Ok(measured(pairs, greedy))
}

fn measured(pairs: Vec<PairOutcome>, greedy: bool) -> Measured {
    let in_seat =
        |seat: usize| pairs.iter().map(|pair| pair.games[seat].points).sum::<f64>() / pairs.len() as f64;
    let by_seat = [in_seat(0), in_seat(1)];
    let result = MatchRecord::of(pairs).result;
    Measured { bound: result.mean_difference, ci95: result.ci95, by_seat, games: 2 * result.deals, greedy }
}
