//! The features for training: by card, relative to the player, independent of the hand's order.
//!
//! One block a colour, all of the same layout, then the features of the whole table, so that a
//! network may share weights among colours and that swapping colours swaps blocks. All values are
//! of order 1: points in units of a colour's sum, counts over their maximum. Not here: the
//! predecessor's layout (see `SlotsEncoder`).

use deepcfr_core::{Encoder, Player};

use super::layout::{Layout, nibble};
use super::row::{Row, flag};
use super::space::ActionSpace;
use super::state::{NO_COLOUR, Phase, State};
use super::{Expedition, LostCities, Rules};

/// Sets of cards in a block: hand, own and their expedition, pile, cards they are known to hold.
const CARD_SETS: usize = 5;
/// Numbers in a block, after the sets and the pile's top.
const COLOUR_NUMBERS: usize = 31;
/// Numbers after the blocks.
const TABLE_NUMBERS: usize = 13;
/// The deck sizes at or below which one feature each is 1: the end of the game is counted in turns.
const DECK_STEPS: [u8; 12] = [1, 2, 3, 4, 6, 8, 10, 12, 16, 20, 26, 34];

/// Writes one block a colour, then the table.
///
/// A block with `W` wagers and `R` ranks a colour: five sets of cards (each `W` features that count
/// wagers, thermometer-like, and `R` for the numbers), `R + 1` for the top of the pile, 31 numbers.
/// The table: 13 numbers and 12 steps of the deck's size.
#[derive(Clone, Debug)]
pub struct CardsEncoder {
    colours: usize,
    features_per_colour: usize,
    per_rank: f32,
    per_wager: f32,
    per_stake: f32,
    per_colour_card: f32,
    per_hand_card: f32,
    per_point: f32,
    per_value: f32,
    per_card: f32,
    per_colour: f32,
    per_ply: f32,
}

/// The player's prospects over all colours, in points.
#[derive(Default)]
struct Prospects {
    mine: i32,
    theirs: i32,
    opened: [u32; 2],
    projected: i32,
}

impl CardsEncoder {
    /// The encoder for games under `rules`, which must be possible.
    pub fn new(rules: &Rules) -> Self {
        let cards = (rules.wagers + rules.ranks) as usize;
        let per = |whole: u32| 1.0 / whole.max(1) as f32;
        Self {
            colours: rules.colours as usize,
            features_per_colour: CARD_SETS * cards + rules.ranks as usize + 1 + COLOUR_NUMBERS,
            per_rank: per(rules.ranks),
            per_wager: per(rules.wagers),
            per_stake: per(rules.wagers + 1),
            per_colour_card: per(rules.wagers + rules.ranks),
            per_hand_card: per(rules.hand_size),
            per_point: per(rules.colour_sum().max(rules.expedition_penalty.unsigned_abs())),
            per_value: per(rules.min_rank + rules.ranks - 1),
            per_card: per(rules.deck_size()),
            per_colour: per(rules.colours),
            per_ply: per(4 * rules.deck_size()),
        }
    }

    /// The length of a colour's block; colour `c` has `c·n..(c + 1)·n` of the row.
    pub fn features_per_colour(&self) -> usize {
        self.features_per_colour
    }

    fn put_colour(
        &self,
        layout: &Layout,
        state: &State,
        me: Player,
        colour: usize,
        row: &mut Row<'_>,
        prospects: &mut Prospects,
    ) {
        let sides = [me, 1 - me].map(|player| Side::new(layout, state, player, colour));
        let [mine, theirs] = &sides;
        let stack = state.piles[colour];
        let piled = Cards::new(layout, state.piled, state.piled_wagers, colour);
        for cards in [mine.hand, mine.laid, theirs.laid, piled, theirs.known] {
            row.put_bits(cards.bits(layout), (layout.wagers + layout.ranks) as usize);
        }
        row.put_bits((1 << (stack & 15)) >> 1, layout.ranks as usize + 1);
        let unseen = Cards {
            numbers: !(mine.hand.numbers | mine.laid.numbers | theirs.laid.numbers | piled.numbers)
                & ((1 << layout.ranks) - 1),
            wagers: layout.wagers - mine.hand.wagers - mine.laid.wagers - theirs.laid.wagers - piled.wagers,
        };
        let projection = mine.projection(layout);
        row.put(self.side(mine));
        row.put(self.side(theirs));
        row.put(self.hand(layout, mine));
        row.put(self.projection(layout, mine, &projection));
        row.put(self.hopes(layout, mine, unseen));
        row.put(self.hopes(layout, theirs, unseen));
        row.put(self.pile(layout, state, colour, &sides));
        prospects.add(mine, theirs, projection.score);
    }

