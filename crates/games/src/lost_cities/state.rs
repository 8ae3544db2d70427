//! The packed position of a Lost Cities game.
//!
//! Not here: how it changes (see `play`) and what it is worth.

use deepcfr_core::Player;

/// What happens next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Phase {
    /// Chance: a card of the deal.
    Deal,
    /// The player plays or discards a card.
    Card,
    /// The player chooses where to draw from.
    Draw,
    /// Chance: the card that the player draws from the deck.
    Deck,
    /// Over by the rules.
    Over,
    /// Over by the cap on decisions.
    Capped,
}

/// A pile colour that is none: no pile is closed to the player in this turn.
pub(super) const NO_COLOUR: u8 = 7;

/// A position: 192 bytes, no heap, copied per branch of a traversal.
///
/// Sets of kinds are words with bit `kind`; wagers, which have several copies, are also counted in
/// nibbles (bits `4·colour..4·colour + 4`). The wager bit of a set says that the count is not 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct State {
    /// Physical cards left in the deck, see `Layout`.
    pub(super) deck: [u64; 2],
    /// Kinds in each hand.
    pub(super) hand: [u64; 2],
    /// Kinds of each hand, one byte a slot, lowest byte first; 0xff is an empty slot.
    pub(super) slots: [u64; 2],
    /// Kinds that the expedition rule lets each player play.
    pub(super) playable: [u64; 2],
    /// Kinds in each player's expeditions.
    pub(super) played: [u64; 2],
    /// Kinds that each player took from a discard pile and still holds: public knowledge.
    pub(super) known: [u64; 2],
    /// Discard piles as stacks of nibbles `rank + 1`, the top lowest.
    pub(super) piles: [u64; 6],
    /// Kinds in the discard piles.
    pub(super) piled: u64,
    pub(super) hand_wagers: [u32; 2],
    pub(super) played_wagers: [u32; 2],
    pub(super) known_wagers: [u32; 2],
    pub(super) piled_wagers: u32,
    /// Decisions taken.
    pub(super) plies: u16,
    pub(super) hand_len: [u8; 2],
    pub(super) deck_len: u8,
    /// Bit `colour` for each non-empty discard pile.
    pub(super) pile_mask: u8,
    /// The pile discarded onto in this turn, or [`NO_COLOUR`].
    pub(super) closed_pile: u8,
    pub(super) player: u8,
    pub(super) phase: Phase,
}

impl State {
    /// What happens next.
    #[inline]
    pub fn phase(&self) -> Phase {
        self.phase
    }

    /// The player whose turn it is, also while chance deals or draws for them.
    #[inline]
    pub fn player(&self) -> Player {
        self.player as Player
    }

    /// Cards left in the deck.
    #[inline]
    pub fn deck_left(&self) -> usize {
        self.deck_len as usize
    }

    /// Decisions taken so far, two a turn.
    #[inline]
    pub fn plies(&self) -> usize {
        self.plies as usize
    }

    /// The kinds in a player's hand in slot order.
    pub fn hand_slots(&self, player: Player) -> impl ExactSizeIterator<Item = usize> + use<> {
        let slots = self.slots[player];
        (0..self.hand_len[player] as usize).map(move |slot| (slots >> (8 * slot)) as usize & 0xff)
    }

    /// The kind in a slot of a hand; the slot is occupied.
    #[inline]
    pub(super) fn slot(&self, player: Player, slot: usize) -> usize {
        (self.slots[player] >> (8 * slot)) as usize & 0xff
    }

    /// The first slot that holds `kind`; the hand holds it.
    #[inline]
    pub(super) fn slot_of(&self, player: Player, kind: usize) -> usize {
        const ONES: u64 = 0x0101_0101_0101_0101;
        let difference = self.slots[player] ^ (kind as u64).wrapping_mul(ONES);
        let zero_bytes = difference.wrapping_sub(ONES) & !difference & (ONES << 7);
        zero_bytes.trailing_zeros() as usize / 8
    }

    /// The deck as one word.
    #[inline]
    pub(super) fn deck(&self) -> u128 {
        u128::from(self.deck[1]) << 64 | u128::from(self.deck[0])
    }

    #[inline]
    pub(super) fn set_deck(&mut self, deck: u128) {
        self.deck = [deck as u64, (deck >> 64) as u64];
    }

    /// Colours of the piles that may be drawn from, bit `colour`.
    #[inline]
    pub(super) fn open_piles(&self) -> u32 {
        u32::from(self.pile_mask) & !(1 << self.closed_pile)
    }
}
