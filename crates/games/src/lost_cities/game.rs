//! Lost Cities behind the `Game` seam.
//!
//! Not here: features, bots, and the mechanics of a move (see `play`).

use std::marker::PhantomData;

use deepcfr_core::{
    Action, ActionSet, Game, GameSpec, InfosetKey, MAX_FACTS, NUM_PLAYERS, Player, Stream, Turn,
};

use super::layout::Layout;
use super::space::{ActionSpace, Cards, legal_actions, to_action, to_move};
use super::{Expedition, Move, Phase, Rules, RulesError, State, describe, key};

/// Lost Cities under one rule set, its actions numbered by `A` ([`Cards`], [`super::Sorted`] or
/// [`super::Slots`]).
///
/// Infosets are those of the table (see [`Game::infoset_key`] here): own hand, everything that lies
/// open, the cards that a player is known to have taken from a pile, and the count of decisions. Two
/// orders of play that lead to the same table are one infoset, so a tabular solver has perfect
/// recall of the table, not of the path to it.
#[derive(Clone, Debug)]
pub struct LostCities<A = Cards> {
    layout: Layout,
    space: PhantomData<A>,
}

impl<A: ActionSpace> LostCities<A> {
    /// The game under `rules`.
    ///
    /// # Errors
    /// Lists every setting outside its range.
    pub fn new(rules: Rules) -> Result<Self, RulesError> {
        Ok(Self { layout: Layout::new(rules)?, space: PhantomData })
    }

    /// The rule set.
    pub fn rules(&self) -> &Rules {
        &self.layout.rules
    }

    /// The kind of a colour's card of `rank`, 0 for the wager.
    ///
    /// # Panics
    /// If there is no such card.
    pub fn kind(&self, colour: usize, rank: usize) -> usize {
        assert!(colour < self.layout.size.colours && rank <= self.layout.size.ranks as usize, "no such card");
        self.layout.kind(colour, rank as u32)
    }

    /// Colour and printed number (0 for a wager) of a kind.
    pub fn card(&self, kind: usize) -> (usize, u32) {
        (self.layout.colour_of(kind), self.layout.value_of(kind))
    }

    /// A player's points so far.
    pub fn score(&self, state: &State, player: Player) -> i32 {
        self.layout.total(state, player)
    }

    /// A player's expedition of a colour.
    pub fn expedition(&self, state: &State, player: Player, colour: usize) -> Expedition {
        self.layout.expedition(state, player, colour)
    }

    /// The kinds in a colour's discard pile, the top first.
    pub fn pile(&self, state: &State, colour: usize) -> impl Iterator<Item = usize> + use<A> {
        let (stack, base) = (state.piles[colour], self.layout.kind(colour, 0));
        (0..16)
            .map(move |depth| (stack >> (4 * depth)) as usize & 15)
            .take_while(|&rank| rank > 0)
            .map(move |rank| base + rank - 1)
    }

    /// The decision that a legal action stands for.
    #[inline]
    pub fn to_move(&self, state: &State, action: Action) -> Move {
        to_move::<A>(&self.layout, state, action)
    }

    /// Carries out a decision of the player to move, which is legal: what [`Game::apply`] does with the
    /// action that stands for it, without numbering.
    #[inline]
    pub fn apply_move(&self, state: &mut State, chosen: Move) {
        match chosen {
            Move::Play { slot } => self.layout.lay_card(state, slot.into(), false),
            Move::Discard { slot } => self.layout.lay_card(state, slot.into(), true),
            Move::DrawDeck => self.layout.draw_deck(state),
            Move::DrawPile { colour } => self.layout.draw_pile(state, colour.into()),
        }
    }

    /// The action that stands for a decision.
    #[inline]
    pub fn to_action(&self, state: &State, chosen: Move) -> Action {
        to_action::<A>(&self.layout, state, chosen)
    }

    #[inline]
    pub(super) fn layout(&self) -> &Layout {
        &self.layout
    }
}

impl<A: ActionSpace> Game for LostCities<A> {
    type State = State;

    fn spec(&self) -> GameSpec {
        let rules = self.rules();
        let bound = f64::from(rules.largest_difference());
        GameSpec {
            name: A::NAME,
            num_players: NUM_PLAYERS,
            simultaneous: false,
            num_actions: A::num_actions(&self.layout),
            utility_range: (-bound, bound),
            max_depth: (rules.deck_size() + rules.ply_cap) as usize,
        }
    }

