//! Goofspiel with imperfect information, in turn-based form. Rules.
//!
//! Both players hold the cards `1..=n`, and so does the prize deck. Each round shows a prize; player
//! 0 bids a card face down, then player 1 does, without seeing it; the higher bid takes the prize,
//! and a tie discards it. Players are told who won, never what the other bid (Lanctot 2013, "Monte
//! Carlo sampling and regret minimization for equilibrium computation and decision-making in large
//! extensive form games", the imperfect-information variant). Not here: features (see
//! [`GoofspielEncoder`]).

mod encoder;

use deepcfr_core::{Action, ActionSet, Game, GameSpec, InfosetKey, Player, Stream, Turn};

pub use encoder::GoofspielEncoder;

/// Bits of a card in a packed sequence; 0 is "not yet".
const CARD_BITS: usize = 4;
/// Bits of a round's result; 0 is "not yet".
const RESULT_BITS: usize = 2;
/// The result of a tied round; a won one is the winner's seat plus 1.
const TIE: u32 = 3;

/// In which order prizes come up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum PrizeOrder {
    /// 1, 2, …, n.
    Ascending,
    /// n, …, 2, 1.
    #[default]
    Descending,
    /// Shuffled: each round's prize is a chance node.
    Random,
}

/// What the game is played for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Scoring {
    /// 1 for more points, −1 for fewer, 0 for equally many.
    #[default]
    WinLoss,
    /// The difference in points.
    PointDifference,
}

/// What can be configured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct GoofspielRules {
    /// Cards a player, [`GoofspielRules::MIN_CARDS`]`..=`[`GoofspielRules::MAX_CARDS`].
    pub cards: usize,
    /// In which order prizes come up.
    pub order: PrizeOrder,
    /// What the game is played for.
    pub scoring: Scoring,
}

impl GoofspielRules {
    /// With one card there is nothing to decide.
    pub const MIN_CARDS: usize = 2;
    /// What a player knows of twelve rounds still fits a 128-bit key.
    pub const MAX_CARDS: usize = 12;
}

impl Default for GoofspielRules {
    fn default() -> Self {
        Self { cards: 4, order: PrizeOrder::default(), scoring: Scoring::default() }
    }
}

/// Why rules were refused.
#[derive(Clone, Copy, Debug, thiserror::Error, PartialEq, Eq)]
pub enum GoofspielError {
    /// Too few or too many cards.
    #[error(
        "goofspiel with {got} cards; {min} to {max} are possible",
        min = GoofspielRules::MIN_CARDS,
        max = GoofspielRules::MAX_CARDS
    )]
    Cards {
        /// The number asked for.
        got: usize,
    },
}

/// The rules of goofspiel. Actions and chance outcomes: card `c` of `0..cards`, worth `c + 1`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Goofspiel {
    rules: GoofspielRules,
}

impl Goofspiel {
    /// Takes rules that are in range.
    ///
    /// # Errors
    /// [`GoofspielError::Cards`] if the number of cards is out of range.
    pub fn new(rules: GoofspielRules) -> Result<Self, GoofspielError> {
        if !(GoofspielRules::MIN_CARDS..=GoofspielRules::MAX_CARDS).contains(&rules.cards) {
            return Err(GoofspielError::Cards { got: rules.cards });
        }
        Ok(Self { rules })
    }

    /// The rules in force.
    pub const fn rules(&self) -> GoofspielRules {
        self.rules
    }

