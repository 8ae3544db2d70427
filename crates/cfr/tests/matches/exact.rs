//! Games small enough to know the answer: Kuhn and Leduc poker.

use deepcfr_cfr::matches::{
    Bot, Contestant, MatchError, MatchRecord, NetworkStrategy, OutputRule, Pairing, PolicyBot, play,
    play_bots,
};
use deepcfr_cfr::regret::AllNegative;
use deepcfr_cfr::traversal::evaluators::ConstantEvaluator;
use deepcfr_core::{Action, Encoder, Game, NetId, Policy, Purpose, Stream, Turn};
use deepcfr_games::kuhn::{Kuhn, KuhnEncoder};
use deepcfr_games::leduc::{Leduc, LeducEncoder, LeducRules};

use crate::stand_ins::{Fixed, Outputs, Pure, Uniform, evaluators, plan};

/// What player 0 gets when seat `p` plays `policies[p]`, by walking the whole tree.
fn value<G: Game>(game: &G, state: &G::State, policies: [&dyn Policy<G>; 2]) -> f64 {
    let after = |action: Action| {
        let mut next = state.clone();
        game.apply(&mut next, action);
        value(game, &next, policies)
    };
    match game.turn(state) {
        Turn::Terminal => game.utility(state),
        Turn::Chance => {
            let (mut sum, mut total) = (0.0, 0.0);
            game.chance_outcomes(state, |outcome, weight| {
                sum += f64::from(weight) * after(outcome);
                total += f64::from(weight);
            });
            sum / total
        }
        Turn::Player(player) => {
            let mut probabilities = vec![0.0; game.spec().num_actions];
            policies[player].probabilities(game, state, &mut probabilities);
            let legal = game.legal_actions(state);
            legal.iter().map(|action| probabilities[usize::from(action)] * after(action)).sum()
        }
    }
}

/// The subject's mean points over both seatings.
fn mirrored_value<G: Game>(game: &G, subject: &dyn Policy<G>, opponent: &dyn Policy<G>) -> f64 {
    let root = game.root();
    (value(game, &root, [subject, opponent]) - value(game, &root, [opponent, subject])) / 2.0
}

/// Within 4.5 standard errors: a false alarm in about 1 of 150,000 matches.
fn assert_mean(record: &MatchRecord, expected: f64) {
    let result = record.result;
    let error = result.ci95 / 1.96;
    assert!((result.mean_difference - expected).abs() < 4.5 * error, "{expected}, {result:?}");
    assert!(error < 0.05, "too few deals to tell anything: {result:?}");
}

fn bots<G: Game>(
    game: &G,
    encoder: &impl Encoder<G>,
    subject: &dyn Bot<G>,
    opponent: &dyn Bot<G>,
    deals: u32,
) -> MatchRecord {
    let pairings = [Pairing { subject: Contestant::Bot(subject), opponent: Contestant::Bot(opponent) }];
    let mut workers = [ConstantEvaluator::new(Vec::new())];
    play(game, encoder, &plan(deals, 4), &pairings, &mut workers).unwrap().remove(0)
}

fn leduc() -> (Leduc, LeducEncoder) {
    let game = Leduc::new(LeducRules::default()).unwrap();
    let encoder = LeducEncoder::new(&game);
    (game, encoder)
}

/// Plays a deal by hand: the same chance numbers, bots without chance.
fn by_hand<G: Game>(game: &G, deal: u32, seats: [&Pure; 2]) -> f64 {
    let mut chance = Stream::new(17, Purpose::EvaluationChance, 3, 0, deal);
    let mut state = game.root();
    loop {
        let action = match game.turn(&state) {
            Turn::Terminal => return game.utility(&state),
            Turn::Chance => game.sample_chance(&state, &mut chance),
            Turn::Player(player) => seats[player].choice(game, &state),
        };
        game.apply(&mut state, action);
    }
}

fn assert_mirrored<G: Game>(game: &G, encoder: &impl Encoder<G>) {
    let (subject, opponent) = (Pure(1), Pure(2));
    let record = bots(game, encoder, &subject, &opponent, 300);
    for (deal, pair) in record.pairs.iter().enumerate() {
        let deal = deal as u32;
        assert_eq!(pair.games[0].points, by_hand(game, deal, [&subject, &opponent]));
        assert_eq!(pair.games[1].points, -by_hand(game, deal, [&opponent, &subject]));
    }
    assert!(record.pairs.iter().any(|pair| pair.score() != 0.0));
}

