//! What a learned response is worth: fresh games against the strategy that it was learned against.
//!
//! Not here: learning it.

use std::sync::Arc;

use deepcfr_cfr::matches::{
    Contestant, MatchPlan, MatchRecord, NetworkStrategy, OutputRule, PairOutcome, Pairing, Watch, play_deals,
};
use deepcfr_core::{Encoder, Game, NUM_PLAYERS, NetId, SampleShape, Weights};

use crate::arena::{Frozen, Nets};
use crate::collect::all_negative;
use crate::config::RunConfig;
use crate::error::TrainError;
use crate::inference::Inference;
use crate::networks::factories;
use crate::registry::Setup;

/// Streams that no evaluation and no arena draws from: choosing between ways to play, then measuring.
const CHOOSING: u32 = u32::MAX - 1;
const MEASURING: u32 = u32::MAX - 2;
/// Deals that choose, as a share of those that measure.
const CHOOSING_SHARE: u32 = 5;
const LANES: usize = 1024;

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
pub(super) fn measure<G: Game, E: Encoder<G>>(
    (config, setup, shape, workers): (&RunConfig, &Setup<G, E>, SampleShape, usize),
    (frozen, mut nets): (&Frozen<'_, G>, Nets),
    responses: [&Arc<Weights>; NUM_PLAYERS],
    deals: u32,
    watch: &dyn Watch,
) -> Result<Measured, TrainError> {
    let own: [NetId; NUM_PLAYERS] = responses.map(|weights| nets.add(weights));
    nets.check()?;
    let mut inference = Inference::open(config, &factories(config, shape, nets.len())?, workers)?;
    inference.publish(&nets.numbered())?;
    let lanes = if config.traversal.scheduler.is_one_lane() { 1 } else { LANES };
    let mut play = |rules: &[OutputRule], evaluation: u32, deals: u32| {
        let strategies: Vec<_> = rules.iter().map(|&rule| NetworkStrategy::of_seats(own, rule)).collect();
        let pairing =
            |strategy| Pairing { subject: Contestant::Network(strategy), opponent: frozen.contestant() };
        let pairings: Vec<_> = strategies.iter().map(pairing).collect();
        let groups = config.traversal.scheduler.groups();
        let plan = MatchPlan { seed: config.run.seed, evaluation, deals, lanes, groups };
        let ranges = vec![0..deals; pairings.len()];
        let (game, encoder) = (&setup.game, &setup.encoder);
        inference.with_workers(|workers| play_deals(game, encoder, &plan, &pairings, &ranges, workers, watch))
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
