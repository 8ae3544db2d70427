//! Speed of the Lost Cities engine, its encoders and bots: `cargo bench --workspace
//! --bench games`. One thread.
//!
//! Not here: whether they are right (their tests).

use std::hint::black_box;
use std::time::Duration;

use criterion::Criterion;
use deepcfr_benches::{Target, measure};
use deepcfr_core::{Encoder, Game, Purpose, Stream};
use deepcfr_games::lost_cities::{
    ActionSpace, Bot, Cards, CardsEncoder, LostCities, Rules, Slots, SlotsEncoder, State,
};
use deepcfr_games::play;

fn main() {
    let criterion = Criterion::default().warm_up_time(Duration::from_millis(500)).sample_size(20);
    let mut criterion = criterion.measurement_time(Duration::from_secs(2)).configure_from_args();
    let by_slot = classic::<Slots>();
    playouts(&mut criterion, "random move, by slot", &by_slot);
    let by_card = classic::<Cards>();
    playouts(&mut criterion, "random move, by card", &by_card);
    let states = decisions(&by_slot);
    let rules = Rules::classic();
    encodings(
        &mut criterion,
        "slots encode",
        &SlotsEncoder::new(&rules),
        &states,
        Target::Nanoseconds(400.0),
    );
    encodings(&mut criterion, "cards encode", &CardsEncoder::new(&rules), &states, Target::None);
    moves(&mut criterion, &by_slot, &by_card, &states);
    for bot in Bot::ALL {
        let mut rng = Stream::new(3, Purpose::Test, 0, 0, 0);
        let target = if bot == Bot::HeuristicBalanced { Target::Nanoseconds(1000.0) } else { Target::None };
        per_state(&mut criterion, &format!("{} decision", bot.name()), target, &states, |state| {
            black_box(bot.decide(&by_slot, state, &mut rng));
        });
    }
    criterion.final_summary();
}

fn classic<A: ActionSpace>() -> LostCities<A> {
    LostCities::new(Rules::classic()).expect("the classic rules are possible")
}

/// Legal set, choice and move, the deck's cards included, as often as asked for.
fn playouts<A: ActionSpace>(criterion: &mut Criterion, name: &str, game: &LostCities<A>) {
    let mut index = 0;
    measure(criterion, name, Target::Nanoseconds(40.0), |count| {
        let mut left = count as i64;
        while left > 0 {
            index += 1;
            left -= playout(game, index, left as usize) as i64;
        }
    });
}

/// Plays a random game, at most so many moves of it; the moves played.
fn playout<A: ActionSpace>(game: &LostCities<A>, index: u32, most: usize) -> usize {
    let mut rng = Stream::new(1, Purpose::Test, 0, 0, index);
    let (state, _) = play::play(game, &mut rng, |state: &State, _, rng| {
        if state.plies() < most { play::random_action(game, state, rng) } else { None }
    });
    state.plies()
}

/// What a move is made of, and the key of its infoset.
fn moves(
    criterion: &mut Criterion,
    by_slot: &LostCities<Slots>,
    by_card: &LostCities<Cards>,
    states: &[State],
) {
    per_state(criterion, "legal actions, by slot", Target::None, states, |state| {
        black_box(by_slot.legal_actions(state));
    });
    per_state(criterion, "legal actions, by card", Target::None, states, |state| {
        black_box(by_card.legal_actions(state));
    });
    let mut rng = Stream::new(4, Purpose::Test, 0, 0, 0);
    per_state(criterion, "copy, choose and move", Target::None, states, |state| {
        let mut next = *state;
        let action = play::random_action(by_slot, state, &mut rng).expect("a player has a legal action");
        by_slot.apply(&mut next, action);
        black_box(&next);
    });
    per_state(criterion, "infoset key", Target::None, states, |state| {
        black_box(by_slot.infoset_key(state, state.player()));
    });
}

fn encodings(
    criterion: &mut Criterion,
    name: &str,
    encoder: &impl Encoder<LostCities<Slots>>,
    states: &[State],
    target: Target,
) {
    let game = classic::<Slots>();
    let mut row = vec![0.0; encoder.num_features()];
    per_state(criterion, name, target, states, |state| {
        encoder.encode(&game, state, state.player(), &mut row);
        black_box(&row);
    });
}

fn per_state(
    criterion: &mut Criterion,
    name: &str,
    target: Target,
    states: &[State],
    mut visit: impl FnMut(&State),
) {
    measure(criterion, name, target, |count| {
        states.iter().cycle().take(count as usize).for_each(|state| visit(black_box(state)));
    });
}

/// Decisions of games between the balanced heuristic and a noisy one.
fn decisions(game: &LostCities<Slots>) -> Vec<State> {
    let bots = [Bot::HeuristicBalanced, Bot::HeuristicNoisy];
    let of_a_game = |index| {
        play::decisions(game, Stream::new(2, Purpose::Test, 0, 0, index), |state, player, rng| {
            Some(game.to_action(state, bots[player].decide(game, state, rng)))
        })
    };
    (0..50).flat_map(of_a_game).map(|(state, _)| state).collect()
}
