//! The heuristic bots: one rule, three tempers.
//!
//! Everything is in doubles, added in the order written: ties are exact comparisons, so another
//! order can flip a decision. Not here: what a colour is worth (see `worth`).

use super::super::Move;
use super::super::layout::Layout;
use super::super::state::{Phase, State};
use super::temper::{Temper, Thresholds};
use super::worth::{Card, View};
use super::{Best, deck_or_first_pile};

/// The decision of the player to move.
pub(super) fn decide(layout: &Layout, state: &State, temper: &Temper) -> Move {
    let view = View::new(layout, state, Thresholds::new(layout, temper));
    match state.phase {
        Phase::Card => decide_card(&view),
        _ => decide_draw(&view),
    }
}

/// The first of the four steps that has a candidate decides.
fn decide_card(view: &View<'_>) -> Move {
    let steps = [best_wager, best_number, best_forced_opening];
    if let Some(slot) = steps.into_iter().find_map(|step| step(view).index) {
        return Move::Play { slot };
    }
    let slot = best_discard(view).index.expect("a hand is not empty in the card phase");
    Move::Discard { slot }
}

fn best_wager(view: &View<'_>) -> Best {
    let mut best = Best::NONE;
    if view.deck <= view.thresholds.block {
        return best;
    }
    for (slot, kind) in view.hand() {
        let card = view.card(kind);
        let numbers = view.hand_numbers(card.colour);
        let (count, sum) = (view.count(numbers), view.sum(numbers));
        let wanted = card.rank == 0
            && view.can_play(view.me, kind)
            && count >= view.thresholds.min_wager
            && sum >= view.thresholds.wager_target;
        if wanted {
            let value = sum + 2.0 * f64::from(count) + view.bonus(card.colour, 0, 1, Some(card.rank));
            best.offer(slot, value - view.late_penalty());
        }
    }
    best
}

fn best_number(view: &View<'_>) -> Best {
    let mut best = Best::NONE;
    for (slot, kind) in view.hand() {
        let card = view.card(kind);
        if card.rank == 0 || !view.can_play(view.me, kind) {
            continue;
        }
        if view.mine[card.colour].cards > 0 {
            best.offer(slot, continue_value(view, card));
        } else if view.deck > view.thresholds.block {
            let plan = view.plan(card);
            if plan > 0.0 {
                best.offer(slot, opening_value(view, card, plan));
            }
        }
    }
    best
}

fn continue_value(view: &View<'_>, card: Card) -> f64 {
    let expedition = &view.mine[card.colour];
    let mut value = 7.0 + view.lowness(card);
    if view.deck <= view.thresholds.late {
        value += 2.0 * card.value;
    } else if view.deck <= view.thresholds.mid {
        value += 0.8 * card.value;
    }
    let above = view.hand_numbers(card.colour) >> card.rank << card.rank;
    if f64::from(expedition.sum) + card.value + view.sum(above) < view.thresholds.target {
        value -= 6.0;
    }
    value += 3.0 * f64::from(expedition.wagers);
    value + view.bonus(card.colour, 0, 1, Some(card.rank))
}

fn opening_value(view: &View<'_>, card: Card, plan: f64) -> f64 {
    let from = view.numbers_from(card);
    let wagers = f64::from(view.hand_wagers(card.colour));
    let value = view.sum(from) + 2.0 * f64::from(view.count(from)) + 1.5 * wagers + plan;
    let value = value + f64::from(view.layout.rules.expedition_penalty);
    let value = value + f64::from(view.thresholds.middle_rank.saturating_sub(card.rank));
    value + view.bonus(card.colour, 0, 1, Some(card.rank)) - view.late_penalty()
}

