//! Bots on Lost Cities against the reference match table (reference data, 2026-11-30: 500 decks in
//! two seatings a pair, other decks than ours).

use deepcfr_cfr::matches::{Bot, Contestant, MatchResult, Pairing, play};
use deepcfr_cfr::traversal::evaluators::ConstantEvaluator;
use deepcfr_core::{Action, Stream};
use deepcfr_games::lost_cities::{self, LostCities, Rules, Slots, SlotsEncoder, State};

type Game = LostCities<Slots>;

struct Rule(lost_cities::Bot);

impl Bot<Game> for Rule {
    fn act(&self, game: &Game, state: &State, rng: &mut Stream) -> Action {
        game.to_action(state, self.0.decide(game, state, rng))
    }
}

const RANDOM: Rule = Rule(lost_cities::Bot::Random);
const DISCARD: Rule = Rule(lost_cities::Bot::DiscardOnly);
const BALANCED: Rule = Rule(lost_cities::Bot::HeuristicBalanced);
const NOISY: Rule = Rule(lost_cities::Bot::HeuristicNoisy);

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

#[test]
fn bots_score_what_the_reference_table_says() {
    // Subject, opponent; mean points, half-width of its 95 % interval, win rate, mean plies.
    let table = [
        (&RANDOM, &RANDOM, 0.98, 2.00f64, 0.498, 284.0),
        (&RANDOM, &DISCARD, -57.55, 1.50, 0.002, 142.0),
        (&RANDOM, &BALANCED, -105.34, 2.41, 0.0, 169.0),
        (&DISCARD, &NOISY, -23.32, 1.79, 0.171, 151.0),
    ];
    let pairs: Vec<_> = table.iter().map(|row| (row.0, row.1)).collect();
    for (result, row) in results(&pairs, 400).iter().zip(&table) {
        let &(_, _, points, ci95, win_rate, plies) = row;
        // Two samples of the same size: 4 standard errors of their difference.
        let error = (result.ci95.powi(2) + ci95.powi(2)).sqrt() / 1.96;
        assert!((result.mean_difference - points).abs() < 4.0 * error, "{points}: {result:?}");
        let spread = (win_rate * (1.0 - win_rate) / 400.0f64).sqrt().max(0.003);
        assert!((result.win_rate - win_rate).abs() < 4.0 * spread, "{win_rate}: {result:?}");
        assert!((result.mean_plies / plies - 1.0f64).abs() < 0.08, "{plies}: {result:?}");
        assert_eq!((result.deals, result.truncated), (400, 0));
    }
}

#[test]
fn a_bot_without_chance_ties_with_itself_and_endless_games_are_counted() {
    let results = results(&[(&BALANCED, &BALANCED), (&DISCARD, &DISCARD)], 30);
    assert_eq!((results[0].mean_difference, results[0].wins), (0.0, results[0].losses));
    // The reference saw 23.8 % of these games end at its cap.
    assert!((3..=30).contains(&results[0].truncated), "{:?}", results[0]);
    assert_eq!((results[1].ties, results[1].mean_plies, results[1].truncated), (60, 88.0, 0));
}
