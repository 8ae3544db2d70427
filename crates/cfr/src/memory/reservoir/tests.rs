//! Unit tests of the memories.

use deepcfr_core::{ActionSet, SampleSink};
use proptest::prelude::*;

use super::super::{LoadError, Memories, arena, full};
use super::*;

const SHAPE: SampleShape = SampleShape { num_features: 3, num_actions: 2 };

fn offer(reservoir: &mut Reservoir, value: u32) {
    let meta = SampleMeta { legal: ActionSet::from_bits(0b11 << 70), iteration: value };
    reservoir.offer(meta, &[value as f32, 0.5, -1.0], &[1.0, value as f32]);
}

fn kept(reservoir: &Reservoir) -> Vec<u32> {
    let (mut features, mut targets) = ([0.0; 3], [0.0; 2]);
    let mut read = |index| {
        let meta = reservoir.read(index, &mut features, &mut targets);
        assert_eq!(meta.legal, ActionSet::from_bits(0b11 << 70));
        assert_eq!((features[0], targets[1]), (meta.iteration as f32, meta.iteration as f32));
        meta.iteration
    };
    (0..reservoir.len()).map(&mut read).collect()
}

/// 1,000 memories of 10 over 100 samples keep each sample with probability 1/10. The inclusions of
/// two samples of one memory are correlated by -1/99, so Σ (count - 100)² / (100 · 0.9 · 100/99) is
/// χ² with 99 degrees of freedom; its 0.9999 quantile is 161.
#[test]
fn every_sample_is_kept_with_the_same_probability() {
    let mut counts = [0u32; 100];
    for seed in 0..1000 {
        let mut reservoir = Reservoir::new(SHAPE, 10, seed, 1);
        (0..100).for_each(|value| offer(&mut reservoir, value));
        kept(&reservoir).into_iter().for_each(|value| counts[value as usize] += 1);
    }
    let variance = 1000.0 * 0.1 * 0.9 * 100.0 / 99.0;
    let chi2: f64 = counts.iter().map(|&count| (f64::from(count) - 100.0).powi(2) / variance).sum();
    assert!(chi2 < 161.0, "χ² {chi2}");
}

#[test]
fn storage_grows_as_needed_and_stays_within_the_plan() {
    let capacity = 2 * full::ROWS + 5;
    let mut reservoir = Reservoir::new(SHAPE, capacity, 3, 0);
    assert_eq!(reservoir.bytes_allocated(), 0);
    for value in 0..3 * full::ROWS as u32 {
        offer(&mut reservoir, value);
        assert!(reservoir.bytes_allocated() <= Reservoir::bytes_at_most(SHAPE, capacity));
    }
    assert_eq!(reservoir.bytes_allocated(), Reservoir::bytes_at_most(SHAPE, capacity));
    assert_eq!((reservoir.len(), reservoir.offered()), (capacity, 3 * full::ROWS as u64));
}

#[test]
fn a_memory_read_back_continues_like_the_one_saved() {
    let mut saved = Reservoir::new(SHAPE, 50, 9, 2);
    (0..200).for_each(|value| offer(&mut saved, value));
    let mut bytes = Vec::new();
    saved.save(&mut bytes).expect("writing to memory");
    let mut loaded = Reservoir::new(SHAPE, 50, 9, 2);
    loaded.load(&mut bytes.as_slice()).expect("the same memory");
    assert_eq!((loaded.hash(), kept(&loaded)), (saved.hash(), kept(&saved)));
    for reservoir in [&mut saved, &mut loaded] {
        (200..400).for_each(|value| offer(reservoir, value));
    }
    assert_eq!(loaded.hash(), saved.hash());
}

