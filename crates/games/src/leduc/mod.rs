//! Leduc poker with any number of ranks: two betting rounds, one public card. Rules.
//!
//! A deck of two suits; each player antes 1 and gets a card; a betting round with raises of 2; a
//! public card; a second round with raises of 4. At most two raises a round; player 0 acts first in
//! both. A pair with the public card wins, then the higher rank; equal ranks split (Southey et al.
//! 2005, "Bayes' bluff"). Not here: features (see [`LeducEncoder`]) and bots.

mod encoder;

use deepcfr_core::{Action, ActionSet, Game, GameSpec, InfosetKey, Player, Stream, Turn};

pub use encoder::LeducEncoder;

/// Giving up; legal only when there is something to call.
pub const FOLD: Action = 0;
/// Matching the opponent's chips: a check if there is nothing to call.
pub const CALL: Action = 1;
/// Calling and adding the round's raise.
pub const RAISE: Action = 2;

const MAX_RAISES: u8 = 2;
const RAISE_SIZE: [u8; 2] = [2, 4];
const NO_CARD: u8 = u8::MAX;

/// What can be configured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LeducRules {
    /// Ranks in the deck, each in two suits: [`LeducRules::MIN_RANKS`]..=[`LeducRules::MAX_RANKS`].
    pub ranks: usize,
    /// Whether infosets and features leave out suits, which mean nothing in this game.
    ///
    /// Without suits, infosets that differ by a renaming of suits coincide: an exact symmetry, so
    /// the game and its value are the same and only the tables get smaller (288 infosets rather
    /// than 936 with three ranks). Chance still deals single cards either way.
    pub suit_blind_keys: bool,
}

impl LeducRules {
    /// Two players and a public card need more than the two cards of one rank.
    pub const MIN_RANKS: usize = 2;
    /// Keeps cards within seven bits.
    pub const MAX_RANKS: usize = 64;
}

impl Default for LeducRules {
    fn default() -> Self {
        Self { ranks: 3, suit_blind_keys: false }
    }
}

/// Why rules were refused.
#[derive(Clone, Copy, Debug, thiserror::Error, PartialEq, Eq)]
pub enum LeducError {
    /// Too few or too many ranks.
    #[error("leduc with {got} ranks; {min} to {max} are possible", min = LeducRules::MIN_RANKS, max = LeducRules::MAX_RANKS)]
    Ranks {
        /// The number asked for.
        got: usize,
    },
}

/// The rules of Leduc poker.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Leduc {
    rules: LeducRules,
}

impl Leduc {
    /// Takes rules that are in range.
    ///
    /// # Errors
    /// [`LeducError::Ranks`] if the number of ranks is out of range.
    pub fn new(rules: LeducRules) -> Result<Self, LeducError> {
        if !(LeducRules::MIN_RANKS..=LeducRules::MAX_RANKS).contains(&rules.ranks) {
            return Err(LeducError::Ranks { got: rules.ranks });
        }
        Ok(Self { rules })
    }

    /// The rules in force.
    pub const fn rules(&self) -> LeducRules {
        self.rules
    }

    const fn num_cards(&self) -> u32 {
        2 * self.rules.ranks as u32
    }

