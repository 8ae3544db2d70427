//! Every full-tree variant follows the reference curve.

use std::sync::Arc;

use deepcfr_cfr::tabular::{
    Algorithm, BestResponse, GameTree, RegretRule, Solver, TabularPolicy, Updates, evaluate,
};
use deepcfr_core::{Action, ActionSet, Game, GameSpec, InfosetKey, Player, Turn};
use deepcfr_games::goofspiel::Goofspiel;
use deepcfr_games::kuhn::Kuhn;
use deepcfr_games::leduc::Leduc;
use deepcfr_games::liars_dice::{LiarsDice, LiarsDiceRules};
use serde_json::Value;

use super::reference::{game, number, tree};

const VARIANTS: [(&str, Algorithm); 8] = [
    ("cfr_alternating", Algorithm::CFR),
    ("cfr_simultaneous", Algorithm::CFR_SIMULTANEOUS),
    ("cfr_plus_alternating_linavg", Algorithm::CFR_PLUS),
    ("cfr_plus_simultaneous_linavg", Algorithm::full(Updates::Simultaneous, RegretRule::Plus, 1.0)),
    ("linear_cfr_alternating", Algorithm::LINEAR_CFR),
    ("dcfr_1.5_0_2_alternating", Algorithm::DCFR),
    ("cfr_alternating_linavg", Algorithm::full(Updates::Alternating, RegretRule::Plain, 1.0)),
    ("rmplus_alternating_uniformavg", Algorithm::full(Updates::Alternating, RegretRule::Plus, 0.0)),
];

/// How far a NashConv may be from the reference's: twice the 1e-9 of exploitability where the row is
/// robust; where regrets tied at exactly 0 amplify rounding, 10 times the `difference` between two
/// summation orders. The row tells that difference, else it is the largest that the reference knows
/// of for the curve or the one measured here; a thousandth is allowed in any case.
fn tolerance(row: &Value, robust: bool, difference: f64) -> f64 {
    match row["order_diff"].as_f64() {
        Some(difference) if difference > 1e-9 => 10.0 * difference,
        None if !robust => (10.0 * difference).max(1e-3 * number(&row["nash_conv"])),
        _ => 2e-9,
    }
}

/// `other_order` is the same game with its histories in another order. `robust(variant, n)` tells
/// which rows without `order_diff` are held to the tight tolerance.
fn check(name: &str, tree: &Arc<GameTree>, other_order: &Arc<GameTree>, robust: impl Fn(&str, u64) -> bool) {
    let mut evaluator = BestResponse::default();
    let mut nash_conv =
        |solver: &Solver| evaluator.evaluate(solver.tree(), &solver.average_policy()).nash_conv;
    for (variant, algorithm) in VARIANTS {
        let [mut solver, mut other] = [tree, other_order]
            .map(|tree| Solver::new(Arc::clone(tree), algorithm, 0).expect("the parameters are in range"));
        let known = game(name)["curve_order_diff"][variant].as_f64().unwrap_or(0.0);
        for row in game(name)["curves"][variant].as_array().expect("a curve") {
            let n = row["n"].as_u64().expect("an iteration");
            solver.step(n - solver.iterations());
            let (got, expected) = (nash_conv(&solver), number(&row["nash_conv"]));
            let error = (got - expected).abs();
            let robust = robust(variant, n);
            if error <= tolerance(row, robust, known) {
                continue;
            }
            other.step(n - other.iterations());
            let tolerance = tolerance(row, robust, known.max((got - nash_conv(&other)).abs()));
            assert!(error <= tolerance, "{name} {variant} {n}: {got} is {error:e} from {expected}");
        }
    }
}

/// Liar's dice whose dice are numbered from the other end for chance, which changes nothing but the
/// order of histories.
struct Mirrored(LiarsDice);

impl Game for Mirrored {
    type State = <LiarsDice as Game>::State;

    fn spec(&self) -> GameSpec {
        self.0.spec()
    }

    fn root(&self) -> Self::State {
        self.0.root()
    }

    fn turn(&self, state: &Self::State) -> Turn {
        self.0.turn(state)
    }

    fn legal_actions(&self, state: &Self::State) -> ActionSet {
        self.0.legal_actions(state)
    }

    fn chance_outcomes(&self, state: &Self::State, visit: impl FnMut(Action, u32)) {
        self.0.chance_outcomes(state, visit);
    }

    fn apply(&self, state: &mut Self::State, action: Action) {
        let (mut outcomes, mut place) = (Vec::new(), None);
        if self.0.turn(state) == Turn::Chance {
            self.0.chance_outcomes(state, |outcome, _| outcomes.push(outcome));
            place = outcomes.iter().position(|&outcome| outcome == action);
        }
        self.0.apply(state, place.map_or(action, |place| outcomes[outcomes.len() - 1 - place]));
    }