    fn points(&self, points: i32) -> f32 {
        points as f32 * self.per_point
    }

    fn side(&self, side: &Side) -> [f32; 6] {
        let expedition = &side.expedition;
        [
            flag(expedition.cards > 0),
            expedition.wagers as f32 * self.per_wager,
            expedition.sum as f32 * self.per_point,
            expedition.cards as f32 * self.per_colour_card,
            expedition.highest_rank() as f32 * self.per_rank,
            self.points(expedition.score),
        ]
    }

    fn hand(&self, layout: &Layout, mine: &Side) -> [f32; 4] {
        let playable = mine.playable_hand();
        let held = layout.count(mine.hand.numbers) + mine.hand.wagers;
        let live = layout.count(playable.numbers) + playable.wagers;
        [
            layout.count(playable.numbers) as f32 * self.per_hand_card,
            layout.sum(playable.numbers) as f32 * self.per_point,
            playable.wagers as f32 * self.per_wager,
            (held - live) as f32 * self.per_hand_card,
        ]
    }

    fn projection(&self, layout: &Layout, mine: &Side, projection: &Expedition) -> [f32; 4] {
        let short = layout.rules.bonus_threshold.saturating_sub(projection.cards);
        [
            self.points(projection.score),
            self.points(projection.score - mine.expedition.score),
            (projection.wagers + 1) as f32 * self.per_stake,
            short as f32 * self.per_colour_card,
        ]
    }

    /// What a side may still draw of the colour: cards that the player has not seen.
    fn hopes(&self, layout: &Layout, side: &Side, unseen: Cards) -> [f32; 3] {
        let numbers = unseen.numbers & side.open_numbers;
        [
            layout.count(numbers) as f32 * self.per_rank,
            layout.sum(numbers) as f32 * self.per_point,
            if side.open_wagers { unseen.wagers as f32 * self.per_wager } else { 0.0 },
        ]
    }

    fn pile(&self, layout: &Layout, state: &State, colour: usize, [mine, theirs]: &[Side; 2]) -> [f32; 5] {
        let stack = state.piles[colour];
        let [top, second] = [stack as u32 & 15, (stack >> 4) as u32 & 15];
        let kind = layout.kind(colour, top.saturating_sub(1));
        let value = if top > 0 { layout.value_of(kind) as f32 * self.per_value } else { 0.0 };
        let worth = |side: &Side| if top > 0 && side.can_play(top - 1) { 0.5 + 0.5 * value } else { 0.0 };
        let closed = if state.closed_pile as usize == colour { 1.0 } else { 0.0 };
        let seen_by_them = layout.count(mine.known.numbers) + mine.known.wagers;
        [
            closed,
            worth(mine),
            worth(theirs),
            second as f32 * 0.5 * self.per_rank,
            seen_by_them as f32 * self.per_hand_card,
        ]
    }

