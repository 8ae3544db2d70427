//! Real samples of every encoder come out of a reservoir as they went in, bit for bit; a merged memory holds
//! what a reservoir that drops nothing does.

use std::collections::{HashMap, HashSet};

use deepcfr_cfr::memory::{MergedMemory, Reservoir};
use deepcfr_core::{
    Encoder, Features, Game, Player, Purpose, SampleMeta, SampleShape, SampleSink, SampleSource, Stream,
    Weighting,
};
use deepcfr_games::goofspiel::{Goofspiel, GoofspielEncoder, GoofspielRules};
use deepcfr_games::kuhn::{Kuhn, KuhnEncoder};
use deepcfr_games::leduc::{Leduc, LeducEncoder, LeducRules};
use deepcfr_games::liars_dice::{LiarsDice, LiarsDiceEncoder, LiarsDiceRules};
use deepcfr_games::lost_cities::{Cards, CardsEncoder, LostCities, Rules, Slots, SlotsEncoder, Sorted};

#[path = "memories/play.rs"]
mod play;

use play::Walk;

/// Puts samples into a memory and beside it.
struct Both {
    memory: Reservoir,
    list: Vec<(SampleMeta, Vec<f32>, Vec<f32>)>,
}

impl SampleSink for Both {
    fn advantage(&mut self, _player: Player, meta: SampleMeta, features: &dyn Features, targets: &[f32]) {
        self.memory.offer(meta, features, targets);
        self.list.push((meta, features.to_row(), targets.to_vec()));
    }

    fn strategy(&mut self, meta: SampleMeta, features: &dyn Features, targets: &[f32]) {
        self.advantage(0, meta, features, targets);
    }
}

fn bits(row: &[f32]) -> Vec<u32> {
    row.iter().map(|number| number.to_bits()).collect()
}

fn assert_exact<G: Game, E: Encoder<G>>(game: &G, encoder: &E, walk: Walk) {
    let iterations = if walk == Walk::Rollout { 1..4 } else { 1..20 };
    let shape = play::shape(game, encoder);
    let mut both = Both { memory: Reservoir::new(shape, 100_000, 1, 0), list: Vec::new() };
    iterations.for_each(|iteration| play::play(game, encoder, walk, iteration, &mut both));
    assert_eq!(both.memory.len(), both.list.len());
    assert!(both.list.len() > 50);
    let (mut read_features, mut read_targets) = (vec![7.0; shape.num_features], vec![7.0; shape.num_actions]);
    for (index, (meta, features, targets)) in both.list.iter().enumerate() {
        let read_meta = both.memory.read(index, &mut read_features, &mut read_targets);
        assert_eq!(
            (read_meta, bits(&read_features), bits(&read_targets)),
            (*meta, bits(features), bits(targets))
        );
    }
}

#[test]
fn samples_of_small_games_are_exact() {
    let leduc = Leduc::new(LeducRules::default()).expect("the default rules");
    let dice = LiarsDice::new(LiarsDiceRules::default()).expect("the default rules");
    let goofspiel = Goofspiel::new(GoofspielRules::default()).expect("the default rules");
    for walk in [Walk::External, Walk::Outcome, Walk::Rollout] {
        assert_exact(&Kuhn, &KuhnEncoder, walk);
        assert_exact(&leduc, &LeducEncoder::new(&leduc), walk);
    }
    assert_exact(&dice, &LiarsDiceEncoder::new(&dice), Walk::Outcome);
    assert_exact(&goofspiel, &GoofspielEncoder::new(&goofspiel), Walk::Outcome);
}

#[test]
fn samples_of_lost_cities_are_exact() {
    let rules = Rules::classic();
    let slots = LostCities::<Slots>::new(rules).expect("the boxed game");
    let sorted = LostCities::<Sorted>::new(rules).expect("the boxed game");
    let cards = LostCities::<Cards>::new(rules).expect("the boxed game");
    for walk in [Walk::Outcome, Walk::Rollout] {
        assert_exact(&slots, &SlotsEncoder::new(&rules), walk);
        assert_exact(&sorted, &CardsEncoder::new(&rules), walk);
        assert_exact(&cards, &CardsEncoder::new(&rules), walk);
    }
}

/// Advantage and strategy samples in the order of traversals, in reservoirs that drop none.
struct Unbounded([Reservoir; 2]);

impl SampleSink for Unbounded {
    fn advantage(&mut self, _player: Player, meta: SampleMeta, features: &dyn Features, targets: &[f32]) {
        self.0[0].offer(meta, features, targets);
    }

