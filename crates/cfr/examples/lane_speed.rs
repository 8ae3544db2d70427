//! What a traversal costs without its networks: nanoseconds per node with a model of zero cost.
//!
//! `cargo run --release -p deepcfr-cfr --example lane_speed [NAME [NODES [LANES]]]` runs the rows whose
//! name begins with NAME. Times are the best of five rounds, NODES in all. Samples go to full
//! memories, as late in a run. Lost Cities is walked by outcome sampling only: the tree below a few
//! of the traverser's choices has no end in sight. The last column is a fingerprint of the work done,
//! which a change of speed must leave alone. Compare figures of one invocation only; for others count
//! instructions (`valgrind --tool=callgrind`).

use std::time::Instant;

use deepcfr_cfr::regret::AllNegative;
use deepcfr_cfr::reservoir::Memories;
use deepcfr_cfr::traversal::evaluators::ConstantEvaluator;
use deepcfr_cfr::traversal::{
    self, Budgets, Continuation, OutcomeSampling, Sampling, StrategySource, TraversalPlan, TraversalStats,
};
use deepcfr_core::{Encoder, Game, SampleShape};
use deepcfr_games::kuhn::{Kuhn, KuhnEncoder};
use deepcfr_games::leduc::{Leduc, LeducEncoder, LeducRules};
use deepcfr_games::lost_cities::{Cards, CardsEncoder, LostCities, Rules, Slots, SlotsEncoder};

const MEMORY: usize = 1000;
const ROUNDS: u64 = 5;
const OUTCOME: Sampling =
    Sampling::Outcome(OutcomeSampling { epsilon: 0.5, clip: None, continuation: Continuation::Strategy });
const BOTH: [Sampling; 2] = [Sampling::External, OUTCOME];

/// What the command line asks for.
struct Request {
    name: String,
    nodes: u64,
    lanes: Vec<usize>,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let request = Request {
        name: arguments.next().unwrap_or_default(),
        nodes: arguments.next().map_or(Ok(2_000_000), |nodes| nodes.parse())?,
        lanes: arguments.next().map_or(Ok(vec![1, 64]), |lanes| lanes.parse().map(|lanes| vec![lanes]))?,
    };
    println!(
        "{:<17} {:<9} {:>5} {:>9} {:>12} {:>16}",
        "game", "sampling", "lanes", "ns/node", "samples/node", "fingerprint"
    );
    request.measure("kuhn", &Kuhn, &KuhnEncoder, &BOTH)?;
    let leduc = Leduc::new(LeducRules::default())?;
    request.measure("leduc", &leduc, &LeducEncoder::new(&leduc), &BOTH)?;
    let rules = Rules::classic();
    let (slots, cards) = (LostCities::<Slots>::new(rules)?, LostCities::<Cards>::new(rules)?);
    request.measure("lost_cities/slots", &slots, &SlotsEncoder::new(&rules), &[OUTCOME])?;
    request.measure("lost_cities/cards", &cards, &CardsEncoder::new(&rules), &[OUTCOME])?;
    Ok(())
}

impl Request {
    fn measure<G: Game, E: Encoder<G>>(
        &self,
        name: &str,
        game: &G,
        encoder: &E,
        samplings: &[Sampling],
    ) -> Result<(), traversal::TraversalError> {
        for &sampling in samplings.iter().filter(|_| name.starts_with(&self.name)) {
            for &lanes in &self.lanes {
                let shape = SampleShape {
                    num_features: encoder.num_features(),
                    num_actions: game.spec().num_actions,
                };
                let mut memories = Memories::new(shape, MEMORY, MEMORY, 1);
                let mut round = || -> Result<(f64, TraversalStats), traversal::TraversalError> {
                    let start = Instant::now();
                    let stats = run(game, encoder, sampling, lanes, self.nodes / ROUNDS, &mut memories)?;
                    Ok((start.elapsed().as_nanos() as f64 / stats.nodes as f64, stats))
                };
                let (mut best, stats) = round()?;
                for _ in 1..ROUNDS {
                    best = best.min(round()?.0);
                }
                let kind = if sampling == Sampling::External { "external" } else { "outcome" };
                let samples = (stats.advantage_samples + stats.strategy_samples) as f64;
                let per_node = samples / stats.nodes as f64;
                let hash = memories.hash();
                println!("{name:<17} {kind:<9} {lanes:>5} {best:>9.1} {per_node:>12.2} {hash:>16x}");
            }
        }
        Ok(())
    }
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
