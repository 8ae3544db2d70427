//! What a traversal costs without its networks: nanoseconds per node with a model of zero cost.
//!
//! `cargo bench --workspace --bench lanes [-- NAME [NODES [LANES]]]` runs the rows whose
//! name begins with NAME. The model has every row encoded and gives the same outputs to all. Times are
//! the median of five rounds of equally many traversals, about NODES in all. Samples go to full memories, as late in a run. Lost Cities is
//! walked by outcome sampling only: the tree below a few of the traverser's choices has no end in sight.
//!
//! Of the time per node, `legal`, `encode` and `match` are measured apart, on states of random play, and
//! `commit` (handing samples to the memories) within the run; `rest` is what remains: moves, chance,
//! recording and the lane itself. The last column is a fingerprint of the work done, which a change of
//! speed must leave alone. Compare figures of one invocation only; for others count instructions
//! (`valgrind --tool=callgrind`).

use std::collections::VecDeque;
use std::hint::black_box;

use deepcfr_cfr::memory::Memories;
use deepcfr_cfr::regret::{AllNegative, regret_matching};
use deepcfr_cfr::traversal::{
    self, Budgets, Continuation, OutcomeSampling, Sampling, StrategySource, TraversalPlan, TraversalStats,
};
use deepcfr_core::{
    Encoder, Evaluator, EvaluatorError, Game, NetId, Player, Purpose, Query, SampleShape, Stream,
};
use deepcfr_games::kuhn::{Kuhn, KuhnEncoder};
use deepcfr_games::leduc::{Leduc, LeducEncoder, LeducRules};
use deepcfr_games::lost_cities::{Cards, CardsEncoder, LostCities, Rules, Slots, SlotsEncoder};
use deepcfr_games::play;
use deepcfr_timing::{Turns, median, timed};

const MEMORY: usize = 1000;
const ROUNDS: usize = 5;
/// Decisions that single phases are measured on.
const DECISIONS: usize = 1000;
const OUTCOME: OutcomeSampling =
    OutcomeSampling { epsilon: 0.5, clip: None, continuation: Continuation::Strategy };

/// When a round ends.
#[derive(Clone, Copy)]
struct Length {
    traversals: u32,
    nodes: u64,
}

/// What the command line asks for.
struct Request {
    name: String,
    nodes: u64,
    lanes: Vec<usize>,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Cargo adds an option of its own.
    let mut arguments = std::env::args().skip(1).filter(|argument| !argument.starts_with('-'));
    let request = Request {
        name: arguments.next().unwrap_or_default(),
        nodes: arguments.next().map_or(Ok(2_000_000), |nodes| nodes.parse())?,
        lanes: arguments.next().map_or(Ok(vec![1, 64]), |lanes| lanes.parse().map(|lanes| vec![lanes]))?,
    };
    println!(
        "{:<17} {:<9} {:>5} {:>8} {:>7} {:>7} {:>7} {:>7} {:>7} {:>12} {:>16}",
        "game",
        "sampling",
        "lanes",
        "ns/node",
        "legal",
        "encode",
        "match",
        "commit",
        "rest",
        "samples/node",
        "fingerprint"
    );
    request.measure("kuhn", &Kuhn, &KuhnEncoder, true)?;
    let leduc = Leduc::new(LeducRules::default())?;
    request.measure("leduc", &leduc, &LeducEncoder::new(&leduc), true)?;
    let rules = Rules::classic();
    let (slots, cards) = (LostCities::<Slots>::new(rules)?, LostCities::<Cards>::new(rules)?);
    request.measure("lost_cities/slots", &slots, &SlotsEncoder::new(&rules), false)?;
    request.measure("lost_cities/cards", &cards, &CardsEncoder::new(&rules), false)?;
    Ok(())
}

impl Request {
    fn measure<G: Game, E: Encoder<G>>(
        &self,
        name: &str,
        game: &G,
        encoder: &E,
        external: bool,
    ) -> Result<(), traversal::TraversalError> {
        let shape =
            SampleShape { num_features: encoder.num_features(), num_actions: game.spec().num_actions };
        let memories = || Memories::new(shape, MEMORY, MEMORY, 1);
        let external = external.then_some(("external", Sampling::External));
        let samplings = external.into_iter().chain([("outcome", Sampling::outcome(OUTCOME))]);
        for (kind, sampling) in samplings.filter(|_| name.starts_with(&self.name)) {
            // A round that ended by nodes would throw away what its lanes hold, the more the more lanes.
            let budget = Length { traversals: u32::MAX, nodes: self.nodes / ROUNDS as u64 };
            let counted = run(game, encoder, sampling, 1, budget, &mut memories())?;
            let length = Length { traversals: counted.traversals as u32, nodes: u64::MAX };
            for &lanes in &self.lanes {
                let mut memories = memories();
                let mut rounds = Vec::new();
                let timings = Turns::new(ROUNDS, 1).take(1, |_| {
                    let mut stretch = timed(1, || {
                        rounds.push(run(game, encoder, sampling, lanes, length, &mut memories)?);
                        Ok::<_, traversal::TraversalError>(())
                    })?;
                    stretch.items = rounds[rounds.len() - 1].nodes as f64;
                    Ok::<_, traversal::TraversalError>(stretch)
                })?;
                let total = 1e9 / timings[0].per_second();
                let stats = &rounds[rounds.len() - 1];
                let commit = median(
                    rounds[1..].iter().map(|round| round.times.commit.as_nanos() as f64 / round.nodes as f64),
                );
                print!("{name:<17} {kind:<9} {lanes:>5} {total:>8.1}");
                let per_node = |count: u64| count as f64 / stats.nodes as f64;
                let phases = phases(game, encoder).map(|each| each * per_node(stats.rows));
                for part in phases.into_iter().chain([commit, total - commit - phases.iter().sum::<f64>()]) {
                    print!(" {part:>7.1}");
                }
                let samples = per_node(stats.advantage_samples + stats.strategy_samples);
                println!(" {samples:>12.2} {:>16x}", memories.hash());
            }
        }
        Ok(())
    }
}

