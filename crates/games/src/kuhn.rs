//! Kuhn poker: three cards, one bet. Rules and encoder.
//!
//! Each player antes 1 and gets one of the cards 0, 1, 2. Player 0 passes or bets 1; a bet may be
//! called (by betting) or passed to; after pass and bet, player 0 has the last word. The higher card
//! wins (Kuhn 1950, "A simplified two-person poker"). Not here: bots.

use deepcfr_core::{
    Action, ActionSet, Encoder, FeatureBlock, Game, GameSpec, InfosetKey, Player, Stream, Turn,
};

/// Passing: a check, or a fold if facing a bet.
pub const PASS: Action = 0;
/// Betting 1 chip, or calling a bet.
pub const BET: Action = 1;

const CARDS: u32 = 3;
const PASS_PASS: u8 = 0b100;
const PASS_BET: u8 = 0b101;
const BET_PASS: u8 = 0b110;
const BET_BET: u8 = 0b111;
const PASS_BET_PASS: u8 = 0b1010;
const PASS_BET_BET: u8 = 0b1011;

/// The rules of Kuhn poker.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Kuhn;

/// A position of [`Kuhn`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct KuhnState {
    /// Only the first `dealt` are meaningful.
    cards: [u8; 2],
    dealt: u8,
    /// The betting as bits after a leading 1: pass 0, bet 1.
    betting: u8,
}

impl KuhnState {
    /// Whether the player to move faces a bet.
    pub const fn facing_bet(&self) -> bool {
        self.betting & 1 == 1 && self.betting > 1
    }

    const fn is_over(&self) -> bool {
        self.betting >= PASS_PASS && self.betting != PASS_BET
    }

    const fn mover(&self) -> Player {
        // A leading 1 and n actions: the bit length is n + 1.
        (self.betting.ilog2() & 1) as Player
    }
}

impl Game for Kuhn {
    type State = KuhnState;

    fn spec(&self) -> GameSpec {
        GameSpec {
            name: "kuhn",
            num_players: 2,
            simultaneous: false,
            num_actions: 2,
            utility_range: (-2.0, 2.0),
            max_depth: 5,
        }
    }

    fn root(&self) -> KuhnState {
        KuhnState { cards: [0; 2], dealt: 0, betting: 1 }
    }

    #[inline]
    fn turn(&self, state: &KuhnState) -> Turn {
        if state.dealt < 2 {
            Turn::Chance
        } else if state.is_over() {
            Turn::Terminal
        } else {
            Turn::Player(state.mover())
        }
    }

    #[inline]
    fn legal_actions(&self, _state: &KuhnState) -> ActionSet {
        ActionSet::first(2)
    }

    fn chance_outcomes(&self, state: &KuhnState, mut visit: impl FnMut(Action, u32)) {
        let taken = (state.dealt == 1).then_some(Action::from(state.cards[0]));
        (0..CARDS as Action).filter(|&card| Some(card) != taken).for_each(|card| visit(card, 1));
    }

    #[inline]
    fn apply(&self, state: &mut KuhnState, action: Action) {
        if state.dealt < 2 {
            state.cards[state.dealt as usize] = action as u8;
            state.dealt += 1;
        } else {
            state.betting = state.betting << 1 | action as u8;
        }
    }

    #[inline]
    fn utility(&self, state: &KuhnState) -> f64 {
        let showdown = if state.cards[0] > state.cards[1] { 1.0 } else { -1.0 };
        match state.betting {
            PASS_PASS => showdown,
            BET_BET | PASS_BET_BET => 2.0 * showdown,
            BET_PASS => 1.0,
            PASS_BET_PASS => -1.0,
            betting => unreachable!("betting {betting:b} does not end the game"),
        }
    }

    #[inline]
    fn infoset_key(&self, state: &KuhnState, player: Player) -> InfosetKey {
        InfosetKey(u128::from(state.cards[player]) << 8 | u128::from(state.betting))
    }

    #[inline]
    fn sample_chance(&self, state: &KuhnState, rng: &mut Stream) -> Action {
        if state.dealt == 0 {
            return rng.below(CARDS) as Action;
        }
        let rank = rng.below(CARDS - 1) as Action;
        rank + Action::from(rank >= Action::from(state.cards[0]))
    }

    fn describe_action(&self, state: &KuhnState, action: Action) -> String {
        match (self.turn(state), action) {
            (Turn::Chance, card) => format!("deal {}", card_name(card as u8)),
            (_, PASS) if state.facing_bet() => "fold".into(),
            (_, PASS) => "check".into(),
            _ if state.facing_bet() => "call".into(),
            _ => "bet".into(),
        }
    }

    fn action_names(&self) -> Vec<String> {
        ["pass (check or fold)", "bet (or call)"].map(str::to_owned).into()
    }

    fn describe_infoset(&self, state: &KuhnState, player: Player) -> String {
        let length = state.betting.ilog2();
        let betting = (0..length).rev().map(|bit| if state.betting >> bit & 1 == 1 { 'b' } else { 'p' });
        format!("{}{}", card_name(state.cards[player]), betting.collect::<String>())
    }
}

fn card_name(card: u8) -> char {
    ['J', 'Q', 'K'][card as usize]
}

/// Seven features: the card and the betting so far, both one-hot.
#[derive(Clone, Copy, Debug, Default)]
pub struct KuhnEncoder;

impl Encoder<Kuhn> for KuhnEncoder {
    fn num_features(&self) -> usize {
        7
    }

    #[inline]
    fn encode(&self, _game: &Kuhn, state: &KuhnState, player: Player, row: &mut [f32]) {
        row.fill(0.0);
        row[state.cards[player] as usize] = 1.0;
        // The four bettings at which somebody moves: none, pass, bet, pass-bet.
        let betting = match state.betting {
            PASS_BET => 3,
            other => other as usize - 1,
        };
        row[3 + betting] = 1.0;
    }

    fn layout(&self) -> Vec<FeatureBlock> {
        vec![
            FeatureBlock::new("own card: J, Q, K", 3),
            FeatureBlock::new("betting: none, pass, bet, pass and bet", 4),
        ]
    }
}
