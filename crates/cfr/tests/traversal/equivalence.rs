//! Workers, lanes, groups, batch sizes and the recursive oracle: the same samples, bit for bit.

use deepcfr_cfr::matches::PolicyBot;
use deepcfr_cfr::memory::Memories;
use deepcfr_cfr::traversal::{
    self, Baseline, Continuation, OutcomeSampling, RolloutSampling, Sampling, StrategySource, TraversalPlan,
    TraversalStats, oracle,
};
use deepcfr_core::{Encoder, Game, SampleShape};
use deepcfr_games::bots::AlwaysCall;
use deepcfr_games::kuhn::{Kuhn, KuhnEncoder};
use deepcfr_games::leduc::{Leduc, LeducEncoder, LeducRules};

use crate::model::{Log, OUTCOME, local, locals, plan};

fn oracle_log<G: Game, E: Encoder<G>>(
    game: &G,
    encoder: &E,
    sampling: Sampling<'_, G>,
    plan: &TraversalPlan,
) -> Log {
    let mut log = Log::default();
    oracle::run(game, encoder, sampling, plan, &mut local(game, encoder, 1), &mut log).expect("no failure");
    log
}

/// The counts of a run; times differ from run to run.
fn counts(stats: TraversalStats) -> TraversalStats {
    TraversalStats { times: Default::default(), ..stats }
}

fn assert_grid_equals_oracle<G: Game, E: Encoder<G>>(
    game: &G,
    encoder: &E,
    sampling: Sampling<'_, G>,
    plan: TraversalPlan,
) {
    let expected = oracle_log(game, encoder, sampling, &plan);
    assert!(!expected.advantage.is_empty() && !expected.strategy.is_empty());
    let mut reference = None;
    for workers in [1, 2, 8] {
        for lanes in [1, 7, 64, 256] {
            for (max_batch, groups) in [(1, 1), (16, 2), (128, 1)] {
                let plan = TraversalPlan { lanes, groups, ..plan };
                let mut log = Log::default();
                let mut evaluators = locals(game, encoder, max_batch, workers);
                let stats = traversal::run(game, encoder, sampling, &plan, &mut evaluators, &mut log)
                    .expect("no failure");
                let setting = format!("{workers} workers, {lanes} lanes, batch {max_batch}, {groups} groups");
                assert!(log == expected, "samples differ with {setting}");
                assert_eq!(*reference.get_or_insert(counts(stats)), counts(stats), "{setting}");
            }
        }
    }
    let stats = reference.expect("at least one run");
    assert_eq!(stats.advantage_samples, expected.advantage.len() as u64);
    assert_eq!(stats.strategy_samples, expected.strategy.len() as u64);
    assert_eq!(stats.traversals, u64::from(plan.count));
}

#[test]
fn kuhn_external() {
    for traverser in [0, 1] {
        assert_grid_equals_oracle(&Kuhn, &KuhnEncoder, Sampling::External, plan(traverser, 700));
    }
}

#[test]
fn kuhn_outcome() {
    for traverser in [0, 1] {
        assert_grid_equals_oracle(&Kuhn, &KuhnEncoder, Sampling::outcome(OUTCOME), plan(traverser, 700));
    }
}

fn leduc() -> (Leduc, LeducEncoder) {
    let game = Leduc::new(LeducRules::default()).expect("the default rules");
    let encoder = LeducEncoder::new(&game);
    (game, encoder)
}

#[test]
fn leduc_both_samplings() {
    let (game, encoder) = leduc();
    assert_grid_equals_oracle(&game, &encoder, Sampling::External, plan(0, 300));
    assert_grid_equals_oracle(&game, &encoder, Sampling::outcome(OUTCOME), plan(1, 700));
}

#[test]
fn the_uniform_strategy_asks_no_network() {
    let (game, encoder) = leduc();
    for sampling in [Sampling::External, Sampling::outcome(OUTCOME)] {
        let plan = TraversalPlan { strategy: [StrategySource::Initial; 2], lanes: 7, ..plan(1, 600) };
        let expected = oracle_log(&game, &encoder, sampling, &plan);
        for workers in [1, 3] {
            let mut log = Log::default();
            let mut evaluators = locals(&game, &encoder, 16, workers);
            let stats = traversal::run(&game, &encoder, sampling, &plan, &mut evaluators, &mut log)
                .expect("no failure");
            assert_eq!(stats.rows, 0);
            assert!(log == expected);
        }
    }
}

/// A baseline with nothing to do with the values, for which targets must stay unbiased.
pub(crate) struct Arbitrary;

