//! Liar's dice for two players with any number of dice and sides. Rules.
//!
//! Each player rolls hidden dice. Player 0 opens; a bid claims that among all dice at least
//! `quantity` show `face`, and each bid must exceed the one before: a higher quantity, or the same
//! with a higher face. Instead of bidding higher, a player may call the last bidder a liar, which
//! ends the game: if the claim holds the bidder wins 1, otherwise the caller does. The highest face
//! is wild: it counts as whatever was bid. Not here: features (see [`LiarsDiceEncoder`]).

mod encoder;

use deepcfr_core::{Action, ActionSet, Game, GameSpec, InfosetKey, Player, Stream, Turn};

pub use encoder::LiarsDiceEncoder;

/// Bits of a face's count in a packed roll.
const COUNT_BITS: u32 = 4;
const COUNT_MASK: u64 = (1 << COUNT_BITS) - 1;

/// What can be configured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LiarsDiceRules {
    /// Dice of each player, `1..=`[`LiarsDiceRules::MAX_DICE`].
    pub dice: usize,
    /// Faces of a die, [`LiarsDiceRules::MIN_SIDES`]`..=`[`LiarsDiceRules::MAX_SIDES`].
    pub sides: usize,
}

impl LiarsDiceRules {
    /// The most dice a player; counts of a face are packed in four bits.
    pub const MAX_DICE: usize = 15;
    /// A die with one side hides nothing.
    pub const MIN_SIDES: usize = 2;
    /// The most faces; a roll is packed in 64 bits.
    pub const MAX_SIDES: usize = 16;
    /// The most bids, `2·dice·sides`; those made are packed in 64 bits.
    pub const MAX_BIDS: usize = 64;

    const fn bids(self) -> usize {
        2 * self.dice * self.sides
    }
}

impl Default for LiarsDiceRules {
    fn default() -> Self {
        Self { dice: 1, sides: 6 }
    }
}

/// Why rules were refused.
#[derive(Clone, Copy, Debug, thiserror::Error, PartialEq, Eq)]
pub enum LiarsDiceError {
    /// No dice or too many.
    #[error("liars_dice with {got} dice a player; 1 to {max} are possible", max = LiarsDiceRules::MAX_DICE)]
    Dice {
        /// The number asked for.
        got: usize,
    },
    /// Too few or too many sides.
    #[error(
        "liars_dice with {got} sides; {min} to {max} are possible",
        min = LiarsDiceRules::MIN_SIDES,
        max = LiarsDiceRules::MAX_SIDES
    )]
    Sides {
        /// The number asked for.
        got: usize,
    },
    /// Both in range, but together too many bids.
    #[error(
        "liars_dice with {dice} dice a player and {sides} sides has {bids} bids (2·dice·sides); at most {max} are possible",
        bids = 2 * dice * sides,
        max = LiarsDiceRules::MAX_BIDS
    )]
    Bids {
        /// The dice asked for.
        dice: usize,
        /// The sides asked for.
        sides: usize,
    },
}

/// The rules of liar's dice. Actions: bid `(quantity − 1)·sides + face − 1`, and last, "liar".
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LiarsDice {
    rules: LiarsDiceRules,
}

impl LiarsDice {
    /// Takes rules that are in range.
    ///
    /// # Errors
    /// The first number that is out of range.
    pub fn new(rules: LiarsDiceRules) -> Result<Self, LiarsDiceError> {
        let LiarsDiceRules { dice, sides } = rules;
        if !(1..=LiarsDiceRules::MAX_DICE).contains(&dice) {
            return Err(LiarsDiceError::Dice { got: dice });
        }
        if !(LiarsDiceRules::MIN_SIDES..=LiarsDiceRules::MAX_SIDES).contains(&sides) {
            return Err(LiarsDiceError::Sides { got: sides });
        }
        if rules.bids() > LiarsDiceRules::MAX_BIDS {
            return Err(LiarsDiceError::Bids { dice, sides });
        }
        Ok(Self { rules })
    }

    /// The rules in force.
    pub const fn rules(&self) -> LiarsDiceRules {
        self.rules
    }

    const fn liar(&self) -> Action {
        self.rules.bids() as Action
    }

    const fn num_dice(&self) -> u8 {
        2 * self.rules.dice as u8
    }

    /// Quantity and face (from 0) that a bid claims.
    #[inline]
    const fn claim(&self, bid: u32) -> (u64, u32) {
        let sides = self.rules.sides as u32;
        ((bid / sides) as u64 + 1, bid % sides)
    }

