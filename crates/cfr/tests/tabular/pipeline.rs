//! The whole of Deep CFR with a table in place of the networks: traversals, reservoirs, fits, models,
//! regret matching, average. Without approximation error it is external-sampling MCCFR.

use std::sync::Arc;

use deepcfr_cfr::memory::{Memories, MemoryKind};
use deepcfr_cfr::regret::{AllNegative, masked_softmax, regret_matching};
use deepcfr_cfr::tabular::oracle::{TableLearner, TableModelFactory};
use deepcfr_cfr::tabular::{Algorithm, BestResponse, FeatureTable, GameTree, Solver, TabularPolicy};
use deepcfr_cfr::traversal::evaluators::LocalEvaluator;
use deepcfr_cfr::traversal::{self, Budgets, Sampling, StrategySource, TraversalPlan};
use deepcfr_core::{
    Action, ActionSet, Encoder, FitContext, Game, Learner, Model, ModelFactory, NUM_PLAYERS, NetId, Player,
    Purpose, SampleShape, Stream, TableWeights, Weighting, Weights,
};
use deepcfr_games::leduc::{Leduc, LeducEncoder, LeducRules};

use super::reference::tree;

const SEEDS: u64 = 10;
const POINTS: [u32; 5] = [50, 100, 200, 400, 800];
/// Two advantage networks and one for the average.
const NETS: usize = 3;
/// More than any run here offers: nothing is ever dropped.
const CAPACITY: usize = 1 << 20;
const RESERVOIR: MemoryKind = MemoryKind::Reservoir { capacity: CAPACITY };
const MERGED: MemoryKind = MemoryKind::Merged { limit: 1000, weighting: Weighting::Uniform };

/// Deep CFR with one traversal for each player an iteration, as in MCCFR.
struct DeepCfr<'a> {
    game: &'a Leduc,
    encoder: &'a LeducEncoder,
    seed: u64,
    shape: SampleShape,
    memories: Memories,
    advantages: TableLearner,
    evaluator: LocalEvaluator,
}

impl<'a> DeepCfr<'a> {
    fn new(game: &'a Leduc, encoder: &'a LeducEncoder, memory: MemoryKind, seed: u64) -> Self {
        let shape =
            SampleShape { num_features: encoder.num_features(), num_actions: game.spec().num_actions };
        let factory = TableModelFactory::new(shape.num_features, shape.num_actions, NETS);
        let mut model = factory.open().expect("tables need no device");
        // Zeros everywhere: the first strategies are uniform.
        let empty = TableWeights {
            inputs: shape.num_features,
            outputs: shape.num_actions,
            ..TableWeights::default()
        };
        let empty = Arc::new(Weights::Table(empty));
        (0..NUM_PLAYERS).for_each(|player| model.load(NetId::advantage(player), &empty).expect("it fits"));
        Self {
            game,
            encoder,
            seed,
            shape,
            memories: Memories::new(shape, memory, memory, seed),
            advantages: TableLearner::advantages(Weighting::Uniform),
            evaluator: LocalEvaluator::new(model, 16),
        }
    }

    fn iterate(&mut self, iteration: u32) {
        for traverser in 0..NUM_PLAYERS {
            let plan = self.plan(iteration, traverser);
            let workers = std::slice::from_mut(&mut self.evaluator);
            traversal::run(self.game, self.encoder, Sampling::External, &plan, workers, &mut self.memories)
                .expect("no failure");
            let context = FitContext { seed: self.seed, iteration };
            let memory = &self.memories.advantage[traverser];
            let (weights, _) = self.advantages.fit(memory, context).expect("there are samples");
            self.evaluator.model_mut().load(NetId::advantage(traverser), &weights).expect("it fits");
        }
    }

    fn plan(&self, iteration: u32, traverser: Player) -> TraversalPlan {
        TraversalPlan {
            seed: self.seed,
            iteration,
            traverser,
            count: 1,
            all_negative: AllNegative::Uniform,
            strategy: [StrategySource::Networks; 2],
            budgets: Budgets::UNLIMITED,
            lanes: 1,
            groups: 1,
        }
    }

    /// What the strategy network would play, were it exact.
    fn average(&mut self, tree: &GameTree, features: &FeatureTable) -> TabularPolicy {
        let mut learner = TableLearner::strategy(Weighting::Uniform);
        let context = FitContext { seed: self.seed, iteration: 1 };
        let (weights, _) = learner.fit(&self.memories.strategy, context).expect("there are samples");
        let model: &mut dyn Model = self.evaluator.model_mut();
        model.load(NetId::STRATEGY, &weights).expect("it fits");
        let mut logits = vec![0.0; tree.num_infosets() * self.shape.num_actions];
        model.forward(NetId::STRATEGY, features.rows(), &mut logits).expect("it is loaded");
        let mut row = vec![0.0; self.shape.num_actions];
        let mut slots = Vec::with_capacity(tree.num_slots());
        for (infoset, logits) in tree.infosets().iter().zip(logits.chunks_exact(self.shape.num_actions)) {
            masked_softmax(logits, infoset.legal, &mut row);
            slots.extend(infoset.legal.iter().map(|action| f64::from(row[usize::from(action)])));
        }
        TabularPolicy::from_weights(tree, slots)
    }
}

fn deep_cfr_curve(
    game: &Leduc,
    tree: &GameTree,
    features: &FeatureTable,
    memory: MemoryKind,
    seed: u64,
) -> Vec<f64> {
    let encoder = LeducEncoder::new(game);
    let mut run = DeepCfr::new(game, &encoder, memory, seed);
    let mut evaluator = BestResponse::default();
    let mut curve = Vec::new();
    for iteration in 1..=POINTS[POINTS.len() - 1] {
        run.iterate(iteration);
        if POINTS.contains(&iteration) {
            curve.push(evaluator.evaluate(tree, &run.average(tree, features)).exploitability);
        }
    }
    curve
}

