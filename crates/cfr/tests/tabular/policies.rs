//! Policies, best responses and averages: closed forms, bounds, and a linear program.

use std::sync::Arc;

use deepcfr_cfr::tabular::{
    Algorithm, AverageStrategy, BestResponse, GameTree, Infoset, KeyedPolicy, NodeId, NodeKind, SavedError,
    Solver, TabularPolicy, TreeLimits, evaluate,
};
use deepcfr_core::{Action, ActionSet, Game, GameSpec, InfosetKey, Player, Policy, Purpose, Stream, Turn};
use deepcfr_games::kuhn::{BET, Kuhn};
use deepcfr_games::leduc::Leduc;
use proptest::prelude::*;

use super::reference::tree;

/// Probabilities that differ by orders of magnitude, some of them 0.
fn random_policy(tree: &GameTree, index: u32) -> TabularPolicy {
    let mut rng = Stream::new(11, Purpose::Test, 0, 0, index);
    let mut weight = || if rng.below(4) == 0 { 0.0 } else { rng.uniform().powi(6) };
    TabularPolicy::from_weights(tree, (0..tree.num_slots()).map(|_| weight()).collect())
}

#[test]
fn nash_conv_is_never_negative() {
    for tree in [tree(&Kuhn), tree(&Leduc::default())] {
        let mut evaluator = BestResponse::default();
        for index in 0..1_000 {
            let nash_conv = evaluator.evaluate(&tree, &random_policy(&tree, index)).nash_conv;
            assert!(nash_conv >= -1e-12, "policy {index}: {nash_conv}");
        }
    }
}

#[test]
fn a_best_response_earns_its_value() {
    let tree = tree(&Leduc::default());
    let mut evaluator = BestResponse::default();
    for index in 0..20 {
        let policy = random_policy(&tree, index);
        let expected = evaluator.evaluate(&tree, &policy).best_response_values;
        for player in 0..2 {
            let response = evaluator.respond(&tree, &policy, player);
            let earned = evaluator.evaluate(&tree, &response).values[player];
            assert!((earned - expected[player]).abs() < 1e-12, "policy {index}: {earned}, {expected:?}");
            assert!(response.slots()[tree.slots_of(player)].iter().all(|&p| p == 0.0 || p == 1.0));
            assert_eq!(
                response.slots()[tree.slots_of(1 - player)],
                policy.slots()[tree.slots_of(1 - player)]
            );
        }
    }
}

#[test]
fn threads_change_no_bit() {
    let rules = deepcfr_games::liars_dice::LiarsDiceRules { dice: 1, sides: 7 };
    let game = deepcfr_games::liars_dice::LiarsDice::new(rules).expect("the rules are in range");
    let tree = tree(&game);
    let policy = random_policy(&tree, 0);
    let one = BestResponse::default().evaluate(&tree, &policy);
    assert_eq!(BestResponse::parallel().evaluate(&tree, &policy), one);
    let [mut solver, mut parallel] =
        [(); 2].map(|()| Solver::new(Arc::clone(&tree), Algorithm::DCFR, 0).expect("in range"));
    parallel.set_parallel(true);
    solver.step(3);
    parallel.step(3);
    assert!(solver.regrets() == parallel.regrets());
}

/// The value of `node` for player 0, by the definition: no sequence form, no infosets.
fn value_by_hand(tree: &GameTree, policy: &TabularPolicy, node: NodeId) -> f64 {
    let children = tree.children(node);
    let weigh = |weights: &[f64]| {
        let value = |(&child, weight): (&NodeId, &f64)| weight * value_by_hand(tree, policy, child);
        children.iter().zip(weights).map(value).sum()
    };
    match tree.kind(node) {
        NodeKind::Terminal => tree.payoff(node),
        NodeKind::First | NodeKind::Second => weigh(policy.at(tree, tree.infoset_index(node))),
        NodeKind::Chance => {
            let total = f64::from(tree.total_weight(node));
            weigh(&tree.weights(node).iter().map(|&weight| f64::from(weight) / total).collect::<Vec<_>>())
        }
    }
}

