//! The features that the program before this one had (the *predecessor*): 365 under classic rules, by hand slot.
//!
//! Kept for side-by-side runs, number for number, oddities included: absolute seats, a rank over a
//! sum of values, repeated fractions. For training see `CardsEncoder`.

use deepcfr_core::{Encoder, FeatureBlock, Player};

use super::layout::{Layout, MAX_KINDS, Size, nibble};
use super::row::{Row, any, bits, scaled};
use super::space::{ActionSpace, Slots, legal_actions};
use super::state::{NO_COLOUR, Phase, State};
use super::view::View;
use super::{Expedition, LostCities, Rules};

/// Writes the slot layout. In order, with `C` colours, `R` ranks, hands of `S` and `A = 2S + 1 + C`
/// actions: phase 2, seats 2, deck 1, hand 3S, expeditions 8C, piles 4C, open cards `C(R + 1)`,
/// totals 3, turn 1, closed pile `C + 1`, legal actions `A`; 19 features a colour; 3 fractions; 12
/// features a slot.
#[derive(Clone, Debug)]
pub struct SlotsEncoder {
    size: Size,
    units: Units,
    /// The features of a card in the hand by kind, and one to be overwritten; of no card at the end.
    cards: [[f32; 4]; MAX_KINDS],
}

/// What one of each count is worth, by group of features.
#[derive(Clone, Debug)]
struct Units {
    table: [f32; 5],
    expedition: [f32; 4],
    pile: [f32; 4],
    standing: [f32; 4],
    /// 19, and one to be overwritten.
    colour: [f32; 20],
    fractions: [f32; 3],
}

impl Units {
    fn new(rules: &Rules) -> Self {
        let [colours, ranks, wagers] = [rules.colours, rules.ranks, rules.wagers];
        let per = |whole: f64| (1.0 / whole.max(1.0)) as f32;
        let spread = (rules.colour_sum() as i32 + rules.expedition_penalty) * (wagers as i32 + 1);
        let score = per((rules.bonus_amount + (ranks * (ranks + 1) * (wagers + 1)) as i32).into());
        let (colour, rank, wager) = (per(colours.into()), per(ranks.into()), per(wagers.into()));
        let (card, turn) = (per((ranks + wagers).into()), per((2 * rules.deck_size()).into()));
        let (deck, sum) = (per(rules.deck_size().into()), per(rules.colour_sum().into()));
        let state = [1.0, 1.0, sum, wager, card, sum];
        let hand = [card, wager, sum, card, card, sum];
        let plan = [sum, per(spread.into()), sum];
        let rest = [1.0, sum, card, card, 0.0];
        let mut group = state.into_iter().chain(hand).chain(plan).chain(rest);
        Self {
            table: [1.0, 1.0, 1.0, 1.0, deck],
            expedition: [card, rank, wager, score],
            pile: [card, 1.0, colour, rank],
            standing: [score, score, score, turn],
            colour: std::array::from_fn(|_| group.next().expect("20 units")),
            fractions: [deck, turn, turn],
        }
    }
}

/// One colour as the player to encode for sees it.
#[derive(Clone, Copy, Default)]
struct Colour {
    margin: f32,
    recommendation: f32,
    /// The part of a slot's index into [`SLOT_FLAGS`] that the colour decides.
    flags: usize,
}

impl SlotsEncoder {
    /// The encoder for games under `rules`, which must be possible.
    pub fn new(rules: &Rules) -> Self {
        let units = Units::new(rules);
        let width = rules.ranks + 1;
        let [_, _, per_colour, per_rank] = units.pile;
        let card = |kind: usize| match (kind as u32 / width, kind as u32 % width) {
            (colour, rank) if colour < rules.colours => {
                [1.0, (colour + 1) as f32 * per_colour, rank as f32 * per_rank, 0.0]
            }
            _ => [0.0; 4],
        };
        Self { size: Size::of(rules), units, cards: std::array::from_fn(card) }
    }

    #[inline(always)]
    fn write(&self, view: View<'_>, row: &mut [f32]) {
        let View { layout, state, me, size } = view;
        let mut row = Row::new(row, features(size));
        let mut expeditions = [[Expedition::EMPTY; 6]; 2];
        let mut totals = [0; 2];
        for player in 0..2 {
            for (colour, expedition) in expeditions[player].iter_mut().enumerate().take(size.colours) {
                *expedition = view.expedition(player, colour);
                totals[player] += expedition.score;
            }
        }
        self.put_table(view, &mut row);
        self.put_open_cards(view, &expeditions, &mut row);
        self.put_standing(view, totals, &mut row);
        let mut colours = [Colour::default(); 8];
        for (colour, seen) in colours.iter_mut().enumerate().take(size.colours) {
            let both = [&expeditions[me][colour], &expeditions[1 - me][colour]];
            *seen = self.put_colour(view, colour, both, &mut row);
        }
        let deck = state.deck_len.into();
        row.put(scaled([deck, turn(state), deck], &self.units.fractions));
        for slot in 0..size.hand {
            let kind = state.slot(me, slot) % MAX_KINDS;
            let colour = &colours[layout.colour_of(kind) % 8];
            row.put(slot_features(layout, state.playable[me], kind, colour));
        }
        row.finish();
    }

