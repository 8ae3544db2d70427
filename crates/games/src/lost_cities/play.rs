//! How a position changes: deal, play, discard, draw.
//!
//! Not here: numbering of actions (see `space`). Nothing here branches on the kind of card, which
//! a branch predictor could not foresee.

use deepcfr_core::Player;

use super::Expedition;
use super::layout::Layout;
use super::state::{NO_COLOUR, Phase, State};

impl Layout {
    /// The position before the deal.
    pub(super) fn root(&self) -> State {
        let every_kind = (1 << self.kinds) - 1;
        let mut state = State {
            deck: [0; 2],
            hand: [0; 2],
            slots: [u64::MAX; 2],
            playable: [every_kind; 2],
            played: [0; 2],
            known: [0; 2],
            piles: [0; 6],
            piled: 0,
            hand_wagers: [0; 2],
            played_wagers: [0; 2],
            known_wagers: [0; 2],
            piled_wagers: 0,
            plies: 0,
            hand_len: [0; 2],
            deck_len: self.deck_size,
            pile_mask: 0,
            closed_pile: NO_COLOUR,
            player: 0,
            phase: Phase::Deal,
        };
        state.set_deck(self.full_deck);
        state
    }

    /// Chance: a card of `kind` leaves the deck for the player's hand.
    #[inline]
    pub(super) fn deal(&self, state: &mut State, kind: usize) {
        let player = usize::from(state.player & 1);
        let deck = self.take(state.deck(), kind);
        state.set_deck(deck);
        state.deck_len -= 1;
        self.add_to_hand(state, player, kind);
        if state.phase == Phase::Deck {
            self.end_turn(state);
        } else {
            state.player ^= 1;
            if state.hand_len[1] as usize == self.size.hand {
                state.phase = Phase::Card;
            }
        }
    }

    /// Lays the card in a slot on the own expedition, or else on its discard pile.
    ///
    /// One path for both, with masks for what only one of them changes: which of the two a player
    /// does cannot be predicted.
    #[inline]
    pub(super) fn lay_card(&self, state: &mut State, slot: usize, discard: bool) {
        let player = usize::from(state.player & 1);
        let kind = self.remove_from_hand(state, player, slot);
        let (colour, unit) = (self.colour_of(kind) % 6, self.wager_unit(kind));
        let (played, discarded) = (u64::from(!discard), u64::from(discard));
        state.played[player] |= played << kind;
        state.played_wagers[player] += unit * played as u32;
        state.playable[player] &= !(self.closed_by[kind] * played);
        let top = discarded * u64::from(self.rank_of(kind) + 1);
        state.piles[colour] = state.piles[colour] << (4 * discarded) | top;
        state.piled |= discarded << kind;
        state.piled_wagers += unit * discarded as u32;
        state.pile_mask |= (discarded << colour) as u8;
        state.closed_pile = if discard { colour as u8 } else { NO_COLOUR };
        self.end_card_phase(state);
    }

    #[inline]
    pub(super) fn draw_deck(&self, state: &mut State) {
        state.plies += 1;
        state.phase = Phase::Deck;
    }

    #[inline]
    pub(super) fn draw_pile(&self, state: &mut State, colour: usize) {
        let player = usize::from(state.player & 1);
        let pile = state.piles[colour];
        let kind = self.kind(colour, (pile as u32 & 15) - 1) % super::layout::MAX_KINDS;
        state.piles[colour] = pile >> 4;
        state.pile_mask ^= u8::from(pile >> 4 == 0) << colour;
        remove_kind(&mut state.piled, &mut state.piled_wagers, kind, self.wager_unit(kind), colour);
        state.known[player] |= 1 << kind;
        state.known_wagers[player] += self.wager_unit(kind);
        self.add_to_hand(state, player, kind);
        state.plies += 1;
        self.end_turn(state);
    }

