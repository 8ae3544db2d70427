//! What full memories of Lost Cities samples take, by their own count and in the system's.
//!
//! One test in a binary of its own: the system counts for the whole process.

use deepcfr_cfr::memory::Reservoir;
use deepcfr_core::{Encoder, Features, Game, Player, SampleMeta, SampleSink, SampleSource};
use deepcfr_games::lost_cities::{Cards, CardsEncoder, LostCities, Rules, Slots, SlotsEncoder, Sorted};

#[path = "memories/play.rs"]
mod play;

use play::Walk;

const CAPACITY: usize = 40_000;
/// 2,000,000 samples in 800 MB.
const MAX_BYTES_A_SAMPLE: f64 = 400.0;

struct Sink(Reservoir);

impl SampleSink for Sink {
    fn advantage(&mut self, _player: Player, meta: SampleMeta, features: &dyn Features, targets: &[f32]) {
        self.0.offer(meta, features, targets);
    }

    fn strategy(&mut self, _meta: SampleMeta, _features: &dyn Features, _targets: &[f32]) {}
}

/// A full memory in which most samples have been replaced.
fn full_memory<G: Game, E: Encoder<G>>(game: &G, encoder: &E, walk: Walk) -> Reservoir {
    let shape = play::shape(game, encoder);
    let mut sink = Sink(Reservoir::new(shape, CAPACITY, 1, 0));
    let mut iterations = 1..;
    while sink.0.offered() < 3 * CAPACITY as u64 {
        play::play(game, encoder, walk, iterations.next().expect("no end"), &mut sink);
    }
    let a_sample = sink.0.bytes_allocated() as f64 / CAPACITY as f64;
    println!("{shape:?}: {a_sample:.1} bytes a sample");
    assert!(a_sample <= MAX_BYTES_A_SAMPLE, "{a_sample} bytes a sample");
    assert!(sink.0.bytes_allocated() <= Reservoir::bytes_expected(shape, CAPACITY));
    sink.0
}

/// The bytes of the process that are in memory, where the system tells.
fn resident() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    Some(1024.0 * line.trim().strip_suffix(" kB")?.parse::<f64>().ok()?)
}

#[test]
fn samples_of_lost_cities_take_at_most_400_bytes() {
    let rules = Rules::classic();
    let slots = LostCities::<Slots>::new(rules).expect("the boxed game");
    let sorted = LostCities::<Sorted>::new(rules).expect("the boxed game");
    let cards = LostCities::<Cards>::new(rules).expect("the boxed game");
    let before = resident();
    let memories = [
        full_memory(&slots, &SlotsEncoder::new(&rules), Walk::Outcome),
        full_memory(&sorted, &CardsEncoder::new(&rules), Walk::Outcome),
        full_memory(&cards, &CardsEncoder::new(&rules), Walk::Outcome),
        full_memory(&slots, &SlotsEncoder::new(&rules), Walk::Rollout),
    ];
    if let (Some(before), Some(after)) = (before, resident()) {
        let samples: usize = memories.iter().map(SampleSource::len).sum();
        let a_sample = (after - before) / samples as f64;
        println!("in the system's count: {a_sample:.1} bytes a sample");
        assert!(a_sample <= MAX_BYTES_A_SAMPLE, "{a_sample} bytes a sample in the system's count");
    }
}
