//! The `threshold` bot: small gaps, and opens a colour once 18 points of it are in hand.
//!
//! Integers only. Costs of discards are compared in twelfths, which are exact.

use super::super::Move;
use super::super::layout::{Layout, nibble};
use super::super::state::{Phase, State};
use super::deck_or_first_pile;

/// The widest gap that is played without need.
const MAX_GAP: u32 = 2;
/// Points in hand that open a colour.
const START: u32 = 18;
/// The same once fewer than 20 cards are left.
const LATE_START: u32 = 24;

struct Position<'a> {
    layout: &'a Layout,
    state: &'a State,
    me: usize,
    deck: u32,
    turns_left: u32,
}

/// The decision of the player to move.
pub(super) fn decide(layout: &Layout, state: &State) -> Move {
    let deck = u32::from(state.deck_len);
    let position = Position { layout, state, me: state.player(), deck, turns_left: deck.div_ceil(2) };
    match state.phase {
        Phase::Card => position.decide_card(),
        _ => position.decide_draw(),
    }
}

impl Position<'_> {
    fn decide_card(&self) -> Move {
        let play = self.continuation().or_else(|| self.opening());
        let slot = |kind| self.state.slot_of(self.me, kind) as u8;
        match play {
            Some(kind) => Move::Play { slot: slot(kind) },
            None => Move::Discard { slot: slot(self.cheapest()) },
        }
    }

    /// The lowest number that continues a started expedition with the smallest gap.
    fn continuation(&self) -> Option<usize> {
        let mut best = None;
        for colour in (0..self.layout.size.colours).filter(|&colour| self.started(self.me, colour)) {
            let playable = self.layout.numbers_in(self.held() & self.state.playable[self.me], colour);
            if playable == 0 {
                continue;
            }
            let rank = playable.trailing_zeros() + 1;
            let gap = rank - self.last_rank(colour) - 1;
            let hurried = self.cards_in_hand(colour) >= self.turns_left;
            if (gap <= MAX_GAP || hurried) && best.is_none_or(|(least, _)| gap < least) {
                best = Some((gap, self.layout.kind(colour, rank)));
            }
        }
        best.map(|(_, kind)| kind)
    }

    /// The first card of the unopened colour with the most points in hand.
    fn opening(&self) -> Option<usize> {
        let start = if self.deck < 20 { LATE_START } else { START };
        let mut best = None;
        for colour in (0..self.layout.size.colours).filter(|&colour| !self.started(self.me, colour)) {
            let sum = self.hand_sum(colour);
            let enough = sum >= start && self.cards_in_hand(colour) <= self.turns_left;
            if enough && best.is_none_or(|(most, _)| sum > most) {
                best = Some((sum, colour));
            }
        }
        let (sum, colour) = best?;
        let wager = self.wagers_in_hand(colour) > 0 && sum >= start + 6 && self.deck > 20;
        let lowest = self.layout.numbers_in(self.held(), colour).trailing_zeros() + 1;
        Some(self.layout.kind(colour, if wager { 0 } else { lowest }))
    }

    /// The card whose loss costs least; kinds ascend by colour and value.
    fn cheapest(&self) -> usize {
        let mut kinds = self.held();
        let mut best = (u32::MAX, 0);
        while kinds != 0 {
            let kind = kinds.trailing_zeros() as usize;
            kinds &= kinds - 1;
            let cost = self.own_cost(kind) + self.their_gain(kind);
            if cost < best.0 {
                best = (cost, kind);
            }
        }
        best.1
    }

    /// In twelfths of a point.
    fn own_cost(&self, kind: usize) -> u32 {
        let (colour, value) = (self.layout.colour_of(kind), self.layout.value_of(kind));
        if self.started(self.me, colour) {
            return if self.can_play(self.me, kind) { 12 * (6 + value) } else { 0 };
        }
        3 * self.hand_sum(colour) + if self.layout.rank_of(kind) == 0 { 36 } else { 0 }
    }

    /// In twelfths of a point.
    fn their_gain(&self, kind: usize) -> u32 {
        let (colour, value) = (self.layout.colour_of(kind), self.layout.value_of(kind));
        if self.started(1 - self.me, colour) {
            return if self.can_play(1 - self.me, kind) { 12 * (5 + value) } else { 0 };
        }
        4 * value
    }

    /// The deck, unless a pile's top continues a started expedition with a gap of at most 1.
    fn decide_draw(&self) -> Move {
        let mut best = None;
        for colour in 0..self.layout.size.colours {
            let legal = self.state.open_piles() >> colour & 1 == 1;
            if !legal || !self.started(self.me, colour) {
                continue;
            }
            let rank = (self.state.piles[colour] as u32 & 15) - 1;
            let gap = rank.saturating_sub(self.last_rank(colour) + 1);
            let playable = self.can_play(self.me, self.layout.kind(colour, rank));
            if playable && gap <= 1 && best.is_none_or(|(least, _)| gap < least) {
                best = Some((gap, colour));
            }
        }
        match best {
            Some((_, colour)) => Move::DrawPile { colour: colour as u8 },
            None => deck_or_first_pile(self.state),
        }
    }

    fn held(&self) -> u64 {
        self.state.hand[self.me]
    }

    fn started(&self, player: usize, colour: usize) -> bool {
        self.layout.expedition(self.state, player, colour).cards > 0
    }

    fn last_rank(&self, colour: usize) -> u32 {
        self.layout.expedition(self.state, self.me, colour).highest_rank()
    }

    fn can_play(&self, player: usize, kind: usize) -> bool {
        self.state.playable[player] >> kind & 1 == 1
    }

    fn wagers_in_hand(&self, colour: usize) -> u32 {
        nibble(self.state.hand_wagers[self.me], colour)
    }

    fn cards_in_hand(&self, colour: usize) -> u32 {
        self.layout.count(self.layout.numbers_in(self.held(), colour)) + self.wagers_in_hand(colour)
    }

    fn hand_sum(&self, colour: usize) -> u32 {
        self.layout.sum(self.layout.numbers_in(self.held(), colour))
    }
}
