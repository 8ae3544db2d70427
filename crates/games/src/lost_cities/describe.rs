//! Positions and decisions in words, for people.
//!
//! Not here: anything that a program reads back.

use deepcfr_core::Player;

use super::Move;
use super::layout::{Layout, nibble};
use super::state::{Phase, State};

pub(super) const COLOURS: [&str; 6] = ["yellow", "blue", "white", "green", "red", "purple"];

/// A card, for example `red 7` or `blue wager`.
pub(super) fn card(layout: &Layout, kind: usize) -> String {
    let colour = COLOURS[layout.colour_of(kind)];
    match layout.value_of(kind) {
        0 => format!("{colour} wager"),
        value => format!("{colour} {value}"),
    }
}

/// A decision of the player to move.
pub(super) fn chosen(layout: &Layout, state: &State, chosen: Move) -> String {
    let in_slot = |slot: u8| card(layout, state.slot(state.player(), slot as usize));
    match chosen {
        Move::Play { slot } => format!("play {}", in_slot(slot)),
        Move::Discard { slot } => format!("discard {}", in_slot(slot)),
        Move::DrawDeck => "draw from the deck".to_owned(),
        Move::DrawPile { colour } => match top(layout, state, colour as usize) {
            Some(kind) => format!("take {}", card(layout, kind)),
            None => format!("take from the empty {} pile", COLOURS[colour as usize]),
        },
    }
}

/// What `player` knows.
pub(super) fn infoset(layout: &Layout, state: &State, player: Player) -> String {
    let mut hand: Vec<_> = state.hand_slots(player).collect();
    hand.sort_unstable();
    let hand: Vec<_> = hand.into_iter().map(|kind| card(layout, kind)).collect();
    let mut lines = vec![
        format!("player {player}, {}, {} cards in the deck", phase(state), state.deck_left()),
        format!("hand: {}", hand.join(", ")),
    ];
    for (colour, name) in COLOURS.iter().enumerate().take(layout.size.colours) {
        let sides = [player, 1 - player].map(|side| expedition(layout, state, side, colour));
        let pile = top(layout, state, colour).map_or("empty".to_owned(), |kind| card(layout, kind));
        lines.push(format!("{name}: mine {}, theirs {}, pile {pile}", sides[0], sides[1]));
    }
    let known = known(layout, state, 1 - player);
    if !known.is_empty() {
        lines.push(format!("theirs for certain: {}", known.join(", ")));
    }
    lines.join("\n")
}

fn phase(state: &State) -> &'static str {
    match state.phase {
        Phase::Card => "to play or discard",
        Phase::Draw => "to draw",
        Phase::Deal | Phase::Deck => "waiting for a card",
        Phase::Over | Phase::Capped => "at the end",
    }
}

fn expedition(layout: &Layout, state: &State, player: Player, colour: usize) -> String {
    let expedition = layout.expedition(state, player, colour);
    if expedition.cards == 0 {
        return "-".to_owned();
    }
    let wagers = "W".repeat(expedition.wagers as usize);
    let numbers = (0..layout.size.ranks).filter(|rank| expedition.numbers >> rank & 1 == 1);
    let numbers: Vec<_> = numbers.map(|rank| (layout.rules.min_rank + rank).to_string()).collect();
    format!("{wagers}[{}] = {}", numbers.join(" "), expedition.score)
}

fn top(layout: &Layout, state: &State, colour: usize) -> Option<usize> {
    let rank = state.piles[colour] as u32 & 15;
    (rank > 0).then(|| layout.kind(colour, rank - 1))
}

fn known(layout: &Layout, state: &State, player: Player) -> Vec<String> {
    let copies = |kind: usize| match layout.rank_of(kind) {
        0 => nibble(state.known_wagers[player], layout.colour_of(kind)),
        _ => (state.known[player] >> kind) as u32 & 1,
    };
    (0..layout.kinds).flat_map(|kind| (0..copies(kind)).map(move |_| card(layout, kind))).collect()
}