/// The linear program of a best response has its optimum at a pure strategy; a player of Kuhn has
/// only 2⁶ of them.
#[test]
fn best_responses_on_kuhn_are_the_best_of_all_pure_strategies() {
    let tree = tree(&Kuhn);
    for index in 0..25 {
        let policy = random_policy(&tree, index);
        let found = evaluate(&tree, &policy);
        assert!((found.values[0] - value_by_hand(&tree, &policy, 0)).abs() < 1e-14);
        for player in 0..2 {
            let earn = |pure: u32| {
                let mut slots = policy.slots().to_vec();
                for (position, infoset) in tree.infosets_of(player).enumerate() {
                    let bet = f64::from(pure >> position & 1);
                    slots[tree.infosets()[infoset].slots()].copy_from_slice(&[1.0 - bet, bet]);
                }
                let value = value_by_hand(&tree, &TabularPolicy::from_weights(&tree, slots), 0);
                if player == 0 { value } else { -value }
            };
            let best = (0..64).map(earn).fold(f64::NEG_INFINITY, f64::max);
            assert!((found.best_response_values[player] - best).abs() < 1e-14, "policy {index}");
        }
    }
}

/// Kuhn's equilibria: player 0 bluffs with the jack at α ≤ 1/3, bets the king at 3α and calls with
/// the queen at α + 1/3; player 1 calls with the queen and bluffs with the jack at 1/3 (Kuhn 1950).
fn equilibrium(tree: &GameTree, alpha: f64) -> TabularPolicy {
    let bet = |infoset: &Infoset| {
        let history = history(tree, infoset.representative);
        let card = usize::from(history[infoset.owner]);
        match (infoset.owner, history[2..].last() == Some(&BET)) {
            (0, false) => [alpha, 0.0, 3.0 * alpha][card],
            (0, true) => [0.0, alpha + 1.0 / 3.0, 1.0][card],
            (_, false) => [1.0 / 3.0, 0.0, 1.0][card],
            (_, true) => [0.0, 1.0 / 3.0, 1.0][card],
        }
    };
    let weights = tree.infosets().iter().map(bet).flat_map(|bet| [1.0 - bet, bet]);
    TabularPolicy::from_weights(tree, weights.collect())
}

/// The outcomes and actions that lead to a node: in Kuhn both cards, then passes and bets.
fn history(tree: &GameTree, node: NodeId) -> Vec<Action> {
    if node == 0 {
        return Vec::new();
    }
    let parent = tree.parent(node);
    let rank = tree.children(parent).iter().position(|&child| child == node).expect("it is a child");
    let mut history = history(tree, parent);
    history.push(tree.actions(parent)[rank]);
    history
}

#[test]
fn kuhns_equilibria_cannot_be_exploited() {
    let tree = tree(&Kuhn);
    for alpha in [0.0, 0.1, 0.2, 1.0 / 3.0] {
        let found = evaluate(&tree, &equilibrium(&tree, alpha));
        assert!(found.nash_conv.abs() < 1e-12, "{alpha}: {found:?}");
        assert!((found.values[0] + 1.0 / 18.0).abs() < 1e-12, "{alpha}: {found:?}");
    }
    let mut weights = equilibrium(&tree, 0.2).slots().to_vec();
    weights.iter_mut().for_each(|weight| *weight += 0.02);
    assert!(evaluate(&tree, &TabularPolicy::from_weights(&tree, weights)).nash_conv > 1e-3);
}

/// A coin that player 0 does not see lands on 0 or 1 (weights 3:1); player 0 guesses or passes;
/// player 1 sees nothing but the guess and doubles or not. All that is printed of either player's
/// infosets is the same word.
struct Coin;

impl Game for Coin {
    type State = [Option<Action>; 3];

    fn spec(&self) -> GameSpec {
        GameSpec {
            name: "coin",
            num_players: 2,
            simultaneous: false,
            num_actions: 3,
            utility_range: (-2.0, 2.0),
            max_depth: 3,
        }
    }

    fn root(&self) -> Self::State {
        [None; 3]
    }

    fn turn(&self, state: &Self::State) -> Turn {
        match state {
            [None, ..] => Turn::Chance,
            [_, None, _] => Turn::Player(0),
            [_, _, None] => Turn::Player(1),
            _ => Turn::Terminal,
        }
    }

    fn legal_actions(&self, state: &Self::State) -> ActionSet {
        ActionSet::first(if state[1].is_none() { 3 } else { 2 })
    }

    fn chance_outcomes(&self, _state: &Self::State, mut visit: impl FnMut(Action, u32)) {
        visit(0, 3);
        visit(1, 1);
    }

