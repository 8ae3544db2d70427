//! What a memory costs: bytes a sample, and nanoseconds to add and to read one, beside rows kept in full.
//!
//! `cargo run --release -p deepcfr-cfr --example memory_speed [NAME [SAMPLES]]` runs the rows whose game
//! begins with NAME. Each game's advantage samples of random play go, in turns of a thousand, into a
//! memory (`Reservoir`) and into flat arrays of numbers. Then both memories, full, take as many
//! samples again; then both are read: random rows in batches of 1,024, as learners do without merging,
//! and all rows in order, as they do with it. All figures are of one run and in turns; times are the
//! best of several turns, but for filling and replacing, which happen once. The bytes are what the
//! process grew by meanwhile, in the system's count, and in the last column what the memory counts itself.

use std::hint::black_box;
use std::time::Instant;

use deepcfr_cfr::memory::Reservoir;
use deepcfr_cfr::regret::AllNegative;
use deepcfr_cfr::traversal::evaluators::ConstantEvaluator;
use deepcfr_cfr::traversal::{
    self, Budgets, OutcomeSampling, Sampling, StrategySource, TraversalError, TraversalPlan,
};
use deepcfr_core::{
    ActionSet, Encoder, Features, Game, Player, Purpose, SampleMeta, SampleShape, SampleSink, SampleSource,
    Stream,
};
use deepcfr_games::goofspiel::{Goofspiel, GoofspielEncoder, GoofspielRules};
use deepcfr_games::kuhn::{Kuhn, KuhnEncoder};
use deepcfr_games::leduc::{Leduc, LeducEncoder, LeducRules};
use deepcfr_games::liars_dice::{LiarsDice, LiarsDiceEncoder, LiarsDiceRules};
use deepcfr_games::lost_cities::{Cards, CardsEncoder, LostCities, Rules, Slots, SlotsEncoder, Sorted};

const BATCH: usize = 1024;
/// Batches in a turn.
const BATCHES: usize = 20;
const TURNS: usize = 20;
const GROUP: usize = 1000;
const SEED: u64 = 1;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let name = arguments.next().unwrap_or_default();
    let samples = arguments.next().map_or(Ok(300_000), |samples| samples.parse())?;
    println!(
        "{:<18} {:<6} {:>8} {:>8} {:>8} {:>8} {:>8} {:>9}",
        "game", "memory", "fill", "replace", "random", "in order", "B/sample", "counted"
    );
    let compare = Comparison { name, samples };
    compare.run("kuhn", &Kuhn, &KuhnEncoder)?;
    let leduc = Leduc::new(LeducRules::default())?;
    compare.run("leduc", &leduc, &LeducEncoder::new(&leduc))?;
    let dice = LiarsDice::new(LiarsDiceRules::default())?;
    compare.run("liars_dice", &dice, &LiarsDiceEncoder::new(&dice))?;
    let goofspiel = Goofspiel::new(GoofspielRules::default())?;
    compare.run("goofspiel", &goofspiel, &GoofspielEncoder::new(&goofspiel))?;
    let rules = Rules::classic();
    compare.run("lost_cities/slots", &LostCities::<Slots>::new(rules)?, &SlotsEncoder::new(&rules))?;
    compare.run("lost_cities/sorted", &LostCities::<Sorted>::new(rules)?, &CardsEncoder::new(&rules))?;
    compare.run("lost_cities/cards", &LostCities::<Cards>::new(rules)?, &CardsEncoder::new(&rules))?;
    Ok(())
}

struct Comparison {
    name: String,
    samples: usize,
}

impl Comparison {
    fn run<G: Game, E: Encoder<G>>(&self, name: &str, game: &G, encoder: &E) -> Result<(), TraversalError> {
        if !name.starts_with(&self.name) {
            return Ok(());
        }
        let shape =
            SampleShape { num_features: encoder.num_features(), num_actions: game.spec().num_actions };
        let mut both = Both {
            packed: Timed::new(Reservoir::new(shape, self.samples, SEED, 0)),
            full: Timed::new(Full { shape, capacity: self.samples, offered: 0, segments: Vec::new() }),
            waiting: Vec::new(),
        };
        for iteration in 1.. {
            collect(game, encoder, iteration, &mut both)?;
            if both.packed.memory.offered() as usize >= 2 * self.samples {
                break;
            }
        }
        let indices = random_indices(self.samples);
        for (turn, indices) in indices.chunks(BATCHES * BATCH).enumerate() {
            if turn.is_multiple_of(2) {
                both.packed.read(indices);
                both.full.read(indices);
            } else {
                both.full.read(indices);
                both.packed.read(indices);
            }
        }
        for _ in 0..TURNS {
            both.packed.read_in_order();
            both.full.read_in_order();
        }
        both.packed.print(name, "memory");
        both.full.print(name, "full");
        Ok(())
    }
}

