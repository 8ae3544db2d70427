//! Rules that choose the number of games keep their intervals' promise, and the same seed gives the same
//! table whoever plays it.

use deepcfr_cfr::matches::{
    Bot, ConfidenceSequence, Contestant, MatchError, MatchPlan, NetworkStrategy, Pairing, Settled, Stein,
    Stopping, tournament,
};
use deepcfr_cfr::regret::AllNegative;
use deepcfr_cfr::traversal::evaluators::ConstantEvaluator;
use deepcfr_core::{Encoder, Game, NetId};
use deepcfr_games::leduc::{Leduc, LeducEncoder, LeducRules};

use crate::stand_ins::{Pure, Uniform, evaluators, hashed};

const REPEATS: u32 = 1000;

fn leduc() -> (Leduc, LeducEncoder) {
    let game = Leduc::new(LeducRules::default()).unwrap();
    let encoder = LeducEncoder::new(&game);
    (game, encoder)
}

/// One match of `subject` against `Uniform`; every `repeat` draws other deals.
fn settle(subject: &dyn Bot<Leduc>, stopping: Stopping, repeat: u32) -> Settled {
    let (game, encoder) = leduc();
    let plan = MatchPlan { seed: 17, evaluation: repeat, deals: 0, lanes: 1, groups: 1 };
    let pairings = [Pairing { subject: Contestant::Bot(subject), opponent: Contestant::Bot(&Uniform) }];
    let mut workers = [ConstantEvaluator::new(Vec::new())];
    tournament(&game, &encoder, &plan, &pairings, &stopping, &mut workers, &()).unwrap().remove(0)
}

/// The share of repeats between equal players whose interval covers 0.
fn coverage(stopping: Stopping) -> f64 {
    let covered = (0..REPEATS).map(|repeat| settle(&Uniform, stopping, repeat));
    let covers = |settled: &Settled| settled.record.result.mean_difference.abs() <= settled.half_width;
    covered.filter(covers).count() as f64 / f64::from(REPEATS)
}

#[test]
fn equal_players_are_called_equal_in_95_of_100_matches() {
    let share = coverage(Stopping::Deals(100));
    assert!((0.93..=0.97).contains(&share), "{share}");
}

#[test]
fn a_wanted_precision_is_reached_and_its_interval_covers() {
    let stein = Stein { half_width: 0.3, pilot: 50, most: 100_000 };
    let share = coverage(Stopping::Precision(stein));
    assert!((0.93..=0.97).contains(&share), "{share}");
    let settled = settle(&Uniform, Stopping::Precision(stein), 0);
    assert!(settled.half_width <= 0.3 && settled.record.result.deals > 100, "{settled:?}");
    // Half the width takes four times the deals, from the same pilot.
    let finer = settle(&Uniform, Stopping::Precision(Stein { half_width: 0.15, ..stein }), 0);
    let ratio = finer.record.result.deals as f64 / settled.record.result.deals as f64;
    assert!((ratio - 4.0).abs() < 0.02, "{ratio}");
    let capped = settle(&Uniform, Stopping::Precision(Stein { most: 80, ..stein }), 0);
    assert!(capped.record.result.deals == 80 && capped.half_width > 0.3, "{capped:?}");
}

/// Looking again and again makes a plain interval exclude 0 sooner or later; the sequence does not.
#[test]
fn looking_until_it_is_decided_does_not_decide_between_equals() {
    let sequence = ConfidenceSequence { first: 100, most: 3000 };
    let share = coverage(Stopping::Decided(sequence));
    assert!(share >= 0.95, "{share}");
    let mut peeked = 0;
    for repeat in 0..REPEATS {
        let settled = settle(&Uniform, Stopping::Decided(sequence), repeat);
        let pairs = &settled.record.pairs;
        let looks = (5..=30).map(|hundreds| &pairs[..pairs.len().min(100 * hundreds)]);
        let excludes = |pairs: &[_]| {
            let result = deepcfr_cfr::matches::MatchResult::of(pairs);
            result.mean_difference.abs() > result.ci95
        };
        peeked += u32::from(looks.into_iter().any(excludes));
    }
    assert!(peeked > REPEATS / 8, "a plain interval would have been misled {peeked} times");
}

#[test]
fn a_clear_difference_is_decided_soon() {
    let sequence = Stopping::Decided(ConfidenceSequence { first: 100, most: 100_000 });
    let settled = settle(&Pure(1), sequence, 0);
    let result = settled.record.result;
    assert!(result.mean_difference.abs() > settled.half_width && result.deals < 20_000, "{settled:?}");
}

#[test]
fn the_table_is_the_same_for_any_workers_and_lanes() {
    let archive: Vec<_> = (3..8).map(|net| (NetId(net), f64::from(net))).collect();
    let sampled = NetworkStrategy::sampled([&archive, &archive], AllNegative::Uniform).unwrap();
    let average = NetworkStrategy::average();
    let pairings: [Pairing<'_, Leduc>; 3] = [
        Pairing { subject: Contestant::Network(&sampled), opponent: Contestant::Network(&average) },
        Pairing { subject: Contestant::Network(&average), opponent: Contestant::Bot(&Pure(4)) },
        Pairing { subject: Contestant::Bot(&Pure(4)), opponent: Contestant::Bot(&Uniform) },
    ];
    let (game, encoder) = leduc();
    let sizes = (Encoder::<Leduc>::num_features(&encoder), game.spec().num_actions);
    let rules = [
        Stopping::Deals(120),
        Stopping::Precision(Stein { half_width: 0.5, pilot: 20, most: 500 }),
        Stopping::Decided(ConfidenceSequence { first: 40, most: 500 }),
    ];
    for stopping in rules {
        let run = |workers, lanes| {
            let plan = MatchPlan { seed: 5, evaluation: 2, deals: 0, lanes, groups: 1 };
            let mut workers = evaluators(sizes, hashed, workers);
            tournament(&game, &encoder, &plan, &pairings, &stopping, &mut workers, &()).unwrap()
        };
        let reference = run(1, 1);
        let deals: Vec<_> = reference.iter().map(|settled| settled.record.result.deals).collect();
        assert!(deals[0] >= 40 && deals.iter().all(|&deals| deals <= 500), "{deals:?}");
        for (workers, lanes) in [(1, 64), (2, 7), (8, 1), (8, 33)] {
            assert!(run(workers, lanes) == reference, "{stopping:?}: {workers} workers, {lanes} lanes");
        }
    }
}

#[test]
fn rules_that_make_no_sense_are_refused() {
    let (game, encoder) = leduc();
    let refused = |stopping| {
        let plan = MatchPlan { seed: 5, evaluation: 2, deals: 0, lanes: 1, groups: 1 };
        let pairings: [Pairing<'_, Leduc>; 0] = [];
        let mut workers = [ConstantEvaluator::new(Vec::new())];
        tournament(&game, &encoder, &plan, &pairings, &stopping, &mut workers, &()).unwrap_err()
    };
    let stein = Stein { half_width: 1.0, pilot: 100, most: 1000 };
    for bad in [
        Stein { half_width: 0.0, ..stein },
        Stein { half_width: f64::NAN, ..stein },
        Stein { pilot: 10, ..stein },
    ] {
        assert!(matches!(refused(Stopping::Precision(bad)), MatchError::Precision { .. }), "{bad:?}");
    }
    assert!(matches!(refused(Stopping::Deals(0)), MatchError::Deals { got: 0 }));
}
