//! Speed of the Lost Cities engine, its encoders and a bot: `cargo bench --workspace
//! --bench games`. One thread.
//!
//! Not here: whether they are right (their tests).

use std::hint::black_box;
use std::time::Duration;

use criterion::Criterion;
use deepcfr_benches::{Target, measure};
use deepcfr_core::{Encoder, Game, Purpose, Stream, Turn};
use deepcfr_games::lost_cities::{
    ActionSpace, Bot, Cards, CardsEncoder, LostCities, Rules, Slots, SlotsEncoder, State,
};

fn main() {
    let criterion = Criterion::default().warm_up_time(Duration::from_millis(500)).sample_size(20);
    let mut criterion = criterion.measurement_time(Duration::from_secs(2)).configure_from_args();
    let by_slot = classic::<Slots>();
    playouts(&mut criterion, "random move, by slot", &by_slot);
    playouts(&mut criterion, "random move, by card", &classic::<Cards>());
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
    let mut rng = Stream::new(3, Purpose::Test, 0, 0, 0);
    let target = Target::Nanoseconds(1000.0);
    per_state(&mut criterion, "heuristic-balanced decision", target, &states, |state| {
        black_box(Bot::HeuristicBalanced.decide(&by_slot, state, &mut rng));
    });
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
    let mut state = game.root();
    while state.plies() < most {
        let action = match game.turn(&state) {
            Turn::Terminal => break,
            Turn::Chance => game.sample_chance(&state, &mut rng),
            Turn::Player(_) => {
                let legal = game.legal_actions(&state);
                legal.choose(|count| rng.below(count)).expect("a player has a legal action")
            }
        };
        game.apply(&mut state, action);
    }
    state.plies()
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
    let mut states = Vec::new();
    for index in 0..50 {
        let mut rng = Stream::new(2, Purpose::Test, 0, 0, index);
        let mut state = game.root();
        loop {
            let action = match game.turn(&state) {
                Turn::Terminal => break,
                Turn::Chance => game.sample_chance(&state, &mut rng),
                Turn::Player(player) => {
                    states.push(state);
                    let bot = [Bot::HeuristicBalanced, Bot::HeuristicNoisy][player];
                    game.to_action(&state, bot.decide(game, &state, &mut rng))
                }
            };
            game.apply(&mut state, action);
        }
    }
    states
}
