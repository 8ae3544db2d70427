//! What a traversal costs without its networks: nanoseconds per node with a model of zero cost.
//!
//! `cargo run --release -p deepcfr-cfr --example lane_speed [GAME [NODES]]`. The samples go to full
//! memories, as late in a run. Lost Cities is walked by outcome
//! sampling only: the tree below a few of the traverser's choices has no end in sight. The last column is a fingerprint of the work done, which a change of
//! speed must leave alone. Compare figures of one invocation only; for others count instructions
//! (`valgrind --tool=callgrind`).

use std::time::Instant;

use deepcfr_cfr::regret::AllNegative;
use deepcfr_cfr::reservoir::Memories;
use deepcfr_cfr::traversal::evaluators::ConstantEvaluator;
use deepcfr_cfr::traversal::{
    self, Budgets, OutcomeSampling, Sampling, StrategySource, TraversalPlan, TraversalStats,
};
use deepcfr_core::{Encoder, Game, SampleShape};
use deepcfr_games::kuhn::{Kuhn, KuhnEncoder};
use deepcfr_games::leduc::{Leduc, LeducEncoder, LeducRules};
use deepcfr_games::lost_cities::{Cards, CardsEncoder, LostCities, Rules, Slots, SlotsEncoder};

const MEMORY: usize = 1000;

const OUTCOME: Sampling = Sampling::Outcome(OutcomeSampling { epsilon: 0.5, clip: None });

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let only = arguments.next();
    let nodes = arguments.next().map_or(Ok(2_000_000), |nodes| nodes.parse())?;
    let wanted = |name: &str| only.as_deref().is_none_or(|only| only == name);
    println!(
        "{:<17} {:<9} {:>5} {:>9} {:>12} {:>16}",
        "game", "sampling", "lanes", "ns/node", "samples/node", "fingerprint"
    );
    if wanted("kuhn") {
        measure("kuhn", &Kuhn, &KuhnEncoder, &[Sampling::External, OUTCOME], nodes)?;
    }
    if wanted("leduc") {
        let game = Leduc::new(LeducRules::default())?;
        measure("leduc", &game, &LeducEncoder::new(&game), &[Sampling::External, OUTCOME], nodes)?;
    }
    let rules = Rules::classic();
    if wanted("lost_cities") {
        let (slots, cards) = (LostCities::<Slots>::new(rules)?, LostCities::<Cards>::new(rules)?);
        measure("lost_cities/slots", &slots, &SlotsEncoder::new(&rules), &[OUTCOME], nodes)?;
        measure("lost_cities/cards", &cards, &CardsEncoder::new(&rules), &[OUTCOME], nodes)?;
    }
    Ok(())
}

fn measure<G: Game, E: Encoder<G>>(
    name: &str,
    game: &G,
    encoder: &E,
    samplings: &[Sampling],
    nodes: u64,
) -> Result<(), traversal::TraversalError> {
    for &sampling in samplings {
        for lanes in [1, 64] {
            let shape =
                SampleShape { num_features: encoder.num_features(), num_actions: game.spec().num_actions };
            let mut memories = Memories::new(shape, MEMORY, MEMORY, 1);
            run(game, encoder, sampling, lanes, nodes / 20, &mut memories)?;
            let start = Instant::now();
            let stats = run(game, encoder, sampling, lanes, nodes, &mut memories)?;
            let elapsed = start.elapsed().as_nanos() as f64;
            let kind = if sampling == Sampling::External { "external" } else { "outcome" };
            let samples = (stats.advantage_samples + stats.strategy_samples) as f64;
            println!(
                "{name:<17} {kind:<9} {lanes:>5} {:>9.1} {:>12.2} {:>16x}",
                elapsed / stats.nodes as f64,
                samples / stats.nodes as f64,
                memories.hash(),
            );
        }
    }
    Ok(())
}

fn run<G: Game, E: Encoder<G>>(
    game: &G,
    encoder: &E,
    sampling: Sampling,
    lanes: usize,
    nodes: u64,
    memories: &mut Memories,
) -> Result<TraversalStats, traversal::TraversalError> {
    let plan = TraversalPlan {
        seed: 1,
        iteration: 1,
        traverser: 0,
        count: u32::MAX,
        sampling,
        all_negative: AllNegative::Argmax,
        strategy: StrategySource::Networks,
        budgets: Budgets { max_nodes_per_iteration: nodes, max_nodes_per_traversal: nodes },
        lanes,
        groups: 1,
    };
    // Unequal and positive: every action is played.
    let outputs = (0..game.spec().num_actions).map(|action| 1.0 + (action % 3) as f32).collect();
    traversal::run(game, encoder, &plan, &mut [ConstantEvaluator::new(outputs)], memories)
}
