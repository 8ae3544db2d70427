//! Speed of the tabular solvers and of exact evaluation: `cargo bench --workspace --bench
//! tabular`. One thread, unless a line says otherwise.
//!
//! An iteration of a sampling algorithm is a traversal for each player. Not here: whether the solvers
//! are right (their tests).

use std::hint::black_box;
use std::sync::Arc;
use std::time::Duration;

use criterion::Criterion;
use deepcfr_benches::{Target, measure};
use deepcfr_cfr::tabular::{Algorithm, BestResponse, GameTree, HashedSolver, Solver, TreeLimits};
use deepcfr_core::Game;
use deepcfr_games::kuhn::Kuhn;
use deepcfr_games::leduc::Leduc;
use deepcfr_games::liars_dice::{LiarsDice, LiarsDiceRules};

fn main() {
    let criterion = Criterion::default().warm_up_time(Duration::from_millis(500)).sample_size(20);
    let mut criterion = criterion.measurement_time(Duration::from_secs(2)).configure_from_args();
    let kuhn = tree(&Kuhn);
    let leduc = tree(&Leduc::default());
    let liars_dice = tree(&LiarsDice::new(LiarsDiceRules { dice: 1, sides: 6 }).expect("in range"));
    solver(&mut criterion, "leduc", &leduc, "cfr", Target::PerSecond(2_500.0));
    solver(&mut criterion, "liars_dice 6-sided", &liars_dice, "cfr", Target::PerSecond(200.0));
    solver(&mut criterion, "leduc", &leduc, "es-mccfr", Target::PerSecond(300_000.0));
    solver(&mut criterion, "leduc", &leduc, "os-mccfr", Target::PerSecond(1_000_000.0));
    solver(&mut criterion, "kuhn", &kuhn, "cfr", Target::PerSecond(1_000_000.0));
    nash_conv(&mut criterion, "leduc", &leduc, 1.0);
    nash_conv(&mut criterion, "liars_dice 6-sided", &liars_dice, 30.0);
    for name in ["cfr-simultaneous", "cfr+", "linear-cfr", "dcfr"] {
        solver(&mut criterion, "leduc", &leduc, name, Target::None);
    }
    for name in ["es-mccfr", "os-mccfr"] {
        hashed(&mut criterion, "leduc", Leduc::default(), name);
    }
    criterion.final_summary();
}

fn tree(game: &impl Game) -> Arc<GameTree> {
    Arc::new(GameTree::build(game, TreeLimits::default()).expect("the game is small"))
}

fn algorithm(name: &str) -> Algorithm {
    name.parse().expect("the name is one of ours")
}

fn solver(criterion: &mut Criterion, game: &str, tree: &Arc<GameTree>, name: &str, target: Target) {
    let mut solver = Solver::new(Arc::clone(tree), algorithm(name), 1).expect("default parameters");
    measure(criterion, &format!("{game} {name}"), target, |count| solver.step(count));
}

fn hashed<G: Game>(criterion: &mut Criterion, game: &str, rules: G, name: &str) {
    let mut solver = HashedSolver::new(rules, algorithm(name), 1).expect("a sampling algorithm");
    let label = format!("{game} {name} without a tree");
    measure(criterion, &label, Target::None, |count| solver.step(count));
}

fn nash_conv(criterion: &mut Criterion, game: &str, tree: &Arc<GameTree>, most_ms: f64) {
    let mut solver = Solver::new(Arc::clone(tree), Algorithm::CFR, 1).expect("default parameters");
    solver.step(5);
    let policy = solver.average_policy();
    for (threads, mut evaluator) in
        [("one thread", BestResponse::default()), ("threads", BestResponse::parallel())]
    {
        let label = format!("{game} NashConv, {threads}");
        measure(criterion, &label, Target::Milliseconds(most_ms), |count| {
            (0..count).for_each(|_| {
                black_box(evaluator.evaluate(tree, &policy));
            });
        });
    }
}
