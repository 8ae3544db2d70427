//! The features of the predecessor's layout: 365 under classic rules, by hand slot.
//!
//! Kept for side-by-side runs, number for number, oddities included: absolute seats, a rank over a
//! sum of values, repeated fractions. For training see `CardsEncoder`.

use deepcfr_core::{Encoder, Player};

use super::layout::{Layout, nibble};
use super::row::{Row, flag};
use super::space::{ActionSpace, Numbering, Slots, legal_actions};
use super::state::{NO_COLOUR, Phase, State};
use super::{Expedition, LostCities, Rules};

/// Writes the slot layout. In order, with `C` colours, `R` ranks, hands of `S` and `A = 2S + 1 + C`
/// actions: phase 2, seats 2, deck 1, hand 3S, expeditions 8C, piles 4C, open cards `C(R + 1)`,
/// totals 3, turn 1, closed pile `C + 1`, legal actions `A`; 19 features a colour; 3 fractions; 12
/// features a slot.
#[derive(Clone, Debug)]
pub struct SlotsEncoder {
    num_features: usize,
    per_colour: f32,
    per_rank: f32,
    per_wager: f32,
    per_card: f32,
    per_colour_card: f32,
    per_score: f32,
    per_colour_sum: f32,
    per_turn: f32,
    per_recommendation: f32,
    hand_size: usize,
}

/// One colour as the player to encode for sees it.
#[derive(Clone, Copy)]
struct Colour {
    margin: f32,
    recommendation: f32,
    has_number: bool,
    empty: bool,
    bonus_in_hand: bool,
}

impl SlotsEncoder {
    /// The encoder for games under `rules`, which must be possible.
    pub fn new(rules: &Rules) -> Self {
        let [colours, ranks, wagers] = [rules.colours, rules.ranks, rules.wagers];
        let hand = rules.hand_size;
        let actions = 2 * hand + 1 + colours;
        let base = 9 + 3 * hand + 12 * colours + colours * (ranks + 1) + colours + 1 + actions;
        let score = rules.bonus_amount + (ranks * (ranks + 1) * (wagers + 1)) as i32;
        let spread = (rules.colour_sum() as i32 + rules.expedition_penalty) * (wagers as i32 + 1);
        let per = |whole: f64| (1.0 / whole.max(1.0)) as f32;
        Self {
            num_features: (base + 19 * colours + 3 + 12 * hand) as usize,
            per_colour: per(colours.into()),
            per_rank: per(ranks.into()),
            per_wager: per(wagers.into()),
            per_card: per(rules.deck_size().into()),
            per_colour_card: per((ranks + wagers).into()),
            per_score: per(score.into()),
            per_colour_sum: per(rules.colour_sum().into()),
            per_turn: per((2 * rules.deck_size()).into()),
            per_recommendation: per(spread.into()),
            hand_size: hand as usize,
        }
    }

    fn put_table(&self, layout: &Layout, state: &State, me: Player, row: &mut Row<'_>) {
        let card_phase = state.phase == Phase::Card;
        row.put([flag(card_phase), flag(!card_phase), f32::from(state.player), me as f32]);
        row.put([f32::from(state.deck_len) * self.per_card]);
        let slots = state.hand_slots(me);
        let held = slots.len();
        for kind in slots {
            let colour = (layout.colour_of(kind) + 1) as f32 * self.per_colour;
            row.put([1.0, colour, layout.rank_of(kind) as f32 * self.per_rank]);
        }
        (held..self.hand_size).for_each(|_| row.put([0.0; 3]));
    }

    /// Expeditions, piles and open cards. Returns what each player's expeditions are worth.
    fn put_open_cards(&self, layout: &Layout, state: &State, row: &mut Row<'_>) -> [i32; 2] {
        let totals = [0, 1].map(|player| {
            let scores = (0..layout.colours).map(|colour| {
                let expedition = layout.expedition(state, player, colour);
                row.put(self.expedition(&expedition));
                expedition.score
            });
            scores.sum()
        });
        (0..layout.colours).for_each(|colour| row.put(self.pile(state, colour)));
        let numbers = state.played[0] | state.played[1] | state.piled;
        let wagers = state.played_wagers[0] + state.played_wagers[1] + state.piled_wagers;
        for colour in 0..layout.colours {
            row.put([nibble(wagers, colour) as f32]);
            row.put_bits(layout.numbers_in(numbers, colour), layout.ranks as usize);
        }
        totals
    }

    fn expedition(&self, expedition: &Expedition) -> [f32; 4] {
        [
            expedition.cards as f32 * self.per_colour_card,
            expedition.highest_rank() as f32 * self.per_rank,
            expedition.wagers as f32 * self.per_wager,
            expedition.score as f32 * self.per_score,
        ]
    }

    fn pile(&self, state: &State, colour: usize) -> [f32; 4] {
        let stack = state.piles[colour];
        if stack == 0 {
            return [0.0; 4];
        }
        let top = (stack as u32 & 15) - 1;
        [
            pile_len(stack) as f32 * self.per_colour_card,
            1.0,
            (colour + 1) as f32 * self.per_colour,
            top as f32 * self.per_rank,
        ]
    }