    fn apply(&self, state: &mut Self::State, action: Action) {
        let next = state.iter().position(Option::is_none).expect("the game goes on");
        state[next] = Some(action);
    }

    fn utility(&self, state: &Self::State) -> f64 {
        let [coin, guess, doubled] = state.map(|action| action.expect("the game is over"));
        match guess {
            2 => 0.0,
            _ => f64::from(1 + doubled) * if guess == coin { 1.0 } else { -1.0 },
        }
    }

    fn infoset_key(&self, state: &Self::State, _player: Player) -> InfosetKey {
        InfosetKey(state[1].map_or(7, u128::from))
    }

    fn describe_infoset(&self, _state: &Self::State, _player: Player) -> String {
        "coin".to_owned()
    }
}

#[test]
fn a_tree_of_closed_form_has_its_values() {
    let tree = tree(&Coin);
    // Guessing 0 earns 3/4 − 1/4 = 1/2, doubled 1; guessing 1 the opposite; passing 0.
    let uniform = evaluate(&tree, &TabularPolicy::uniform(&tree));
    assert_eq!(uniform.values, [0.0, 0.0]);
    // Player 0 guesses 0: 1/2 · 1.5. Player 1 answers a 0 with 1/2 and a 1 with −1, a third each.
    assert_eq!(uniform.best_response_values[0], 0.75);
    assert!((uniform.best_response_values[1] - (1.0 - 0.5) / 3.0).abs() < 1e-15);
    assert_eq!(uniform.nash_conv, uniform.best_response_values.iter().sum::<f64>());
    assert_eq!(uniform.exploitability, uniform.nash_conv / 2.0);
}

/// Were infosets merged by what is printed, player 1 would have to double always or never.
#[test]
fn best_responses_are_keyed_by_infosets_and_not_by_printed_states() {
    let tree = tree(&Coin);
    let response = BestResponse::default().respond(&tree, &TabularPolicy::uniform(&tree), 1);
    let doubles = |guess: u128| {
        let same = |index: &usize| tree.infosets()[*index].key == InfosetKey(guess);
        let infoset = tree.infosets_of(1).find(same).expect("player 1 hears the guess");
        response.at(&tree, infoset)[1]
    };
    assert_eq!((doubles(0), doubles(1)), (0.0, 1.0));
}

/// A best response that saw the coin would win every guess: hidden chance must be averaged over.
#[test]
fn best_responses_average_over_the_histories_of_an_infoset() {
    let tree = tree(&Coin);
    let weights = tree.infosets().iter().flat_map(|infoset| {
        infoset.legal.iter().map(move |action| if infoset.owner == 1 && action == 1 { 1.0 } else { 0.0 })
    });
    let always_double = TabularPolicy::from_weights(&tree, weights.collect());
    assert_eq!(evaluate(&tree, &always_double).best_response_values[0], 1.0);
}

#[test]
fn missing_infosets_play_uniformly_and_are_counted() {
    let tree = tree(&Leduc::default());
    let policy = random_policy(&tree, 3);
    let whole = KeyedPolicy::from_tree(&tree, &policy);
    let (same, coverage) = whole.on_tree(&tree);
    assert!(same == policy && (coverage.infosets, coverage.missing) == (936, 0));
    let mut part = KeyedPolicy::default();
    for (index, infoset) in tree.infosets().iter().enumerate().filter(|(index, _)| index % 3 == 0) {
        part.insert(infoset.owner, infoset.key, infoset.legal, policy.at(&tree, index));
    }
    let strange = &tree.infosets()[1];
    part.insert(strange.owner, strange.key, ActionSet::first(1), &[1.0]);
    let (mixed, coverage) = part.on_tree(&tree);
    assert_eq!((coverage.infosets, coverage.missing), (936, 624));
    let uniform = TabularPolicy::uniform(&tree);
    for index in 0..tree.num_infosets() {
        let expected = if index % 3 == 0 { &policy } else { &uniform };
        assert_eq!(mixed.at(&tree, index), expected.at(&tree, index));
    }
    let states = tree.representatives(&Leduc::default());
    assert_eq!(TabularPolicy::from_policy(&tree, &Leduc::default(), &states, &part), mixed);
}

