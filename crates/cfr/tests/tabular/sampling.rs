//! Sampling solvers: within the reference's spread, the same with and without a tree, resumable.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use deepcfr_cfr::tabular::{
    Algorithm, AlgorithmError, BestResponse, GameTree, HashedSolver, SavedError, Solver, SolverLimits,
};
use deepcfr_games::kuhn::Kuhn;
use deepcfr_games::leduc::Leduc;

use super::reference::{bands, number, tree};

fn exploitability(tree: &Arc<GameTree>, algorithm: Algorithm, iterations: &[u64], seed: u64) -> Vec<f64> {
    let mut solver = Solver::new(Arc::clone(tree), algorithm, seed).expect("default parameters");
    let mut evaluator = BestResponse::default();
    let figures = iterations.iter().map(|&n| {
        solver.step(n - solver.iterations());
        evaluator.evaluate(tree, &solver.average_policy()).exploitability
    });
    figures.collect()
}

/// Two means of `m` and `n` runs with spreads `s` and `r` differ by more than
/// 4·√(s²/m + r²/n) in 1 of 16,000 cases, were the spreads known; they are estimated from as few as
/// three runs, so the larger of the two stands for both.
fn check(game: &str, tree: &Arc<GameTree>, key: &str, algorithm: Algorithm) {
    const RUNS: u64 = 5;
    let points = bands(game, key);
    let iterations: Vec<u64> = points.iter().map(|point| point["n"].as_u64().expect("iterations")).collect();
    let runs: Vec<_> = (0..RUNS).map(|seed| exploitability(tree, algorithm, &iterations, seed)).collect();
    for (index, point) in points.iter().enumerate() {
        let ours: Vec<f64> = runs.iter().map(|run| run[index]).collect();
        let (mean, std) = mean_and_std(&ours);
        let (expected, spread) = (number(&point["mean"]), number(&point["std"]).max(std));
        let tolerance = 4.0 * spread * (1.0 / RUNS as f64 + 1.0 / number(&point["runs"])).sqrt();
        let error = (mean - expected).abs();
        assert!(error <= tolerance, "{game} {key} point {index}: {mean} ± {std}, expected {expected}");
    }
}

fn mean_and_std(values: &[f64]) -> (f64, f64) {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (mean, (squares / (count - 1.0)).sqrt())
}

#[test]
fn external_sampling_lies_in_the_reference_band() {
    check("kuhn", &tree(&Kuhn), "external_sampling_simple", Algorithm::ExternalSampling);
    check("leduc", &tree(&Leduc::default()), "external_sampling_simple", Algorithm::ExternalSampling);
}

#[test]
fn outcome_sampling_lies_in_the_reference_band() {
    check("leduc", &tree(&Leduc::default()), "outcome_sampling_eps0.6", Algorithm::OUTCOME_SAMPLING);
}

#[test]
fn tables_that_grow_hold_what_tables_on_a_tree_hold() {
    for algorithm in [Algorithm::ExternalSampling, Algorithm::OUTCOME_SAMPLING] {
        let tree = tree(&Leduc::default());
        let mut indexed = Solver::new(Arc::clone(&tree), algorithm, 5).expect("default parameters");
        let mut hashed = HashedSolver::new(Leduc::default(), algorithm, 5).expect("it samples");
        for done in [3, 5_000] {
            indexed.step(done);
            hashed.step(done);
            let (average, coverage) = hashed.average_policy().on_tree(&tree);
            assert!(average == indexed.average_policy(), "{algorithm}");
            assert!(hashed.current_policy().on_tree(&tree).0 == indexed.current_policy(), "{algorithm}");
            assert_eq!((hashed.nodes(), hashed.iterations()), (indexed.nodes(), indexed.iterations()));
            assert_eq!(coverage.infosets - coverage.missing, hashed.num_infosets());
        }
    }
}

