//! The game against a fixed opponent has the best response's value that exact evaluation gives.

use deepcfr_cfr::response::{Against, FixedStrategy, Pure};
use deepcfr_cfr::tabular::{BestResponse, GameTree, KeyedPolicy, TabularPolicy, TreeLimits, evaluate};
use deepcfr_core::{Action, Game, Policy, Purpose, Stream, Turn};
use deepcfr_games::kuhn::Kuhn;
use deepcfr_games::leduc::{Leduc, LeducRules};

/// A strategy without system, different for every `seed`.
fn mixed(tree: &GameTree, seed: u64) -> TabularPolicy {
    let mut stream = Stream::new(seed, Purpose::Test, 0, 0, 0);
    let weights = (0..tree.num_slots()).map(|_| (stream.uniform() - 0.2).max(0.0)).collect();
    TabularPolicy::from_weights(tree, weights)
}

fn tree<G: Game>(game: &G) -> GameTree {
    GameTree::build(game, TreeLimits::default()).unwrap()
}

/// What the best response of each player gains, by solving the game against the fixed strategy.
fn responses<G: Game, S: FixedStrategy<G>>(game: &G, strategy: &S) -> [f64; 2] {
    [0, 1].map(|player: usize| {
        let tree = tree(&Against::new(game, strategy, player));
        evaluate(&tree, &TabularPolicy::uniform(&tree)).best_response_values[player]
    })
}

fn assert_exact<G: Game>(game: &G) {
    let tree = tree(game);
    for seed in 0..5 {
        let policy = mixed(&tree, seed);
        let exact = BestResponse::default().evaluate(&tree, &policy).best_response_values;
        let found = responses(game, &Pure(KeyedPolicy::from_tree(&tree, &policy)));
        for player in 0..2 {
            // Probabilities are rounded to 2⁻²⁴.
            assert!((found[player] - exact[player]).abs() < 1e-5, "{player}: {found:?}, {exact:?}");
        }
    }
}

#[test]
fn a_best_response_to_a_fixed_strategy_gains_what_exact_evaluation_says() {
    assert_exact(&Kuhn);
    assert_exact(&Leduc::new(LeducRules { suit_blind_keys: true, ..LeducRules::default() }).unwrap());
}

/// One of several strategies, drawn for a whole game.
struct Mixture<'a> {
    weights: &'a [f64],
    parts: &'a [KeyedPolicy],
}

impl<G: Game> FixedStrategy<G> for Mixture<'_> {
    fn weights(&self, _seat: usize) -> &[f64] {
        self.weights
    }

    fn probabilities(&self, part: usize, game: &G, state: &G::State, probabilities: &mut [f64]) {
        self.parts[part].probabilities(game, state, probabilities);
    }
}

/// Drawing a part for each game plays the reach-weighted average (Kuhn's theorem), not the mean of
/// probabilities.
#[test]
fn a_mixture_is_its_reach_weighted_average() {
    let tree = tree(&Kuhn);
    let (first, second) = (mixed(&tree, 1), mixed(&tree, 2));
    let mut average = deepcfr_cfr::tabular::AverageStrategy::new(&tree);
    for player in 0..2 {
        average.add(&tree, player, &first, 1.0);
        average.add(&tree, player, &second, 3.0);
    }
    let exact = evaluate(&tree, &average.policy(&tree)).best_response_values;
    let parts = [first, second].map(|policy| KeyedPolicy::from_tree(&tree, &policy));
    let found = responses(&Kuhn, &Mixture { weights: &[1.0, 3.0], parts: &parts });
    assert!((0..2).all(|player| (found[player] - exact[player]).abs() < 1e-5), "{found:?}, {exact:?}");
}

/// Sampled chance is the outcome that the seam prescribes, and takes one number.
#[test]
fn what_chance_draws_follows_its_listed_outcomes() {
    let tree = tree(&Kuhn);
    let parts = [1, 2, 3].map(|seed| KeyedPolicy::from_tree(&tree, &mixed(&tree, seed)));
    let mixture = Mixture { weights: &[0.5, 2.0, 1.0], parts: &parts };
    let game = Against::new(&Kuhn, &mixture, 0);
    for index in 0..500 {
        let mut stream = Stream::new(3, Purpose::Test, 0, 0, index);
        let mut state = game.root();
        while game.turn(&state) != Turn::Terminal {
            let action = if game.turn(&state) == Turn::Chance {
                let drawn = game.sample_chance(&state, &mut stream.clone());
                let mut listed: Vec<(Action, u32)> = Vec::new();
                game.chance_outcomes(&state, |outcome, weight| listed.push((outcome, weight)));
                let total = listed.iter().map(|(_, weight)| weight).sum();
                let mut left = i64::from(stream.below(total));
                let first = listed.iter().find(|(_, weight)| {
                    left -= i64::from(*weight);
                    left < 0
                });
                assert_eq!(Some(drawn), first.map(|(outcome, _)| *outcome), "{listed:?}");
                drawn
            } else {
                assert_eq!(game.turn(&state), Turn::Player(0));
                let legal = game.legal_actions(&state);
                legal.nth(stream.below(legal.len() as u32) as usize).unwrap()
            };
            game.apply(&mut state, action);
        }
    }
}
