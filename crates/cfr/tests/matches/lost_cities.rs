//! Bots on Lost Cities against the reference match table (reference data, 2026-11-30: 500 decks in
//! two seatings a pair, other decks than ours).

use deepcfr_cfr::matches::{Bot, Contestant, MatchResult, Pairing, play};
use deepcfr_cfr::traversal::evaluators::ConstantEvaluator;
use deepcfr_core::{Action, Stream};
use deepcfr_games::lost_cities::{self, LostCities, Rules, Slots, SlotsEncoder, State};
use serde_json::Value;

const TABLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/lost_cities/match_table.json");

type Game = LostCities<Slots>;

struct Rule(lost_cities::Bot);

impl Bot<Game> for Rule {
    fn act(&self, game: &Game, state: &State, rng: &mut Stream) -> Action {
        game.to_action(state, self.0.decide(game, state, rng))
    }
}

const DISCARD: Rule = Rule(lost_cities::Bot::DiscardOnly);
const BALANCED: Rule = Rule(lost_cities::Bot::HeuristicBalanced);

fn results(pairs: &[(&Rule, &Rule)], deals: u32) -> Vec<MatchResult> {
    let game = Game::new(Rules::classic()).unwrap();
    let encoder = SlotsEncoder::new(game.rules());
    let contestant = |rule| Contestant::Bot(rule as &dyn Bot<Game>);
    let pairings: Vec<_> = pairs
        .iter()
        .map(|&(subject, opponent)| Pairing { subject: contestant(subject), opponent: contestant(opponent) })
        .collect();
    let mut workers = vec![ConstantEvaluator::new(Vec::new()); 2];
    let records = play(&game, &encoder, &crate::stand_ins::plan(deals, 1), &pairings, &mut workers).unwrap();
    records.into_iter().map(|record| record.result).collect()
}

/// Every bot against every bot and itself: 2,000 games a pairing on our own decks.
#[test]
fn the_round_robin_of_all_bots_agrees_with_the_reference_table() {
    let text = std::fs::read_to_string(TABLE).unwrap();
    let table: Value = serde_json::from_str(&text).unwrap();
    let rows = table["pairs"].as_array().unwrap();
    let rule = |name: &Value| Rule(name.as_str().unwrap().parse().unwrap());
    let bots: Vec<_> = rows.iter().map(|row| [rule(&row["a"]), rule(&row["b"])]).collect();
    let pairs: Vec<_> = bots.iter().map(|[a, b]| (a, b)).collect();
    assert_eq!(pairs.len(), 21);
    let mut within = 0;
    for (result, row) in results(&pairs, 1000).iter().zip(rows) {
        let number = |value: &Value| value.as_f64().unwrap();
        let mean = |key: &str| (number(&row[key][0]), number(&row[key][1]));
        let [a, b] = result.scores.unwrap();
        let figures = [
            ((result.mean_difference, result.ci95), mean("difference")),
            ((a.mean, a.ci95), mean("a_score")),
            ((b.mean, b.ci95), mean("b_score")),
        ];
        // Intervals of the table are rounded, and 0 between deterministic equals.
        let apart = figures.map(|((ours, ours95), (theirs, theirs95))| {
            (ours - theirs).abs() / (ours95.hypot(theirs95) + 0.06)
        });
        // In intervals of the difference: 2 are 3.9 standard errors.
        assert!(apart.iter().all(|&apart| apart < 2.0), "{apart:?}: {row} {result:?}");
        within += apart.iter().filter(|&&apart| apart < 1.0).count();
        let (wins, games) = (number(&row["wins"]), number(&table["games"]));
        let (low, high) = result.win_rate_ci95;
        let theirs = [0, 1].map(|end: usize| number(&row["win_rate_ci95"][end]));
        assert!(low < theirs[1] + 0.02 && theirs[0] - 0.02 < high, "{wins}/{games}: {result:?}");
        // The cap on plies is the same; how often it is reached is a proportion of 1,000 there, of 2,000 here.
        let endless = number(&row["endless"]);
        let spread = (endless * (1.0 - endless) / 500.0).sqrt();
        let ours = result.truncated as f64 / 2000.0;
        assert!((ours - endless).abs() <= 4.0 * spread, "{endless}: {result:?}");
    }
    // 95 of 100 are expected; decks are common to all pairings, so misses come together.
    assert!(within >= 54, "{within} of 63 figures within the intervals of their differences");
}

#[test]
fn a_bot_without_chance_ties_with_itself_and_endless_games_are_counted() {
    let results = results(&[(&BALANCED, &BALANCED), (&DISCARD, &DISCARD)], 30);
    assert_eq!((results[0].mean_difference, results[0].wins), (0.0, results[0].losses));
    // The reference saw 23.8 % of these games end at its cap.
    assert!((3..=30).contains(&results[0].truncated), "{:?}", results[0]);
    assert_eq!((results[1].ties, results[1].mean_plies, results[1].truncated), (60, 88.0, 0));
}