#[test]
fn foreign_or_damaged_samples_are_refused() {
    let mut saved = Reservoir::new(SHAPE, 50, 9, 2);
    (0..60).for_each(|value| offer(&mut saved, value));
    let mut bytes = Vec::new();
    saved.save(&mut bytes).expect("writing to memory");
    let refusal = |mut memory: Reservoir, bytes: &[u8]| memory.load(&mut &bytes[..]).expect_err("refused");
    let other = refusal(Reservoir::new(SHAPE, 51, 9, 2), &bytes);
    assert!(matches!(other, LoadError::Mismatch { what: "capacity", expected: 51, got: 50 }));
    let short = refusal(Reservoir::new(SHAPE, 50, 9, 2), &bytes[..bytes.len() - 1]);
    assert!(matches!(short, LoadError::Io(_)));
    bytes[56] = 49;
    let count = refusal(Reservoir::new(SHAPE, 50, 9, 2), &bytes);
    assert!(matches!(count, LoadError::Count { offered: 60, len: 49 }));
}

/// A memory of packed samples: some numbers have codes, some have none, some samples lie in full.
fn packed_memory(samples: u32) -> Reservoir {
    let mut memory = Reservoir::new(PACKED, 3 * arena::ROWS, 9, 2);
    for ordinal in 0..samples {
        let mut stream = Stream::new(8, Purpose::Test, 0, 0, ordinal);
        let odd = if ordinal % 50 == 0 { 70 } else { stream.below(6) };
        let feature = |index: u32| match index {
            _ if index < odd => f32::from_bits(0x4000_0000 + 71 * ordinal + index),
            _ => (stream.below(9) / 4) as f32 / 2.0,
        };
        let features: Vec<f32> = (0..70).map(feature).collect();
        let meta = SampleMeta { legal: ActionSet::first(2), iteration: 1 + ordinal };
        memory.offer(meta, &features, &[ordinal as f32, 0.0]);
    }
    memory
}

const PACKED: SampleShape = SampleShape { num_features: 70, num_actions: 2 };

#[test]
fn packed_samples_are_saved_as_they_lie() {
    let saved = packed_memory(5000);
    let mut bytes = Vec::new();
    saved.save(&mut bytes).expect("writing to memory");
    assert!((bytes.len() as u64) < saved.bytes_allocated(), "{} bytes", bytes.len());
    let mut loaded = packed_memory(100);
    loaded.load(&mut bytes.as_slice()).expect("the same memory");
    assert_eq!(loaded.hash(), saved.hash());
    let mut again = Vec::new();
    loaded.save(&mut again).expect("writing to memory");
    assert_eq!(again, bytes);
}

/// Streams of the earlier format have no mark and every number in full.
#[test]
fn samples_saved_in_full_are_read() {
    let saved = packed_memory(5000);
    let counts = [70, 2, 3 * arena::ROWS as u64, 9, 2, saved.offered(), saved.len() as u64];
    let mut bytes: Vec<u8> = counts.iter().flat_map(|word| word.to_le_bytes()).collect();
    for index in 0..saved.len() {
        let (legal, iteration, features, targets) = read_bits(&saved, index);
        bytes.extend(legal.to_le_bytes());
        let words = [iteration].into_iter().chain(features).chain(targets);
        bytes.extend(words.flat_map(u32::to_le_bytes));
    }
    let mut loaded = packed_memory(0);
    loaded.load(&mut bytes.as_slice()).expect("the same memory");
    assert_eq!(loaded.hash(), saved.hash());
}

/// Whatever is wrong with saved bytes, they are refused or read as some samples; nothing panics.
#[test]
fn damaged_packed_samples_are_refused_or_readable() {
    let saved = packed_memory(20);
    let mut bytes = Vec::new();
    saved.save(&mut bytes).expect("writing to memory");
    let mut refused = 0;
    for (position, mask) in (0..bytes.len()).flat_map(|position| [(position, 1), (position, 0x80)]) {
        bytes[position] ^= mask;
        let mut loaded = packed_memory(0);
        match loaded.load(&mut bytes.as_slice()) {
            Ok(()) => (0..loaded.len()).for_each(|index| drop(read_bits(&loaded, index))),
            Err(_) => refused += 1,
        }
        bytes[position] ^= mask;
    }
    assert!(refused > 100, "{refused} refused");
    let cut = bytes.len() - 1;
    assert!(matches!(packed_memory(0).load(&mut &bytes[..cut]), Err(LoadError::Io(_))));
}

