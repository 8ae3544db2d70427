//! Node budgets cut at the same place whatever the workers and lanes.

use deepcfr_cfr::traversal::{self, Budgets, Sampling, TraversalPlan, TraversalStats};
use deepcfr_games::leduc::{Leduc, LeducEncoder, LeducRules};

use crate::model::{Log, OUTCOME, locals, plan};

fn run(sampling: Sampling<'_, Leduc>, plan: TraversalPlan, workers: usize) -> (Log, TraversalStats) {
    let game = Leduc::new(LeducRules::default()).expect("the default rules");
    let encoder = LeducEncoder::new(&game);
    let mut log = Log::default();
    let mut evaluators = locals(&game, &encoder, 16, workers);
    let stats =
        traversal::run(&game, &encoder, sampling, &plan, &mut evaluators, &mut log).expect("no failure");
    (log, TraversalStats { times: Default::default(), ..stats })
}

fn run_grid(sampling: Sampling<'_, Leduc>, plan: TraversalPlan) -> (Log, TraversalStats) {
    let expected = run(sampling, plan, 1);
    for (workers, lanes) in [(1, 64), (2, 7), (8, 256)] {
        assert!(
            run(sampling, TraversalPlan { lanes, ..plan }, workers) == expected,
            "{workers} workers, {lanes} lanes"
        );
    }
    expected
}

/// Whether `part` is `whole` with some elements left out.
fn is_subsequence<T: PartialEq>(part: &[T], whole: &[T]) -> bool {
    let mut whole = whole.iter();
    part.iter().all(|element| whole.any(|other| other == element))
}

#[test]
fn a_traversal_beyond_its_budget_leaves_no_samples() {
    for (sampling, max_nodes_per_traversal) in [(Sampling::External, 20), (Sampling::outcome(OUTCOME), 6)] {
        let unlimited = plan(0, 500);
        let limited =
            TraversalPlan { budgets: Budgets { max_nodes_per_traversal, ..Budgets::UNLIMITED }, ..unlimited };
        let ((whole, all), (part, stats)) = (run(sampling, unlimited, 1), run_grid(sampling, limited));
        assert_eq!((all.cut_traversals, stats.traversals), (0, 500));
        assert!((50..450).contains(&stats.cut_traversals), "{} cut", stats.cut_traversals);
        assert!(stats.nodes < all.nodes && stats.nodes <= 500 * max_nodes_per_traversal);
        assert!(part.advantage.len() < whole.advantage.len() && !part.advantage.is_empty());
        assert!(is_subsequence(&part.advantage, &whole.advantage));
        assert!(is_subsequence(&part.strategy, &whole.strategy));
    }
}

#[test]
fn an_iteration_beyond_its_budget_ends_after_the_traversal_that_reaches_it() {
    for sampling in [Sampling::External, Sampling::outcome(OUTCOME)] {
        let budgets = Budgets { max_nodes_per_iteration: 2000, ..Budgets::UNLIMITED };
        let (log, stats) = run_grid(sampling, TraversalPlan { budgets, ..plan(1, 20_000) });
        assert!(stats.iteration_cut && stats.traversals < 20_000 && stats.nodes >= 2000);
        let (same, whole) = run(sampling, plan(1, stats.traversals as u32), 1);
        assert!(log == same && whole.nodes == stats.nodes && !whole.iteration_cut);
        let (_, shorter) = run(sampling, plan(1, stats.traversals as u32 - 1), 1);
        assert!(shorter.nodes < 2000);
    }
}

#[test]
fn a_budget_that_is_just_enough_cuts_nothing() {
    let whole = plan(0, 50);
    let (log, stats) = run(Sampling::External, whole, 1);
    let budgets = Budgets { max_nodes_per_iteration: stats.nodes, ..Budgets::UNLIMITED };
    assert!(run(Sampling::External, TraversalPlan { budgets, ..whole }, 2) == (log, stats));
}

#[test]
fn nothing_to_do_is_done_at_once() {
    let (log, stats) = run(Sampling::outcome(OUTCOME), plan(0, 0), 2);
    assert!(log == Log::default() && stats == TraversalStats::default());
}