#[test]
fn only_sampling_works_without_a_tree() {
    let refused = HashedSolver::new(Kuhn, Algorithm::CFR, 0).err();
    assert_eq!(refused, Some(AlgorithmError::NeedsTree { algorithm: Algorithm::CFR }));
    for exploration in [0.0, 1.5, f64::NAN] {
        let refused = HashedSolver::new(Kuhn, Algorithm::OutcomeSampling { exploration }, 0).err();
        assert!(matches!(refused, Some(AlgorithmError::Parameter { parameter: "exploration", .. })));
    }
}

#[test]
fn a_solver_goes_on_where_it_was_saved() {
    let tree = tree(&Leduc::default());
    for (_, algorithm) in Algorithm::NAMED {
        let new = |seed| Solver::new(Arc::clone(&tree), algorithm, seed).expect("default parameters");
        let (mut whole, mut first, mut second) = (new(8), new(8), new(9));
        whole.step(30);
        first.step(11);
        second.step(4);
        second.restore(&first.save()).expect("the bytes are sound");
        second.step(19);
        assert!(second.save() == whole.save(), "{algorithm}");
        assert!(second.average_policy() == whole.average_policy(), "{algorithm}");
    }
}

#[test]
fn a_solver_without_a_tree_goes_on_where_it_was_saved() {
    let new =
        |seed| HashedSolver::new(Leduc::default(), Algorithm::ExternalSampling, seed).expect("it samples");
    let (mut whole, mut first, mut second) = (new(8), new(8), new(9));
    whole.step(300);
    first.step(110);
    second.step(40);
    second.restore(&first.save()).expect("the bytes are sound");
    second.step(190);
    assert!(second.save() == whole.save());
}

#[test]
fn bytes_that_do_not_fit_change_nothing() {
    let tree = tree(&Kuhn);
    let new = |algorithm| Solver::new(Arc::clone(&tree), algorithm, 0).expect("default parameters");
    let mut solver = new(Algorithm::CFR);
    solver.step(7);
    let before = solver.save();
    let expected = SavedError::Algorithm { expected: Algorithm::CFR, got: Algorithm::DCFR };
    assert_eq!(solver.restore(&new(Algorithm::DCFR).save()), Err(expected));
    assert_eq!(solver.restore(b"nonsense"), Err(SavedError::Format));
    for cut in 8..before.len() {
        assert_eq!(solver.restore(&before[..cut]), Err(SavedError::Damaged), "cut at {cut}");
    }
    let leduc = self::tree(&Leduc::default());
    let other = Solver::new(leduc, Algorithm::CFR, 0).expect("no parameters").save();
    assert!(matches!(
        solver.restore(&other),
        Err(SavedError::Game { what: "nodes", expected: 58, got: 9457 })
    ));
    assert_eq!(solver.save(), before);
}

#[test]
fn a_seed_decides_a_run() {
    let tree = tree(&Kuhn);
    let run = |seed, steps: &[u64]| {
        let mut solver =
            Solver::new(Arc::clone(&tree), Algorithm::ExternalSampling, seed).expect("no parameters");
        steps.iter().for_each(|&step| solver.step(step));
        solver.regrets()
    };
    assert_eq!(run(1, &[50]), run(1, &[20, 30]));
    assert_ne!(run(1, &[50]), run(2, &[50]));
}

#[test]
fn a_run_ends_at_its_first_limit() {
    let new = || Solver::new(tree(&Kuhn), Algorithm::CFR, 0).expect("no parameters");
    let limits = SolverLimits { iterations: 25, time: Duration::from_secs(600) };
    let (mut solver, mut reports) = (new(), Vec::new());
    solver.run(limits, 10, |solver| {
        reports.push(solver.iterations());
        ControlFlow::Continue(())
    });
    assert_eq!(reports, [10, 20, 25]);
    solver = new();
    solver.run(limits, 10, |_| ControlFlow::Break(()));
    assert_eq!(solver.iterations(), 10);
    solver.run(SolverLimits { time: Duration::ZERO, ..limits }, 10, |_| ControlFlow::Continue(()));
    assert_eq!(solver.iterations(), 10);
}