    #[inline(always)]
    fn put_table(&self, view: View<'_>, row: &mut Row<'_>) {
        let View { state, me, size, .. } = view;
        let card_phase = i32::from(state.phase == Phase::Card);
        let table = [card_phase, 1 - card_phase, state.player.into(), me as i32, state.deck_len.into()];
        row.put(scaled(table, &self.units.table));
        for slot in 0..size.hand {
            row.put_over(self.cards[state.slot(me, slot) % MAX_KINDS], 3);
        }
    }

    /// Expeditions, piles and open cards.
    #[inline(always)]
    fn put_open_cards(&self, view: View<'_>, expeditions: &[[Expedition; 6]; 2], row: &mut Row<'_>) {
        let View { state, size, .. } = view;
        for own in expeditions {
            for expedition in &own[..size.colours] {
                let Expedition { wagers, cards, score, .. } = *expedition;
                let counts = [cards as i32, expedition.highest_rank() as i32, wagers as i32, score];
                row.put(scaled(counts, &self.units.expedition));
            }
        }
        for colour in 0..size.colours {
            let stack = state.piles[colour];
            let some = i32::from(state.pile_mask >> colour & 1);
            let counts = [pile_len(stack), some, some * (colour as i32 + 1), (stack as i32 & 15) - some];
            row.put(scaled(counts, &self.units.pile));
        }
        let numbers = state.played[0] | state.played[1] | state.piled;
        let wagers = state.played_wagers[0] + state.played_wagers[1] + state.piled_wagers;
        for colour in 0..size.colours {
            row.put([nibble(wagers, colour) as i32 as f32]);
            row.put_bits(size.numbers_in(numbers, colour), size.ranks as usize);
        }
    }

    #[inline(always)]
    fn put_standing(&self, view: View<'_>, totals: [i32; 2], row: &mut Row<'_>) {
        let View { layout, state, me, size } = view;
        let (mine, theirs) = (totals[me], totals[1 - me]);
        row.put(scaled([mine, theirs, mine - theirs, turn(state)], &self.units.standing));
        let closed = match state.closed_pile {
            NO_COLOUR => size.colours,
            colour => colour as usize,
        };
        row.put_bits(1 << closed, size.colours + 1);
        let legal = legal_actions::<Slots>(layout, state);
        row.put_bits(legal.bits() as u32, 2 * size.hand + 1 + size.colours);
    }

    #[inline(always)]
    fn put_colour(
        &self,
        view: View<'_>,
        colour: usize,
        [mine, theirs]: [&Expedition; 2],
        row: &mut Row<'_>,
    ) -> Colour {
        let View { layout, state, me, size } = view;
        let rules = &layout.rules;
        let (hand, open) = (view.hand(me, colour), view.open_numbers(me, colour));
        let (live, dead) = (hand.numbers & open, hand.numbers & !open);
        let wagers = hand.wagers as i32;
        let [live_cards, live_sum] = [layout.count(live), layout.sum(live)].map(|n| n as i32);
        let [dead_cards, dead_sum] = [layout.count(dead), layout.sum(dead)].map(|n| n as i32);
        let (laid, laid_wagers, laid_sum) = (mine.cards as i32, mine.wagers as i32, mine.sum as i32);
        let has_number = any(mine.numbers);
        let playable_wagers = wagers * (1 - has_number);
        let margin = laid_sum + live_sum + rules.expedition_penalty;
        let recommendation = margin * (laid_wagers + playable_wagers + 1);
        let length = laid + live_cards + playable_wagers;
        let hand_cards = live_cards + dead_cards + wagers;
        let stack = state.piles[colour];
        let top = top_rank(stack);
        let wanted = (open << 1 >> top & 1) as i32;
        let unseen =
            (size.wagers + size.ranks) as i32 - (hand_cards + theirs.cards as i32 + laid + pile_len(stack));
        let short = rules.bonus_threshold as i32 - length;
        let empty = 1 - any(mine.cards);
        let counts = [
            empty,
            any(mine.wagers) * (1 - has_number),
            laid_sum,
            laid_wagers,
            laid,
            mine.highest_rank() as i32,
            hand_cards,
            wagers,
            live_sum,
            live_cards,
            dead_cards,
            dead_sum,
            margin,
            recommendation,
            (-margin).max(0),
            wanted,
            wanted * (rules.min_rank as i32 + top - 1),
            unseen,
            short.max(0),
            0,
        ];
        let features = scaled(counts, &self.units.colour);
        row.put_over(features, 19);
        let flags = [has_number, empty, i32::from(short <= 0), i32::from(recommendation < 0)];
        Colour {
            margin: features[12],
            recommendation: features[13],
            flags: flags.iter().zip(2..).map(|(flag, bit)| (flag << bit) as usize).sum(),
        }
    }
}

