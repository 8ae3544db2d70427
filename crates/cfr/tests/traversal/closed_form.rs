//! Hand-built trees whose samples are known in closed form.

use deepcfr_cfr::traversal::evaluators::TableEvaluator;
use deepcfr_cfr::traversal::{self, OutcomeSampling, Sampling, TraversalPlan, TraversalStats};
use deepcfr_core::Player;

use crate::hand_tree::{HandTree, KeyEncoder, Node};
use crate::model::{Log, OUTCOME, plan};

/// Infoset (as the only feature) and targets of every sample.
fn rows(samples: &[crate::model::Entry]) -> Vec<(f32, Vec<f32>)> {
    let floats = |bits: &[u32]| bits.iter().map(|&bits| f32::from_bits(bits)).collect::<Vec<f32>>();
    samples.iter().map(|(_, _, features, targets)| (floats(features)[0], floats(targets))).collect()
}

fn run(
    game: &HandTree,
    table: &[f32],
    sampling: Sampling<'_, HandTree>,
    plan: TraversalPlan,
) -> (Log, TraversalStats) {
    let mut log = Log::default();
    let mut workers = [TableEvaluator::new(table, 2)];
    let stats =
        traversal::run(game, &KeyEncoder, sampling, &plan, &mut workers, &mut log).expect("no failure");
    (log, stats)
}

fn choice(player: Player, infoset: u128, children: &[usize]) -> Node {
    Node::Choice { player, infoset, children: children.to_vec() }
}

/// One deal; player 0 at infoset 0 goes to player 1's infoset 1 (8 or -100) or on to the own
/// infoset 2 (2 or -4).
fn tree() -> HandTree {
    HandTree(vec![
        Node::Deal(vec![(5, 1)]),
        choice(0, 0, &[2, 3]),
        choice(1, 1, &[4, 5]),
        choice(0, 2, &[6, 7]),
        Node::End(8.0),
        Node::End(-100.0),
        Node::End(2.0),
        Node::End(-4.0),
    ])
}

/// σ is (1/4, 3/4) at infoset 0, (1, 0) at 1, (1/2, 1/2) at 2.
const TABLE: [f32; 6] = [1.0, 3.0, 1.0, 0.0, 2.0, 2.0];

#[test]
fn external_sampling_gives_strategy_weighted_means() {
    let (log, stats) = run(&tree(), &TABLE, Sampling::External, plan(0, 2));
    let one = [(0.0, vec![6.75, -2.25]), (2.0, vec![3.0, -3.0])];
    assert_eq!(rows(&log.advantage), [one.clone(), one].concat());
    assert_eq!(rows(&log.strategy), [(1.0, vec![1.0, 0.0]), (1.0, vec![1.0, 0.0])]);
    assert_eq!((stats.nodes, stats.rows, stats.max_depth), (12, 6, 3));
    assert_eq!((stats.mean_value, stats.cut_traversals), (1.25, 0));
}

#[test]
fn external_sampling_sees_the_other_side_with_its_own_sign() {
    let mut table = TABLE;
    table[..2].copy_from_slice(&[1.0, 0.0]);
    let (log, stats) = run(&tree(), &table, Sampling::External, plan(1, 1));
    assert_eq!(rows(&log.advantage), [(1.0, vec![0.0, 108.0])]);
    assert_eq!(rows(&log.strategy), [(0.0, vec![1.0, 0.0])]);
    assert_eq!(stats.mean_value, -8.0);
}

#[test]
fn outcome_sampling_gives_every_action_its_target() {
    let sampling =
        Sampling::outcome(OutcomeSampling { epsilon: 1.0, clip: None, ..OutcomeSampling::default() });
    let (log, _) = run(&tree(), &TABLE, sampling, plan(0, 400));
    let first = (0.0, vec![12.0, -4.0]);
    let up = [(0.0, vec![-3.0, 1.0]), (2.0, vec![2.0, -2.0])];
    let down = [(0.0, vec![6.0, -2.0]), (2.0, vec![4.0, -4.0])];
    let mut seen = [0; 3];
    let samples = rows(&log.advantage);
    let mut left = samples.as_slice();
    while !left.is_empty() {
        let case = if left[0] == first { 0 } else { 1 + usize::from(left.starts_with(&down)) };
        assert!(case != 1 || left.starts_with(&up), "{:?}", &left[..2]);
        seen[case] += 1;
        left = &left[if case == 0 { 1 } else { 2 }..];
    }
    assert_eq!(seen.iter().sum::<i32>(), 400);
    assert!(seen.iter().all(|&count| count > 50), "{seen:?}");
}

#[test]
fn clipping_bounds_the_sampled_value() {
    let sampling =
        Sampling::outcome(OutcomeSampling { epsilon: 1.0, clip: Some(10.0), ..OutcomeSampling::default() });
    let (log, _) = run(&tree(), &TABLE, sampling, plan(0, 50));
    // Action 0's value 8/½ = 16 counts as 10: v̂ = 2.5.
    assert!(rows(&log.advantage).contains(&(0.0, vec![7.5, -2.5])));
    assert!(!rows(&log.advantage).contains(&(0.0, vec![12.0, -4.0])));
}

#[test]
fn forced_moves_are_played_without_rows_or_samples() {
    let game = HandTree(vec![
        choice(0, 0, &[1]),
        choice(1, 1, &[2]),
        choice(0, 2, &[3, 4]),
        Node::End(1.0),
        Node::End(-1.0),
    ]);
    for (sampling, nodes) in [(Sampling::External, 5), (Sampling::outcome(OUTCOME), 4)] {
        let (log, stats) = run(&game, &[0.0, 0.0, 0.0, 0.0, 1.0, 1.0], sampling, plan(0, 1));
        assert_eq!((log.advantage.len(), log.strategy.len(), stats.rows), (1, 0, 1));
        assert_eq!((stats.nodes, stats.max_depth), (nodes, 3));
    }
}

/// 60,000 frames on a lane's stack: a recursion would end the process.
#[test]
fn depth_is_bounded_by_memory_only() {
    const LENGTH: usize = 60_000;
    let mut nodes: Vec<Node> = (0..LENGTH).map(|at| choice(0, 0, &[LENGTH + 1, at + 1])).collect();
    nodes.extend([Node::End(1.0), Node::End(0.0)]);
    let (log, stats) = run(&HandTree(nodes), &[1.0, 1.0], Sampling::External, plan(0, 1));
    assert_eq!((stats.nodes, stats.max_depth as usize), (2 * LENGTH as u64 + 1, LENGTH));
    assert_eq!((log.advantage.len(), rows(&log.advantage)[LENGTH - 1].1[1]), (LENGTH, 0.5));
}