#[test]
fn the_fingerprint_sees_every_part_of_a_sample() {
    let hash = |meta: SampleMeta, features: [f32; 3], targets: [f32; 2]| {
        let mut reservoir = Reservoir::new(SHAPE, 5, 0, 0);
        reservoir.offer(meta, &features, &targets);
        reservoir.hash()
    };
    let meta = SampleMeta { legal: ActionSet::first(2), iteration: 1 };
    let base = hash(meta, [1.0, 2.0, 3.0], [4.0, 5.0]);
    let later = SampleMeta { iteration: 2, ..meta };
    let wider = SampleMeta { legal: ActionSet::first(128), ..meta };
    for other in [
        hash(later, [1.0, 2.0, 3.0], [4.0, 5.0]),
        hash(wider, [1.0, 2.0, 3.0], [4.0, 5.0]),
        hash(meta, [1.0, 3.0, 2.0], [4.0, 5.0]),
        hash(meta, [1.0, 2.0, 3.0], [4.0, -5.0]),
    ] {
        assert_ne!(base, other);
    }
}

#[test]
fn memories_route_samples_to_their_reservoir() {
    let mut memories = Memories::new(SHAPE, 4, 8, 1);
    let meta = SampleMeta { legal: ActionSet::first(2), iteration: 1 };
    memories.advantage(1, meta, &[0.0; 3], &[0.0; 2]);
    (0..3).for_each(|_| memories.strategy(meta, &[0.0; 3], &[0.5; 2]));
    assert_eq!(memories.iter().map(SampleSource::len).collect::<Vec<_>>(), [0, 1, 3]);
    let three = |each: fn(SampleShape, usize) -> u64| 2 * each(SHAPE, 4) + each(SHAPE, 8);
    assert_eq!(Memories::bytes_expected(SHAPE, 4, 8), three(Reservoir::bytes_expected));
    assert_eq!(Memories::bytes_at_most(SHAPE, 4, 8), three(Reservoir::bytes_at_most));
    let mut bytes = Vec::new();
    memories.save(&mut bytes).expect("writing to memory");
    let mut loaded = Memories::new(SHAPE, 4, 8, 1);
    loaded.load(&mut bytes.as_slice()).expect("the same memories");
    assert_eq!(loaded.hash(), memories.hash());
}

/// What a memory holds, as a list of samples that is drawn from as Vitter's algorithm R says.
fn listed(samples: &[Sample], capacity: usize, seed: u64, memory: u32) -> Vec<&Sample> {
    let mut list = Vec::new();
    for (sample, ordinal) in samples.iter().zip(1u32..) {
        if list.len() < capacity {
            list.push(sample);
            continue;
        }
        let mut stream = Stream::new(seed, Purpose::Reservoir, 0, memory, ordinal);
        if let Some(place) = list.get_mut(stream.below_u64(ordinal.into()) as usize) {
            *place = sample;
        }
    }
    list
}

/// Legal actions, iteration, and the bits of features and targets.
type Sample = (u128, u32, Vec<u32>, Vec<u32>);

fn numbers(bits: &[u32]) -> Vec<f32> {
    bits.iter().map(|&bits| f32::from_bits(bits)).collect()
}

fn bits_of(numbers: &[f32]) -> Vec<u32> {
    numbers.iter().map(|number| number.to_bits()).collect()
}