    /// What an infoset shows of a card, from 1; 0 for a card that is not there.
    #[inline]
    fn visible(&self, card: u8) -> u128 {
        match card {
            NO_CARD => 0,
            card if self.rules.suit_blind_keys => u128::from(rank(card)) + 1,
            card => u128::from(card) + 1,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Ending {
    Open,
    /// The player of the mover's seat gave up.
    Folded,
    Showdown,
}

/// A position of [`Leduc`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LeducState {
    /// Private card of player 0, of player 1, public card; [`NO_CARD`] until dealt.
    cards: [u8; 3],
    dealt: u8,
    round: u8,
    /// Actions of the current round.
    length: u8,
    /// Raises of the current round.
    raises: u8,
    /// Chips in the pot by player.
    paid: [u8; 2],
    ending: Ending,
    /// Two bits an action, the first in the lowest; one byte a round.
    history: [u8; 2],
}

impl LeducState {
    #[inline]
    const fn mover(&self) -> Player {
        (self.length & 1) as Player
    }

    /// Whether the player to move has something to call.
    #[inline]
    pub const fn facing_raise(&self) -> bool {
        self.paid[0] != self.paid[1]
    }

    #[inline]
    fn bet(&mut self, action: Action) {
        let mover = self.mover();
        if action == FOLD {
            self.ending = Ending::Folded;
            return;
        }
        self.history[self.round as usize] |= (action as u8) << (2 * self.length);
        self.paid[mover] = self.paid[1 - mover];
        if action == RAISE {
            self.paid[mover] += RAISE_SIZE[self.round as usize];
            self.raises += 1;
            self.length += 1;
        } else if self.length == 0 {
            self.length = 1;
        } else {
            self.close_round();
        }
    }

    #[inline]
    fn close_round(&mut self) {
        if self.round == 1 {
            self.ending = Ending::Showdown;
        } else {
            (self.round, self.length, self.raises) = (1, 0, 0);
        }
    }

    /// 1 if player 0 has the better hand, −1 if player 1 has, 0 for equal ranks.
    #[inline]
    fn showdown(&self) -> f64 {
        let [first, second, public] = self.cards.map(rank);
        let strength = |own: u8| (own == public, own);
        match strength(first).cmp(&strength(second)) {
            std::cmp::Ordering::Less => -1.0,
            std::cmp::Ordering::Equal => 0.0,
            std::cmp::Ordering::Greater => 1.0,
        }
    }
}

#[inline]
const fn rank(card: u8) -> u8 {
    card / 2
}

impl Game for Leduc {
    type State = LeducState;

    fn spec(&self) -> GameSpec {
        let most = f64::from(1 + MAX_RAISES * (RAISE_SIZE[0] + RAISE_SIZE[1]));
        GameSpec {
            name: "leduc",
            num_players: 2,
            simultaneous: false,
            num_actions: 3,
            utility_range: (-most, most),
            // Three cards; check, two raises and a call in each round.
            max_depth: 3 + 2 * 4,
        }
    }

    fn root(&self) -> LeducState {
        LeducState {
            cards: [NO_CARD; 3],
            dealt: 0,
            round: 0,
            length: 0,
            raises: 0,
            paid: [1, 1],
            ending: Ending::Open,
            history: [0; 2],
        }
    }

    #[inline]
    fn turn(&self, state: &LeducState) -> Turn {
        if state.ending != Ending::Open {
            Turn::Terminal
        } else if state.dealt < 2 + state.round {
            Turn::Chance
        } else {
            Turn::Player(state.mover())
        }
    }

    #[inline]
    fn legal_actions(&self, state: &LeducState) -> ActionSet {
        let mut bits = 1 << CALL;
        if state.facing_raise() {
            bits |= 1 << FOLD;
        }
        if state.raises < MAX_RAISES {
            bits |= 1 << RAISE;
        }
        ActionSet::from_bits(bits)
    }

    fn chance_outcomes(&self, state: &LeducState, mut visit: impl FnMut(Action, u32)) {
        for card in 0..self.num_cards() as u8 {
            if !state.cards.contains(&card) {
                visit(card.into(), 1);
            }
        }
    }

    #[inline]
    fn apply(&self, state: &mut LeducState, action: Action) {
        if state.dealt < 2 + state.round {
            state.cards[state.dealt as usize] = action as u8;
            state.dealt += 1;
        } else {
            state.bet(action);
        }
    }

    #[inline]
    fn utility(&self, state: &LeducState) -> f64 {
        match state.ending {
            Ending::Folded if state.mover() == 0 => -f64::from(state.paid[0]),
            Ending::Folded => f64::from(state.paid[1]),
            // Both have paid the same at a showdown.
            _ => state.showdown() * f64::from(state.paid[0]),
        }
    }

    #[inline]
    fn infoset_key(&self, state: &LeducState, player: Player) -> InfosetKey {
        let betting = u128::from(u16::from_le_bytes(state.history));
        InfosetKey(self.visible(state.cards[player]) | self.visible(state.cards[2]) << 8 | betting << 16)
    }

    #[inline]
    fn sample_chance(&self, state: &LeducState, rng: &mut Stream) -> Action {
        let mut card = rng.below(self.num_cards() - u32::from(state.dealt)) as u8;
        // An undealt card is NO_CARD, above every rank in the deck.
        let [first, second, _] = state.cards;
        card += u8::from(card >= first.min(second));
        card += u8::from(card >= first.max(second));
        card.into()
    }

    fn describe_action(&self, state: &LeducState, action: Action) -> String {
        match (self.turn(state), action) {
            (Turn::Chance, card) => format!("deal {}", card_name(card as u8)),
            (_, FOLD) => "fold".into(),
            (_, CALL) if state.facing_raise() => "call".into(),
            (_, CALL) => "check".into(),
            _ => format!("raise {}", RAISE_SIZE[state.round as usize]),
        }
    }

    fn action_names(&self) -> Vec<String> {
        ["fold", "check or call", "raise"].map(str::to_owned).into()
    }

    fn describe_infoset(&self, state: &LeducState, player: Player) -> String {
        let public = if state.cards[2] == NO_CARD { "-".into() } else { card_name(state.cards[2]) };
        let [first, second] = state.history.map(betting_name);
        format!("{} public {public} betting {first}/{second}", card_name(state.cards[player]))
    }
}

/// Rank from 1 and suit, for example `2a`.
fn card_name(card: u8) -> String {
    format!("{}{}", rank(card) + 1, if card.is_multiple_of(2) { 'a' } else { 'b' })
}

fn betting_name(round: u8) -> String {
    let actions = (0..4).map(|slot| Action::from(round >> (2 * slot) & 3)).take_while(|&action| action != 0);
    actions.map(|action| if action == RAISE { 'r' } else { 'c' }).collect()
}
