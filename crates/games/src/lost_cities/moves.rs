//! A decision in terms of the hand and the table, and what lies on the table.
//!
//! Not here: numbering of actions (see `space`).

/// A decision of a player, independent of any action space.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Move {
    /// Play the card in a slot of the hand onto the own expedition of its colour.
    Play {
        /// Counted from 0 in hand order.
        slot: u8,
    },
    /// Discard the card in a slot of the hand onto its colour's pile.
    Discard {
        /// Counted from 0 in hand order.
        slot: u8,
    },
    /// Draw from the deck.
    DrawDeck,
    /// Take the top card of a discard pile.
    DrawPile {
        /// The pile's colour.
        colour: u8,
    },
}

/// One player's expedition of one colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Expedition {
    /// Bit `r − 1` for the number of rank `r`.
    pub numbers: u32,
    /// Wagers played.
    pub wagers: u32,
    /// Sum of the printed numbers.
    pub sum: u32,
    /// Numbers and wagers.
    pub cards: u32,
    /// What it is worth now, in points.
    pub score: i32,
}

impl Expedition {
    pub(super) const EMPTY: Self = Self { numbers: 0, wagers: 0, sum: 0, cards: 0, score: 0 };

    /// The rank of the highest number, 0 without numbers.
    #[inline]
    pub const fn highest_rank(&self) -> u32 {
        u32::BITS - self.numbers.leading_zeros()
    }
}
