//! Lost Cities without networks: playouts, legal moves, encoders, bots.
//!
//! Not here: whether they are right (the tests of `deepcfr-games`).

use std::hint::black_box;

use deepcfr_core::{ActionSet, Encoder, Game, Purpose, Stream};
use deepcfr_games::lost_cities::{
    ActionSpace, Bot, Cards, CardsEncoder, LostCities, Rules, Slots, SlotsEncoder, State,
};
use deepcfr_games::play;

use super::stage::{Bound, Stage};
use deepcfr_timing::timed;

/// Games of a stretch.
const GAMES: u32 = 200;
/// Games whose decisions are encoded.
const POSITIONS: u32 = 100;

/// The stages of the classic game.
pub(super) fn stages() -> Vec<Stage<'static>> {
    let states = decisions(&classic::<Slots>());
    vec![
        playouts("random playout, by slot", classic::<Slots>()),
        playouts("random playout, by card", classic::<Cards>()),
        legal_actions("legal actions, by slot", classic::<Slots>(), states.clone()),
        legal_actions("legal actions, by card", classic::<Cards>(), states.clone()),
        encoding("slots encode", classic::<Slots>(), SlotsEncoder::new(&Rules::classic()), states.clone()),
        encoding("cards encode", classic::<Cards>(), CardsEncoder::new(&Rules::classic()), states.clone()),
        bot(Bot::HeuristicBalanced, states.clone()),
        bot(Bot::Threshold, states),
    ]
}

pub(super) fn classic<A: ActionSpace>() -> LostCities<A> {
    LostCities::new(Rules::classic()).expect("the classic rules are possible")
}

/// Whole random games: legal set, choice, move, and the deck's cards, per move.
fn playouts<A: ActionSpace>(name: &str, game: LostCities<A>) -> Stage<'static> {
    let played: Vec<Played> = (0..GAMES).map(|index| playout(&game, index, |_, _| ())).collect();
    let moves: usize = played.iter().map(|played| played.moves).sum();
    let draws: usize = played.iter().map(|played| played.draws).sum();
    Stage {
        name: name.to_owned(),
        item: "move",
        bounds: vec![Bound::new("random numbers alone", move |limits| {
            limits.draws_per_second * moves as f64 / draws as f64
        })],
        run: Box::new(move || {
            timed(moves, || {
                (0..GAMES).for_each(|index| {
                    black_box(playout(&game, index, |_, _| ()));
                });
                Ok(())
            })
        }),
    }
}

/// A finished random game.
pub(super) struct Played {
    pub(super) utility: f64,
    moves: usize,
    draws: usize,
}

/// Plays a random game; `see` is shown every decision's state and legal actions.
pub(super) fn playout<A: ActionSpace>(
    game: &LostCities<A>,
    index: u32,
    mut see: impl FnMut(&State, ActionSet),
) -> Played {
    let mut rng = Stream::new(1, Purpose::Test, 0, 0, index);
    let (state, draws) = play::play(game, &mut rng, |state: &State, _, rng| {
        let legal = game.legal_actions(state);
        see(state, legal);
        legal.choose(|count| rng.below(count))
    });
    Played { utility: game.utility(&state), moves: state.plies(), draws }
}

/// Decisions of games between the balanced heuristic and a noisy one.
pub(super) fn decisions(game: &LostCities<Slots>) -> Vec<State> {
    let bots = [Bot::HeuristicBalanced, Bot::HeuristicNoisy];
    let of_a_game = |index| {
        play::decisions(game, Stream::new(2, Purpose::Test, 0, 0, index), |state, player, rng| {
            Some(game.to_action(state, bots[player].decide(game, state, rng)))
        })
    };
    (0..POSITIONS).flat_map(of_a_game).map(|(state, _)| state).collect()
}

fn legal_actions<A: ActionSpace>(name: &str, game: LostCities<A>, states: Vec<State>) -> Stage<'static> {
    per_state(name, "state", vec![], states, move |state| {
        black_box(game.legal_actions(state));
    })
}

fn encoding<A: ActionSpace, E: Encoder<LostCities<A>> + 'static>(
    name: &str,
    game: LostCities<A>,
    encoder: E,
    states: Vec<State>,
) -> Stage<'static> {
    let mut row = vec![0.0; encoder.num_features()];
    let bytes = size_of_val(&row[..]) as f64;
    let bound = Bound::new("writing the row to the first cache", move |limits| {
        limits.first_cache_bytes_per_second / bytes
    });
    per_state(name, "row", vec![bound], states, move |state| {
        encoder.encode(&game, state, state.player(), &mut row);
        black_box(&row);
    })
}

fn bot(bot: Bot, states: Vec<State>) -> Stage<'static> {
    let game = classic::<Slots>();
    let mut rng = Stream::new(3, Purpose::Test, 0, 0, 0);
    per_state(bot.name(), "decision", vec![], states, move |state| {
        black_box(bot.decide(&game, state, &mut rng));
    })
}

fn per_state(
    name: &str,
    item: &'static str,
    bounds: Vec<Bound>,
    states: Vec<State>,
    mut visit: impl FnMut(&State) + 'static,
) -> Stage<'static> {
    Stage {
        name: name.to_owned(),
        item,
        bounds,
        run: Box::new(move || {
            timed(states.len(), || {
                states.iter().for_each(|state| visit(black_box(state)));
                Ok(())
            })
        }),
    }
}
