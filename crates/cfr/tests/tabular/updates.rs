//! Deep CFR with exact tables, its players updated in turn and together: what networks can at best come to.
//!
//! SD-CFR's average is taken exactly, with linear weights, from memories that merge rows and so lose nothing.

use std::sync::Arc;

use deepcfr_cfr::memory::{Memories, MemoryKind};
use deepcfr_cfr::regret::{AllNegative, regret_matching};
use deepcfr_cfr::tabular::oracle::{TableLearner, TableModelFactory};
use deepcfr_cfr::tabular::{AverageStrategy, BestResponse, FeatureTable, GameTree, TabularPolicy, Updates};
use deepcfr_cfr::traversal::evaluators::TableEvaluator;
use deepcfr_cfr::traversal::{self, Budgets, Sampling, StrategySource, TraversalPlan};
use deepcfr_core::{
    Encoder, FitContext, Game, Learner, ModelFactory, NUM_PLAYERS, NetId, Player, SampleShape, SampleSource,
    Weighting,
};
use deepcfr_games::kuhn::{Kuhn, KuhnEncoder};
use deepcfr_games::leduc::{Leduc, LeducEncoder, LeducRules};

use super::reference::tree;

const RULE: AllNegative = AllNegative::Uniform;

/// A run whose fits are exact.
struct TableRun<'a> {
    tree: &'a Arc<GameTree>,
    features: &'a FeatureTable,
    traversals: u32,
    updates: Updates,
    seed: u64,
    memories: Memories,
    learner: TableLearner,
    /// Advantages of every action at every infoset; zeros at first, which argmax shares out evenly.
    outputs: Vec<f32>,
    average: AverageStrategy,
}

impl<'a> TableRun<'a> {
    fn new(
        tree: &'a Arc<GameTree>,
        features: &'a FeatureTable,
        traversals: u32,
        updates: Updates,
        seed: u64,
    ) -> Self {
        let num_actions = tree.spec().num_actions;
        let num_features = features.rows().len() / tree.num_infosets();
        let merged = MemoryKind::Merged { limit: tree.num_infosets(), weighting: Weighting::Linear };
        Self {
            tree,
            features,
            traversals,
            updates,
            seed,
            memories: Memories::new(SampleShape { num_features, num_actions }, merged, merged, seed),
            learner: TableLearner::advantages(Weighting::Linear),
            outputs: vec![0.0; tree.num_infosets() * num_actions],
            average: AverageStrategy::new(tree),
        }
    }

    fn iterate(&mut self, iteration: u32) {
        match self.updates {
            Updates::Alternating => (0..NUM_PLAYERS).for_each(|player| {
                self.walk(iteration, player);
                self.fit(iteration, player);
            }),
            Updates::Simultaneous => {
                (0..NUM_PLAYERS).for_each(|player| self.walk(iteration, player));
                (0..NUM_PLAYERS).for_each(|player| self.fit(iteration, player));
            }
        }
        let policy = self.current();
        (0..NUM_PLAYERS)
            .for_each(|player| self.average.add(self.tree, player, &policy, f64::from(iteration)));
    }

    fn walk(&mut self, iteration: u32, traverser: Player) {
        let plan = TraversalPlan {
            seed: self.seed,
            iteration,
            traverser,
            count: self.traversals,
            all_negative: RULE,
            strategy: [StrategySource::Networks; NUM_PLAYERS],
            budgets: Budgets::UNLIMITED,
            lanes: 1,
            groups: 1,
        };
        let mut workers = [TableEvaluator::new(&self.outputs, self.tree.spec().num_actions)];
        traversal::run(
            &**self.tree,
            self.features,
            Sampling::External,
            &plan,
            &mut workers,
            &mut self.memories,
        )
        .expect("no failure");
    }

    fn fit(&mut self, iteration: u32, player: Player) {
        let SampleShape { num_features, num_actions } = self.memories.advantage[player].shape();
        let context = FitContext { seed: self.seed, iteration };
        let (weights, _) =
            self.learner.fit(&self.memories.advantage[player], context).expect("there are samples");
        let factory = TableModelFactory::new(num_features, num_actions, NUM_PLAYERS);
        let mut model = factory.open().expect("tables need no device");
        model.load(NetId::advantage(player), &weights).expect("it fits");
        let infosets = self.tree.infosets_of(player);
        let rows = &self.features.rows()[infosets.start * num_features..infosets.end * num_features];
        let outputs = &mut self.outputs[infosets.start * num_actions..infosets.end * num_actions];
        model.forward(NetId::advantage(player), rows, outputs).expect("it is loaded");
    }

    fn current(&self) -> TabularPolicy {
        let num_actions = self.tree.spec().num_actions;
        let mut row = vec![0.0; num_actions];
        let mut slots = Vec::with_capacity(self.tree.num_slots());
        for (infoset, outputs) in self.tree.infosets().iter().zip(self.outputs.chunks_exact(num_actions)) {
            regret_matching(outputs, infoset.legal, RULE, &mut row);
            slots.extend(infoset.legal.iter().map(|action| f64::from(row[usize::from(action)])));
        }
        TabularPolicy::from_weights(self.tree, slots)
    }

    /// Of SD-CFR's average, in thousandths of the ante of 1.
    fn exploitability(&self) -> f64 {
        1000.0 * BestResponse::default().evaluate(self.tree, &self.average.policy(self.tree)).exploitability
    }
}

fn exploitabilities<G: Game, E: Encoder<G>>(
    (game, encoder): (&G, &E),
    (iterations, traversals): (u32, u32),
    updates: Updates,
    seeds: u64,
) -> Vec<f64> {
    let tree = tree(game);
    let features = tree.encode_infosets(game, encoder);
    let run = |seed| {
        let mut run = TableRun::new(&tree, &features, traversals, updates, seed);
        (1..=iterations).for_each(|iteration| run.iterate(iteration));
        run.exploitability()
    };
    let found: Vec<f64> = (0..seeds).map(run).collect();
    println!("{updates:?}, {iterations} iterations of {traversals}: {found:.2?} mA/g");
    found
}

/// A player who answers the other's new strategy learns several times as much from as many nodes.
#[test]
fn kuhn_in_turn_comes_below_what_it_comes_to_together() {
    let found = |updates, seeds| exploitabilities((&Kuhn, &KuhnEncoder), (1600, 300), updates, seeds);
    let in_turn = found(Updates::Alternating, 5);
    assert!(in_turn.iter().all(|&figure| figure < 2.5), "{in_turn:?}");
    let together = found(Updates::Simultaneous, 2);
    assert!(together.iter().all(|&figure| figure > 5.0), "{together:?}");
}

/// Seeds differ by 8 mA/g, from what is sampled: six of them tell the two apart.
#[test]
fn leduc_in_turn_comes_below_what_it_comes_to_together() {
    let game = Leduc::new(LeducRules { suit_blind_keys: true, ..LeducRules::default() }).expect("in range");
    let encoder = LeducEncoder::new(&game);
    let found = |updates| exploitabilities((&game, &encoder), (600, 100), updates, 6);
    let mean = |figures: Vec<f64>| figures.iter().sum::<f64>() / figures.len() as f64;
    let (in_turn, together) = (mean(found(Updates::Alternating)), mean(found(Updates::Simultaneous)));
    assert!(in_turn < 65.0 && together > 75.0, "in turn {in_turn:.1}, together {together:.1}");
}