#[test]
fn keyed_policies_survive_as_bytes() {
    let tree = tree(&Kuhn);
    let policy = KeyedPolicy::from_tree(&tree, &random_policy(&tree, 1));
    let bytes = policy.to_bytes(Algorithm::DCFR);
    assert_eq!(KeyedPolicy::from_bytes(&bytes), Ok((policy, Algorithm::DCFR)));
    assert_eq!(KeyedPolicy::from_bytes(&bytes[..bytes.len() - 1]), Err(SavedError::Damaged));
    assert_eq!(KeyedPolicy::from_bytes(b"not a policy"), Err(SavedError::Format));
}

/// By definition, a player of the average draws one strategy and keeps to it: against any opponent
/// it earns the weighted mean of what the strategies earn.
#[test]
fn an_average_earns_the_mean_of_its_strategies() {
    let tree = tree(&Leduc::default());
    let weights = [1.0, 2.5, 0.25];
    let strategies: Vec<_> = (0..3).map(|index| random_policy(&tree, index)).collect();
    let opponent = random_policy(&tree, 9);
    let against = |player: Player, strategy: &TabularPolicy| {
        let mut slots = opponent.slots().to_vec();
        slots[tree.slots_of(player)].copy_from_slice(&strategy.slots()[tree.slots_of(player)]);
        evaluate(&tree, &TabularPolicy::from_weights(&tree, slots)).values[player]
    };
    for player in 0..2 {
        let mut average = AverageStrategy::new(&tree);
        let mut expected = 0.0;
        for (strategy, weight) in strategies.iter().zip(weights) {
            average.add(&tree, player, strategy, weight);
            expected += weight * against(player, strategy) / 3.75;
        }
        let earned = against(player, &average.policy(&tree));
        assert!((earned - expected).abs() < 1e-12, "player {player}: {earned}, {expected}");
    }
}

#[test]
fn the_average_of_a_solvers_strategies_is_its_average_policy() {
    let tree = tree(&Kuhn);
    let mut solver = Solver::new(Arc::clone(&tree), Algorithm::CFR_SIMULTANEOUS, 0).expect("no parameters");
    let mut average = AverageStrategy::new(&tree);
    for _ in 0..40 {
        let current = solver.current_policy();
        (0..2).for_each(|player| average.add(&tree, player, &current, 1.0));
        solver.step(1);
    }
    let (ours, its) = (average.policy(&tree), solver.average_policy());
    let close = ours.slots().iter().zip(its.slots()).all(|(ours, its)| (ours - its).abs() < 1e-13);
    assert!(close, "{ours:?} {its:?}");
}

#[test]
fn what_is_too_big_says_what_to_do() {
    let limits = TreeLimits { max_nodes: 5_000, ..TreeLimits::default() };
    let message = GameTree::build(&Leduc::default(), limits).expect_err("it has 9,457 nodes").to_string();
    assert!(message.contains("more than 5000 nodes") && message.contains("os-mccfr"), "{message}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn policies_are_distributions_on_legal_actions(
        weights in prop::collection::vec(prop_oneof![Just(0.0), Just(f64::MIN_POSITIVE / 8.0), 1e-300..1e300f64], 24)
    ) {
        let tree = tree(&Kuhn);
        let policy = TabularPolicy::from_weights(&tree, weights);
        for node in 0..tree.len() as u32 {
            let Turn::Player(_) = tree.turn(&node) else { continue };
            let mut row = [9.0; 2];
            policy.probabilities(&tree, &node, &mut row);
            prop_assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-12);
            let legal = tree.legal_actions(&node);
            prop_assert!((0..2).all(|action| row[usize::from(action)] == 0.0 || legal.contains(action)));
        }
    }

    #[test]
    fn every_iterate_is_a_strategy(steps in 1u64..40, choice in 0usize..7) {
        let tree = tree(&Kuhn);
        let mut solver = Solver::new(Arc::clone(&tree), Algorithm::NAMED[choice].1, steps).expect("in range");
        solver.step(steps);
        for policy in [solver.current_policy(), solver.average_policy()] {
            for index in 0..tree.num_infosets() {
                let sum: f64 = policy.at(&tree, index).iter().sum();
                prop_assert!((sum - 1.0).abs() < 1e-12 && policy.at(&tree, index).iter().all(|&p| p >= 0.0));
            }
            prop_assert!(evaluate(&tree, &policy).nash_conv >= -1e-12);
        }
    }
}
