//! Unit tests of the memories.

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
    let capacity = 2 * segment::ROWS + 5;
    let mut reservoir = Reservoir::new(SHAPE, capacity, 3, 0);
    assert_eq!(reservoir.bytes_allocated(), own_bytes(SHAPE) as u64);
    for value in 0..3 * segment::ROWS as u32 {
        offer(&mut reservoir, value);
        assert!(reservoir.bytes_allocated() <= Reservoir::bytes_at_most(SHAPE, capacity));
    }
    assert_eq!((reservoir.len(), reservoir.offered()), (capacity, 3 * segment::ROWS as u64));
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
    bytes[48] = 49;
    let count = refusal(Reservoir::new(SHAPE, 50, 9, 2), &bytes);
    assert!(matches!(count, LoadError::Count { offered: 60, len: 49 }));
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
