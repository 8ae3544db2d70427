//! Tables derived from a rule set: where each card lies in the packed state.
//!
//! Not here: the position itself and how it changes.

use deepcfr_core::select_bit;

use super::state::NO_COLOUR;
use super::{Rules, RulesError};

/// The most kinds of cards (6 colours of 9 numbers and the wagers), and more: the last is none.
pub(super) const MAX_KINDS: usize = 64;

/// Per-kind and per-colour constants of one rule set.
///
/// Three numberings meet here. *Kinds* are what actions and chance outcomes name. A *deck bit* is
/// one physical card: the wagers of a colour occupy `wagers` consecutive bits, used from the lowest
/// up, then come its numbers, so that deck bits ascend as kinds do. A *nibble* of colour `c` counts
/// wagers in bits `4c..4c + 4` of a word.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    pub(super) rules: Rules,
    pub(super) size: Size,
    pub(super) kinds: usize,
    pub(super) deck_size: u8,
    pub(super) full_deck: u128,
    /// Colour of a kind; [`NO_COLOUR`] for an empty slot of a hand, the last kind.
    pub(super) colour: [u8; MAX_KINDS],
    /// Rank of a kind, 0 for wagers.
    pub(super) rank: [u8; MAX_KINDS],
    /// The kinds that can no longer be played once this one has been: the colour up to this rank.
    pub(super) closed_by: [u64; MAX_KINDS],
    /// The lowest deck bit of a kind.
    deck_base: [u8; MAX_KINDS],
    /// As many low ones as the kind has copies.
    deck_mask: [u8; MAX_KINDS],
    /// The kind of a deck bit.
    kind_at: [u8; 128],
    /// For a set of numbers (bit `r − 1` for rank `r`): sum of printed values and, from bit 8, size.
    numbers: [u16; 512],
}

/// How many cards there are of what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Size {
    pub(super) colours: usize,
    pub(super) ranks: u32,
    pub(super) wagers: u32,
    pub(super) hand: usize,
}

impl Size {
    /// Of the boxed game.
    pub(super) const CLASSIC: Self = Self::of(&Rules::classic());

    pub(super) const fn of(rules: &Rules) -> Self {
        Self {
            colours: rules.colours as usize,
            ranks: rules.ranks,
            wagers: rules.wagers,
            hand: rules.hand_size as usize,
        }
    }

    /// Kinds a colour: the wager and the numbers.
    #[inline]
    pub(super) const fn width(self) -> u32 {
        self.ranks + 1
    }

    /// The numbers of `colour` in a set of kinds, bit `r − 1` for rank `r`.
    #[inline]
    pub(super) const fn numbers_in(self, kinds: u64, colour: usize) -> u32 {
        (kinds >> (colour as u32 * self.width() + 1)) as u32 & ((1 << self.ranks) - 1)
    }
}

impl Layout {
    pub(super) fn new(rules: Rules) -> Result<Self, RulesError> {
        rules.validate()?;
        let size = Size::of(&rules);
        let mut layout = Self {
            rules,
            size,
            kinds: size.colours * size.width() as usize,
            deck_size: rules.deck_size() as u8,
            full_deck: (1 << rules.deck_size()) - 1,
            colour: [NO_COLOUR; MAX_KINDS],
            rank: [0; MAX_KINDS],
            closed_by: [0; MAX_KINDS],
            deck_base: [0; MAX_KINDS],
            deck_mask: [0; MAX_KINDS],
            kind_at: [0; 128],
            numbers: [0; 512],
        };
        (0..layout.kinds).for_each(|kind| layout.place_kind(kind));
        (0..1 << rules.ranks).for_each(|set| layout.numbers[set] = layout.tally(set as u32));
        Ok(layout)
    }