fn tabular_curve(tree: &Arc<GameTree>, seed: u64) -> Vec<f64> {
    let mut solver =
        Solver::new(Arc::clone(tree), Algorithm::ExternalSampling, seed).expect("it has no parameters");
    let mut evaluator = BestResponse::default();
    let figures = POINTS.iter().map(|&point| {
        solver.step(u64::from(point) - solver.iterations());
        evaluator.evaluate(tree, &solver.average_policy()).exploitability
    });
    figures.collect()
}

/// Both are the same algorithm on other random numbers, so at each point the means of `n` seeds each,
/// with spreads `s` and `r`, differ by at most `4·√((s² + r²)/n)` but once in 16,000 cases, were the
/// spreads known; with 9 degrees of freedom each, once in about 1,200. There are 5 points and the
/// seeds are fixed. The curve must also fall: by the last point to less than 0.6 of the first.
#[test]
fn deep_cfr_with_an_exact_table_follows_external_sampling_mccfr() {
    let game = Leduc::new(LeducRules { suit_blind_keys: true, ..LeducRules::default() }).expect("in range");
    let tree = tree(&game);
    let features = tree.encode_infosets(&game, &LeducEncoder::new(&game));
    let deep: Vec<_> =
        (0..SEEDS).map(|seed| deep_cfr_curve(&game, &tree, &features, RESERVOIR, seed)).collect();
    let tabular: Vec<_> = (0..SEEDS).map(|seed| tabular_curve(&tree, seed)).collect();
    let mut means = Vec::new();
    for (index, point) in POINTS.iter().enumerate() {
        let [(deep, s), (tabular, r)] = [&deep, &tabular].map(|curves| mean_and_std(curves, index));
        println!("{point} iterations: oracle {deep:.4} ± {s:.4}, tabular {tabular:.4} ± {r:.4}");
        let tolerance = 4.0 * ((s * s + r * r) / SEEDS as f64).sqrt();
        assert!((deep - tabular).abs() <= tolerance, "{point}: {deep} ± {s}, {tabular} ± {r}");
        means.push(deep);
    }
    assert!(means[POINTS.len() - 1] < 0.6 * means[0], "{means:?}");
}

/// Mean advantages are rounded to the same numbers, so that both walk the same way to the last sample. Mean
/// strategies are rounded to 24 bits before their logarithm instead of after it, which moves a probability by
/// 1e-7 of itself and exploitability by a few times as little as that.
#[test]
fn merged_memories_give_the_curve_of_reservoirs_that_drop_nothing() {
    let game = Leduc::new(LeducRules { suit_blind_keys: true, ..LeducRules::default() }).expect("in range");
    let tree = tree(&game);
    let features = tree.encode_infosets(&game, &LeducEncoder::new(&game));
    let curve = |memory| deep_cfr_curve(&game, &tree, &features, memory, 3);
    for (merged, reservoir) in curve(MERGED).into_iter().zip(curve(RESERVOIR)) {
        assert!((merged - reservoir).abs() <= 1e-7 * reservoir, "{merged} and {reservoir}");
    }
}

fn mean_and_std(curves: &[Vec<f64>], point: usize) -> (f64, f64) {
    let count = curves.len() as f64;
    let mean = curves.iter().map(|curve| curve[point]).sum::<f64>() / count;
    let squares: f64 = curves.iter().map(|curve| (curve[point] - mean).powi(2)).sum();
    (mean, (squares / (count - 1.0)).sqrt())
}

/// Linear networks with random weights, some of them huge: whatever they answer is turned into a
/// distribution that sums to 1 within 1e-6 and gives nothing to illegal actions.
#[test]
fn random_networks_give_distributions_over_legal_actions() {
    let game = Leduc::default();
    let encoder = LeducEncoder::new(&game);
    let tree = tree(&game);
    let features = tree.encode_infosets(&game, &encoder);
    let (width, actions) = (encoder.num_features(), game.spec().num_actions);
    let mut restricted = 0;
    for network in 0..200 {
        let mut rng = Stream::new(17, Purpose::Test, 0, 0, network);
        let scale = 10f64.powi(rng.below(12) as i32 - 3);
        let weights: Vec<f32> = (0..width * actions).map(|_| (scale * rng.normal()) as f32).collect();
        for (infoset, row) in tree.infosets().iter().zip(features.rows().chunks_exact(width)) {
            let answer = |weights: &[f32]| weights.iter().zip(row).map(|(w, x)| w * x).sum::<f32>();
            let outputs: Vec<f32> = weights.chunks_exact(width).map(answer).collect();
            let mut shares = vec![f32::NAN; actions];
            for rule in [AllNegative::Argmax, AllNegative::Uniform] {
                regret_matching(&outputs, infoset.legal, rule, &mut shares);
                assert_distribution(&shares, infoset.legal);
            }
            masked_softmax(&outputs, infoset.legal, &mut shares);
            assert_distribution(&shares, infoset.legal);
            restricted += usize::from(infoset.legal.len() < actions);
        }
    }
    assert!(restricted > 0, "some infosets have illegal actions");
}

fn assert_distribution(shares: &[f32], legal: ActionSet) {
    let sum: f64 = shares.iter().map(|&share| f64::from(share)).sum();
    assert!((sum - 1.0).abs() < 1e-6, "{shares:?} sum to {sum}");
    for (action, &share) in shares.iter().enumerate() {
        assert!(share >= 0.0 && (share == 0.0 || legal.contains(action as Action)), "{shares:?}");
    }
}
