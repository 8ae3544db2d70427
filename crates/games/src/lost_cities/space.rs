//! The ways of numbering a player's decisions.
//!
//! Not here: what a decision does (see `play`).

use deepcfr_core::{Action, ActionSet, Player};

use super::Move;
use super::describe;
use super::key::HandKey;
use super::layout::Layout;
use super::order::ColourOrder;
use super::state::{Phase, State};

/// Numbers the decisions of a player. Implemented by [`Cards`], [`Sorted`] and [`Slots`] alone.
pub trait ActionSpace: Copy + Default + Send + Sync + 'static + Numbering {}

/// Decisions by card, with `K` kinds: play kind `k` is `k`, discard it is `K + k`, draw from the deck
/// is `2K`, take pile `c` is `2K + 1 + c`. Independent of the order of the hand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cards;

/// Decisions by place in the hand, with hands of `S`: play slot `s` is `2s`, discard it is `2s + 1`,
/// draw from the deck is `2S`, take pile `c` is `2S + 1 + c`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Slots;

/// Decisions by card as [`Cards`] numbers them, with the place of its colour instead of the colour: the
/// most promising one for the player to move has place 0 (by what its expedition would be worth with all
/// playable cards of the hand). Encoders of features by colour follow the same order, so that games which
/// differ in the names of colours alone look alike.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sorted;

impl ActionSpace for Cards {}
impl ActionSpace for Sorted {}
impl ActionSpace for Slots {}

/// What an action space has to say; sealed, since it speaks of the packed state.
#[expect(private_interfaces, reason = "sealed: the module is private")]
pub trait Numbering {
    /// Name of the game in this action space.
    const NAME: &'static str;
    /// What an infoset's key takes of the own hand.
    const HAND_KEY: HandKey;

    /// The order in which a player is shown the colours.
    #[inline]
    fn colours(_: &Layout, _: &State, _: Player) -> ColourOrder {
        ColourOrder::BY_NAME
    }

    /// The number of actions.
    fn num_actions(layout: &Layout) -> usize;

    /// What each action stands for, whatever the state.
    fn action_names(layout: &Layout) -> Vec<String>;

    /// The number of the draw from the deck; the piles follow.
    fn first_draw(layout: &Layout) -> usize;

    /// Draws, the one from the deck at bit 0, as actions.
    #[inline]
    fn draws(layout: &Layout, draws: u32) -> u128 {
        u128::from(draws) << Self::first_draw(layout)
    }

    /// The legal actions of a card phase.
    fn legal_cards(layout: &Layout, state: &State) -> u128;

    /// The slot of the card that an action of a card phase lays down, and whether it is discarded.
    fn card(layout: &Layout, state: &State, action: usize) -> (usize, bool);

    /// The action of playing (or else discarding) the card in a slot.
    fn card_action(layout: &Layout, state: &State, slot: usize, play: bool) -> usize;
}

#[expect(private_interfaces, reason = "sealed: the module is private")]
impl Numbering for Cards {
    const NAME: &'static str = "lost_cities";
    const HAND_KEY: HandKey = HandKey::Multiset;

    fn num_actions(layout: &Layout) -> usize {
        2 * layout.kinds + 1 + layout.size.colours
    }

    fn action_names(layout: &Layout) -> Vec<String> {
        let cards = (0..layout.kinds).map(|kind| describe::card(layout, kind)).collect();
        named(cards, (0..layout.size.colours).map(|colour| format!("the {} pile", describe::COLOURS[colour])))
    }

    #[inline]
    fn first_draw(layout: &Layout) -> usize {
        2 * layout.kinds
    }

    #[inline]
    fn legal_cards(layout: &Layout, state: &State) -> u128 {
        let player = usize::from(state.player & 1);
        let hand = state.hand[player];
        u128::from(hand & state.playable[player]) | u128::from(hand) << layout.kinds
    }

    #[inline]
    fn card(layout: &Layout, state: &State, action: usize) -> (usize, bool) {
        let player = usize::from(state.player & 1);
        let discard = action >= layout.kinds;
        let kind = action - layout.kinds * usize::from(discard);
        (state.slot_of(player, kind), discard)
    }

    #[inline]
    fn card_action(layout: &Layout, state: &State, slot: usize, play: bool) -> usize {
        let kind = state.slot(state.player(), slot);
        if play { kind } else { layout.kinds + kind }
    }
}

#[expect(private_interfaces, reason = "sealed: the module is private")]
impl Numbering for Sorted {
    const NAME: &'static str = "lost_cities_sorted";
    const HAND_KEY: HandKey = HandKey::Multiset;

    #[inline]
    fn colours(layout: &Layout, state: &State, player: Player) -> ColourOrder {
        ColourOrder::by_promise(layout, state, player)
    }

    fn num_actions(layout: &Layout) -> usize {
        Cards::num_actions(layout)
    }

    fn action_names(layout: &Layout) -> Vec<String> {
        let card = |kind: usize| match (layout.colour_of(kind), layout.value_of(kind)) {
            (place, 0) => format!("a wager of the colour in place {place}"),
            (place, value) => format!("the {value} of the colour in place {place}"),
        };
        let piles = (0..layout.size.colours).map(|place| format!("the pile of the colour in place {place}"));
        named((0..layout.kinds).map(card).collect(), piles)
    }

    #[inline]
    fn first_draw(layout: &Layout) -> usize {
        Cards::first_draw(layout)
    }

