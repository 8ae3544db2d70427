//! Workers, lanes and the company of other pairings change nothing.

use deepcfr_cfr::matches::{Contestant, MatchError, MatchPlan, MatchRecord, NetworkStrategy, Pairing, play};
use deepcfr_cfr::regret::AllNegative;
use deepcfr_core::{Encoder, Game, NetId};
use deepcfr_games::leduc::{Leduc, LeducEncoder, LeducRules};

use crate::stand_ins::{Pure, Uniform, evaluators, hashed, plan};

struct Strategies {
    current: NetworkStrategy,
    average: NetworkStrategy,
    sampled: NetworkStrategy,
}

fn strategies() -> Strategies {
    let archive: Vec<_> = (3..8).map(|net| (NetId(net), f64::from(net))).collect();
    Strategies {
        current: NetworkStrategy::current(AllNegative::Argmax),
        average: NetworkStrategy::average(),
        sampled: NetworkStrategy::sampled([&archive, &archive], AllNegative::Uniform).unwrap(),
    }
}

/// Networks against bots and each other, games of different length and cost in one call.
fn pairings(strategies: &Strategies) -> [Pairing<'_, Leduc>; 4] {
    let Strategies { current, average, sampled } = strategies;
    [
        Pairing { subject: Contestant::Network(current), opponent: Contestant::Bot(&Uniform) },
        Pairing { subject: Contestant::Network(average), opponent: Contestant::Bot(&Pure(4)) },
        Pairing { subject: Contestant::Network(sampled), opponent: Contestant::Network(average) },
        Pairing { subject: Contestant::Bot(&Pure(4)), opponent: Contestant::Bot(&Uniform) },
    ]
}

fn run(pairings: &[Pairing<'_, Leduc>], workers: usize, lanes: usize) -> Vec<MatchRecord> {
    run_plan(pairings, workers, plan(150, lanes)).unwrap()
}

fn run_plan(
    pairings: &[Pairing<'_, Leduc>],
    workers: usize,
    plan: MatchPlan,
) -> Result<Vec<MatchRecord>, MatchError> {
    let game = Leduc::new(LeducRules::default()).unwrap();
    let encoder = LeducEncoder::new(&game);
    let sizes = (Encoder::<Leduc>::num_features(&encoder), game.spec().num_actions);
    let mut workers = evaluators(sizes, hashed, workers);
    play(&game, &encoder, &plan, pairings, &mut workers)
}

#[test]
fn workers_and_lanes_do_not_change_a_game() {
    let strategies = strategies();
    let pairings = pairings(&strategies);
    let reference = run(&pairings, 1, 1);
    assert_eq!(reference.len(), 4);
    for workers in [1, 2, 8] {
        for lanes in [1, 7, 64] {
            assert!(run(&pairings, workers, lanes) == reference, "{workers} workers, {lanes} lanes");
        }
    }
}

#[test]
fn groups_do_not_change_a_game() {
    let strategies = strategies();
    let pairings = pairings(&strategies);
    for (workers, lanes) in [(1, 1), (1, 64), (3, 7)] {
        let [one, two] = [1, 2]
            .map(|groups| run_plan(&pairings, workers, MatchPlan { groups, ..plan(150, lanes) }).unwrap());
        assert!(one == two, "{workers} workers, {lanes} lanes");
    }
    for groups in [0, 3] {
        let refused = run_plan(&pairings, 1, MatchPlan { groups, ..plan(150, 1) });
        assert!(matches!(refused, Err(MatchError::Groups { got }) if got == groups));
    }
}

#[test]
fn a_pairing_does_not_notice_the_others() {
    let strategies = strategies();
    let pairings = pairings(&strategies);
    let together = run(&pairings, 2, 16);
    for (pairing, record) in pairings.chunks(1).zip(&together) {
        assert!(run(pairing, 1, 16)[0] == *record);
    }
    assert!(run(&[], 2, 16).is_empty());
}

#[test]
fn batches_stay_full_until_the_last_games() {
    let game = Leduc::new(LeducRules::default()).unwrap();
    let encoder = LeducEncoder::new(&game);
    let mut workers = evaluators((Encoder::<Leduc>::num_features(&encoder), 3), hashed, 1);
    let average = NetworkStrategy::average();
    let pairings =
        [Pairing { subject: Contestant::Network(&average), opponent: Contestant::Network(&average) }];
    play(&game, &encoder, &plan(500, 16), &pairings, &mut workers).unwrap();
    let stats = workers[0].take_stats();
    let mean = stats.sizes.mean();
    assert!(mean > 15.5 && stats.sizes.max() == 16, "mean batch {mean}");
}
