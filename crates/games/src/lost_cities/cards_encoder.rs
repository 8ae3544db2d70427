//! The features for training: by card, relative to the player, independent of the hand's order.
//!
//! One block a colour, all of the same layout, then the features of the whole table, so that a
//! network may share weights among colours and that swapping colours swaps blocks. All values are
//! of order 1: points in units of a colour's sum, counts over their maximum. Not here: the
//! predecessor's layout (see `SlotsEncoder`).

use deepcfr_core::{Encoder, FeatureBlock, Player};

use super::layout::{Layout, Size};
use super::order::ColourOrder;
use super::row::{Row, any, scaled};
use super::space::ActionSpace;
use super::state::{NO_COLOUR, Phase, State};
use super::view::{Held, View};
use super::{Expedition, LostCities, Rules};

/// Sets of cards in a block: hand, own and their expedition, pile, cards they are known to hold.
const CARD_SETS: usize = 5;
/// Numbers in a block, after the sets and the pile's top.
const COLOUR_NUMBERS: usize = 31;
/// Numbers after the blocks.
const TABLE_NUMBERS: usize = 13;
/// The deck sizes at or below which one feature each is 1: the end of the game is counted in turns.
const DECK_STEPS: [i32; 12] = [1, 2, 3, 4, 6, 8, 10, 12, 16, 20, 26, 34];

/// What follows the blocks of colours, in the order of `put_table`.
const TABLE_BLOCKS: [(&str, usize); 5] = [
    ("phase: card, draw; no pile closed; deck's size", 4),
    ("turns left, 1 over them and one more, plies", 3),
    ("points: own, theirs, lead, lead by own projections", 4),
    ("expeditions opened: own, theirs", 2),
    ("deck's size at most 1, 2, 3, 4, 6, 8, 10, 12, 16, 20, 26, 34", DECK_STEPS.len()),
];

/// Writes one block a colour, in the order in which the action space shows colours, then the table.
///
/// A block with `W` wagers and `R` ranks a colour: five sets of cards (each `W` features that count
/// wagers, thermometer-like, and `R` for the numbers), `R + 1` for the top of the pile, 31 numbers.
/// The table: 13 numbers and 12 steps of the deck's size.
#[derive(Clone, Debug)]
pub struct CardsEncoder {
    size: Size,
    units: Units,
    /// What it is worth to take the top of a pile that can be played, by its rank plus 1.
    worth: [f32; 16],
}

/// What one of each count is worth, by group of features; 0 where another group overwrites.
#[derive(Clone, Debug)]
struct Units {
    side: [f32; 8],
    hand: [f32; 4],
    projection: [f32; 4],
    hopes: [f32; 4],
    second: f32,
    known: f32,
    table: [f32; 4],
    standing: [f32; 8],
}

/// The player's prospects over all colours, in points.
#[derive(Default)]
struct Prospects {
    mine: i32,
    theirs: i32,
    opened: [i32; 2],
    projected: i32,
}

impl Units {
    fn new(rules: &Rules) -> Self {
        let per = |whole: u32| 1.0 / whole.max(1) as f32;
        let (rank, wager, card) = (per(rules.ranks), per(rules.wagers), per(rules.wagers + rules.ranks));
        let (held, colour) = (per(rules.hand_size), per(rules.colours));
        let point = per(rules.colour_sum().max(rules.expedition_penalty.unsigned_abs()));
        let all = point * 0.5;
        Self {
            side: [1.0, wager, point, card, rank, point, 0.0, 0.0],
            hand: [held, point, wager, held],
            projection: [point, point, per(rules.wagers + 1), card],
            hopes: [rank, point, wager, 0.0],
            second: 0.5 * rank,
            known: held,
            table: [1.0, 1.0, 1.0, per(rules.deck_size())],
            standing: [all, all, all, all, colour, colour, held, per(4 * rules.deck_size())],
        }
    }
}

impl CardsEncoder {
    /// The encoder for games under `rules`, which must be possible.
    pub fn new(rules: &Rules) -> Self {
        let per_value = 1.0 / (rules.min_rank + rules.ranks - 1) as f32;
        let worth = |top: usize| match top as u32 {
            0 => 0.0,
            1 => 0.5,
            top => 0.5 + 0.5 * ((rules.min_rank + top - 2) as f32 * per_value),
        };
        Self { size: Size::of(rules), units: Units::new(rules), worth: std::array::from_fn(worth) }
    }

    /// The length of a colour's block; the colour in place `c` has `c·n..(c + 1)·n` of the row.
    pub fn features_per_colour(&self) -> usize {
        features_per_colour(self.size)
    }

    #[inline(always)]
    fn write(&self, view: View<'_>, order: ColourOrder, row: &mut [f32]) {
        let mut row = Row::new(row, features(view.size));
        let mut prospects = Prospects::default();
        for place in 0..view.size.colours {
            self.put_colour(view, order.colour(place), &mut row, &mut prospects);
        }
        self.put_table(view.state, &prospects, &mut row);
        row.finish();
    }