impl<G: Game> Baseline<G> for Arbitrary {
    fn write(&self, game: &G, state: &G::State, values: &mut [f64]) {
        let deepcfr_core::Turn::Player(player) = game.turn(state) else { panic!("asked at a decision") };
        let key = game.infoset_key(state, player).0 as u64;
        let mut stream = deepcfr_core::Stream::new(key, deepcfr_core::Purpose::Test, 1, 0, 0);
        values.iter_mut().for_each(|value| *value = 4.0 * stream.uniform() - 2.0);
    }
}

#[test]
fn baselines_and_clips_agree_with_the_oracle() {
    let (game, encoder) = leduc();
    let clipped = OutcomeSampling { epsilon: 0.3, clip: Some(5.0), continuation: Continuation::Strategy };
    let trembling = OutcomeSampling { continuation: Continuation::Sampling, clip: None, ..clipped };
    for parameters in [OUTCOME, clipped, trembling] {
        let sampling = Sampling::Outcome { parameters, baseline: Some(&Arbitrary) };
        let plan = TraversalPlan { lanes: 9, ..plan(0, 400) };
        let expected = oracle_log(&game, &encoder, sampling, &plan);
        let mut log = Log::default();
        let mut evaluators = locals(&game, &encoder, 4, 2);
        traversal::run(&game, &encoder, sampling, &plan, &mut evaluators, &mut log).expect("no failure");
        assert!(log == expected);
    }
}

#[test]
fn rollouts_agree_with_the_oracle_on_networks_and_before() {
    let (game, encoder) = leduc();
    let policy = PolicyBot(AlwaysCall);
    for (strategy, epsilon, rollouts) in [
        (StrategySource::Initial, 0.5, 1),
        (StrategySource::Networks, 0.3, 1),
        (StrategySource::Networks, 1.0, 3),
    ] {
        for traverser in [0, 1] {
            let parameters = RolloutSampling { epsilon, rollouts };
            let sampling = Sampling::Rollout { parameters, policy: &policy };
            let plan = TraversalPlan { strategy: [strategy; 2], lanes: 9, ..plan(traverser, 400) };
            let expected = oracle_log(&game, &encoder, sampling, &plan);
            for workers in [1, 3] {
                let mut log = Log::default();
                let mut evaluators = locals(&game, &encoder, 4, workers);
                let stats = traversal::run(&game, &encoder, sampling, &plan, &mut evaluators, &mut log)
                    .expect("no failure");
                assert!(log == expected && !log.advantage.is_empty(), "{plan:?}");
                assert!(stats.nodes > 4 * stats.advantage_samples, "rollouts count: {stats:?}");
            }
        }
    }
}

/// As in the first iteration of updates in turn: player 0 has a network, player 1 plays uniformly.
#[test]
fn one_player_may_have_a_network_before_the_other() {
    let (game, encoder) = leduc();
    for sampling in [Sampling::External, Sampling::outcome(OUTCOME)] {
        let base = plan(1, 500);
        let mut logs = Vec::new();
        for strategy in [
            [StrategySource::Networks, StrategySource::Initial],
            [StrategySource::Initial, StrategySource::Networks],
            [StrategySource::Networks; 2],
        ] {
            let plan = TraversalPlan { strategy, lanes: 7, ..base };
            let expected = oracle_log(&game, &encoder, sampling, &plan);
            let mut log = Log::default();
            let mut evaluators = locals(&game, &encoder, 16, 3);
            let stats = traversal::run(&game, &encoder, sampling, &plan, &mut evaluators, &mut log)
                .expect("no failure");
            assert!(stats.rows > 0 && log == expected, "{strategy:?}");
            logs.push(log);
        }
        assert!(logs[0] != logs[1] && logs[0] != logs[2] && logs[1] != logs[2]);
    }
}

#[test]
fn memories_hash_alike_for_any_number_of_workers_and_lanes() {
    let (game, encoder) = leduc();
    let shape = SampleShape { num_features: encoder.num_features(), num_actions: 3 };
    let mut hashes = Vec::new();
    for (workers, lanes) in [(1, 1), (2, 64), (8, 7)] {
        let mut memories = Memories::new(shape, 500, 300, 5);
        for iteration in 1..=2 {
            for traverser in [0, 1] {
                let plan = TraversalPlan { iteration, lanes, ..plan(traverser, 200) };
                let mut evaluators = locals(&game, &encoder, 32, workers);
                traversal::run(&game, &encoder, Sampling::External, &plan, &mut evaluators, &mut memories)
                    .expect("no failure");
            }
        }
        assert!(memories.iter().all(|memory| memory.offered() > memory.capacity() as u64));
        hashes.push(memories.hash());
    }
    assert!(hashes.iter().all(|hash| *hash == hashes[0]), "{hashes:x?}");
}