    /// 1 in the nibble of the kind's colour for a wager, 0 for a number.
    #[inline]
    fn wager_unit(&self, kind: usize) -> u32 {
        u32::from(self.rank[kind] == 0) << (4 * self.colour[kind])
    }

    #[inline]
    fn add_to_hand(&self, state: &mut State, player: Player, kind: usize) {
        let shift = 8 * u32::from(state.hand_len[player]);
        state.slots[player] ^= (0xff ^ kind as u64) << shift;
        state.hand_len[player] += 1;
        state.hand[player] |= 1 << kind;
        state.hand_wagers[player] += self.wager_unit(kind);
    }

    /// Takes the card out of a slot, closing the gap, and returns its kind.
    #[inline]
    fn remove_from_hand(&self, state: &mut State, player: Player, slot: usize) -> usize {
        let slots = state.slots[player];
        let kind = (slots >> (8 * slot)) as usize % super::layout::MAX_KINDS;
        let kept = (1u64 << (8 * slot)) - 1;
        state.slots[player] = slots & kept | (slots >> 8 | 0xff << 56) & !kept;
        state.hand_len[player] -= 1;
        let (unit, colour) = (self.wager_unit(kind), self.colour_of(kind));
        remove_kind(&mut state.hand[player], &mut state.hand_wagers[player], kind, unit, colour);
        // A wager that leaves the hand may be one that the opponent has seen or not: what is known
        // is the least number of wagers held, and that falls by one.
        let known_unit = unit * u32::from(nonzero_nibble(state.known_wagers[player], colour));
        remove_kind(&mut state.known[player], &mut state.known_wagers[player], kind, known_unit, colour);
        kind
    }

    #[inline]
    fn end_card_phase(&self, state: &mut State) {
        state.plies += 1;
        state.phase = if u32::from(state.plies) >= self.rules.ply_cap {
            Phase::Capped
        } else if state.deck_len == 0 && state.open_piles() == 0 {
            Phase::Over
        } else {
            Phase::Draw
        };
    }

    #[inline]
    fn end_turn(&self, state: &mut State) {
        let last_card_drawn = state.deck_len == 0 && state.phase == Phase::Deck;
        state.phase = if last_card_drawn {
            Phase::Over
        } else if u32::from(state.plies) >= self.rules.ply_cap {
            Phase::Capped
        } else {
            Phase::Card
        };
        state.closed_pile = NO_COLOUR;
        state.player ^= 1;
    }

    /// A player's expedition of a colour.
    #[inline]
    pub(super) fn expedition(&self, state: &State, player: Player, colour: usize) -> Expedition {
        let numbers = self.numbers_in(state.played[player], colour);
        self.expedition_of(numbers, super::layout::nibble(state.played_wagers[player], colour))
    }

    /// The expedition of these numbers and wagers.
    #[inline]
    pub(super) fn expedition_of(&self, numbers: u32, wagers: u32) -> Expedition {
        let (sum, cards) = (self.sum(numbers), self.count(numbers) + wagers);
        let score = self.rules.expedition_score(sum as i32, wagers as i32, cards);
        Expedition { numbers, wagers, sum, cards, score }
    }

    /// A player's points over all expeditions.
    #[inline]
    pub(super) fn total(&self, state: &State, player: Player) -> i32 {
        (0..self.size.colours).map(|colour| self.expedition(state, player, colour).score).sum()
    }
}

#[inline]
fn nonzero_nibble(nibbles: u32, colour: usize) -> bool {
    super::layout::nibble(nibbles, colour) != 0
}

/// Takes one card of `kind` out of a set and its wager counts; the bit stays while wagers are left.
#[inline]
fn remove_kind(kinds: &mut u64, nibbles: &mut u32, kind: usize, unit: u32, colour: usize) {
    *nibbles -= unit;
    let stays = (unit != 0) & nonzero_nibble(*nibbles, colour);
    *kinds &= !(u64::from(!stays) << kind);
}