#[test]
fn both_seatings_of_a_deal_see_the_same_cards() {
    assert_mirrored(&Kuhn, &KuhnEncoder);
    let (game, encoder) = leduc();
    assert_mirrored(&game, &encoder);
}

#[test]
fn a_pure_strategy_against_itself_scores_exactly_0_on_every_deal() {
    let (game, encoder) = leduc();
    let record = bots(&game, &encoder, &Pure(9), &Pure(9), 300);
    assert!(record.pairs.iter().all(|pair| pair.score() == 0.0));
    assert_eq!((record.result.mean_difference, record.result.ci95), (0.0, 0.0));
    assert!(record.result.variance_reduction.is_infinite() && record.result.wins > 0);
}

#[test]
fn equal_players_cover_0_and_mirroring_narrows_the_interval() {
    let (game, encoder) = leduc();
    let record = bots(&game, &encoder, &Uniform, &Uniform, 8000);
    assert_mean(&record, 0.0);
    // Luck of the deal is part of the variance: some of it cancels, not all.
    assert!((1.1..10.0).contains(&record.result.variance_reduction), "{:?}", record.result);
}

#[test]
fn mixed_strategies_score_their_exact_value() {
    let (timid, bold) = (Fixed(&[0.8, 0.2]), Fixed(&[0.3, 0.7]));
    let record =
        bots(&Kuhn, &KuhnEncoder, &PolicyBot(Fixed(&[0.8, 0.2])), &PolicyBot(Fixed(&[0.3, 0.7])), 8000);
    assert_mean(&record, mirrored_value(&Kuhn, &timid, &bold));
    let (game, encoder) = leduc();
    let (timid, bold) = (Fixed(&[0.5, 0.4, 0.1]), Fixed(&[0.0, 0.4, 0.6]));
    let record = bots(
        &game,
        &encoder,
        &PolicyBot(Fixed(&[0.5, 0.4, 0.1])),
        &PolicyBot(Fixed(&[0.0, 0.4, 0.6])),
        20_000,
    );
    let expected = mirrored_value(&game, &timid, &bold);
    assert!(expected.abs() > 0.2, "{expected}: a difference worth finding");
    assert_mean(&record, expected);
}

#[test]
fn outputs_become_probabilities_by_the_strategys_rule() {
    // Softmax of (0, ln 3) bets with 3/4; regret matching on (1, 3) too, and on (-1, 3) always.
    let cases: [(OutputRule, Outputs, Fixed); 3] = [
        (OutputRule::Softmax, |_, _, out| out.copy_from_slice(&[0.0, 3f32.ln()]), Fixed(&[0.25, 0.75])),
        (
            OutputRule::RegretMatching(AllNegative::Argmax),
            |_, _, out| out.copy_from_slice(&[1.0, 3.0]),
            Fixed(&[0.25, 0.75]),
        ),
        (
            OutputRule::RegretMatching(AllNegative::Argmax),
            |_, _, out| out.copy_from_slice(&[-1.0, 3.0]),
            Fixed(&[0.0, 1.0]),
        ),
    ];
    for (rule, outputs, same) in cases {
        let strategy = NetworkStrategy::single(NetId(0), rule);
        let pairings =
            [Pairing { subject: Contestant::Network(&strategy), opponent: Contestant::Bot(&Uniform) }];
        let mut workers = evaluators((KuhnEncoder.num_features_of(), 2), outputs, 2);
        let records = play(&Kuhn, &KuhnEncoder, &plan(8000, 32), &pairings, &mut workers).unwrap();
        assert_mean(&records[0], mirrored_value(&Kuhn, &same, &Fixed(&[1.0, 1.0])));
    }
}

/// Spares the type of the game at calls.
trait NumFeatures {
    fn num_features_of(&self) -> usize;
}

impl NumFeatures for KuhnEncoder {
    fn num_features_of(&self) -> usize {
        Encoder::<Kuhn>::num_features(self)
    }
}

/// Always bets.
struct Bettor;

impl Bot<Kuhn> for Bettor {
    fn act(&self, _game: &Kuhn, _state: &<Kuhn as Game>::State, _rng: &mut Stream) -> Action {
        1
    }
}