/// The traversals of one iteration, by outcome sampling with an untrained strategy.
fn collect<G: Game, E: Encoder<G>>(
    game: &G,
    encoder: &E,
    iteration: u32,
    sink: &mut Both,
) -> Result<(), TraversalError> {
    let plan = TraversalPlan {
        seed: SEED,
        iteration,
        traverser: 0,
        count: 1000,
        all_negative: AllNegative::Argmax,
        strategy: [StrategySource::Networks; 2],
        budgets: Budgets::UNLIMITED,
        lanes: 16,
        groups: 1,
    };
    let outputs = (0..game.spec().num_actions).map(|action| 1.0 + (action % 3) as f32).collect();
    traversal::run(
        game,
        encoder,
        Sampling::outcome(OutcomeSampling::default()),
        &plan,
        &mut [ConstantEvaluator::new(outputs)],
        sink,
    )?;
    Ok(())
}

fn random_indices(len: usize) -> Vec<u32> {
    let mut stream = Stream::new(SEED, Purpose::Test, 0, 0, 0);
    (0..TURNS * BATCHES * BATCH).map(|_| stream.below(len as u32)).collect()
}

/// What both kinds of memory can do.
trait Memory: SampleSource {
    fn offer(&mut self, meta: SampleMeta, features: &dyn Features, targets: &[f32]);

    /// The bytes that the samples take, by its own count.
    fn bytes(&self) -> u64;
}

impl Memory for Reservoir {
    fn offer(&mut self, meta: SampleMeta, features: &dyn Features, targets: &[f32]) {
        Reservoir::offer(self, meta, features, targets);
    }

    fn bytes(&self) -> u64 {
        self.bytes_allocated()
    }
}

/// Rows in full, in segments of flat arrays that are filled in order and replaced at random.
struct Full {
    shape: SampleShape,
    capacity: usize,
    offered: u64,
    segments: Vec<Segment>,
}

struct Segment {
    features: Vec<f32>,
    targets: Vec<f32>,
    /// Legal actions as words, and the iteration.
    meta: Vec<[u32; 5]>,
}

const SEGMENT: usize = 4096;

impl Memory for Full {
    fn offer(&mut self, meta: SampleMeta, features: &dyn Features, targets: &[f32]) {
        let SampleShape { num_features, num_actions } = self.shape;
        let mut index = self.offered as usize;
        self.offered += 1;
        if index >= self.capacity {
            let mut stream = Stream::new(SEED, Purpose::Test, 0, 1, self.offered as u32);
            index = stream.below_u64(self.offered) as usize;
            if index >= self.capacity {
                return;
            }
        }
        if index / SEGMENT == self.segments.len() {
            let rows = SEGMENT.min(self.capacity - index);
            let numbers = |width| vec![0.0; rows * width];
            let (features, targets, meta) = (numbers(num_features), numbers(num_actions), vec![[0; 5]; rows]);
            self.segments.push(Segment { features, targets, meta });
        }
        let (segment, row) = (&mut self.segments[index / SEGMENT], index % SEGMENT);
        features.write(&mut segment.features[row * num_features..][..num_features]);
        segment.targets[row * num_actions..][..num_actions].copy_from_slice(targets);
        let bits = meta.legal.bits();
        let [a, b, c, d] = std::array::from_fn(|word| (bits >> (32 * word)) as u32);
        segment.meta[row] = [a, b, c, d, meta.iteration];
    }

    fn bytes(&self) -> u64 {
        let SampleShape { num_features, num_actions } = self.shape;
        let sample = (num_features + num_actions) * size_of::<f32>() + size_of::<[u32; 5]>();
        (self.segments.iter().map(|segment| segment.meta.len()).sum::<usize>() * sample) as u64
    }
}

impl SampleSource for Full {
    fn shape(&self) -> SampleShape {
        self.shape
    }

    fn len(&self) -> usize {
        self.capacity.min(self.offered as usize)
    }

    fn read(&self, index: usize, features: &mut [f32], targets: &mut [f32]) -> SampleMeta {
        let (segment, row) = (&self.segments[index / SEGMENT], index % SEGMENT);
        features.copy_from_slice(&segment.features[row * features.len()..][..features.len()]);
        targets.copy_from_slice(&segment.targets[row * targets.len()..][..targets.len()]);
        let [a, b, c, d, iteration] = segment.meta[row];
        let word = |word: u32, position: u32| u128::from(word) << (32 * position);
        let legal = ActionSet::from_bits(word(a, 0) | word(b, 1) | word(c, 2) | word(d, 3));
        SampleMeta { legal, iteration }
    }
}