fn read_bits(reservoir: &Reservoir, index: usize) -> Sample {
    let SampleShape { num_features, num_actions } = reservoir.shape();
    let (mut features, mut targets) = (vec![7.0; num_features], vec![7.0; num_actions]);
    let meta = reservoir.read(index, &mut features, &mut targets);
    let (mut metas, mut alone) = ([SampleMeta { iteration: 0, ..meta }; 2], vec![7.0; 2 * num_actions]);
    let first = index.saturating_sub(1);
    let count = index + 1 - first;
    reservoir.read_targets(first, &mut metas[..count], &mut alone[..count * num_actions]);
    assert_eq!(metas[count - 1], meta);
    assert_eq!(bits_of(&alone[(count - 1) * num_actions..][..num_actions]), bits_of(&targets));
    (meta.legal.bits(), meta.iteration, bits_of(&features), bits_of(&targets))
}

fn assert_holds_what_a_list_would(shape: SampleShape, capacity: usize, samples: &[Sample]) {
    let mut reservoir = Reservoir::new(shape, capacity, 5, 1);
    for (legal, iteration, features, targets) in samples {
        let meta = SampleMeta { legal: ActionSet::from_bits(*legal), iteration: *iteration };
        reservoir.offer(meta, &numbers(features), &numbers(targets));
        assert!(reservoir.bytes_allocated() <= Reservoir::bytes_at_most(shape, capacity));
    }
    let mut bytes = Vec::new();
    reservoir.save(&mut bytes).expect("writing to memory");
    let mut loaded = Reservoir::new(shape, capacity, 5, 1);
    loaded.load(&mut bytes.as_slice()).expect("the same memory");
    let list = listed(samples, capacity, 5, 1);
    assert_eq!((reservoir.len(), loaded.len()), (list.len(), list.len()));
    reservoir.prefetch(&(0..list.len() as u32).collect::<Vec<_>>());
    for (index, sample) in list.into_iter().enumerate() {
        assert_eq!(&read_bits(&reservoir, index), sample);
        assert_eq!(&read_bits(&loaded, index), sample);
    }
}

/// The bits of a row: mostly 0 and 1, few numbers, or any numbers (NaNs and both zeros included).
fn row(len: usize) -> impl Strategy<Value = Vec<u32>> {
    let number = |weights: [u32; 3]| {
        prop_oneof![
            weights[0] => prop::sample::select(vec![0.0f32, 1.0]).prop_map(f32::to_bits),
            weights[1] => (0u32..400).prop_map(|count| (count as f32 / 40.0).to_bits()),
            weights[2] => any::<u32>(),
            1 => prop::sample::select(vec![(-0.0f32).to_bits(), f32::NAN.to_bits(), 0xFFC0_1234, 1, u32::MAX]),
        ]
    };
    prop_oneof![
        prop::collection::vec(number([90, 8, 1]), len),
        prop::collection::vec(number([10, 60, 1]), len),
        prop::collection::vec(number([1, 1, 60]), len),
    ]
}

