//! The slot encoding against the reference rows; what both encoders owe to any game.

use std::collections::HashMap;

use deepcfr_core::{Action, Encoder, Game, Purpose, Stream, Turn};
use deepcfr_games::lost_cities::{
    Bot, Cards, CardsEncoder, LostCities, Move, Phase, Rules, Slots, SlotsEncoder, Sorted, State,
};
use serde::Deserialize;

use crate::reference;

#[derive(Deserialize)]
struct EncodedState {
    game: u32,
    ply: usize,
    legal_ids: Vec<Action>,
    dim: usize,
    encoding: Vec<f32>,
}

fn check_rows(name: &str, count: usize) {
    let (games, rows) = (reference::games(), reference::rows::<EncodedState>(name));
    assert_eq!(rows.len(), count);
    let states = reference::states(&games, rows.iter().map(|row| (row.game, row.ply)));
    for (expected, (reference, state)) in rows.iter().zip(states) {
        let (game, encoder) = (reference.build::<Slots>(), SlotsEncoder::new(&reference.rules()));
        assert_eq!(Encoder::<LostCities<Slots>>::num_features(&encoder), expected.dim);
        let mut row = vec![f32::NAN; expected.dim];
        encoder.encode(&game, &state, state.player(), &mut row);
        for (feature, (got, want)) in row.iter().zip(&expected.encoding).enumerate() {
            let place = format!("{}:{} feature {feature}", expected.game, expected.ply);
            assert!((got - want).abs() <= 1e-6, "{place}: {got} instead of {want}");
        }
        assert_eq!(game.legal_actions(&state).iter().collect::<Vec<_>>(), expected.legal_ids);
    }
}

#[test]
fn the_classic_slot_rows_are_the_reference_rows() {
    check_rows("encodings_365.jsonl.gz", 123);
}

#[test]
fn the_small_slot_rows_are_the_reference_rows() {
    check_rows("encodings_365_small.jsonl.gz", 61);
}

const SETS: [Rules; 4] = [
    Rules::classic(),
    Rules { colours: 6, wagers: 4, min_rank: 1, ..Rules::classic() },
    Rules { colours: 1, ranks: 1, wagers: 1, hand_size: 1, bonus_threshold: 1, ..Rules::classic() },
    Rules { colours: 2, ranks: 4, wagers: 0, hand_size: 3, expedition_penalty: 0, ..Rules::classic() },
];

/// Plays games between bots and shows every decision, ends in endless play included.
fn visit_decisions(rules: Rules, mut visit: impl FnMut(&LostCities<Cards>, &State, usize)) {
    let game = LostCities::<Cards>::new(Rules { ply_cap: 400, ..rules }).expect("possible rules");
    for (index, bot) in Bot::ALL.into_iter().cycle().take(21).enumerate() {
        let mut rng = Stream::new(8, Purpose::Test, 0, 0, index as u32);
        let mut state = game.root();
        loop {
            let action = match game.turn(&state) {
                Turn::Terminal => break,
                Turn::Chance => game.sample_chance(&state, &mut rng),
                Turn::Player(player) => {
                    visit(&game, &state, player);
                    let chosen =
                        if player == 0 { bot } else { Bot::HeuristicNoisy }.decide(&game, &state, &mut rng);
                    game.to_action(&state, chosen)
                }
            };
            game.apply(&mut state, action);
        }
    }
}

fn encode(
    encoder: &impl Encoder<LostCities<Cards>>,
    game: &LostCities<Cards>,
    state: &State,
    player: usize,
) -> Vec<f32> {
    let mut row = vec![f32::NAN; encoder.num_features()];
    encoder.encode(game, state, player, &mut row);
    row
}

#[test]
fn every_feature_is_written_and_of_order_one() {
    for rules in SETS {
        let (cards, slots) = (CardsEncoder::new(&rules), SlotsEncoder::new(&rules));
        visit_decisions(rules, |game, state, player| {
            for value in encode(&cards, game, state, player) {
                assert!(value.abs() <= 8.0, "{value}");
            }
            assert!(encode(&slots, game, state, player).iter().all(|value| value.is_finite()));
        });
    }
}

