//! Prints how fast the tabular solvers and the exact evaluation are, one line a figure.
//!
//! `cargo run --release -p deepcfr-cfr --example tabular_speed`. One thread, unless a line says
//! otherwise. Every figure is the best of 25 short runs, so that other work on the machine counts little.

use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use deepcfr_cfr::tabular::{Algorithm, BestResponse, GameTree, HashedSolver, Solver, TreeLimits};
use deepcfr_core::Game;
use deepcfr_games::kuhn::Kuhn;
use deepcfr_games::leduc::Leduc;
use deepcfr_games::liars_dice::{LiarsDice, LiarsDiceRules};

fn main() {
    let kuhn = tree(&Kuhn);
    let leduc = tree(&Leduc::default());
    let liars_dice = tree(&LiarsDice::new(LiarsDiceRules { dice: 1, sides: 6 }).expect("in range"));
    solver("kuhn", &kuhn, "cfr", 1_000_000.0);
    solver("leduc", &leduc, "cfr", 2_500.0);
    solver("leduc", &leduc, "es-mccfr", 300_000.0);
    solver("leduc", &leduc, "os-mccfr", 1_000_000.0);
    nash_conv("leduc", &leduc, 1.0);
    solver("liars_dice 6-sided", &liars_dice, "cfr", 200.0);
    nash_conv("liars_dice 6-sided", &liars_dice, 30.0);
    for (name, _) in Algorithm::NAMED {
        solver("leduc", &leduc, name, 0.0);
    }
    hashed("leduc", Leduc::default(), "es-mccfr");
    hashed("leduc", Leduc::default(), "os-mccfr");
}

fn tree(game: &impl Game) -> Arc<GameTree> {
    Arc::new(GameTree::build(game, TreeLimits::default()).expect("the game is small"))
}

fn algorithm(name: &str) -> Algorithm {
    name.parse().expect("the name is one of ours")
}

fn solver(game: &str, tree: &Arc<GameTree>, name: &str, target: f64) {
    let mut solver = Solver::new(Arc::clone(tree), algorithm(name), 1).expect("default parameters");
    let rate = best_rate(|iterations| solver.step(iterations));
    let nodes = solver.nodes() as f64 / solver.iterations() as f64;
    println!("{game} {name}: {rate:.0} iterations/s (target {target}), {nodes:.1} nodes/iteration");
}

fn hashed<G: Game>(name: &str, game: G, algorithm_name: &str) {
    let mut solver = HashedSolver::new(game, algorithm(algorithm_name), 1).expect("a sampling algorithm");
    let rate = best_rate(|iterations| solver.step(iterations));
    println!("{name} {algorithm_name} without a tree: {rate:.0} iterations/s");
}

fn nash_conv(game: &str, tree: &Arc<GameTree>, target_ms: f64) {
    let mut solver = Solver::new(Arc::clone(tree), Algorithm::CFR, 1).expect("default parameters");
    solver.step(5);
    let policy = solver.average_policy();
    for (threads, mut evaluator) in
        [("one thread", BestResponse::default()), ("threads", BestResponse::parallel())]
    {
        let rate = best_rate(|times| {
            (0..times).for_each(|_| {
                black_box(evaluator.evaluate(tree, &policy));
            });
        });
        println!("{game} NashConv, {threads}: {:.4} ms (target {target_ms})", 1e3 / rate);
    }
}

/// Runs per second: the number of runs is doubled until they take long enough, then timed.
fn best_rate(mut run: impl FnMut(u64)) -> f64 {
    let mut count = 1;
    while timed(&mut run, count) < Duration::from_millis(25) {
        count *= 2;
    }
    let best = (0..25).map(|_| timed(&mut run, count)).min().expect("25 runs");
    count as f64 / best.as_secs_f64()
}

fn timed(run: &mut impl FnMut(u64), count: u64) -> Duration {
    let start = Instant::now();
    run(count);
    start.elapsed()
}
