//! Real samples of every encoder come out of a memory as they went in, bit for bit.

use deepcfr_cfr::memory::Reservoir;
use deepcfr_cfr::traversal::Sampling;
use deepcfr_core::{Encoder, Features, Game, Player, SampleMeta, SampleSink, SampleSource};
use deepcfr_games::goofspiel::{Goofspiel, GoofspielEncoder, GoofspielRules};
use deepcfr_games::kuhn::{Kuhn, KuhnEncoder};
use deepcfr_games::leduc::{Leduc, LeducEncoder, LeducRules};
use deepcfr_games::liars_dice::{LiarsDice, LiarsDiceEncoder, LiarsDiceRules};
use deepcfr_games::lost_cities::{Cards, CardsEncoder, LostCities, Rules, Slots, SlotsEncoder, Sorted};

#[path = "memories/play.rs"]
mod play;

use play::{OUTCOME, ROLLOUT};

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

fn assert_exact<G: Game, E: Encoder<G>>(game: &G, encoder: &E, sampling: Sampling) {
    let iterations = if sampling == ROLLOUT { 1..4 } else { 1..20 };
    let shape = play::shape(game, encoder);
    let mut both = Both { memory: Reservoir::new(shape, 100_000, 1, 0), list: Vec::new() };
    iterations.for_each(|iteration| play::play(game, encoder, sampling, iteration, &mut both));
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
    for sampling in [Sampling::External, OUTCOME, ROLLOUT] {
        assert_exact(&Kuhn, &KuhnEncoder, sampling);
        assert_exact(&leduc, &LeducEncoder::new(&leduc), sampling);
    }
    assert_exact(&dice, &LiarsDiceEncoder::new(&dice), OUTCOME);
    assert_exact(&goofspiel, &GoofspielEncoder::new(&goofspiel), OUTCOME);
}

#[test]
fn samples_of_lost_cities_are_exact() {
    let rules = Rules::classic();
    let slots = LostCities::<Slots>::new(rules).expect("the boxed game");
    let sorted = LostCities::<Sorted>::new(rules).expect("the boxed game");
    let cards = LostCities::<Cards>::new(rules).expect("the boxed game");
    for sampling in [OUTCOME, ROLLOUT] {
        assert_exact(&slots, &SlotsEncoder::new(&rules), sampling);
        assert_exact(&sorted, &CardsEncoder::new(&rules), sampling);
        assert_exact(&cards, &CardsEncoder::new(&rules), sampling);
    }
}