    fn place_kind(&mut self, kind: usize) {
        let Size { ranks, wagers, .. } = self.size;
        let width = self.size.width();
        let (colour, rank) = (kind as u32 / width, kind as u32 % width);
        let first = colour * (wagers + ranks);
        let (base, copies) = if rank == 0 { (first, wagers) } else { (first + wagers + rank - 1, 1) };
        self.colour[kind] = colour as u8;
        self.rank[kind] = rank as u8;
        self.deck_base[kind] = base as u8;
        self.deck_mask[kind] = ((1u32 << copies) - 1) as u8;
        (base..base + copies).for_each(|bit| self.kind_at[bit as usize] = kind as u8);
        if rank > 0 {
            self.closed_by[kind] = ((1 << (rank + 1)) - 1) << (colour * width);
        }
    }

    fn tally(&self, set: u32) -> u16 {
        let values =
            (0..self.size.ranks).filter(|rank| set >> rank & 1 == 1).map(|rank| self.rules.min_rank + rank);
        values.sum::<u32>() as u16 | (set.count_ones() as u16) << 8
    }

    /// The colour of a kind.
    #[inline]
    pub(super) fn colour_of(&self, kind: usize) -> usize {
        self.colour[kind % MAX_KINDS] as usize
    }

    /// The rank of a kind, 0 for wagers.
    #[inline]
    pub(super) fn rank_of(&self, kind: usize) -> u32 {
        u32::from(self.rank[kind % MAX_KINDS])
    }

    /// The printed number of a kind, 0 for wagers.
    #[inline]
    pub(super) fn value_of(&self, kind: usize) -> u32 {
        match self.rank_of(kind) {
            0 => 0,
            rank => self.rules.min_rank + rank - 1,
        }
    }

    /// The kind of colour's card of `rank`.
    #[inline]
    pub(super) fn kind(&self, colour: usize, rank: u32) -> usize {
        colour * self.size.width() as usize + rank as usize
    }

    /// The numbers of `colour` in a set of kinds, bit `r − 1` for rank `r`.
    #[inline]
    pub(super) fn numbers_in(&self, kinds: u64, colour: usize) -> u32 {
        self.size.numbers_in(kinds, colour)
    }

    /// The sum of printed values of a set of numbers.
    #[inline]
    pub(super) fn sum(&self, numbers: u32) -> u32 {
        u32::from(self.numbers[numbers as usize % 512] & 0xff)
    }

    /// The size of a set of numbers.
    #[inline]
    pub(super) fn count(&self, numbers: u32) -> u32 {
        u32::from(self.numbers[numbers as usize % 512] >> 8)
    }

    /// The copies of `kind` that a deck holds.
    #[inline]
    pub(super) fn copies(&self, deck: u128, kind: usize) -> u32 {
        let field = (deck >> self.deck_base[kind]) as u32 & u32::from(self.deck_mask[kind]);
        field.count_ones()
    }

    /// The deck without one copy of `kind`, which it holds.
    #[inline]
    pub(super) fn take(&self, deck: u128, kind: usize) -> u128 {
        let base = self.deck_base[kind % MAX_KINDS];
        let field = (deck >> base) as u8 & self.deck_mask[kind % MAX_KINDS];
        deck ^ u128::from(field ^ field >> 1) << base
    }

    /// The kind of the card that has `rank` cards of the deck below it.
    #[inline]
    pub(super) fn nth_of_deck(&self, deck: u128, rank: u32) -> usize {
        let bit = select_bit(deck, rank).expect("the deck has more cards than the rank");
        self.kind_at[bit as usize % 128] as usize
    }
}

/// The number of wagers that `nibbles` counts for `colour`.
#[inline]
pub(super) fn nibble(nibbles: u32, colour: usize) -> u32 {
    nibbles >> (4 * colour as u32) & 15
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_deck_gives_up_every_card_once() {
        for rules in [Rules::classic(), Rules { colours: 6, wagers: 4, ..Rules::classic() }] {
            let layout = Layout::new(rules).unwrap();
            let mut deck = layout.full_deck;
            let mut left = rules.deck_size();
            while left > 0 {
                let kind = layout.nth_of_deck(deck, left / 2);
                let copies = layout.copies(deck, kind);
                deck = layout.take(deck, kind);
                assert_eq!(layout.copies(deck, kind), copies - 1);
                left -= 1;
                assert_eq!(deck.count_ones(), left);
            }
        }
    }
}