    fn utility(&self, state: &Self::State) -> f64 {
        self.0.utility(state)
    }

    fn infoset_key(&self, state: &Self::State, player: Player) -> InfosetKey {
        self.0.infoset_key(state, player)
    }
}

#[test]
fn kuhn_follows_the_reference() {
    let tree = tree(&Kuhn);
    check("kuhn", &tree, &tree, |_, _| true);
}

#[test]
fn leduc_follows_the_reference() {
    let tree = tree(&Leduc::default());
    check("leduc", &tree, &tree, |_, _| true);
}

/// Two reference implementations agree to 1e-11 on all variants but Linear CFR, for which they differ
/// by 1.2e-3 at some iteration.
#[test]
fn liars_dice_with_4_sides_follows_the_reference() {
    check("liars_dice_4", &liars_dice(4), &tree(&Mirrored(rules(4))), |variant, n| {
        n <= 50 || variant != "linear_cfr_alternating"
    });
}

#[test]
fn liars_dice_with_6_sides_follows_the_reference() {
    check("liars_dice_6", &liars_dice(6), &tree(&Mirrored(rules(6))), |_, n| n <= 20);
}

fn rules(sides: usize) -> LiarsDice {
    LiarsDice::new(LiarsDiceRules { dice: 1, sides }).expect("the rules are in range")
}

fn liars_dice(sides: usize) -> Arc<GameTree> {
    tree(&rules(sides))
}

#[test]
fn trees_have_the_reference_counts() {
    check_counts("kuhn", &tree(&Kuhn));
    check_counts("leduc", &tree(&Leduc::default()));
    check_counts("liars_dice_4", &liars_dice(4));
    check_counts("liars_dice_6", &liars_dice(6));
}

fn check_counts(name: &str, tree: &GameTree) {
    let expected = &game(name)["counts"];
    let counts = tree.counts();
    let got = serde_json::json!({
        "chance": counts.chance,
        "decision_per_player": counts.decision,
        "terminal": counts.terminal,
        "infosets_per_player": counts.infosets,
        "infoset_action_pairs": counts.slots,
        "tree_depth_edges": counts.depth,
    });
    assert_eq!(&got, expected, "{name}");
}

#[test]
fn uniform_play_has_the_reference_values() {
    let liars_dice = [("liars_dice_4", liars_dice(4)), ("liars_dice_6", liars_dice(6))];
    let trees = [("kuhn", tree(&Kuhn)), ("leduc", tree(&Leduc::default()))].into_iter().chain(liars_dice);
    for (name, tree) in trees {
        let expected = &game(name)["uniform"];
        let got = evaluate(&tree, &TabularPolicy::uniform(&tree));
        assert!((number(&expected["nash_conv"]) - got.nash_conv).abs() < 1e-12, "{name}");
        for player in 0..2 {
            let pairs = [("values", got.values), ("best_response_values", got.best_response_values)];
            for (key, figures) in pairs {
                let expected = number(&expected[key][player]);
                assert!((expected - figures[player]).abs() < 1e-12, "{name} {key} of player {player}");
            }
        }
    }
}

/// After 20,000 iterations of CFR+ the value is known to a fraction of the exploitability.
#[test]
fn cfr_plus_finds_the_values_of_the_games() {
    let kuhn = tree(&Kuhn);
    let leduc = tree(&Leduc::default());
    for (tree, value) in [(&kuhn, -1.0 / 18.0), (&leduc, -0.085_606_424_1), (&liars_dice(4), 0.0625)] {
        let mut solver = Solver::new(Arc::clone(tree), Algorithm::CFR_PLUS, 0).expect("no parameters");
        solver.step(20_000);
        let found = evaluate(tree, &solver.average_policy());
        assert!((found.values[0] - value).abs() < 1e-6, "{value}: {found:?}");
    }
}

/// The seats differ in order only, and the second bid is blind, so the value is 0.
#[test]
fn goofspiel_is_worth_nothing_to_either_seat() {
    let tree = tree(&Goofspiel::default());
    let mut solver = Solver::new(Arc::clone(&tree), Algorithm::DCFR, 0).expect("in range");
    solver.step(300);
    let found = evaluate(&tree, &solver.average_policy());
    let [low, high] = [-found.best_response_values[1], found.best_response_values[0]];
    assert!(low <= 1e-12 && high >= -1e-12 && high - low < 1e-2, "{found:?}");
}