/// Nanoseconds a decision of random play takes for its legal actions, encoding and regret matching.
fn phases<G: Game, E: Encoder<G>>(game: &G, encoder: &E) -> [f64; 3] {
    let states = decisions(game);
    let outputs = outputs(game);
    let (mut row, mut strategy) = (vec![0.0; encoder.num_features()], vec![0.0; outputs.len()]);
    let legal = each(&states, |(state, _)| {
        black_box(game.legal_actions(state));
    });
    let encode = each(&states, |(state, player)| {
        encoder.encode(game, state, *player, &mut row);
        black_box(&mut row);
    });
    let sets: Vec<_> = states.iter().map(|(state, _)| game.legal_actions(state)).collect();
    let matching = each(&sets, |&legal| {
        regret_matching(&outputs, legal, AllNegative::Argmax, &mut strategy);
        black_box(&mut strategy);
    });
    [legal, encode, matching]
}

/// Nanoseconds of `operation` per item.
fn each<T>(items: &[T], mut operation: impl FnMut(&T)) -> f64 {
    let pass = |_| {
        timed(items.len(), || {
            items.iter().for_each(|item| operation(black_box(item)));
            Ok::<_, std::convert::Infallible>(())
        })
    };
    let Ok(timings) = Turns::new(100, 1).take(1, pass);
    1e9 / timings[0].per_second()
}

/// States of random play with a choice, and who has it.
fn decisions<G: Game>(game: &G) -> Vec<(G::State, Player)> {
    let of_a_game = |index| {
        let rng = Stream::new(1, Purpose::Test, 0, 0, index);
        play::decisions(game, rng, |state, _, rng| play::random_action(game, state, rng))
    };
    let is_choice = |(state, _): &(G::State, Player)| game.legal_actions(state).len() > 1;
    (0..).flat_map(of_a_game).filter(is_choice).take(DECISIONS).collect()
}

/// Unequal and positive: every action is played.
fn outputs<G: Game>(game: &G) -> Vec<f32> {
    (0..game.spec().num_actions).map(|action| 1.0 + (action % 3) as f32).collect()
}

/// A model of zero cost: has every row encoded, as into a batch, and answers all alike.
struct FreeModel {
    num_features: usize,
    outputs: Vec<f32>,
    rows: Vec<f32>,
    ready: VecDeque<usize>,
}

impl FreeModel {
    fn new(num_features: usize, outputs: Vec<f32>) -> Self {
        Self { num_features, outputs, rows: Vec::new(), ready: VecDeque::new() }
    }
}

impl Evaluator for FreeModel {
    fn submit<Q: Query>(&mut self, lane: usize, _net: NetId, query: &Q) -> Result<(), EvaluatorError> {
        let start = self.ready.len() * self.num_features;
        if self.rows.len() < start + self.num_features {
            self.rows.resize(start + self.num_features, 0.0);
        }
        query.encode(&mut self.rows[start..][..self.num_features]);
        self.ready.push_back(lane);
        Ok(())
    }

    fn wait(&mut self) -> Result<(), EvaluatorError> {
        black_box(&mut self.rows);
        Ok(())
    }

    fn next_ready(&mut self) -> Option<usize> {
        self.ready.pop_front()
    }

    fn output(&self, _lane: usize) -> &[f32] {
        &self.outputs
    }
}

fn run<G: Game, E: Encoder<G>>(
    game: &G,
    encoder: &E,
    sampling: Sampling<'_, G>,
    lanes: usize,
    length: Length,
    memories: &mut Memories,
) -> Result<TraversalStats, traversal::TraversalError> {
    let plan = TraversalPlan {
        seed: 1,
        iteration: 1,
        traverser: 0,
        count: length.traversals,
        all_negative: AllNegative::Argmax,
        strategy: [StrategySource::Networks; 2],
        budgets: Budgets { max_nodes_per_iteration: length.nodes, max_nodes_per_traversal: u64::MAX },
        lanes,
        groups: 1,
    };
    let model = FreeModel::new(encoder.num_features(), outputs(game));
    traversal::run(game, encoder, sampling, &plan, &mut [model], memories)
}
