//! The tempers of the heuristic bots, and what each means under one rule set.
//!
//! Not here: the rule that all of them follow (see `heuristic`).

use super::super::layout::Layout;

/// The parameters in which the heuristic bots differ.
pub(super) struct Temper {
    open_target_ratio: f64,
    open_min_card_ratio: f64,
    wager_target_multiplier: f64,
    wager_min_card_ratio: f64,
    late_open_block_ratio: f64,
}

impl Temper {
    pub(super) const BALANCED: Self = Self {
        open_target_ratio: 0.50,
        open_min_card_ratio: 0.40,
        wager_target_multiplier: 1.15,
        wager_min_card_ratio: 0.34,
        late_open_block_ratio: 0.20,
    };
    pub(super) const AGGRESSIVE: Self = Self {
        open_target_ratio: 0.42,
        open_min_card_ratio: 0.30,
        wager_target_multiplier: 1.00,
        wager_min_card_ratio: 0.25,
        late_open_block_ratio: 0.12,
    };
    pub(super) const CAUTIOUS: Self = Self {
        open_target_ratio: 0.62,
        open_min_card_ratio: 0.50,
        wager_target_multiplier: 1.35,
        wager_min_card_ratio: 0.45,
        late_open_block_ratio: 0.30,
    };
}

/// A temper under one rule set.
pub(super) struct Thresholds {
    /// Points in hand that make a colour worth opening.
    pub(super) target: f64,
    /// Cards in hand that make a colour worth opening.
    pub(super) min_open: u32,
    /// Points in hand that make a colour worth a wager.
    pub(super) wager_target: f64,
    /// Cards in hand that make a colour worth a wager.
    pub(super) min_wager: u32,
    /// Deck cards from which on it is late.
    pub(super) late: u32,
    /// Deck cards from which on it is the middle of the game.
    pub(super) mid: u32,
    /// Deck cards from which on no colour is opened.
    pub(super) block: u32,
    /// The rank in the middle of a colour.
    pub(super) middle_rank: u32,
}

impl Thresholds {
    pub(super) fn new(layout: &Layout, temper: &Temper) -> Self {
        let rules = &layout.rules;
        let of_hand = |ratio: f64| {
            let cards = (f64::from(rules.hand_size) * ratio).round_ties_even() as u32;
            cards.clamp(1, rules.hand_size)
        };
        let of_deck = |ratio: f64| (f64::from(layout.deck_size) * ratio).round_ties_even() as u32;
        let break_even = f64::from(-rules.expedition_penalty);
        let target = (0.8 * break_even).min(temper.open_target_ratio * f64::from(rules.colour_sum()));
        let late = of_deck(0.20).max(1);
        Self {
            target,
            min_open: of_hand(temper.open_min_card_ratio),
            wager_target: target * temper.wager_target_multiplier,
            min_wager: of_hand(temper.wager_min_card_ratio),
            late,
            mid: of_deck(0.35).max(late + 1),
            block: of_deck(temper.late_open_block_ratio).max(1),
            middle_rank: rules.ranks.div_ceil(2),
        }
    }
}