fn samples() -> impl Strategy<Value = (SampleShape, Vec<Sample>)> {
    (1usize..200, 1usize..129).prop_flat_map(|(num_features, num_actions)| {
        let legal = prop_oneof![Just(0), any::<u128>(), Just(u128::MAX)];
        let sample = (legal, any::<u32>(), row(num_features), row(num_actions));
        (Just(SampleShape { num_features, num_actions }), prop::collection::vec(sample, 1..60))
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

    #[test]
    fn any_samples_are_read_back_bit_for_bit((shape, samples) in samples(), capacity in 1usize..40) {
        assert_holds_what_a_list_would(shape, capacity, &samples);
    }
}

/// Several segments whose samples are replaced by longer and shorter ones: arrays are copied many times.
#[test]
fn replaced_samples_of_any_length_lose_nothing() {
    let shape = SampleShape { num_features: 70, num_actions: 2 };
    let sample = |ordinal: u32| -> Sample {
        let filled = Stream::new(1, Purpose::Test, 0, 0, ordinal).below(71) as usize;
        let features =
            (0..70).map(|index| if index < filled { 0x4000_0000 + ordinal + index as u32 } else { 0 });
        (ordinal.into(), ordinal, features.collect(), vec![ordinal, 0])
    };
    let samples: Vec<_> = (0..10_000).map(sample).collect();
    assert_holds_what_a_list_would(shape, 3 * arena::ROWS + 100, &samples);
}

/// The figure is that of memories which kept every number in full: packing is not to be seen.
#[test]
fn the_fingerprint_does_not_depend_on_how_samples_lie() {
    let mut reservoir = Reservoir::new(SHAPE, 50, 9, 2);
    (0..500).for_each(|value| offer(&mut reservoir, value));
    let meta = SampleMeta { legal: ActionSet::from_bits(u128::MAX), iteration: u32::MAX };
    (0..500).for_each(|_| reservoir.offer(meta, &[-0.0, f32::NAN, 1e-40], &[f32::INFINITY, 0.0]));
    assert_eq!(reservoir.hash(), 17_890_143_213_109_136_219);
}

#[test]
fn a_cleared_memory_fills_again_in_the_same_storage() {
    for num_features in [3, 300] {
        let shape = SampleShape { num_features, num_actions: 2 };
        let mut reservoir = Reservoir::new(shape, 50, 9, 2);
        let meta = SampleMeta { legal: ActionSet::first(2), iteration: 1 };
        let mut fill = |number: u32| {
            (0..50).for_each(|_| reservoir.offer(meta, &vec![number as f32; num_features], &[0.0; 2]));
            let read = read_bits(&reservoir, 49).2;
            assert_eq!(read, vec![(number as f32).to_bits(); num_features]);
            let allocated = reservoir.bytes_allocated();
            reservoir.clear();
            assert_eq!((reservoir.len(), reservoir.offered()), (0, 0));
            allocated
        };
        assert_eq!(fill(2), fill(3));
    }
}

/// 20 rows whose targets spread by 3 and 1 around means of their own, so that the spread over both is √5; 200
/// samples of a row are kept of 10,000. The RMS of the distance between the means of what is kept and of all
/// has, over 20 seeds, 20 rows and 2 actions, a standard error of 2.5 %.
#[test]
fn a_full_memory_has_the_noise_of_its_floor() {
    for weighting in [Weighting::Linear, Weighting::Uniform] {
        let (rows, capacity, mut squares) = (20, 4000, 0.0);
        for seed in 0..20 {
            let (mut memory, mut all) = (Reservoir::new(SHAPE, capacity, seed, 0), [[0.0; 3]; 20]);
            let mut stream = Stream::new(seed, Purpose::Test, 0, 0, 0);
            for ordinal in 0..200_000u32 {
                let (row, iteration) = (ordinal as usize % rows, 1 + ordinal / 200);
                let targets = [7.0 + 3.0 * stream.normal() as f32, stream.normal() as f32];
                memory.offer(
                    SampleMeta { legal: ActionSet::first(2), iteration },
                    &[row as f32; 3],
                    &targets,
                );
                add(&mut all[row], weighting.unscaled(iteration), &targets);
            }
            assert!(memory.is_full() && memory.overflowed());
            squares += distance(&memory, weighting, &all);
        }
        let noise = (squares / (20.0 * 20.0 * 2.0)).sqrt();
        let floor = Reservoir::new(SHAPE, capacity, 0, 0).noise_floor(rows, 5f64.sqrt(), weighting);
        println!("{weighting:?}: noise {noise}, floor {floor}");
        assert!((noise / (floor * 0.98f64.sqrt()) - 1.0).abs() < 0.1, "noise {noise}, floor {floor}");
    }
}

/// Adds a sample to the sums of its row: weight, weighted targets.
fn add(sums: &mut [f64; 3], weight: f64, targets: &[f32]) {
    sums[0] += weight;
    sums[1..].iter_mut().zip(targets).for_each(|(sum, &target)| *sum += weight * f64::from(target));
}

/// The squared distance of the means of what is held from those of `all`, summed over rows and actions.
fn distance(memory: &Reservoir, weighting: Weighting, all: &[[f64; 3]; 20]) -> f64 {
    let (mut features, mut targets, mut held) = ([0.0; 3], [0.0; 2], [[0.0; 3]; 20]);
    for index in 0..memory.len() {
        let meta = memory.read(index, &mut features, &mut targets);
        add(&mut held[features[0] as usize], weighting.unscaled(meta.iteration), &targets);
    }
    let rows = held.iter().zip(all);
    let squares =
        rows.flat_map(|(held, all)| [1, 2].map(|at| (held[at] / held[0] - all[at] / all[0]).powi(2)));
    squares.sum()
}

#[test]
fn a_memory_is_full_before_it_overflows() {
    let mut reservoir = Reservoir::new(SHAPE, 2, 0, 0);
    let mut states = Vec::new();
    for value in 0..3 {
        offer(&mut reservoir, value);
        states.push((reservoir.is_full(), reservoir.overflowed()));
    }
    assert_eq!(states, [(false, false), (true, false), (true, true)]);
}

fn offer_a_short_row_of_targets(num_features: usize) {
    let shape = SampleShape { num_features, num_actions: 2 };
    let meta = SampleMeta { legal: ActionSet::first(2), iteration: 1 };
    Reservoir::new(shape, 5, 0, 0).offer(meta, &vec![0.0; num_features], &[0.0]);
}

#[test]
#[should_panic(expected = "length")]
fn a_short_row_of_targets_is_a_bug() {
    offer_a_short_row_of_targets(3);
}

#[test]
#[should_panic(expected = "length")]
fn a_short_row_of_targets_is_a_bug_in_packed_samples_too() {
    offer_a_short_row_of_targets(300);
}

/// Numbers that never come again have no code: the memory must not take more than plain arrays would,
/// but for the room to spare.
#[test]
fn samples_that_cannot_be_packed_lie_in_full() {
    let shape = SampleShape { num_features: 300, num_actions: 20 };
    let sample = |ordinal: u32| -> Sample {
        let number = |index: u32| 0x4000_0000 + 1000 * ordinal + index;
        (3, ordinal, (0..300).map(number).collect(), (300..320).map(number).collect())
    };
    let samples: Vec<_> = (0..5000).map(sample).collect();
    assert_holds_what_a_list_would(shape, 2000, &samples);
    let in_full = 4.0 * f64::from(4 + 1 + 300 + 20);
    let at_most = Reservoir::bytes_at_most(shape, 100_000) as f64 / 100_000.0;
    assert!(at_most < 1.1 * in_full, "{at_most} bytes a sample");
}

#[test]
fn a_memory_tells_what_has_changed_since_an_edition() {
    let mut reservoir = Reservoir::new(SHAPE, 30, 4, 1);
    let mut value = 0;
    for offers in [0, 20, 1, 25, 100, 3] {
        let (edition, before) = (reservoir.edition().expect("an edition"), kept(&reservoir));
        (0..offers).for_each(|_| {
            value += 1;
            offer(&mut reservoir, value);
        });
        let changed = reservoir.changed_since(edition).expect("an earlier edition");
        for (index, &now) in kept(&reservoir).iter().enumerate() {
            let same = before.get(index) == Some(&now);
            assert_eq!(same, !changed.contains(&(index as u32)), "sample {index} after {value} offers");
        }
    }
    let edition = reservoir.edition().expect("an edition");
    assert_eq!(reservoir.changed_since(edition), Some(vec![]));
    assert_eq!(reservoir.clone().changed_since(edition), None, "a copy goes its own way");
    let mut bytes = Vec::new();
    reservoir.save(&mut bytes).expect("writing to memory");
    reservoir.load(&mut bytes.as_slice()).expect("what was saved");
    assert_eq!(reservoir.changed_since(edition), None, "what was loaded may be anything");
    let edition = reservoir.edition().expect("an edition");
    reservoir.clear();
    (0..200).for_each(|value| offer(&mut reservoir, value));
    assert_eq!(reservoir.changed_since(edition), None, "a cleared memory starts anew");
}