/// The deal and the draws so far, replayed with the other player's hidden cards exchanged for cards
/// of the deck, must not change what the player to move sees. The exchanged cards are ones that the
/// opponent drew and still holds, so that every decision stays possible.
#[test]
fn rows_and_keys_do_not_show_the_other_hand() {
    let game = LostCities::<Cards>::new(Rules::classic()).expect("possible rules");
    let (cards, slots) = (CardsEncoder::new(game.rules()), SlotsEncoder::new(game.rules()));
    let mut compared = 0;
    for index in 0..60 {
        let (actions, states) = random_game(&game, index);
        for (step, state) in states.iter().enumerate().step_by(7) {
            let Turn::Player(player) = game.turn(state) else { continue };
            let Some(other) = exchange_hidden_card(&game, &actions[..step], state, player) else { continue };
            compared += 1;
            assert_eq!(game.infoset_key(state, player), game.infoset_key(&other, player));
            assert_ne!(state, &other);
            assert_eq!(encode(&cards, &game, state, player), encode(&cards, &game, &other, player));
            assert_eq!(encode(&slots, &game, state, player), encode(&slots, &game, &other, player));
            let decide = |bot: Bot, state: &State| {
                bot.decide(&game, state, &mut Stream::new(0, Purpose::Test, 0, 0, index))
            };
            for bot in Bot::ALL {
                assert_eq!(decide(bot, state), decide(bot, &other), "{bot}");
            }
        }
    }
    assert!(compared > 500, "{compared}");
}

fn random_game(game: &LostCities<Cards>, index: u32) -> (Vec<Action>, Vec<State>) {
    let mut rng = Stream::new(9, Purpose::Test, 0, 0, index);
    let (mut actions, mut states) = (Vec::new(), vec![game.root()]);
    let mut state = game.root();
    loop {
        let action = match game.turn(&state) {
            Turn::Terminal => return (actions, states),
            Turn::Chance => game.sample_chance(&state, &mut rng),
            Turn::Player(_) => {
                let chosen = Bot::Random.decide(game, &state, &mut rng);
                game.to_action(&state, chosen)
            }
        };
        game.apply(&mut state, action);
        actions.push(action);
        states.push(state);
    }
}

/// The same game with the first number that the opponent got from the deck and never touched again
/// replaced by a card that is still in the deck.
fn exchange_hidden_card(
    game: &LostCities<Cards>,
    actions: &[Action],
    state: &State,
    player: usize,
) -> Option<State> {
    let opponent = 1 - player;
    let is_number = |kind: usize| game.card(kind).1 > 0;
    let mut in_deck = Vec::new();
    game.chance_outcomes(state, |kind, _| in_deck.push(kind));
    let substitute = in_deck.into_iter().find(|&kind| is_number(kind as usize))?;
    let mut replay = game.root();
    let mut hidden = None;
    for (step, &action) in actions.iter().enumerate() {
        let dealt_to_them =
            matches!(replay.phase(), Phase::Deal | Phase::Deck) && replay.player() == opponent;
        let kind = action as usize;
        let kept = dealt_to_them && is_number(kind) && state.hand_slots(opponent).any(|held| held == kind);
        if hidden.is_none() && kept {
            hidden = Some(step);
        }
        game.apply(&mut replay, action);
    }
    let mut exchanged = actions.to_vec();
    exchanged[hidden?] = substitute;
    let mut other = game.root();
    for action in exchanged {
        if let Turn::Player(_) = game.turn(&other)
            && !game.legal_actions(&other).contains(action)
        {
            return None;
        }
        game.apply(&mut other, action);
    }
    Some(other)
}

#[test]
fn card_rows_do_not_depend_on_the_order_of_the_hand() {
    let game = LostCities::<Cards>::new(Rules::classic()).expect("possible rules");
    let encoder = CardsEncoder::new(game.rules());
    let deal = |mine: [Action; 8]| {
        let mut state = game.root();
        for (index, &kind) in mine.iter().enumerate() {
            game.apply(&mut state, kind);
            game.apply(&mut state, 40 + index as Action);
        }
        state
    };
    let (first, second) = (deal([0, 0, 3, 11, 19, 20, 25, 37]), deal([37, 3, 0, 25, 19, 0, 11, 20]));
    assert_ne!(first, second);
    assert_eq!(game.infoset_key(&first, 0), game.infoset_key(&second, 0));
    assert_eq!(encode(&encoder, &game, &first, 0), encode(&encoder, &game, &second, 0));
    let other = deal([37, 3, 0, 25, 19, 0, 11, 21]);
    assert_ne!(encode(&encoder, &game, &first, 0), encode(&encoder, &game, &other, 0));
}