    fn strategy(&mut self, meta: SampleMeta, features: &dyn Features, targets: &[f32]) {
        self.0[1].offer(meta, features, targets);
    }
}

type Sample = (SampleMeta, Vec<f32>, Vec<f32>);

fn read(source: &dyn SampleSource, index: usize) -> Sample {
    let SampleShape { num_features, num_actions } = source.shape();
    let (mut features, mut targets) = (vec![7.0; num_features], vec![7.0; num_actions]);
    let meta = source.read(index, &mut features, &mut targets);
    (meta, features, targets)
}

/// By features and legal actions: `Σ w` and `Σ w·y`, the plain way.
type Sums = HashMap<(Vec<u32>, u128), (f64, Vec<f64>)>;

fn key((meta, features, _): &Sample) -> (Vec<u32>, u128) {
    (bits(features), meta.legal.bits())
}

fn sums(samples: &[Sample], weighting: Weighting) -> Sums {
    let mut rows = Sums::new();
    for sample in samples {
        let (meta, _, targets) = sample;
        let weight = weighting.unscaled(meta.iteration);
        let (total, sums) = rows.entry(key(sample)).or_insert_with(|| (0.0, vec![0.0; targets.len()]));
        *total += weight;
        sums.iter_mut().zip(targets).for_each(|(sum, &target)| *sum += weight * f64::from(target));
    }
    rows
}

fn merged(shape: SampleShape, samples: &[Sample], weighting: Weighting) -> MergedMemory {
    let mut memory = MergedMemory::new(shape, samples.len(), weighting);
    samples.iter().for_each(|(meta, features, targets)| memory.offer(*meta, features, targets));
    memory
}

/// Weights are equal, and every mean is within a millionth of its size (of 1 where it is smaller).
fn assert_holds(memory: &MergedMemory, expected: &Sums) {
    let known = memory.merged().expect("it merges");
    assert_eq!((memory.len(), memory.overflowed()), (expected.len(), false));
    for (row, weight) in known.weights.iter().enumerate() {
        let sample = read(memory, row);
        let (total, sums) = &expected[&key(&sample)];
        assert_eq!(weight, total);
        for (&mean, sum) in sample.2.iter().zip(sums) {
            let expected = sum / total;
            let error = (f64::from(mean) - expected).abs();
            assert!(error <= 1e-6 * expected.abs().max(1.0), "{mean}, {expected}");
        }
    }
}

fn assert_merges<G: Game, E: Encoder<G>>(game: &G, encoder: &E, walk: Walk) {
    let shape = play::shape(game, encoder);
    let mut unbounded = Unbounded([0, 1].map(|memory| Reservoir::new(shape, 1 << 20, 1, memory)));
    (1..40).for_each(|iteration| play::play(game, encoder, walk, iteration, &mut unbounded));
    for reservoir in unbounded.0.iter().filter(|reservoir| !reservoir.is_empty()) {
        assert!(!reservoir.overflowed());
        let mut samples: Vec<_> = (0..reservoir.len()).map(|index| read(reservoir, index)).collect();
        for weighting in [Weighting::Linear, Weighting::Uniform] {
            let expected = sums(&samples, weighting);
            let memory = merged(shape, &samples, weighting);
            assert!(2 * memory.len() < samples.len(), "rows recur: {} of {}", memory.len(), samples.len());
            assert_holds(&memory, &expected);
            let mut in_order: Vec<_> = samples.iter().map(key).collect();
            let mut met = HashSet::new();
            in_order.retain(|key| met.insert(key.clone()));
            assert!((0..memory.len()).map(|row| key(&read(&memory, row))).eq(in_order));
            shuffle(&mut samples);
            assert_holds(&merged(shape, &samples, weighting), &expected);
            assert!(memory.bytes_allocated() < 400_000, "{} bytes", memory.bytes_allocated());
        }
    }
}

fn shuffle(samples: &mut [Sample]) {
    let mut stream = Stream::new(6, Purpose::Test, 0, 0, 0);
    for left in (2..=samples.len()).rev() {
        samples.swap(left - 1, stream.below(left as u32) as usize);
    }
}

#[test]
fn merged_memories_hold_the_means_of_reservoirs_that_drop_nothing() {
    let leduc = Leduc::new(LeducRules::default()).expect("the default rules");
    for walk in [Walk::External, Walk::Outcome] {
        assert_merges(&Kuhn, &KuhnEncoder, walk);
        assert_merges(&leduc, &LeducEncoder::new(&leduc), walk);
    }
}