    /// Shows the next prize unless that is up to chance or none is left.
    #[inline]
    fn show_prize(&self, state: &mut GoofspielState) {
        let round = state.round as usize;
        if round == self.rules.cards {
            return;
        }
        match self.rules.order {
            PrizeOrder::Ascending => state.take_prize(round),
            PrizeOrder::Descending => state.take_prize(self.rules.cards - 1 - round),
            PrizeOrder::Random => {}
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Phase {
    Prize,
    Bid(u8),
}

/// A position of [`Goofspiel`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct GoofspielState {
    /// Cards in hand by player, bit `c` for card `c`.
    hands: [u16; 2],
    /// Prizes that have not come up.
    prizes_left: u16,
    round: u8,
    phase: Phase,
    points: [u8; 2],
    /// Cards (from 1) by round, packed.
    bids: [u64; 2],
    prizes: u64,
    results: u32,
}

impl GoofspielState {
    #[inline]
    fn take_prize(&mut self, card: usize) {
        self.prizes_left &= !(1 << card);
        self.prizes |= (card as u64 + 1) << (CARD_BITS * self.round as usize);
        self.phase = Phase::Bid(0);
    }

    #[inline]
    fn bid(&mut self, player: Player, card: usize) {
        self.hands[player] &= !(1 << card);
        self.bids[player] |= (card as u64 + 1) << (CARD_BITS * self.round as usize);
    }

    /// Gives the prize to the higher bid and starts the next round.
    #[inline]
    fn settle(&mut self) {
        let round = self.round as usize;
        let [first, second] = self.bids.map(|bids| card_of(bids, round));
        let result = match first.cmp(&second) {
            std::cmp::Ordering::Greater => 1,
            std::cmp::Ordering::Less => 2,
            std::cmp::Ordering::Equal => TIE,
        };
        if result != TIE {
            self.points[result as usize - 1] += card_of(self.prizes, round) as u8;
        }
        self.results |= result << (RESULT_BITS * round);
        self.round += 1;
        self.phase = Phase::Prize;
    }
}

/// The card (from 1) of a round in a packed sequence, 0 for none.
#[inline]
const fn card_of(sequence: u64, round: usize) -> usize {
    (sequence >> (CARD_BITS * round)) as usize & ((1 << CARD_BITS) - 1)
}

#[inline]
const fn result_of(results: u32, round: usize) -> u32 {
    results >> (RESULT_BITS * round) & ((1 << RESULT_BITS) - 1)
}

impl Game for Goofspiel {
    type State = GoofspielState;

    fn spec(&self) -> GameSpec {
        let GoofspielRules { cards, order, scoring } = self.rules;
        let most = match scoring {
            Scoring::WinLoss => 1.0,
            // Both hands add up to the same, so nobody wins every round: at best the prize worth 1
            // goes to the other side.
            Scoring::PointDifference => (cards * (cards + 1) / 2 - 2) as f64,
        };
        GameSpec {
            name: "goofspiel",
            num_players: 2,
            simultaneous: false,
            num_actions: cards,
            utility_range: (-most, most),
            max_depth: cards * if order == PrizeOrder::Random { 3 } else { 2 },
        }
    }

    fn root(&self) -> GoofspielState {
        let all = (1 << self.rules.cards) - 1;
        let mut state = GoofspielState {
            hands: [all; 2],
            prizes_left: all,
            round: 0,
            phase: Phase::Prize,
            points: [0; 2],
            bids: [0; 2],
            prizes: 0,
            results: 0,
        };
        self.show_prize(&mut state);
        state
    }

    #[inline]
    fn turn(&self, state: &GoofspielState) -> Turn {
        match state.phase {
            Phase::Bid(player) => Turn::Player(player.into()),
            Phase::Prize if state.round as usize == self.rules.cards => Turn::Terminal,
            Phase::Prize => Turn::Chance,
        }
    }

    #[inline]
    fn legal_actions(&self, state: &GoofspielState) -> ActionSet {
        let player = if state.phase == Phase::Bid(1) { 1 } else { 0 };
        ActionSet::from_bits(state.hands[player].into())
    }

    fn chance_outcomes(&self, state: &GoofspielState, mut visit: impl FnMut(Action, u32)) {
        ActionSet::from_bits(state.prizes_left.into()).iter().for_each(|card| visit(card, 1));
    }

    #[inline]
    fn apply(&self, state: &mut GoofspielState, action: Action) {
        let card = action as usize;
        match state.phase {
            Phase::Prize => state.take_prize(card),
            Phase::Bid(0) => {
                state.bid(0, card);
                state.phase = Phase::Bid(1);
            }
            Phase::Bid(_) => {
                state.bid(1, card);
                state.settle();
                self.show_prize(state);
            }
        }
    }

    #[inline]
    fn utility(&self, state: &GoofspielState) -> f64 {
        let difference = f64::from(state.points[0]) - f64::from(state.points[1]);
        match self.rules.scoring {
            Scoring::PointDifference => difference,
            Scoring::WinLoss if difference == 0.0 => 0.0,
            Scoring::WinLoss => difference.signum(),
        }
    }

    #[inline]
    fn infoset_key(&self, state: &GoofspielState, player: Player) -> InfosetKey {
        const SEQUENCE_BITS: usize = CARD_BITS * GoofspielRules::MAX_CARDS;
        const RESULTS_BITS: usize = RESULT_BITS * GoofspielRules::MAX_CARDS;
        let own = u128::from(state.bids[player]) | u128::from(state.prizes) << SEQUENCE_BITS;
        let results = u128::from(state.results) | (player as u128) << RESULTS_BITS;
        InfosetKey(own | results << (2 * SEQUENCE_BITS))
    }

    #[inline]
    fn sample_chance(&self, state: &GoofspielState, rng: &mut Stream) -> Action {
        let prizes = ActionSet::from_bits(state.prizes_left.into());
        let rank = rng.below(prizes.len() as u32) as usize;
        prizes.nth(rank).expect("the rank is below the number of prizes")
    }

    fn describe_action(&self, state: &GoofspielState, action: Action) -> String {
        match state.phase {
            Phase::Prize => format!("prize {}", action + 1),
            Phase::Bid(_) => format!("bid {}", action + 1),
        }
    }

    fn action_names(&self) -> Vec<String> {
        (1..=self.rules.cards).map(|card| format!("bid {card}")).collect()
    }

    fn describe_infoset(&self, state: &GoofspielState, player: Player) -> String {
        let rounds = (0..self.rules.cards).take_while(|&round| card_of(state.prizes, round) != 0);
        let round_name = |round| {
            let prize = card_of(state.prizes, round);
            match (card_of(state.bids[player], round), result_of(state.results, round)) {
                (0, _) => format!("prize {prize}"),
                (bid, 0) => format!("prize {prize} bid {bid}"),
                (bid, TIE) => format!("prize {prize} bid {bid} tied"),
                (bid, result) if result as usize == player + 1 => format!("prize {prize} bid {bid} won"),
                (bid, _) => format!("prize {prize} bid {bid} lost"),
            }
        };
        rounds.map(round_name).collect::<Vec<_>>().join(", ")
    }
}