    #[inline]
    fn legal_cards(layout: &Layout, state: &State) -> u128 {
        let player = usize::from(state.player & 1);
        let (order, width) = (Self::colours(layout, state, player), layout.size.width());
        let mut hand = 0;
        let mut playable = 0;
        for place in 0..layout.size.colours {
            let from = order.colour(place) as u32 * width;
            let kinds = state.hand[player] >> from & ((1 << width) - 1);
            hand |= kinds << (place as u32 * width);
            playable |= (kinds & state.playable[player] >> from) << (place as u32 * width);
        }
        u128::from(playable) | u128::from(hand) << layout.kinds
    }

    #[inline]
    fn card(layout: &Layout, state: &State, action: usize) -> (usize, bool) {
        let player = usize::from(state.player & 1);
        let discard = action >= layout.kinds;
        let shown = action - layout.kinds * usize::from(discard);
        let colour = Self::colours(layout, state, player).colour(layout.colour_of(shown));
        (state.slot_of(player, layout.kind(colour, layout.rank_of(shown))), discard)
    }

    #[inline]
    fn card_action(layout: &Layout, state: &State, slot: usize, play: bool) -> usize {
        let kind = state.slot(state.player(), slot);
        let place = Self::colours(layout, state, state.player()).place(layout.colour_of(kind));
        let shown = layout.kind(place, layout.rank_of(kind));
        if play { shown } else { layout.kinds + shown }
    }
}

#[expect(private_interfaces, reason = "sealed: the module is private")]
impl Numbering for Slots {
    const NAME: &'static str = "lost_cities_slots";
    const HAND_KEY: HandKey = HandKey::Slots;

    fn num_actions(layout: &Layout) -> usize {
        2 * layout.size.hand + 1 + layout.size.colours
    }

    fn action_names(layout: &Layout) -> Vec<String> {
        let cards = (0..layout.size.hand).flat_map(|slot| {
            [format!("play the card in slot {slot}"), format!("discard the card in slot {slot}")]
        });
        let piles = (0..layout.size.colours).map(|colour| format!("the {} pile", describe::COLOURS[colour]));
        cards.chain(draws(piles)).collect()
    }

    #[inline]
    fn first_draw(layout: &Layout) -> usize {
        2 * layout.size.hand
    }

    /// All of them are in the lowest word, as the compiler can see here: hands have 8 cards at most.
    #[inline]
    fn draws(layout: &Layout, draws: u32) -> u128 {
        u128::from(draws << Self::first_draw(layout))
    }

    #[inline]
    fn legal_cards(_: &Layout, state: &State) -> u128 {
        let player = usize::from(state.player & 1);
        let (playable, slots) = (state.playable[player], state.slots[player]);
        let mut legal = 0xaaaa;
        for slot in 0..8 {
            legal |= ((playable >> (slots >> (8 * slot) & 63)) as u32 & 1) << (2 * slot);
        }
        u128::from(legal & !(u32::MAX << (2 * state.hand_len[player])))
    }

    #[inline]
    fn card(_: &Layout, _: &State, action: usize) -> (usize, bool) {
        (action / 2, action & 1 == 1)
    }

    #[inline]
    fn card_action(_: &Layout, _: &State, slot: usize, play: bool) -> usize {
        2 * slot + usize::from(!play)
    }
}

/// Playing and then discarding each of `cards`, then the draws.
fn named(cards: Vec<String>, piles: impl Iterator<Item = String>) -> Vec<String> {
    let lay = |verb: &'static str| cards.iter().map(move |card| format!("{verb} {card}"));
    lay("play").chain(lay("discard")).chain(draws(piles)).collect()
}

fn draws(piles: impl Iterator<Item = String>) -> impl Iterator<Item = String> {
    std::iter::once("draw from the deck".to_owned()).chain(piles.map(|pile| format!("draw from {pile}")))
}

/// The legal actions of the player to move.
#[inline]
pub(super) fn legal_actions<A: Numbering>(layout: &Layout, state: &State) -> ActionSet {
    if state.phase == Phase::Draw {
        let piles = shown_piles::<A>(layout, state);
        let draws = u32::from(state.deck_len > 0) | piles << 1;
        ActionSet::from_bits(A::draws(layout, draws))
    } else {
        ActionSet::from_bits(A::legal_cards(layout, state))
    }
}

/// The piles that may be drawn from, bit `place`.
#[inline]
fn shown_piles<A: Numbering>(layout: &Layout, state: &State) -> u32 {
    let order = A::colours(layout, state, state.player());
    if order == ColourOrder::BY_NAME {
        return state.open_piles();
    }
    let open = state.open_piles();
    (0..layout.size.colours).map(|place| (open >> order.colour(place) & 1) << place).sum()
}

/// The decision that a legal action stands for.
#[inline]
pub(super) fn to_move<A: Numbering>(layout: &Layout, state: &State, action: Action) -> Move {
    let action = action as usize;
    if state.phase == Phase::Card {
        let (slot, discard) = A::card(layout, state, action);
        let slot = slot as u8;
        return if discard { Move::Discard { slot } } else { Move::Play { slot } };
    }
    match action - A::first_draw(layout) {
        0 => Move::DrawDeck,
        pile => {
            let order = A::colours(layout, state, state.player());
            Move::DrawPile { colour: order.colour(pile - 1) as u8 }
        }
    }
}

/// The action that stands for a decision.
#[inline]
pub(super) fn to_action<A: Numbering>(layout: &Layout, state: &State, chosen: Move) -> Action {
    let action = match chosen {
        Move::Play { slot } => A::card_action(layout, state, slot as usize, true),
        Move::Discard { slot } => A::card_action(layout, state, slot as usize, false),
        Move::DrawDeck => A::first_draw(layout),
        Move::DrawPile { colour } => {
            let order = A::colours(layout, state, state.player());
            A::first_draw(layout) + 1 + order.place(colour.into())
        }
    };
    action as Action
}
