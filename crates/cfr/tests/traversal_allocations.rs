//! In steady state a traversal allocates nothing: more of them take no more allocations.
//!
//! One test in a binary of its own: the allocator counts for the whole process.

use std::alloc::System;

use deepcfr_cfr::memory::Memories;
use deepcfr_cfr::regret::AllNegative;
use deepcfr_cfr::traversal::evaluators::{ConstantEvaluator, LocalEvaluator, TableEvaluator};
use deepcfr_cfr::traversal::{self, Budgets, OutcomeSampling, Sampling, StrategySource, TraversalPlan};
use deepcfr_core::{
    Encoder, Evaluator, Game, Model, ModelError, ModelSpec, NetId, SampleShape, SampleSink, Weights,
};
use deepcfr_games::kuhn::{Kuhn, KuhnEncoder};
use deepcfr_games::leduc::{Leduc, LeducEncoder, LeducRules};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// Buffers that a run may make or double once more than another, whatever the number of nodes: six
/// arrays, each doubled at most four times, for every traversal that can be under way at once (256
/// that wait for their turn, and those with a worker).
fn growth(workers: usize, lanes: usize) -> usize {
    6 * 4 * (256 + workers * (lanes + 2 * 32))
}

/// A model that copies the first features to the outputs.
struct Copying(ModelSpec);

impl Model for Copying {
    fn spec(&self) -> ModelSpec {
        self.0
    }

    fn forward(&mut self, _net: NetId, rows: &[f32], out: &mut [f32]) -> Result<(), ModelError> {
        let rows = rows.chunks_exact(self.0.num_features);
        for (row, out) in rows.zip(out.chunks_exact_mut(self.0.num_outputs)) {
            out.copy_from_slice(&row[..out.len()]);
        }
        Ok(())
    }

    fn load(&mut self, _net: NetId, weights: &std::sync::Arc<Weights>) -> Result<(), ModelError> {
        Err(ModelError::Kind { kind: weights.kind() })
    }
}

fn plan(count: u32, lanes: usize) -> TraversalPlan {
    TraversalPlan {
        seed: 1,
        iteration: 1,
        traverser: 0,
        count,
        all_negative: AllNegative::Uniform,
        strategy: [StrategySource::Networks; 2],
        budgets: Budgets::UNLIMITED,
        lanes,
        groups: 1,
    }
}

fn full_memories(shape: SampleShape) -> Memories {
    let mut memories = Memories::new(shape, 100, 100, 1);
    let (features, targets) = (vec![0.0; shape.num_features], vec![0.0; shape.num_actions]);
    let meta = deepcfr_core::SampleMeta { legal: deepcfr_core::ActionSet::first(2), iteration: 1 };
    for _ in 0..100 {
        memories.advantage(0, meta, &features, &targets);
        memories.strategy(meta, &features, &targets);
    }
    memories
}

/// Runs few, then many traversals: the second run sets up as much and no more, but for buffers that
/// grow to the largest traversal met.
fn assert_steady<G: Game, E: Encoder<G>, V: Evaluator + Send>(
    game: &G,
    encoder: &E,
    workers: &mut [V],
    lanes: usize,
) {
    let shape = SampleShape { num_features: encoder.num_features(), num_actions: game.spec().num_actions };
    let outcome = OutcomeSampling { epsilon: 0.5, clip: None, ..OutcomeSampling::default() };
    for (kind, sampling) in [("external", Sampling::External), ("outcome", Sampling::outcome(outcome))] {
        let mut memories = full_memories(shape);
        let mut run = |count: u32| {
            let region = Region::new(ALLOCATOR);
            let stats = traversal::run(game, encoder, sampling, &plan(count, lanes), workers, &mut memories);
            let change = region.change();
            (change.allocations + change.reallocations, stats.expect("no failure").nodes)
        };
        run(2000);
        let (few, _) = run(2000);
        let (many, nodes) = run(100_000);
        let allowed = few + growth(workers.len(), lanes);
        assert!(nodes > 200_000 && allowed < nodes as usize / 20);
        assert!(many <= allowed, "{kind}: {few} allocations for 2,000 traversals, {many} for 100,000");
    }
}

#[test]
fn nothing_is_allocated_per_node() {
    let game = Leduc::new(LeducRules::default()).expect("the default rules");
    let constant = ConstantEvaluator::new(vec![1.0, 2.0, 0.5]);
    assert_steady(&game, &LeducEncoder::new(&game), &mut [constant.clone()], 1);
    assert_steady(&game, &LeducEncoder::new(&game), &mut [constant.clone(), constant], 8);
    let spec = ModelSpec { num_features: 7, num_outputs: 2, num_nets: 2, row_invariant: true };
    let batched = LocalEvaluator::new(Box::new(Copying(spec)), 16);
    assert_steady(&Kuhn, &KuhnEncoder, &mut [batched], 64);
    let table = vec![1.0; 2 * 1024];
    assert_steady(&Kuhn, &KuhnEncoder, &mut [TableEvaluator::new(&table, 2)], 8);
}