    #[inline(always)]
    fn put_colour(&self, view: View<'_>, colour: usize, row: &mut Row<'_>, prospects: &mut Prospects) {
        let View { layout, state, me, size } = view;
        let (mine, theirs) = (Side::new(view, me, colour), Side::new(view, 1 - me, colour));
        let (hand, known, piled) = (view.hand(me, colour), view.known(1 - me, colour), view.pile(colour));
        for cards in [hand, mine.laid(), theirs.laid(), piled, known] {
            row.put_bits(cards.bits(size), (size.wagers + size.ranks) as usize);
        }
        row.put_bits((1 << (state.piles[colour] & 15)) >> 1, size.ranks as usize + 1);
        let (laid, their_laid) = (mine.laid(), theirs.laid());
        let unseen = Held {
            numbers: !(hand.numbers | laid.numbers | their_laid.numbers | piled.numbers)
                & ((1 << size.ranks) - 1),
            wagers: size.wagers - hand.wagers - laid.wagers - their_laid.wagers - piled.wagers,
        };
        let live = mine.playable(hand);
        let projection = mine.projection(layout, live);
        row.put_over(scaled(mine.counts(), &self.units.side), 6);
        row.put_over(scaled(theirs.counts(), &self.units.side), 6);
        row.put(scaled(hand_counts(layout, hand, live), &self.units.hand));
        row.put(scaled(projection_counts(layout, &mine, &projection), &self.units.projection));
        row.put_over(scaled(mine.hopes(layout, unseen), &self.units.hopes), 3);
        row.put_over(scaled(theirs.hopes(layout, unseen), &self.units.hopes), 3);
        let seen_by_them = view.known(me, colour).count(layout);
        self.put_pile(state, colour, [&mine, &theirs], seen_by_them, row);
        prospects.add(&mine.expedition, &theirs.expedition, projection.score);
    }

    /// `seen_by_them` counts the cards of the colour that the player is known to hold.
    #[inline(always)]
    fn put_pile(
        &self,
        state: &State,
        colour: usize,
        sides: [&Side; 2],
        seen_by_them: u32,
        row: &mut Row<'_>,
    ) {
        let stack = state.piles[colour];
        let worth = self.worth[stack as usize & 15];
        let [mine, theirs] = sides.map(|side| side.can_play(stack as u32 & 15) as i32);
        let closed = i32::from(state.closed_pile as usize == colour);
        let second = (stack >> 4) as i32 & 15;
        row.put(scaled([closed, mine, theirs, second], &[1.0, worth, worth, self.units.second]));
        row.put(scaled([seen_by_them as i32], &[self.units.known]));
    }

    fn put_table(&self, state: &State, prospects: &Prospects, row: &mut Row<'_>) {
        let (mine, theirs) = (prospects.mine, prospects.theirs);
        let turns_left = (i32::from(state.deck_len) + 1) / 2;
        let phase = [Phase::Card, Phase::Draw].map(|phase| i32::from(state.phase == phase));
        let any_open = i32::from(state.closed_pile == NO_COLOUR);
        row.put(scaled([phase[0], phase[1], any_open, state.deck_len.into()], &self.units.table));
        let [opened, their_opened] = prospects.opened;
        let lead = [mine - theirs, prospects.projected - theirs];
        let plies = state.plies.into();
        let standing = [mine, theirs, lead[0], lead[1], opened, their_opened, turns_left, plies];
        let standing = scaled(standing, &self.units.standing);
        row.put([standing[6].min(2.0), 1.0 / (1.0 + turns_left as f32), standing[7].min(4.0)]);
        row.put_over(standing, 6);
        let deck = i32::from(state.deck_len);
        row.put(DECK_STEPS.map(|step| ((deck - 1 - step) as u32 >> 31) as i32 as f32));
    }
}

impl Prospects {
    #[inline]
    fn add(&mut self, mine: &Expedition, theirs: &Expedition, projected: i32) {
        let [started, their_started] = [any(mine.cards), any(theirs.cards)];
        self.mine += mine.score;
        self.theirs += theirs.score;
        self.opened[0] += started;
        self.opened[1] += their_started;
        // What an expedition that was not started is worth now is 0.
        self.projected += projected.max(mine.score);
    }
}

/// Of the cards in the hand: playable numbers, their sum, playable wagers, cards without use.
#[inline]
fn hand_counts(layout: &Layout, hand: Held, live: Held) -> [i32; 4] {
    let dead = hand.count(layout) - live.count(layout);
    [layout.count(live.numbers), layout.sum(live.numbers), live.wagers, dead].map(|count| count as i32)
}

/// Of the expedition with all playable cards of the hand: score, gain, stake, cards short of the bonus.
#[inline]
fn projection_counts(layout: &Layout, mine: &Side, projection: &Expedition) -> [i32; 4] {
    let short = layout.rules.bonus_threshold as i32 - projection.cards as i32;
    let gain = projection.score - mine.expedition.score;
    [projection.score, gain, projection.wagers as i32 + 1, short.max(0)]
}

