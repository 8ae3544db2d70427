//! A position as an encoder reads it: by colour, for one player.
//!
//! Not here: what the features are (see the encoders).

use deepcfr_core::Player;

use super::Expedition;
use super::layout::{Layout, Size, nibble};
use super::state::State;

/// A position and whom it is encoded for.
#[derive(Clone, Copy)]
pub(super) struct View<'a> {
    pub(super) layout: &'a Layout,
    pub(super) state: &'a State,
    pub(super) me: Player,
    pub(super) size: Size,
}

/// A set of cards of one colour.
#[derive(Clone, Copy)]
pub(super) struct Held {
    /// Bit `r − 1` for the number of rank `r`.
    pub(super) numbers: u32,
    pub(super) wagers: u32,
}

impl<'a> View<'a> {
    pub(super) fn new(layout: &'a Layout, state: &'a State, me: Player) -> Self {
        Self { layout, state, me, size: layout.size }
    }

    /// The view with its size known to the compiler, if it is that of the boxed game: what is inlined
    /// on this is unrolled.
    #[inline]
    pub(super) fn classic(self) -> Option<Self> {
        (self.size == Size::CLASSIC).then_some(Self { size: Size::CLASSIC, ..self })
    }

    #[inline]
    pub(super) fn hand(&self, player: Player, colour: usize) -> Held {
        self.of_colour(self.state.hand[player], self.state.hand_wagers[player], colour)
    }

    /// What a player is known to hold.
    #[inline]
    pub(super) fn known(&self, player: Player, colour: usize) -> Held {
        self.of_colour(self.state.known[player], self.state.known_wagers[player], colour)
    }

    #[inline]
    pub(super) fn pile(&self, colour: usize) -> Held {
        self.of_colour(self.state.piled, self.state.piled_wagers, colour)
    }

    /// Numbers that the expedition rule lets a player play.
    #[inline]
    pub(super) fn open_numbers(&self, player: Player, colour: usize) -> u32 {
        self.size.numbers_in(self.state.playable[player], colour)
    }

    #[inline]
    pub(super) fn expedition(&self, player: Player, colour: usize) -> Expedition {
        let laid = self.of_colour(self.state.played[player], self.state.played_wagers[player], colour);
        self.layout.expedition_of(laid.numbers, laid.wagers)
    }

    #[inline]
    fn of_colour(&self, kinds: u64, wagers: u32, colour: usize) -> Held {
        Held { numbers: self.size.numbers_in(kinds, colour), wagers: nibble(wagers, colour) }
    }
}

impl Held {
    /// The number of cards.
    #[inline]
    pub(super) fn count(self, layout: &Layout) -> u32 {
        layout.count(self.numbers) + self.wagers
    }

    /// As many low ones as there are wagers, then the numbers.
    #[inline]
    pub(super) fn bits(self, size: Size) -> u32 {
        ((1 << self.wagers) - 1) | self.numbers << size.wagers
    }
}