    fn root(&self) -> State {
        self.layout.root()
    }

    #[inline]
    fn turn(&self, state: &State) -> Turn {
        match state.phase {
            Phase::Card | Phase::Draw => Turn::Player(state.player()),
            Phase::Deal | Phase::Deck => Turn::Chance,
            Phase::Over | Phase::Capped => Turn::Terminal,
        }
    }

    #[inline]
    fn legal_actions(&self, state: &State) -> ActionSet {
        legal_actions::<A>(&self.layout, state)
    }

    fn chance_outcomes(&self, state: &State, mut visit: impl FnMut(Action, u32)) {
        let deck = state.deck();
        for kind in 0..self.layout.kinds {
            match self.layout.copies(deck, kind) {
                0 => {}
                copies => visit(kind as Action, copies),
            }
        }
    }

    #[inline]
    fn apply(&self, state: &mut State, action: Action) {
        match state.phase {
            Phase::Card => {
                let (slot, discard) = A::card(&self.layout, state, action as usize);
                self.layout.lay_card(state, slot, discard);
            }
            Phase::Draw => match action as usize - A::first_draw(&self.layout) {
                0 => self.layout.draw_deck(state),
                pile => {
                    let order = A::colours(&self.layout, state, state.player());
                    self.layout.draw_pile(state, order.colour(pile - 1));
                }
            },
            _ => self.layout.deal(state, action as usize),
        }
    }

    fn utility(&self, state: &State) -> f64 {
        f64::from(self.layout.total(state, 0) - self.layout.total(state, 1))
    }

    fn infoset_key(&self, state: &State, player: Player) -> InfosetKey {
        key::infoset_key(&self.layout, state, player, A::HAND_KEY)
    }

    #[inline]
    fn sample_chance(&self, state: &State, rng: &mut Stream) -> Action {
        let rank = rng.below(u32::from(state.deck_len));
        self.layout.nth_of_deck(state.deck(), rank) as Action
    }

    fn scores(&self, state: &State) -> Option<[f64; NUM_PLAYERS]> {
        Some([0, 1].map(|player| f64::from(self.layout.total(state, player))))
    }

    fn action_classes(&self) -> &'static [&'static str] {
        &["open a colour", "go on with a colour", "discard", "draw from the deck", "take from a pile"]
    }

    fn action_class(&self, state: &State, action: Action) -> usize {
        match self.to_move(state, action) {
            Move::Play { slot } => {
                let colour = self.layout.colour_of(state.slot(state.player(), slot.into()));
                usize::from(self.expedition(state, state.player(), colour).cards > 0)
            }
            Move::Discard { .. } => 2,
            Move::DrawDeck => 3,
            Move::DrawPile { .. } => 4,
        }
    }

    fn fact_names(&self) -> &'static [&'static str] {
        &["colours opened", "of these above 0", "wagers played", "bonuses"]
    }

    fn facts(&self, state: &State, player: Player) -> [f64; MAX_FACTS] {
        let expeditions = (0..self.layout.size.colours).map(|colour| self.expedition(state, player, colour));
        expeditions.fold([0.0; MAX_FACTS], |facts, expedition| {
            let bonus = expedition.cards >= self.layout.rules.bonus_threshold;
            let more = [
                f64::from(u8::from(expedition.cards > 0)),
                f64::from(u8::from(expedition.score > 0)),
                f64::from(expedition.wagers),
                f64::from(u8::from(bonus)),
            ];
            std::array::from_fn(|index| facts[index] + more[index])
        })
    }

    fn truncated(&self, state: &State) -> bool {
        state.phase == Phase::Capped
    }

    fn describe_action(&self, state: &State, action: Action) -> String {
        match state.phase {
            Phase::Deal | Phase::Deck => describe::card(&self.layout, action as usize),
            _ => describe::chosen(&self.layout, state, self.to_move(state, action)),
        }
    }

    fn action_names(&self) -> Vec<String> {
        A::action_names(&self.layout)
    }

    fn describe_infoset(&self, state: &State, player: Player) -> String {
        describe::infoset(&self.layout, state, player)
    }
}