/// One colour of one player.
struct Side {
    expedition: Expedition,
    /// Numbers that the expedition rule lets the player play.
    open_numbers: u32,
}

impl Side {
    #[inline]
    fn new(view: View<'_>, player: Player, colour: usize) -> Self {
        Self { expedition: view.expedition(player, colour), open_numbers: view.open_numbers(player, colour) }
    }

    #[inline]
    fn laid(&self) -> Held {
        Held { numbers: self.expedition.numbers, wagers: self.expedition.wagers }
    }

    /// 1 if the expedition rule lets the player play a wager, else 0.
    #[inline]
    fn open_wagers(&self) -> u32 {
        1 - any(self.expedition.numbers) as u32
    }

    /// Whether the player may play the card of rank `top − 1`; not if `top` is 0.
    #[inline]
    fn can_play(&self, top: u32) -> bool {
        (self.open_numbers << 2 | self.open_wagers() << 1) >> top & 1 == 1
    }

    /// Those of `cards` that the player may play.
    #[inline]
    fn playable(&self, cards: Held) -> Held {
        let wagers = cards.wagers * self.open_wagers();
        Held { numbers: cards.numbers & self.open_numbers, wagers }
    }

    /// The expedition once `more` is in it.
    #[inline]
    fn projection(&self, layout: &Layout, more: Held) -> Expedition {
        let numbers = self.expedition.numbers | more.numbers;
        let wagers = self.expedition.wagers + more.wagers;
        layout.expedition_of(numbers, wagers)
    }

    /// The expedition: started, wagers, sum, cards, highest rank, score.
    #[inline]
    fn counts(&self) -> [i32; 8] {
        let Expedition { wagers, sum, cards, score, .. } = self.expedition;
        let highest = self.expedition.highest_rank() as i32;
        [any(cards), wagers as i32, sum as i32, cards as i32, highest, score, 0, 0]
    }

    /// What the side may still draw of the colour, among cards that the player has not seen: numbers,
    /// their sum, wagers.
    #[inline]
    fn hopes(&self, layout: &Layout, unseen: Held) -> [i32; 4] {
        let Held { numbers, wagers } = self.playable(unseen);
        [layout.count(numbers) as i32, layout.sum(numbers) as i32, wagers as i32, 0]
    }
}

/// The length of a colour's block.
#[inline]
const fn features_per_colour(size: Size) -> usize {
    let cards = (size.wagers + size.ranks) as usize;
    CARD_SETS * cards + size.ranks as usize + 1 + COLOUR_NUMBERS
}

/// A colour's block, in the order of `put_colour`.
fn colour_blocks(size: Size) -> [(&'static str, usize); 14] {
    let cards = (size.wagers + size.ranks) as usize;
    [
        ("own hand (at least 1, 2, ... wagers, then numbers)", cards),
        ("own expedition (the same)", cards),
        ("their expedition (the same)", cards),
        ("discard pile (the same)", cards),
        ("known in their hand (the same)", cards),
        ("top of the pile: wager, then numbers", size.ranks as usize + 1),
        ("own expedition: started, wagers, sum, cards, highest number, points", 6),
        ("their expedition: the same", 6),
        ("own hand: playable numbers, their sum, playable wagers, cards without use", 4),
        ("own expedition with the playable hand: points, gain, stake, cards short of the bonus", 4),
        ("unseen and playable by oneself: numbers, their sum, wagers", 3),
        ("unseen and playable by them: the same", 3),
        ("pile: closed, worth to oneself, worth to them, card below the top", 4),
        ("cards that they know in the own hand", 1),
    ]
}

/// The length of a row.
#[inline]
const fn features(size: Size) -> usize {
    size.colours * features_per_colour(size) + TABLE_NUMBERS + DECK_STEPS.len()
}

impl<A: ActionSpace> Encoder<LostCities<A>> for CardsEncoder {
    fn num_features(&self) -> usize {
        features(self.size)
    }

    fn encode(&self, game: &LostCities<A>, state: &State, player: Player, row: &mut [f32]) {
        let view = View::new(game.layout(), state, player);
        let order = A::colours(game.layout(), state, player);
        match view.classic() {
            Some(view) => self.write(view, order, row),
            None => self.write(view, order, row),
        }
    }

    fn layout(&self) -> Vec<FeatureBlock> {
        let colours = (0..self.size.colours).flat_map(|place| {
            let named =
                move |name: &str, len| FeatureBlock::new(format!("colour in place {place}: {name}"), len);
            colour_blocks(self.size).into_iter().map(move |(name, len)| named(name, len))
        });
        let table = TABLE_BLOCKS.map(|(name, len)| FeatureBlock::new(name, len));
        colours.chain(table).collect()
    }
}