    fn put_table(&self, state: &State, prospects: &Prospects, row: &mut Row<'_>) {
        let (mine, theirs) = (prospects.mine, prospects.theirs);
        let deck = f32::from(state.deck_len);
        let turns_left = u32::from(state.deck_len).div_ceil(2) as f32;
        let per_player = self.per_point * 0.5;
        row.put([
            flag(state.phase == Phase::Card),
            flag(state.phase == Phase::Draw),
            flag(state.closed_pile == NO_COLOUR),
            deck * self.per_card,
            (turns_left * self.per_hand_card).min(2.0),
            1.0 / (1.0 + turns_left),
            (f32::from(state.plies) * self.per_ply).min(4.0),
            mine as f32 * per_player,
            theirs as f32 * per_player,
            (mine - theirs) as f32 * per_player,
            (prospects.projected - theirs) as f32 * per_player,
            prospects.opened[0] as f32 * self.per_colour,
            prospects.opened[1] as f32 * self.per_colour,
        ]);
        row.put(DECK_STEPS.map(|step| flag(state.deck_len <= step)));
    }
}

impl Prospects {
    fn add(&mut self, mine: &Side, theirs: &Side, projected: i32) {
        let started = mine.expedition.cards > 0;
        self.mine += mine.expedition.score;
        self.theirs += theirs.expedition.score;
        self.opened[0] += u32::from(started);
        self.opened[1] += u32::from(theirs.expedition.cards > 0);
        self.projected += if started { projected.max(mine.expedition.score) } else { projected.max(0) };
    }
}

/// A set of cards of one colour.
#[derive(Clone, Copy)]
struct Cards {
    numbers: u32,
    wagers: u32,
}

impl Cards {
    fn new(layout: &Layout, kinds: u64, wagers: u32, colour: usize) -> Self {
        Self { numbers: layout.numbers_in(kinds, colour), wagers: nibble(wagers, colour) }
    }

    /// As many low ones as there are wagers, then the numbers.
    #[inline]
    fn bits(self, layout: &Layout) -> u32 {
        ((1 << self.wagers) - 1) | self.numbers << layout.wagers
    }
}

/// One colour of one player.
struct Side {
    hand: Cards,
    laid: Cards,
    known: Cards,
    expedition: Expedition,
    /// Numbers that the expedition rule lets the player play.
    open_numbers: u32,
    /// Whether it lets the player play a wager.
    open_wagers: bool,
}

impl Side {
    fn new(layout: &Layout, state: &State, player: Player, colour: usize) -> Self {
        let expedition = layout.expedition(state, player, colour);
        Self {
            hand: Cards::new(layout, state.hand[player], state.hand_wagers[player], colour),
            laid: Cards { numbers: expedition.numbers, wagers: expedition.wagers },
            known: Cards::new(layout, state.known[player], state.known_wagers[player], colour),
            open_numbers: layout.numbers_in(state.playable[player], colour),
            open_wagers: expedition.numbers == 0,
            expedition,
        }
    }

    fn can_play(&self, rank: u32) -> bool {
        if rank == 0 { self.open_wagers } else { self.open_numbers >> (rank - 1) & 1 == 1 }
    }

    fn playable_hand(&self) -> Cards {
        Cards {
            numbers: self.hand.numbers & self.open_numbers,
            wagers: if self.open_wagers { self.hand.wagers } else { 0 },
        }
    }

    /// The expedition once all playable cards of the hand are in it.
    fn projection(&self, layout: &Layout) -> Expedition {
        let more = self.playable_hand();
        let numbers = self.expedition.numbers | more.numbers;
        let wagers = self.expedition.wagers + more.wagers;
        let (sum, cards) = (layout.sum(numbers), layout.count(numbers) + wagers);
        let score = layout.rules.expedition_score(sum as i32, wagers as i32, cards);
        Expedition { numbers, wagers, sum, cards, score }
    }
}

impl<A: ActionSpace> Encoder<LostCities<A>> for CardsEncoder {
    fn num_features(&self) -> usize {
        self.colours * self.features_per_colour + TABLE_NUMBERS + DECK_STEPS.len()
    }

    fn encode(&self, game: &LostCities<A>, state: &State, player: Player, row: &mut [f32]) {
        let layout = game.layout();
        let mut row = Row::new(row);
        let mut prospects = Prospects::default();
        for colour in 0..layout.colours {
            self.put_colour(layout, state, player, colour, &mut row, &mut prospects);
        }
        self.put_table(state, &prospects, &mut row);
        row.finish();
    }
}