/// The length of a row.
#[inline]
const fn features(size: Size) -> usize {
    let Size { colours, ranks, hand, .. } = size;
    let actions = 2 * hand + 1 + colours;
    let base = 9 + 3 * hand + 12 * colours + colours * (ranks as usize + 1) + colours + 1 + actions;
    base + 19 * colours + 3 + 12 * hand
}

/// The features of a slot that are 0 or 1 (and all bits of the one that is the recommendation or 0),
/// by six flags: its card is a number; it is playable; its colour's expedition has a number; has no
/// card; would earn the bonus; would lose.
const SLOT_FLAGS: [[f32; 12]; 64] = {
    let mut table = [[0.0; 12]; 64];
    let mut index = 0;
    while index < 64 {
        let (number, playable, has_number) = (index & 1, index >> 1 & 1, index >> 2 & 1);
        let (empty, bonus, losing) = (index >> 3 & 1, index >> 4 & 1, index >> 5 & 1);
        let early = playable & !has_number;
        let late = playable & has_number;
        table[index] = bits(
            early << 2
                | (early & number) << 3
                | (early & !number & empty) << 4
                | late << 5
                | (number & !playable) << 6
                | (early & !number) << 7
                | bonus << 8
                | (early & losing) << 9
                | late << 11,
        );
        table[index][10] = f32::from_bits(if early & losing == 1 { u32::MAX } else { 0 });
        index += 1;
    }
    table
};

/// The features of one slot; all 0 if it is empty, whose kind and colour are none.
#[inline]
fn slot_features(layout: &Layout, playable: u64, kind: usize, colour: &Colour) -> [f32; 12] {
    let number = usize::from(layout.rank_of(kind) > 0);
    let playable = (playable >> (kind & 63)) as usize & 1;
    let mut features = SLOT_FLAGS[(colour.flags | playable << 1 | number) % 64];
    features[0] = colour.recommendation;
    features[1] = colour.margin;
    // Arithmetic, because the compiler would make a branch of it that cannot be predicted.
    features[10] = f32::from_bits(features[10].to_bits() & colour.recommendation.to_bits());
    features
}

#[inline]
fn pile_len(stack: u64) -> i32 {
    (u64::BITS - stack.leading_zeros()).div_ceil(4) as i32
}

/// The rank of a pile's top; 0 for a wager and for no card.
#[inline]
fn top_rank(stack: u64) -> i32 {
    (stack as i32 & 15) - i32::from(stack != 0)
}

/// Two decisions are a turn.
#[inline]
fn turn(state: &State) -> i32 {
    (state.plies / 2).into()
}

impl<A: ActionSpace> Encoder<LostCities<A>> for SlotsEncoder {
    fn num_features(&self) -> usize {
        features(self.size)
    }

    fn encode(&self, game: &LostCities<A>, state: &State, player: Player, row: &mut [f32]) {
        let view = View::new(game.layout(), state, player);
        match view.classic() {
            Some(view) => self.write(view, row),
            None => self.write(view, row),
        }
    }

    fn layout(&self) -> Vec<FeatureBlock> {
        let Size { colours, ranks, hand, .. } = self.size;
        let block = |name: &str, len| FeatureBlock::new(name, len);
        vec![
            block("phase: card, draw", 2),
            block("seats: to move, own", 2),
            block("deck's size", 1),
            block("own hand by slot: card there, colour, rank", 3 * hand),
            block("expeditions of player 0 by colour: cards, highest number, wagers, points", 4 * colours),
            block("expeditions of player 1: the same", 4 * colours),
            block("piles by colour: cards, not empty, colour and rank of the top", 4 * colours),
            block("open cards by colour: wagers, then numbers", colours * (ranks as usize + 1)),
            block("points: own, theirs, lead", 3),
            block("turn", 1),
            block("closed pile: by colour, none", colours + 1),
            block("legal actions", 2 * hand + 1 + colours),
            block("own prospects by colour", 19 * colours),
            block("deck's size, turn, deck's size", 3),
            block("own hand by slot: what the card is good for", 12 * hand),
        ]
    }
}
