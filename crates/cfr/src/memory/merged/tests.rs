//! Unit tests of merged memories.

use deepcfr_core::{ActionSet, Purpose, Stream};

use super::super::{LoadError, Reservoir};
use super::*;

const SHAPE: SampleShape = SampleShape { num_features: 3, num_actions: 2 };
/// Rows of this many features are packed.
const LONG: SampleShape = SampleShape { num_features: 150, num_actions: 3 };
const SHAPES: [SampleShape; 2] = [SHAPE, LONG];

fn meta(iteration: u32) -> SampleMeta {
    SampleMeta { legal: ActionSet::first(2), iteration }
}

/// Row number `row`; in the long shape some of its numbers have codes and some have none.
fn features(shape: SampleShape, row: u32) -> Vec<f32> {
    let number = |index: usize| match index {
        0 => row as f32 / 7.0,
        _ => ((index as u32 * row) % 5) as f32 / 4.0,
    };
    (0..shape.num_features).map(number).collect()
}

/// Samples of `rows` rows in a mixed order: iteration, row, targets.
fn samples(shape: SampleShape, rows: u32, count: u32) -> Vec<(u32, u32, Vec<f32>)> {
    let sample = |ordinal: u32| {
        let mut stream = Stream::new(3, Purpose::Test, 0, 0, ordinal);
        let row = stream.below(rows);
        let target = |action: usize| if action < 2 { (10.0 * stream.normal()) as f32 } else { 0.0 };
        (1 + ordinal / 10, row, (0..shape.num_actions).map(target).collect())
    };
    (0..count).map(sample).collect()
}

fn offer(memory: &mut MergedMemory, (iteration, row, targets): &(u32, u32, Vec<f32>)) {
    memory.offer(meta(*iteration), &features(memory.shape(), *row), targets);
}

fn filled(shape: SampleShape, limit: usize, count: u32) -> MergedMemory {
    let mut memory = MergedMemory::new(shape, limit, Weighting::Linear);
    samples(shape, 50, count).iter().for_each(|sample| offer(&mut memory, sample));
    memory
}

/// The features, means and weight of row `row`.
fn row(memory: &MergedMemory, row: usize) -> (SampleMeta, Vec<f32>, Vec<f32>, f64) {
    let SampleShape { num_features, num_actions } = memory.shape();
    let (mut features, mut targets) = (vec![7.0; num_features], vec![7.0; num_actions]);
    let meta = memory.read(row, &mut features, &mut targets);
    let (mut metas, mut alone) = ([SampleMeta { iteration: 0, ..meta }], vec![7.0; num_actions]);
    memory.read_targets(row, &mut metas, &mut alone);
    assert_eq!((metas[0], &alone), (meta, &targets));
    memory.prefetch(&[row as u32]);
    (meta, features, targets, memory.merged().expect("it merges").weights[row])
}

#[test]
fn rows_hold_weighted_means_in_the_order_of_their_first_samples() {
    for (weighting, mean, weight) in [(Weighting::Linear, 4.0, 4.0), (Weighting::Uniform, 3.0, 2.0)] {
        let mut memory = MergedMemory::new(SHAPE, 10, weighting);
        memory.offer(meta(1), &[0.5, 0.0, 1.0], &[1.0, -2.0]);
        memory.offer(meta(2), &[0.0, 0.0, 1.0], &[8.0, 0.0]);
        memory.offer(meta(3), &[0.5, 0.0, 1.0], &[5.0, -2.0]);
        assert_eq!((memory.len(), memory.offered(), memory.refused()), (2, 3, 0));
        let (first, features, targets, sum) = row(&memory, 0);
        assert_eq!((first, features, sum), (meta(1), vec![0.5, 0.0, 1.0], weight));
        assert_eq!(targets, [mean, -2.0]);
        assert_eq!(row(&memory, 1).2, [8.0, 0.0]);
    }
}

