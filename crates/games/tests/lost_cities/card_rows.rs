//! The rows of the encoder by card, the default, against rows derived from its description.
//!
//! The rows come from `scripts/lost-cities-rows.py`, which knows the rules and the description and not
//! this program. Not here: what encoders owe to any game (see `encodings`).

use deepcfr_core::{Encoder, FeatureBlock, Game, Purpose, Stream, Turn};
use deepcfr_games::lost_cities::{ActionSpace, Cards, CardsEncoder, LostCities, Rules, Sorted, State};
use serde::Deserialize;
use serde_json::Value;

use crate::reference;

#[derive(Deserialize)]
struct DerivedRow {
    game: u32,
    ply: usize,
    /// The colours in the order in which a sorted game shows them.
    order: Vec<usize>,
    row: Vec<f32>,
}

/// Names and lengths of the blocks of features.
#[derive(Deserialize)]
struct Blocks {
    colour: Vec<(String, usize)>,
    table: Vec<(String, usize)>,
}

fn derived() -> (Blocks, Vec<DerivedRow>) {
    let mut lines = reference::rows::<Value>("card_rows.jsonl.gz").into_iter();
    let mut first = lines.next().expect("the first line describes the file");
    let rows = lines.map(|line| serde_json::from_value(line).expect("a row"));
    (serde_json::from_value(first["blocks"].take()).expect("names and lengths"), rows.collect())
}

fn encode<A: ActionSpace>(game: &LostCities<A>, state: &State) -> Vec<f32> {
    let encoder = CardsEncoder::new(game.rules());
    let mut row = vec![f32::NAN; Encoder::<LostCities<A>>::num_features(&encoder)];
    encoder.encode(game, state, state.player(), &mut row);
    row
}

fn assert_row(got: &[f32], expected: &[f32], place: &str) {
    assert_eq!(got.len(), expected.len(), "{place}");
    for (feature, (got, want)) in got.iter().zip(expected).enumerate() {
        assert!((got - want).abs() <= 1e-6, "{place}, feature {feature}: {got} instead of {want}");
    }
}

/// The row of a sorted game: the blocks of colours in that order, then the table.
fn in_order(row: &[f32], order: &[usize], per_colour: usize) -> Vec<f32> {
    let block = |&colour: &usize| &row[colour * per_colour..][..per_colour];
    let table = &row[order.len() * per_colour..];
    order.iter().map(block).chain([table]).flatten().copied().collect()
}

#[test]
fn rows_by_card_are_those_derived_from_the_description() {
    let (games, (_, rows)) = (reference::games(), derived());
    let states = reference::states(&games, rows.iter().map(|row| (row.game, row.ply)));
    for (derived, (reference, state)) in rows.iter().zip(states) {
        let place = format!("{}:{}", derived.game, derived.ply);
        assert_row(&encode(&reference.build::<Cards>(), &state), &derived.row, &place);
        let per_colour = CardsEncoder::new(&reference.rules()).features_per_colour();
        let sorted = in_order(&derived.row, &derived.order, per_colour);
        assert_row(&encode(&reference.build::<Sorted>(), &state), &sorted, &format!("{place} sorted"));
    }
    assert_eq!(rows.len(), 479);
}

/// A feature that is the same everywhere would pin nothing.
#[test]
fn every_feature_takes_several_values_in_the_derived_rows() {
    let classic = CardsEncoder::new(&Rules::classic());
    let features = Encoder::<LostCities>::num_features(&classic);
    let rows: Vec<_> = derived().1.into_iter().filter(|row| row.row.len() == features).collect();
    let per_colour = classic.features_per_colour();
    for feature in 0..per_colour {
        let in_block = |row: &DerivedRow, colour: usize| row.row[colour * per_colour + feature];
        let first = in_block(&rows[0], 0);
        let varies = rows.iter().any(|row| (0..5).any(|colour| in_block(row, colour) != first));
        assert!(varies, "feature {feature} of a colour");
    }
    for feature in 5 * per_colour..features {
        assert!(rows.iter().any(|row| row.row[feature] != rows[0].row[feature]), "feature {feature}");
    }
    assert!(rows.iter().any(|row| row.order != [0, 1, 2, 3, 4]));
}

#[test]
fn blocks_of_features_have_the_names_and_lengths_of_the_description() {
    let encoder = CardsEncoder::new(&Rules::classic());
    let (blocks, _) = derived();
    let in_place = |place: usize| {
        let blocks = blocks.colour.iter();
        blocks.map(move |(name, len)| FeatureBlock::new(format!("colour in place {place}: {name}"), *len))
    };
    let table = blocks.table.iter().map(|(name, len)| FeatureBlock::new(name, *len));
    let expected: Vec<_> = (0..5).flat_map(in_place).chain(table).collect();
    assert_eq!(Encoder::<LostCities>::layout(&encoder), expected);
}

/// No derived row is of a game this long.
#[test]
fn decisions_count_up_to_four_times_four_decks() {
    let game = LostCities::<Cards>::new(Rules::classic()).expect("possible rules");
    let (mut state, mut rng) = (game.root(), Stream::new(6, Purpose::Test, 0, 0, 0));
    while state.plies() < 1200 {
        let action = match game.turn(&state) {
            // The last action discards, or takes from a pile where one is open, so that the deck lasts.
            Turn::Player(_) => game.legal_actions(&state).iter().last().expect("the game goes on"),
            _ => game.sample_chance(&state, &mut rng),
        };
        game.apply(&mut state, action);
        if let Turn::Player(_) = game.turn(&state) {
            // Five blocks of 101 features, four of the phase, two of turns.
            let got = encode(&game, &state)[5 * 101 + 4 + 2];
            let expected = (state.plies() as f32 / 240.0).min(4.0);
            assert!((got - expected).abs() < 1e-6, "{} decisions: {got}", state.plies());
        }
    }
}