fn best_forced_opening(view: &View<'_>) -> Best {
    let mut best = Best::NONE;
    if view.open_colours > 0 {
        return best;
    }
    for (slot, kind) in view.hand() {
        let card = view.card(kind);
        if card.rank == 0 || !view.can_play(view.me, kind) {
            continue;
        }
        let numbers = view.hand_numbers(card.colour);
        let (plan, sum) = (view.plan(card), view.sum(numbers));
        let hopeless = plan <= 0.0
            && view.count(numbers) < 2
            && sum < 0.5 * view.thresholds.target
            && view.deck > view.thresholds.mid;
        if !hopeless {
            best.offer(slot, plan + 0.2 * sum + view.lowness(card));
        }
    }
    best
}

fn best_discard(view: &View<'_>) -> Best {
    let mut best = Best::NONE;
    for (slot, kind) in view.hand() {
        let card = view.card(kind);
        let (mine, theirs) = (view.can_play(view.me, kind), view.can_play(1 - view.me, kind));
        let mut score = -view.own_worth(kind, card) - view.gift(kind, card);
        if !mine {
            score += 20.0;
        }
        if !theirs {
            score += 6.0;
        }
        if card.rank == 0 && mine {
            score -= 4.0;
        }
        best.offer(slot, score);
    }
    best
}

fn decide_draw(view: &View<'_>) -> Move {
    if view.deck == 0 && view.state.open_piles() == 0 {
        return deck_or_first_pile(view.state);
    }
    let lead = view.lead();
    let mut best = Best::NONE;
    let mut piles = view.state.open_piles();
    while piles != 0 {
        let colour = piles.trailing_zeros() as usize;
        piles &= piles - 1;
        best.offer(colour, pile_value(view, colour, lead));
    }
    match best.index {
        Some(colour) if view.deck == 0 || best.value > deck_value(view, lead) => Move::DrawPile { colour },
        _ => Move::DrawDeck,
    }
}

fn deck_value(view: &View<'_>, lead: i32) -> f64 {
    let base = if view.deck > view.thresholds.mid {
        2.0
    } else if view.deck > view.thresholds.late {
        1.0
    } else {
        -1.0
    };
    if lead > 0 { base + 0.75 } else { base - 1.25 }
}

fn pile_value(view: &View<'_>, colour: usize, lead: i32) -> f64 {
    let kind = view.pile_top(colour);
    let card = view.card(kind);
    let unopened = view.mine[colour].cards == 0;
    let gift = view.gift(kind, card);
    let mut value = 0.4 * gift;
    if lead <= 0 {
        value += 1.5;
    }
    if unopened && view.open_colours >= 4 {
        value -= 20.0;
    } else if unopened && view.open_colours == 3 {
        value -= 10.0;
    }
    // A fifth colour is taken up only with support, to deny a lot, or when far behind.
    let reckless = |support: f64| view.open_colours >= 4 && support < 6.0 && gift < 10.0 && lead > -15;
    if card.rank == 0 {
        return wager_pile_value(view, kind, card, value, reckless);
    }
    let support = if unopened { view.support(card) } else { 0.0 };
    if view.can_play(view.me, kind) {
        value = value + card.value + 0.7 * view.commitment(colour);
        value += if unopened { support } else { 5.0 };
    } else {
        value -= 2.0;
    }
    if unopened && reckless(support) { -8.0 } else { value + view.bonus(colour, 1, 0, None) }
}

fn wager_pile_value(
    view: &View<'_>,
    kind: usize,
    card: Card,
    value: f64,
    reckless: impl Fn(f64) -> bool,
) -> f64 {
    if !view.can_play(view.me, kind) {
        return value - 2.0;
    }
    let numbers = view.playable_numbers(card.colour);
    let thin =
        view.count(numbers) < view.thresholds.min_wager || view.sum(numbers) < view.thresholds.wager_target;
    if view.mine[card.colour].cards == 0 && thin {
        let support = view.support(card);
        return if reckless(support) { -8.0 } else { value + support - 0.5 };
    }
    value + 6.0 + view.commitment(card.colour)
}