#[test]
fn totals_are_those_of_the_samples() {
    let mut memory = MergedMemory::new(SHAPE, 10, Weighting::Linear);
    memory.offer(meta(1), &[0.0; 3], &[1.0, -1.0]);
    memory.offer(meta(3), &[0.0; 3], &[2.0, 0.5]);
    let one = SampleMeta { legal: ActionSet::first(1), iteration: 2 };
    memory.offer(one, &[1.0; 3], &[3.0, 0.0]);
    let merged = memory.merged().expect("it merges");
    assert_eq!((merged.samples, merged.weights), (3, vec![4.0, 2.0]));
    assert_eq!(merged.squares, 1.0 * 2.0 + 3.0 * 4.25 + 2.0 * 9.0);
    assert_eq!(merged.legal_weight, 2.0 * 1.0 + 2.0 * 3.0 + 2.0);
}

#[test]
fn rows_that_differ_in_a_bit_or_in_legal_actions_are_not_merged() {
    for shape in SHAPES {
        let mut memory = MergedMemory::new(shape, 10, Weighting::Uniform);
        let row = vec![0.0; shape.num_features];
        let mut negative = row.clone();
        negative[shape.num_features - 1] = -0.0;
        let targets = vec![1.0; shape.num_actions];
        let fewer = SampleMeta { legal: ActionSet::first(1), iteration: 1 };
        for _ in 0..2 {
            memory.offer(meta(1), &row, &targets);
            memory.offer(meta(2), &negative, &targets);
            memory.offer(fewer, &row, &targets);
        }
        assert_eq!(memory.len(), 3);
        assert_eq!((0..3).map(|row| memory.rows.meta(row).legal.len()).collect::<Vec<_>>(), [2, 2, 1]);
    }
}

/// What a saved memory is read back as goes on as the saved one does, to the bit.
#[test]
fn a_memory_read_back_continues_like_the_one_saved() {
    for shape in SHAPES {
        for limit in [30, 1000] {
            let mut saved = filled(shape, limit, 2000);
            let mut bytes = Vec::new();
            saved.save(&mut bytes).expect("writing to memory");
            let mut loaded = filled(shape, limit, 10);
            loaded.load(&mut bytes.as_slice()).expect("the same memory");
            let more = samples(shape, 70, 3000);
            for memory in [&mut saved, &mut loaded] {
                more.iter().for_each(|sample| offer(memory, sample));
            }
            let [mut first, mut second] = [Vec::new(), Vec::new()];
            saved.save(&mut first).expect("writing to memory");
            loaded.save(&mut second).expect("writing to memory");
            assert!(first == second);
            assert_eq!((saved.hash(), saved.check()), (loaded.hash(), loaded.check()));
        }
    }
}

#[test]
fn foreign_or_damaged_memories_are_refused() {
    let saved = filled(SHAPE, 60, 500);
    let mut bytes = Vec::new();
    saved.save(&mut bytes).expect("writing to memory");
    let refusal = |mut memory: MergedMemory, bytes: &[u8]| memory.load(&mut &bytes[..]).expect_err("refused");
    let other = refusal(MergedMemory::new(SHAPE, 61, Weighting::Linear), &bytes);
    assert!(matches!(other, LoadError::Mismatch { what: "limit of distinct rows", expected: 61, got: 60 }));
    let other = refusal(MergedMemory::new(SHAPE, 60, Weighting::Uniform), &bytes);
    assert!(matches!(other, LoadError::Mismatch { what: "weighting", .. }));
    let short = refusal(filled(SHAPE, 60, 0), &bytes[..bytes.len() - 1]);
    assert!(matches!(short, LoadError::Io(_)));
    let mut reservoir = Reservoir::new(SHAPE, 5, 0, 0);
    let kind = reservoir.load(&mut bytes.as_slice()).expect_err("refused");
    assert!(matches!(kind, LoadError::Kind { expected: "reservoir" }));
    let mut samples = Vec::new();
    reservoir.save(&mut samples).expect("writing to memory");
    assert!(matches!(refusal(filled(SHAPE, 60, 0), &samples), LoadError::Kind { expected: "merged memory" }));
    let mut more_rows = bytes.clone();
    more_rows[56] = 61;
    assert!(matches!(refusal(filled(SHAPE, 60, 0), &more_rows), LoadError::Count { offered: 500, len: 61 }));
    // The second row becomes the first.
    let row = 16 + 4 + 3 * 4;
    bytes.copy_within(64..64 + row, 64 + row);
    let twice = refusal(filled(SHAPE, 60, 0), &bytes);
    assert!(matches!(twice, LoadError::Damaged { what: "distinct row", index: 1 }), "{twice}");
}

