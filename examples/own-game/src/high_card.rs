//! High card: both players put 1 chip in and get one card of a deck. Player 0 stakes more or nothing;
//! player 1 accepts the stake or gives up; then the higher card takes the pot.
//!
//! The rules, what networks see, a rule bot, and the keys of `[game.high_card]`.

use deepcfr_board::{Board, BoxError, GameConfig, Setup};
use deepcfr_config::Refused;
use deepcfr_core::{
    Action, ActionSet, Encoder, FeatureBlock, Game, GameSpec, InfosetKey, Player, Policy, Turn,
};
use serde::{Deserialize, Serialize};

/// The rule set.
#[derive(Clone, Copy)]
pub struct HighCard {
    ranks: u8,
    stake: u8,
}

/// The position: small, `Copy`, without heap memory.
#[derive(Clone, Copy)]
pub struct Position {
    /// Only the first `dealt` are meaningful.
    cards: [u8; 2],
    dealt: u8,
    /// What player 0 and player 1 chose, in this order.
    choices: [Option<Action>; 2],
}

/// Staking, or accepting the stake. Action 0 checks, or gives up.
const STAKE: Action = 1;

impl Game for HighCard {
    type State = Position;

    fn spec(&self) -> GameSpec {
        let most = f64::from(1 + self.stake);
        GameSpec {
            name: "high_card",
            num_players: 2,
            simultaneous: false,
            num_actions: 2,
            utility_range: (-most, most),
            // Two cards and two choices.
            max_depth: 4,
        }
    }

    fn root(&self) -> Position {
        Position { cards: [0; 2], dealt: 0, choices: [None; 2] }
    }

    fn turn(&self, state: &Position) -> Turn {
        match (state.dealt, state.choices) {
            (0 | 1, _) => Turn::Chance,
            (_, [None, _]) => Turn::Player(0),
            (_, [Some(STAKE), None]) => Turn::Player(1),
            _ => Turn::Terminal,
        }
    }

    fn legal_actions(&self, _state: &Position) -> ActionSet {
        ActionSet::first(2)
    }

    fn chance_outcomes(&self, state: &Position, mut visit: impl FnMut(Action, u32)) {
        let taken = (state.dealt == 1).then_some(state.cards[0]);
        (0..self.ranks).filter(|&card| Some(card) != taken).for_each(|card| visit(card.into(), 1));
    }

    fn apply(&self, state: &mut Position, action: Action) {
        if state.dealt < 2 {
            state.cards[usize::from(state.dealt)] = action as u8;
            state.dealt += 1;
        } else {
            state.choices[usize::from(state.choices[0].is_some())] = Some(action);
        }
    }

    fn utility(&self, state: &Position) -> f64 {
        let winner = if state.cards[0] > state.cards[1] { 1.0 } else { -1.0 };
        match state.choices {
            [Some(STAKE), Some(STAKE)] => winner * f64::from(1 + self.stake),
            [Some(STAKE), _] => 1.0,
            _ => winner,
        }
    }

    // Player 1 moves only after a stake, so a card and a seat say all that is known.
    fn infoset_key(&self, state: &Position, player: Player) -> InfosetKey {
        InfosetKey((player as u128) << 8 | u128::from(state.cards[player]))
    }

    // Optional, for people.
    fn action_names(&self) -> Vec<String> {
        ["check or give up", "stake or accept"].map(str::to_owned).to_vec()
    }
}

/// The features: the own card one-hot, its height as a number, and the seat.
pub struct CardAndSeat {
    ranks: u8,
}

impl Encoder<HighCard> for CardAndSeat {
    fn num_features(&self) -> usize {
        usize::from(self.ranks) + 2
    }

    fn encode(&self, _game: &HighCard, state: &Position, player: Player, row: &mut [f32]) {
        let (card, ranks) = (state.cards[player], usize::from(self.ranks));
        row.fill(0.0);
        row[usize::from(card)] = 1.0;
        row[ranks] = f32::from(card) / f32::from(self.ranks - 1);
        row[ranks + 1] = player as f32;
    }

    fn layout(&self) -> Vec<FeatureBlock> {
        let card = FeatureBlock::new("own card, one-hot", usize::from(self.ranks));
        vec![card, FeatureBlock::new("its height, 0 to 1", 1), FeatureBlock::new("seat", 1)]
    }
}

/// Stakes and accepts with the upper half of the deck.
struct Honest;

impl Policy<HighCard> for Honest {
    fn probabilities(&self, game: &HighCard, state: &Position, probabilities: &mut [f64]) {
        let mover = usize::from(state.choices[0].is_some());
        probabilities.fill(0.0);
        probabilities[usize::from(state.cards[mover] >= game.ranks / 2)] = 1.0;
    }
}

/// `[game.high_card]`.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HighCardConfig {
    ranks: u8,
    stake: u8,
}

impl GameConfig for HighCardConfig {
    const NAME: &'static str = "high_card";
    const MANUAL: &'static str = "\
# High card: one card each, one stake.
[game.high_card]
# Cards of the deck, 2 to 50.
ranks = 13
# Chips that player 0 may stake beside the ante, 1 to 20.
stake = 2
";

    fn refused(&self) -> Vec<Refused> {
        let ranks = Refused::outside("ranks", self.ranks, 2..=50);
        ranks.into_iter().chain(Refused::outside("stake", self.stake, 1..=20)).collect()
    }

    fn set_up(&self) -> Result<Box<dyn Board>, BoxError> {
        let game = HighCard { ranks: self.ranks, stake: self.stake };
        Ok(Setup::new(game, CardAndSeat { ranks: self.ranks }).ante(1.0).policy_bot("honest", Honest).board())
    }
}

#[cfg(test)]
mod tests {
    use deepcfr_games::testkit::{Conformance, Violation};

    use super::*;

    const GAME: HighCard = HighCard { ranks: 5, stake: 1 };
    const ENCODER: CardAndSeat = CardAndSeat { ranks: 5 };

    /// 20 deals, each with a choice of player 0 and one of player 1 after a stake.
    #[test]
    fn the_game_keeps_its_contracts_and_has_the_size_that_counting_gives() {
        let seen = Conformance::default().assert(&GAME, &ENCODER);
        assert!(seen.whole_tree);
        assert_eq!((seen.histories, seen.infosets), (1 + 5 + 20 * (1 + 2 + 2), [5, 5]));
        assert_eq!(seen.utilities, (-2.0, 2.0));
    }

    /// What the kit cannot know: that the other card is hidden. Exchange it for any other.
    #[test]
    fn the_other_card_does_not_show() -> Result<(), Violation> {
        let states = Conformance::default().check_hidden(&GAME, &ENCODER, |game, state, player, rng| {
            let mut other = *state;
            let step = 1 + rng.below(u32::from(game.ranks) - 1) as u8;
            other.cards[1 - player] = (state.cards[player] + step) % game.ranks;
            other
        })?;
        assert!(states > 0);
        Ok(())
    }
}
