//! The order in which colours are shown to a player.
//!
//! Colours are interchangeable: renaming them changes nothing but names. Shown in the order of what they
//! promise, positions that differ in names alone look alike, and a network need not learn the same thing
//! once for every renaming (120 of them with five colours). Not here: features and actions.

use deepcfr_core::Player;

use super::layout::{Layout, nibble};
use super::state::State;

/// The most colours.
const MAX_COLOURS: usize = 6;

/// Which colour is in which place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ColourOrder([u8; MAX_COLOURS]);

impl ColourOrder {
    /// Every colour in its own place.
    pub(super) const BY_NAME: Self = Self([0, 1, 2, 3, 4, 5]);

    /// By what the colours promise `player`, the most promising first: by what the expedition would be
    /// worth with all playable cards of the hand (0 without any card), then by the cards themselves. Only
    /// what the player knows counts. Colours alike in all this stay in order.
    #[inline]
    pub(super) fn by_promise(layout: &Layout, state: &State, player: Player) -> Self {
        let mut keys = [0; MAX_COLOURS];
        let mut order = Self::BY_NAME;
        for colour in 0..layout.size.colours {
            keys[colour] = promise(layout, state, player, colour);
            let mut place = colour;
            while place > 0 && keys[usize::from(order.0[place - 1])] < keys[colour] {
                order.0[place] = order.0[place - 1];
                place -= 1;
            }
            order.0[place] = colour as u8;
        }
        order
    }

    /// The colour in a place.
    #[inline]
    pub(super) fn colour(self, place: usize) -> usize {
        usize::from(self.0[place])
    }

    /// The place of a colour.
    #[inline]
    pub(super) fn place(self, colour: usize) -> usize {
        self.0.iter().position(|&at| usize::from(at) == colour).expect("every colour has a place")
    }
}

/// Larger is more promising. Fields from the highest bit: projected score, numbers in hand, own numbers
/// laid, theirs laid, theirs known, and everything else that an encoder shows of a colour, so that only
/// colours alike in all of it are left in the order of their names.
#[inline]
fn promise(layout: &Layout, state: &State, player: Player, colour: usize) -> u128 {
    let of = |kinds: u64| layout.numbers_in(kinds, colour);
    let wagers_of = |nibbles: u32| nibble(nibbles, colour);
    let (hand, laid) = (of(state.hand[player]), of(state.played[player]));
    let (playable, theirs) = (of(state.playable[player]), of(state.played[1 - player]));
    let laid_wagers = wagers_of(state.played_wagers[player]);
    let wagers = wagers_of(state.hand_wagers[player]) * u32::from(laid == 0);
    let projected = layout.expedition_of(laid | hand & playable, laid_wagers + wagers).score;
    let high = ((projected + (1 << 15)) as u64) << 40
        | u64::from(hand) << 27
        | u64::from(laid) << 18
        | u64::from(theirs) << 9
        | u64::from(of(state.known[1 - player]));
    let shown_wagers = [
        state.hand_wagers[player],
        state.played_wagers[player],
        state.played_wagers[1 - player],
        state.known_wagers[1 - player],
    ];
    let low =
        shown_wagers.iter().fold(state.piles[colour], |low, &word| low << 4 | u64::from(wagers_of(word)));
    let seen = of(state.known[player]).count_ones() + wagers_of(state.known_wagers[player]);
    u128::from(high) << 68 | u128::from(low) << 4 | u128::from(seen)
}

#[cfg(test)]
mod tests {
    use deepcfr_core::{Game, Purpose, Stream, Turn};

    use super::super::{LostCities, Rules, Slots};
    use super::*;

    #[test]
    fn the_order_is_a_renaming_that_puts_promise_first() {
        let game = LostCities::<Slots>::new(Rules { colours: 6, ..Rules::classic() }).unwrap();
        let mut rng = Stream::new(7, Purpose::Test, 0, 0, 0);
        let mut state = game.root();
        let (mut decisions, mut renamed) = (0, 0);
        while game.turn(&state) != Turn::Terminal {
            let action = match game.turn(&state) {
                Turn::Player(player) => {
                    let order = ColourOrder::by_promise(game.layout(), &state, player);
                    let places: Vec<_> = (0..6).map(|colour| order.place(colour)).collect();
                    (0..6).for_each(|place| assert_eq!(places[order.colour(place)], place));
                    let keys: Vec<_> = (0..6)
                        .map(|place| promise(game.layout(), &state, player, order.colour(place)))
                        .collect();
                    assert!(keys.is_sorted_by(|a, b| a >= b), "{keys:?}");
                    decisions += 1;
                    renamed += usize::from(order != ColourOrder::BY_NAME);
                    let legal = game.legal_actions(&state);
                    legal.nth(rng.below(legal.len() as u32) as usize).unwrap()
                }
                _ => game.sample_chance(&state, &mut rng),
            };
            game.apply(&mut state, action);
        }
        assert!(decisions > 50 && renamed > decisions / 2, "{renamed} of {decisions}");
    }
}
