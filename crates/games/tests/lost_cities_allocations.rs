//! Lost Cities plays, encodes and decides without touching the heap.
//!
//! One test in a binary of its own: the allocator counts for the whole process.

use std::alloc::System;
use std::hint::black_box;

use deepcfr_core::{Encoder, Game, Purpose, Stream, Turn};
use deepcfr_games::lost_cities::{
    ActionSpace, Bot, Cards, CardsEncoder, LostCities, Rules, Slots, SlotsEncoder,
};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

fn play<A: ActionSpace>(game: &LostCities<A>, rows: &mut [Vec<f32>; 2]) -> usize {
    let (slots, cards) = (SlotsEncoder::new(game.rules()), CardsEncoder::new(game.rules()));
    let mut decisions = 0;
    for (index, bot) in Bot::ALL.into_iter().enumerate() {
        let mut rng = Stream::new(4, Purpose::Test, 0, 0, index as u32);
        let mut state = game.root();
        loop {
            let action = match game.turn(&state) {
                Turn::Terminal => break,
                Turn::Chance => game.sample_chance(&state, &mut rng),
                Turn::Player(player) => {
                    decisions += 1;
                    slots.encode(game, &state, player, &mut rows[0]);
                    cards.encode(game, &state, player, &mut rows[1]);
                    black_box((game.infoset_key(&state, player), game.legal_actions(&state)));
                    let other = Bot::HeuristicNoisy;
                    let chosen = if player == 0 { bot } else { other }.decide(game, &state, &mut rng);
                    game.to_action(&state, chosen)
                }
            };
            game.apply(&mut state, action);
        }
        black_box(game.utility(&state));
    }
    decisions
}

fn width<A: ActionSpace>(encoder: &impl Encoder<LostCities<A>>) -> usize {
    encoder.num_features()
}

#[test]
fn nothing_is_allocated_per_decision() {
    let rules = Rules::classic();
    let by_card = LostCities::<Cards>::new(rules).expect("possible rules");
    let by_slot = LostCities::<Slots>::new(rules).expect("possible rules");
    let (slots, cards) = (SlotsEncoder::new(&rules), CardsEncoder::new(&rules));
    let mut rows = [width::<Slots>(&slots), width::<Slots>(&cards)].map(|width| vec![0.0; width]);
    let mut allocations = || {
        let region = Region::new(ALLOCATOR);
        let decisions = play(&by_card, &mut rows) + play(&by_slot, &mut rows);
        assert!(decisions > 1000, "{decisions}");
        region.change().allocations
    };
    // The harness's own thread allocates a little once the test has begun; the games do the same every time.
    assert_eq!((0..5).map(|_| allocations()).min(), Some(0));
}