/// Whatever is wrong with saved bytes, they are refused or read as some memory; nothing panics.
#[test]
fn damaged_bytes_are_refused_or_readable() {
    for shape in SHAPES {
        let mut bytes = Vec::new();
        filled(shape, 60, 30).save(&mut bytes).expect("writing to memory");
        let mut refused = 0;
        for (position, mask) in (0..bytes.len()).flat_map(|position| [(position, 1), (position, 0x80)]) {
            bytes[position] ^= mask;
            let mut loaded = filled(shape, 60, 0);
            match loaded.load(&mut bytes.as_slice()) {
                Ok(()) => (0..loaded.len()).for_each(|index| drop(row(&loaded, index))),
                Err(_) => refused += 1,
            }
            bytes[position] ^= mask;
        }
        assert!(refused > 50, "{refused} refused");
    }
}

#[test]
fn rows_beyond_the_limit_are_left_out_and_counted() {
    for shape in SHAPES {
        let all = filled(shape, 1000, 2000);
        assert_eq!((all.len(), all.overflowed(), all.is_full(), all.check()), (50, false, false, Ok(())));
        let some = filled(shape, 20, 2000);
        assert_eq!((some.len(), some.offered(), some.is_full()), (20, 2000, true));
        let refused = some.refused();
        assert_eq!(some.merged().expect("it merges").samples, 2000 - refused);
        assert_eq!(some.check(), Err(Overflow { limit: 20, refused, offered: 2000 }));
        let words = Overflow { limit: 20, refused: 7, offered: 2000 }.to_string();
        assert_eq!(
            words,
            "a memory of 20 distinct rows is full: 7 of 2000 samples are of other rows and were left out"
        );
        // Rows that are held lose nothing.
        (0..20).for_each(|index| assert_eq!(row(&some, index), row(&all, index)));
        let exactly = filled(shape, 50, 2000);
        assert_eq!((exactly.is_full(), exactly.overflowed()), (true, false));
    }
}

#[test]
fn storage_stays_within_the_plan_and_is_used_again() {
    for shape in SHAPES {
        let mut memory = MergedMemory::new(shape, 5000, Weighting::Linear);
        let targets = vec![1.0; shape.num_actions];
        for number in 0..5000 {
            memory.offer(meta(1), &features(shape, number), &targets);
            assert!(memory.bytes_allocated() <= MergedMemory::bytes_at_most(shape, 5000));
        }
        assert!(memory.bytes_allocated() <= MergedMemory::bytes_expected(shape, 5000));
        let (hash, allocated) = (memory.hash(), memory.bytes_allocated());
        memory.clear();
        assert_eq!((memory.len(), memory.offered(), memory.is_full()), (0, 0, false));
        (0..5000).for_each(|number| memory.offer(meta(1), &features(shape, number), &targets));
        assert_eq!((memory.hash(), memory.bytes_allocated()), (hash, allocated));
    }
}

#[test]
fn the_fingerprint_sees_every_part_of_a_memory() {
    let hash = |meta: SampleMeta, features: [f32; 3], targets: [f32; 2]| {
        let mut memory = MergedMemory::new(SHAPE, 5, Weighting::Linear);
        memory.offer(meta, &features, &targets);
        memory.hash()
    };
    let base = hash(meta(1), [1.0, 2.0, 3.0], [4.0, 5.0]);
    for other in [
        hash(meta(2), [1.0, 2.0, 3.0], [4.0, 5.0]),
        hash(SampleMeta { legal: ActionSet::first(1), iteration: 1 }, [1.0, 2.0, 3.0], [4.0, 5.0]),
        hash(meta(1), [1.0, 3.0, 2.0], [4.0, 5.0]),
        hash(meta(1), [1.0, 2.0, 3.0], [4.0, -5.0]),
    ] {
        assert_ne!(base, other);
    }
}

#[test]
#[should_panic(expected = "length")]
fn a_short_row_of_targets_is_a_bug() {
    MergedMemory::new(SHAPE, 5, Weighting::Linear).offer(meta(1), &[0.0; 3], &[0.0]);
}