/// A memory and what was measured of it.
struct Timed<M> {
    memory: M,
    /// Seconds for the first samples, as many as the memory holds, and for as many more.
    adding: [f64; 2],
    /// What the process grew by.
    grown: u64,
    /// Nanoseconds a row, the fastest turn.
    random: f64,
    in_order: f64,
}

impl<M: Memory> Timed<M> {
    fn new(memory: M) -> Self {
        Self { memory, adding: [0.0; 2], grown: 0, random: f64::INFINITY, in_order: f64::INFINITY }
    }

    fn add(&mut self, samples: &[Sample], full: bool) {
        let (before, start) = (resident(), Instant::now());
        for Sample { meta, features, targets } in samples {
            self.memory.offer(*meta, features, targets);
        }
        self.adding[usize::from(full)] += start.elapsed().as_secs_f64();
        self.grown += resident().saturating_sub(before);
    }

    fn read(&mut self, indices: &[u32]) {
        let SampleShape { num_features, num_actions } = self.memory.shape();
        let (mut features, mut targets) = (vec![1.0; BATCH * num_features], vec![1.0; BATCH * num_actions]);
        let memory: &dyn SampleSource = black_box(&self.memory);
        let start = Instant::now();
        for batch in indices.chunks(BATCH) {
            memory.prefetch(batch);
            let rows = features.chunks_exact_mut(num_features).zip(targets.chunks_exact_mut(num_actions));
            for (&index, (features, targets)) in batch.iter().zip(rows) {
                black_box(memory.read(index as usize, features, targets));
            }
        }
        self.random = self.random.min(start.elapsed().as_nanos() as f64 / indices.len() as f64);
        black_box((features, targets));
    }

    fn read_in_order(&mut self) {
        let SampleShape { num_features, num_actions } = self.memory.shape();
        let (mut features, mut targets) = (vec![1.0; num_features], vec![1.0; num_actions]);
        let memory: &dyn SampleSource = black_box(&self.memory);
        let start = Instant::now();
        for index in 0..self.memory.len() {
            black_box(memory.read(index, &mut features, &mut targets));
            black_box((&mut features, &mut targets));
        }
        self.in_order = self.in_order.min(start.elapsed().as_nanos() as f64 / self.memory.len() as f64);
    }

    fn print(&self, game: &str, memory: &str) {
        let len = self.memory.len() as f64;
        let [fill, replace] = self.adding.map(|seconds| seconds * 1e9 / len);
        let (grown, counted) = (self.grown as f64 / len, self.memory.bytes() as f64 / len);
        println!(
            "{game:<18} {memory:<6} {fill:>8.0} {replace:>8.0} {:>8.1} {:>8.1} {grown:>8.1} {counted:>9.1}",
            self.random, self.in_order
        );
    }
}

struct Sample {
    meta: SampleMeta,
    features: Vec<f32>,
    targets: Vec<f32>,
}

/// Hands groups of samples to both memories, the one that comes first changing.
struct Both {
    packed: Timed<Reservoir>,
    full: Timed<Full>,
    waiting: Vec<Sample>,
}

impl SampleSink for Both {
    fn advantage(&mut self, _player: Player, meta: SampleMeta, features: &dyn Features, targets: &[f32]) {
        self.waiting.push(Sample { meta, features: features.to_row(), targets: targets.to_vec() });
        if self.waiting.len() < GROUP {
            return;
        }
        let full = self.packed.memory.offered() as usize >= self.packed.memory.capacity();
        if (self.packed.memory.offered() as usize / GROUP).is_multiple_of(2) {
            self.packed.add(&self.waiting, full);
            self.full.add(&self.waiting, full);
        } else {
            self.full.add(&self.waiting, full);
            self.packed.add(&self.waiting, full);
        }
        self.waiting.clear();
    }

    fn strategy(&mut self, _meta: SampleMeta, _features: &dyn Features, _targets: &[f32]) {}
}

/// The bytes of the process that are in memory; 0 where the system does not tell.
fn resident() -> u64 {
    let pages = std::fs::read_to_string("/proc/self/statm").ok();
    let pages = pages.and_then(|text| text.split(' ').nth(1)?.parse::<u64>().ok());
    pages.unwrap_or_default() * 4096
}
