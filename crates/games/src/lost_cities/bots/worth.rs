//! What cards and colours are worth to the heuristic bots.
//!
//! Not here: the decisions themselves (see `heuristic`).

use std::array;

use super::super::Expedition;
use super::super::layout::{Layout, nibble};
use super::super::state::State;
use super::temper::Thresholds;

/// A card taken apart.
#[derive(Clone, Copy)]
pub(super) struct Card {
    pub(super) colour: usize,
    /// 0 for a wager.
    pub(super) rank: u32,
    /// The printed number, 0 for a wager.
    pub(super) value: f64,
}

/// A position seen by the player to move.
pub(super) struct View<'a> {
    pub(super) layout: &'a Layout,
    pub(super) state: &'a State,
    pub(super) thresholds: Thresholds,
    pub(super) me: usize,
    /// Cards left in the deck.
    pub(super) deck: u32,
    pub(super) mine: [Expedition; 6],
    theirs: [Expedition; 6],
    /// Own colours with at least one card.
    pub(super) open_colours: u32,
}

impl<'a> View<'a> {
    pub(super) fn new(layout: &'a Layout, state: &'a State, thresholds: Thresholds) -> Self {
        let me = state.player();
        let expeditions = |player: usize| array::from_fn(|colour| layout.expedition(state, player, colour));
        let mine: [Expedition; 6] = expeditions(me);
        let open_colours = mine.iter().filter(|expedition| expedition.cards > 0).count() as u32;
        let deck = u32::from(state.deck_len);
        Self { layout, state, thresholds, me, deck, mine, theirs: expeditions(1 - me), open_colours }
    }

    /// Own slots with the kinds in them.
    pub(super) fn hand(&self) -> impl Iterator<Item = (usize, usize)> + use<> {
        self.state.hand_slots(self.me).enumerate()
    }

    #[inline]
    pub(super) fn card(&self, kind: usize) -> Card {
        let (colour, rank) = (self.layout.colour_of(kind) % 6, self.layout.rank_of(kind));
        Card { colour, rank, value: f64::from(self.layout.value_of(kind)) }
    }

    /// Whether the expedition rule lets `player` play a card of `kind`, whatever the phase.
    #[inline]
    pub(super) fn can_play(&self, player: usize, kind: usize) -> bool {
        self.state.playable[player] >> kind & 1 == 1
    }

    #[inline]
    pub(super) fn hand_numbers(&self, colour: usize) -> u32 {
        self.layout.numbers_in(self.state.hand[self.me], colour)
    }

    #[inline]
    pub(super) fn playable_numbers(&self, colour: usize) -> u32 {
        self.layout.numbers_in(self.state.hand[self.me] & self.state.playable[self.me], colour)
    }

    #[inline]
    pub(super) fn hand_wagers(&self, colour: usize) -> u32 {
        nibble(self.state.hand_wagers[self.me], colour)
    }

    #[inline]
    fn playable_wagers(&self, colour: usize) -> u32 {
        if self.can_play(self.me, self.layout.kind(colour, 0)) { self.hand_wagers(colour) } else { 0 }
    }

    /// Own hand numbers of the card's colour that are not below it.
    #[inline]
    pub(super) fn numbers_from(&self, card: Card) -> u32 {
        let below = card.rank.saturating_sub(1);
        self.hand_numbers(card.colour) >> below << below
    }

    #[inline]
    fn high_numbers(&self, numbers: u32) -> u32 {
        self.count(numbers & (u32::MAX << (self.thresholds.middle_rank - 1)))
    }

    #[inline]
    pub(super) fn count(&self, numbers: u32) -> u32 {
        self.layout.count(numbers)
    }

    #[inline]
    pub(super) fn sum(&self, numbers: u32) -> f64 {
        f64::from(self.layout.sum(numbers))
    }

    /// The kind on top of a pile that is not empty.
    #[inline]
    pub(super) fn pile_top(&self, colour: usize) -> usize {
        self.layout.kind(colour, (self.state.piles[colour] as u32 & 15) - 1)
    }

    /// How far a card is below the first number beyond the colour: low cards go first.
    #[inline]
    pub(super) fn lowness(&self, card: Card) -> f64 {
        f64::from(self.layout.rules.min_rank + self.layout.size.ranks) - card.value
    }

    /// Own points minus the opponent's.
    pub(super) fn lead(&self) -> i32 {
        let total = |expeditions: &[Expedition; 6]| expeditions.iter().map(|one| one.score).sum::<i32>();
        total(&self.mine) - total(&self.theirs)
    }

    pub(super) fn late_penalty(&self) -> f64 {
        if self.deck <= self.thresholds.late {
            15.0
        } else if self.deck <= self.thresholds.mid {
            8.0
        } else {
            0.0
        }
    }

    fn colour_penalty(&self) -> f64 {
        match self.open_colours {
            0 | 1 => 0.0,
            2 => 6.0,
            3 => 14.0,
            _ => 28.0,
        }
    }

    /// The bonus in sight: all of it once the expedition with `committed` more cards has it, a part
    /// when playable hand cards other than those of rank `excluded`, and `extra` more, would do.
    pub(super) fn bonus(&self, colour: usize, extra: u32, committed: u32, excluded: Option<u32>) -> f64 {
        let rules = &self.layout.rules;
        if !self.bonus_possible() {
            return 0.0;
        }
        let amount = f64::from(rules.bonus_amount);
        let need = rules.bonus_threshold.saturating_sub(self.mine[colour].cards + committed);
        if need == 0 {
            return amount;
        }
        let (mut numbers, mut wagers) = (self.playable_numbers(colour), self.playable_wagers(colour));
        match excluded {
            None => {}
            Some(0) => wagers = 0,
            Some(rank) => numbers &= !(1 << (rank - 1)),
        }
        if self.count(numbers) + wagers + extra >= need { 0.4 * amount } else { 0.0 }
    }