    fn put_standing(&self, layout: &Layout, state: &State, totals: [i32; 2], me: Player, row: &mut Row<'_>) {
        let points = |points: i32| points as f32 * self.per_score;
        let (mine, theirs) = (totals[me], totals[1 - me]);
        row.put([points(mine), points(theirs), points(mine - theirs), self.turn(state)]);
        let closed = match state.closed_pile {
            NO_COLOUR => layout.colours,
            colour => colour as usize,
        };
        row.put_bits(1 << closed, layout.colours + 1);
        let legal = legal_actions::<Slots>(layout, state);
        row.put_bits(legal.bits() as u32, Slots::num_actions(layout));
    }

    /// Two decisions are a turn.
    fn turn(&self, state: &State) -> f32 {
        f32::from(state.plies / 2) * self.per_turn
    }

    fn put_colour(
        &self,
        layout: &Layout,
        state: &State,
        me: Player,
        colour: usize,
        row: &mut Row<'_>,
    ) -> Colour {
        let rules = &layout.rules;
        let expedition = layout.expedition(state, me, colour);
        let hand = layout.numbers_in(state.hand[me], colour);
        let playable = hand & layout.numbers_in(state.playable[me], colour);
        let dead = hand & !playable;
        let (wagers, count) = (nibble(state.hand_wagers[me], colour), layout.count(playable));
        let has_number = expedition.numbers != 0;
        let playable_wagers = if has_number { 0 } else { wagers };
        let projected = (expedition.sum + layout.sum(playable)) as i32;
        let margin = projected + rules.expedition_penalty;
        let recommendation = margin * (expedition.wagers + playable_wagers + 1) as i32;
        let length = expedition.cards + count + playable_wagers;
        let hand_cards = layout.count(hand) + wagers;
        let card = self.per_colour_card;
        let sum = self.per_colour_sum;
        row.put([
            flag(expedition.cards == 0),
            flag(expedition.wagers > 0 && !has_number),
            expedition.sum as f32 * sum,
            expedition.wagers as f32 * self.per_wager,
            expedition.cards as f32 * card,
            expedition.highest_rank() as f32 * sum,
            hand_cards as f32 * card,
            wagers as f32 * self.per_wager,
            layout.sum(playable) as f32 * sum,
            count as f32 * card,
            layout.count(dead) as f32 * card,
            layout.sum(dead) as f32 * sum,
            margin as f32 * sum,
            recommendation as f32 * self.per_recommendation,
            (-margin).max(0) as f32 * sum,
        ]);
        let top = (state.piles[colour] as u32 & 15).saturating_sub(1);
        let wanted = top > 0 && state.playable[me] >> layout.kind(colour, top) & 1 == 1;
        let value = if wanted { rules.min_rank + top - 1 } else { 0 };
        let open =
            layout.expedition(state, 1 - me, colour).cards + expedition.cards + pile_len(state.piles[colour]);
        let unseen = layout.wagers + layout.ranks - hand_cards - open;
        let short = rules.bonus_threshold.saturating_sub(length);
        row.put([flag(wanted), value as f32 * sum, unseen as f32 * card, short as f32 * card]);
        Colour {
            margin: margin as f32 * sum,
            recommendation: recommendation as f32 * self.per_recommendation,
            has_number,
            empty: expedition.cards == 0,
            bonus_in_hand: length >= rules.bonus_threshold,
        }
    }
}

/// The features of one occupied slot.
fn slot_features(layout: &Layout, state: &State, me: Player, kind: usize, colour: &Colour) -> [f32; 12] {
    let number = layout.rank_of(kind) > 0;
    let playable = state.playable[me] >> kind & 1 == 1;
    let early = playable && !colour.has_number;
    let losing = early && colour.recommendation < 0.0;
    [
        colour.recommendation,
        colour.margin,
        flag(early),
        flag(early && number),
        flag(early && !number && colour.empty),
        flag(playable && colour.has_number),
        flag(number && !playable),
        flag(!number && early),
        flag(colour.bonus_in_hand),
        flag(losing),
        if losing { colour.recommendation } else { 0.0 },
        flag(playable && colour.has_number),
    ]
}

#[inline]
fn pile_len(stack: u64) -> u32 {
    (u64::BITS - stack.leading_zeros()).div_ceil(4)
}

impl<A: ActionSpace> Encoder<LostCities<A>> for SlotsEncoder {
    fn num_features(&self) -> usize {
        self.num_features
    }

    fn encode(&self, game: &LostCities<A>, state: &State, player: Player, row: &mut [f32]) {
        let layout = game.layout();
        let mut row = Row::new(row);
        self.put_table(layout, state, player, &mut row);
        let totals = self.put_open_cards(layout, state, &mut row);
        self.put_standing(layout, state, totals, player, &mut row);
        let none =
            Colour { margin: 0.0, recommendation: 0.0, has_number: false, empty: true, bonus_in_hand: false };
        let mut colours = [none; 6];
        for (colour, entry) in colours.iter_mut().enumerate().take(layout.colours) {
            *entry = self.put_colour(layout, state, player, colour, &mut row);
        }
        let deck = f32::from(state.deck_len);
        row.put([deck * self.per_card, self.turn(state), deck * self.per_turn]);
        let slots = state.hand_slots(player);
        let held = slots.len();
        for kind in slots {
            row.put(slot_features(layout, state, player, kind, &colours[layout.colour_of(kind) % 6]));
        }
        (held..self.hand_size).for_each(|_| row.put([0.0; 12]));
        row.finish();
    }
}