/// A network cannot tell equal rows apart, so they must at least offer the same actions.
#[test]
fn equal_card_rows_have_equal_legal_actions() {
    let game = LostCities::<Cards>::new(SETS[3]).expect("possible rules");
    let encoder = CardsEncoder::new(game.rules());
    let (mut rows, mut decisions) = (HashMap::new(), 0);
    for index in 0..2000 {
        for state in random_game(&game, index).1 {
            let Turn::Player(player) = game.turn(&state) else { continue };
            let bits: Vec<_> =
                encode(&encoder, &game, &state, player).into_iter().map(f32::to_bits).collect();
            let legal = game.legal_actions(&state);
            assert_eq!(*rows.entry(bits).or_insert(legal), legal);
            decisions += 1;
        }
    }
    assert!(rows.len() + 1000 < decisions, "{} rows of {decisions} decisions", rows.len());
}

/// Two games that differ in the names of colours alone, card by card and move by move.
#[test]
fn renaming_the_colours_changes_nothing_that_a_sorted_game_shows() {
    const RENAMED: [usize; 5] = [3, 0, 4, 1, 2];
    let game = LostCities::<Sorted>::new(Rules::classic()).expect("possible rules");
    let encoder = CardsEncoder::new(game.rules());
    let rename = |kind: usize| RENAMED[kind / 10] * 10 + kind % 10;
    let mut rng = Stream::new(9, Purpose::Test, 0, 0, 0);
    let block = |row: &[f32], action: Action| -> Vec<f32> {
        let place = match action {
            0..100 => action % 50 / 10,
            100 => return Vec::new(),
            _ => action - 101,
        };
        row.chunks_exact(encoder.features_per_colour()).nth(place.into()).expect("five blocks").to_vec()
    };
    let (mut decisions, mut drawn, mut tied) = (0, 0, 0);
    for _ in 0..20 {
        let (mut state, mut twin) = (game.root(), game.root());
        while game.turn(&state) != Turn::Terminal {
            if let Turn::Player(player) = game.turn(&state) {
                decisions += 1;
                let rows = [&state, &twin].map(|state| {
                    let mut row = vec![0.0; Encoder::<LostCities<Sorted>>::num_features(&encoder)];
                    encoder.encode(&game, state, player, &mut row);
                    row
                });
                assert_eq!(rows[0], rows[1]);
                assert_eq!(game.legal_actions(&state), game.legal_actions(&twin));
                // Bots discard to piles and take from them more sensibly than chance would.
                let bot = [Bot::Random, Bot::HeuristicBalanced][player];
                let chosen = bot.decide(&game, &state, &mut rng);
                let renamed = match chosen {
                    Move::DrawPile { colour } => {
                        drawn += 1;
                        Move::DrawPile { colour: RENAMED[usize::from(colour)] as u8 }
                    }
                    other => other,
                };
                let action = game.to_action(&state, chosen);
                let twin_action = game.to_action(&twin, renamed);
                // Colours alike in all that is shown are in the order of their names.
                assert_eq!(block(&rows[0], action), block(&rows[0], twin_action));
                tied += u32::from(action != twin_action);
                game.apply(&mut state, action);
                game.apply(&mut twin, twin_action);
            } else {
                let kind = game.sample_chance(&state, &mut rng);
                game.apply(&mut state, kind);
                game.apply(&mut twin, rename(usize::from(kind)) as Action);
            }
        }
        assert_eq!(game.utility(&state), game.utility(&twin));
    }
    assert!(decisions > 2000 && drawn > 100, "{decisions} decisions, {drawn} from piles");
    assert!(tied < decisions / 20, "{tied} of {decisions} in colours alike");
}