#[test]
fn an_archived_network_is_drawn_once_a_game_and_kept() {
    // Network 3 always bets, 4 always passes; against a bettor the first plays for 2 chips, the
    // second gives up 1. Drawing anew at each decision would give up less often in seat 0.
    let outputs = |net: NetId, _: &[f32], out: &mut [f32]| {
        out.copy_from_slice(if net == NetId(3) { &[0.0, 1.0] } else { &[1.0, 0.0] });
    };
    let archive = [(NetId(3), 3.0), (NetId(4), 1.0)];
    let strategy = NetworkStrategy::sampled([&archive, &archive], AllNegative::Argmax).unwrap();
    let pairings = [Pairing { subject: Contestant::Network(&strategy), opponent: Contestant::Bot(&Bettor) }];
    let mut workers = evaluators((KuhnEncoder.num_features_of(), 2), outputs, 1);
    let record = play(&Kuhn, &KuhnEncoder, &plan(6000, 64), &pairings, &mut workers).unwrap().remove(0);
    for seat in 0..2 {
        let gave_up = record.pairs.iter().filter(|pair| pair.games[seat].points == -1.0).count() as f64;
        let (expected, spread) = (6000.0 * 0.25, (6000.0f64 * 0.25 * 0.75).sqrt());
        assert!((gave_up - expected).abs() < 4.5 * spread, "seat {seat}: {gave_up}");
    }
    assert!(record.pairs.iter().all(|pair| pair.games.iter().all(|g| [-2.0, -1.0, 2.0].contains(&g.points))));
}

/// Breaks the rules.
struct Cheat;

impl Bot<Kuhn> for Cheat {
    fn act(&self, _game: &Kuhn, _state: &<Kuhn as Game>::State, _rng: &mut Stream) -> Action {
        7
    }
}

#[test]
fn what_cannot_be_played_is_an_error() {
    let pairings = [Pairing { subject: Contestant::Bot(&Uniform), opponent: Contestant::Bot(&Cheat) }];
    let run = |deals, lanes, workers: &mut [ConstantEvaluator]| {
        play(&Kuhn, &KuhnEncoder, &plan(deals, lanes), &pairings, workers).unwrap_err()
    };
    let mut workers = vec![ConstantEvaluator::new(Vec::new()); 3];
    assert!(matches!(run(5, 2, &mut workers), MatchError::IllegalAction { action: 7, .. }));
    assert!(matches!(run(5, 2, &mut []), MatchError::NoWorkers));
    assert!(matches!(run(5, 0, &mut workers), MatchError::NoLanes));
    assert!(matches!(run(0, 2, &mut workers), MatchError::Deals { got: 0 }));
    let strategy = NetworkStrategy::single(NetId(200), OutputRule::Softmax);
    let pairings = [Pairing { subject: Contestant::Network(&strategy), opponent: Contestant::Bot(&Uniform) }];
    let mut workers = evaluators((KuhnEncoder.num_features_of(), 2), |_, _, out| out.fill(0.0), 2);
    let error = play(&Kuhn, &KuhnEncoder, &plan(50, 4), &pairings, &mut workers).unwrap_err();
    assert!(matches!(error, MatchError::Evaluator(_)), "{error}");
}

#[test]
fn bots_alone_need_no_networks() {
    let pairings = [Pairing { subject: Contestant::Bot(&Uniform), opponent: Contestant::Bot(&Pure(3)) }];
    let mut workers = vec![ConstantEvaluator::new(Vec::new()); 2];
    let expected = play(&Kuhn, &KuhnEncoder, &plan(300, 4), &pairings, &mut workers).unwrap();
    assert_eq!(play_bots(&Kuhn, &plan(300, 4), &pairings, 1).unwrap(), expected);
    assert_eq!(play_bots(&Kuhn, &plan(300, 8), &pairings, 3).unwrap(), expected);
    assert!(matches!(play_bots(&Kuhn, &plan(300, 4), &pairings, 0), Err(MatchError::NoWorkers)));
    let strategy = NetworkStrategy::average();
    let pairings = [Pairing { subject: Contestant::Network(&strategy), opponent: Contestant::Bot(&Uniform) }];
    let error = play_bots(&Kuhn, &plan(5, 4), &pairings, 2).unwrap_err();
    assert_eq!(error.to_string(), "the model failed: network 2 does not exist: the model holds 0");
}