    /// Whether the last bid is true of both rolls.
    #[inline]
    fn last_claim_holds(&self, state: &LiarsDiceState) -> bool {
        let (quantity, face) = self.claim(state.bids.ilog2());
        let wild = self.rules.sides as u32 - 1;
        let showing = |face| count(state.rolls[0], face) + count(state.rolls[1], face);
        let matching = showing(face) + if face == wild { 0 } else { showing(wild) };
        matching >= quantity
    }
}

/// A position of [`LiarsDice`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LiarsDiceState {
    /// How many of a player's dice show each face, packed.
    rolls: [u64; 2],
    /// The bids made, bit `b` for bid `b`; they ascend, so their order is known.
    bids: u64,
    rolled: u8,
    called: bool,
}

impl LiarsDiceState {
    /// The player to move; after the end, the one who called.
    #[inline]
    const fn mover(&self) -> Player {
        (self.bids.count_ones() & 1) as Player
    }
}

#[inline]
const fn count(roll: u64, face: u32) -> u64 {
    roll >> (COUNT_BITS * face) & COUNT_MASK
}

impl Game for LiarsDice {
    type State = LiarsDiceState;

    fn spec(&self) -> GameSpec {
        GameSpec {
            name: "liars_dice",
            num_players: 2,
            simultaneous: false,
            num_actions: self.rules.bids() + 1,
            utility_range: (-1.0, 1.0),
            max_depth: 2 * self.rules.dice + self.rules.bids() + 1,
        }
    }

    fn root(&self) -> LiarsDiceState {
        LiarsDiceState { rolls: [0; 2], bids: 0, rolled: 0, called: false }
    }

    #[inline]
    fn turn(&self, state: &LiarsDiceState) -> Turn {
        if state.rolled < self.num_dice() {
            Turn::Chance
        } else if state.called {
            Turn::Terminal
        } else {
            Turn::Player(state.mover())
        }
    }

    #[inline]
    fn legal_actions(&self, state: &LiarsDiceState) -> ActionSet {
        let liar = self.liar();
        if state.bids == 0 {
            return ActionSet::first(liar as usize);
        }
        let everything = ActionSet::first(liar as usize + 1).bits();
        ActionSet::from_bits(everything & u128::MAX << (state.bids.ilog2() + 1))
    }

    fn chance_outcomes(&self, _state: &LiarsDiceState, mut visit: impl FnMut(Action, u32)) {
        (0..self.rules.sides as Action).for_each(|face| visit(face, 1));
    }

    #[inline]
    fn apply(&self, state: &mut LiarsDiceState, action: Action) {
        if state.rolled < self.num_dice() {
            let player = state.rolled as usize / self.rules.dice;
            state.rolls[player] += 1 << (COUNT_BITS * u32::from(action));
            state.rolled += 1;
        } else if action == self.liar() {
            state.called = true;
        } else {
            state.bids |= 1 << action;
        }
    }

    #[inline]
    fn utility(&self, state: &LiarsDiceState) -> f64 {
        let winner = if self.last_claim_holds(state) { 1 - state.mover() } else { state.mover() };
        if winner == 0 { 1.0 } else { -1.0 }
    }

    #[inline]
    fn infoset_key(&self, state: &LiarsDiceState, player: Player) -> InfosetKey {
        InfosetKey(u128::from(state.bids) << 64 | u128::from(state.rolls[player]))
    }

    #[inline]
    fn sample_chance(&self, _state: &LiarsDiceState, rng: &mut Stream) -> Action {
        rng.below(self.rules.sides as u32) as Action
    }

    fn describe_action(&self, state: &LiarsDiceState, action: Action) -> String {
        if self.turn(state) == Turn::Chance {
            format!("roll {}", action + 1)
        } else if action == self.liar() {
            "liar".into()
        } else {
            self.bid_name(action.into())
        }
    }

    fn action_names(&self) -> Vec<String> {
        let claims = (0..self.rules.bids() as u32).map(|bid| format!("bid {}", self.bid_name(bid)));
        claims.chain(["liar".to_owned()]).collect()
    }

    fn describe_infoset(&self, state: &LiarsDiceState, player: Player) -> String {
        let faces = (0..self.rules.sides as u32)
            .flat_map(|face| (0..count(state.rolls[player], face)).map(move |_| (face + 1).to_string()));
        let bids = (0..self.rules.bids() as u32).filter(|bid| state.bids >> bid & 1 == 1);
        let words = faces.chain(bids.map(|bid| self.bid_name(bid)));
        words.collect::<Vec<_>>().join(" ")
    }
}

impl LiarsDice {
    /// Quantity and face, for example `2-5`: at least two fives.
    fn bid_name(&self, bid: u32) -> String {
        let (quantity, face) = self.claim(bid);
        format!("{quantity}-{}", face + 1)
    }
}