    fn bonus_possible(&self) -> bool {
        self.layout.size.wagers + self.layout.size.ranks >= self.layout.rules.bonus_threshold
    }

    /// The worth of opening the card's colour with it.
    pub(super) fn plan(&self, card: Card) -> f64 {
        let limits = &self.thresholds;
        let from = self.numbers_from(card);
        let (n, sum, high) = (self.count(from), self.sum(from), self.high_numbers(from));
        let (count, wagers) = (f64::from(n), f64::from(self.hand_wagers(card.colour)));
        let (open, penalty) = (self.open_colours, self.colour_penalty());
        let whole = 0.85 * f64::from(self.layout.rules.colour_sum());
        if open < 4 && n >= limits.min_open && sum >= limits.target && (high > 0 || sum >= whole) {
            return 6.0 + 0.25 * sum + 0.8 * count + 0.5 * wagers - penalty;
        }
        if open <= 2 && n >= 2 && sum >= 0.65 * limits.target && high > 0 {
            return 3.0 + 0.18 * sum + 0.7 * count + 0.4 * wagers - penalty;
        }
        if open == 3 {
            return 0.0;
        }
        let break_even = f64::from(-self.layout.rules.expedition_penalty);
        let exceptional = break_even.max(1.4 * limits.target);
        if n > limits.min_open && sum >= exceptional && high >= 2 && self.deck > limits.mid {
            return 10.0 + 0.3 * sum + count + 0.7 * f64::from(high) - penalty;
        }
        if open < 4 && self.deck <= limits.mid && n >= 1 && card.value >= 8.0 {
            return 1.5 + 0.2 * card.value - penalty;
        }
        0.0
    }

    /// How much the player has put into a colour, on the table and in hand.
    pub(super) fn commitment(&self, colour: usize) -> f64 {
        let numbers = self.playable_numbers(colour);
        let mut value = laid_out(&self.mine[colour]);
        value += 1.2 * f64::from(self.count(numbers));
        value += 1.5 * f64::from(self.playable_wagers(colour));
        value += 0.15 * self.sum(numbers);
        value + 0.05 * self.bonus(colour, 0, 0, None)
    }

    /// How much the opponent wants a colour, from what lies open.
    fn interest(&self, colour: usize) -> f64 {
        let (expedition, layout) = (&self.theirs[colour], self.layout);
        let mut value = laid_out(expedition);
        if expedition.numbers != 0 {
            let highest = layout.value_of(layout.kind(colour, expedition.highest_rank()));
            value += 0.4 * f64::from(highest);
        }
        if self.state.pile_mask >> colour & 1 == 1 {
            let top = self.pile_top(colour);
            if self.can_play(1 - self.me, top) {
                let card = self.card(top);
                value += if card.rank == 0 { 1.5 } else { 1.0 + 0.1 * card.value };
            }
        }
        if self.bonus_possible() && expedition.cards + 1 >= layout.rules.bonus_threshold {
            value += 0.2 * f64::from(layout.rules.bonus_amount);
        }
        value
    }

    /// What the opponent would gain from a card.
    pub(super) fn gift(&self, kind: usize, card: Card) -> f64 {
        if !self.can_play(1 - self.me, kind) {
            return 0.0;
        }
        let interest = self.interest(card.colour);
        if card.rank == 0 { 8.0 + 1.5 * interest } else { card.value * (0.4 + 0.25 * interest) }
    }

    /// What a card in hand is worth to its owner.
    pub(super) fn own_worth(&self, kind: usize, card: Card) -> f64 {
        if !self.can_play(self.me, kind) {
            return 0.0;
        }
        let commitment = self.commitment(card.colour);
        if card.rank == 0 {
            return 7.0 + 1.2 * commitment;
        }
        let mut value = 0.8 * card.value + commitment;
        if self.mine[card.colour].cards > 0 {
            value += 7.0;
        }
        if commitment >= 6.0 && card.rank <= self.thresholds.middle_rank {
            value += 5.0;
        }
        value
    }

    /// What the hand adds to a card on a pile whose colour is unopened.
    pub(super) fn support(&self, card: Card) -> f64 {
        let own = if card.rank == 0 { 0 } else { 1 << (card.rank - 1) };
        let from = self.numbers_from(card) & !own;
        let (followers, wagers) = (self.count(from), self.hand_wagers(card.colour));
        let mut value = 0.8 * f64::from(followers) + f64::from(wagers);
        if card.rank <= self.thresholds.middle_rank {
            value += 1.5;
        }
        if self.helps(card, from) {
            value += 4.0;
        } else if self.open_colours <= 2 && (followers > 0 || wagers > 0) {
            value += 1.5;
        }
        match self.open_colours {
            0..=2 => value + 0.25 * self.plan(card),
            3 => value + 0.1 * self.plan(card).max(0.0),
            _ => value,
        }
    }

    /// Whether a card with the numbers that follow it makes a colour worth opening.
    fn helps(&self, card: Card, followers: u32) -> bool {
        let high = self.high_numbers(followers) > 0 || card.rank >= self.thresholds.middle_rank;
        self.count(followers) + 1 >= self.thresholds.min_open
            && card.value + self.sum(followers) >= self.thresholds.target
            && high
    }
}

/// The common part of commitment and interest.
fn laid_out(expedition: &Expedition) -> f64 {
    let started = if expedition.cards > 0 { 5.0 } else { 0.0 };
    started + 2.0 * f64::from(expedition.wagers) + 0.25 * f64::from(expedition.sum)
}
