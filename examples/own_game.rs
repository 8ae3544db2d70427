//! A game of your own, complete: rules, features, and the conformance kit run on both.
//!
//! High card: both players put 1 chip in and get one card of a deck of `ranks`. Player 0 stakes 1 more
//! chip or none; player 1 accepts the stake or gives up; then the higher card takes the pot. Run it with
//! `cargo run -p deepcfr-games --features testkit --example own_game`. The walk-through is in
//! `docs/adding-a-game.md`.

use deepcfr_core::{Action, ActionSet, Encoder, Game, GameSpec, InfosetKey, Player, Turn};
use deepcfr_games::testkit::{Conformance, Violation};

/// The rule set: what a user may configure.
struct HighCard {
    ranks: u8,
}

/// The position: small, `Copy`, without heap memory.
#[derive(Clone, Copy)]
struct HighCardState {
    /// Only the first `dealt` are meaningful.
    cards: [u8; 2],
    dealt: u8,
    /// What player 0 and player 1 chose, in this order.
    choices: [Option<Action>; 2],
}

/// Checking or giving up.
const PASS: Action = 0;
/// Staking a chip or accepting the stake.
const STAKE: Action = 1;

impl Game for HighCard {
    type State = HighCardState;

    fn spec(&self) -> GameSpec {
        GameSpec {
            name: "high_card",
            num_players: 2,
            simultaneous: false,
            num_actions: 2,
            utility_range: (-2.0, 2.0),
            // Two cards and two choices.
            max_depth: 4,
        }
    }

    fn root(&self) -> HighCardState {
        HighCardState { cards: [0; 2], dealt: 0, choices: [None; 2] }
    }

    fn turn(&self, state: &HighCardState) -> Turn {
        match (state.dealt, state.choices) {
            (0 | 1, _) => Turn::Chance,
            (_, [None, _]) => Turn::Player(0),
            (_, [Some(STAKE), None]) => Turn::Player(1),
            _ => Turn::Terminal,
        }
    }

    fn legal_actions(&self, _state: &HighCardState) -> ActionSet {
        ActionSet::first(2)
    }

    fn chance_outcomes(&self, state: &HighCardState, mut visit: impl FnMut(Action, u32)) {
        let taken = (state.dealt == 1).then_some(state.cards[0]);
        (0..self.ranks).filter(|&card| Some(card) != taken).for_each(|card| visit(card.into(), 1));
    }

    fn apply(&self, state: &mut HighCardState, action: Action) {
        if state.dealt < 2 {
            state.cards[state.dealt as usize] = action as u8;
            state.dealt += 1;
        } else {
            let mover = usize::from(state.choices[0].is_some());
            state.choices[mover] = Some(action);
        }
    }

    fn utility(&self, state: &HighCardState) -> f64 {
        let winner = if state.cards[0] > state.cards[1] { 1.0 } else { -1.0 };
        match state.choices {
            [Some(STAKE), Some(STAKE)] => 2.0 * winner,
            [Some(STAKE), _] => 1.0,
            _ => winner,
        }
    }

    // Player 1 moves only after a stake, so a card and a seat say all that is known.
    fn infoset_key(&self, state: &HighCardState, player: Player) -> InfosetKey {
        InfosetKey((player as u128) << 8 | u128::from(state.cards[player]))
    }

    // Optional, for people: commands that print a strategy use it.
    fn describe_action(&self, state: &HighCardState, action: Action) -> String {
        match (self.turn(state), action) {
            (Turn::Chance, card) => format!("deal {card}"),
            (Turn::Player(0), PASS) => "check".into(),
            (_, PASS) => "give up".into(),
            (Turn::Player(0), _) => "stake".into(),
            _ => "accept".into(),
        }
    }
}

/// The features: the own card one-hot, its height as a number, and the seat.
struct HighCardEncoder {
    ranks: u8,
}

impl Encoder<HighCard> for HighCardEncoder {
    fn num_features(&self) -> usize {
        self.ranks as usize + 2
    }

    fn encode(&self, _game: &HighCard, state: &HighCardState, player: Player, row: &mut [f32]) {
        let card = state.cards[player];
        row.fill(0.0);
        row[card as usize] = 1.0;
        row[self.ranks as usize] = f32::from(card) / f32::from(self.ranks - 1);
        row[self.ranks as usize + 1] = player as f32;
    }
}

fn main() -> Result<(), Violation> {
    let (game, encoder) = (HighCard { ranks: 5 }, HighCardEncoder { ranks: 5 });
    let kit = Conformance::default();
    let seen = kit.check(&game, &encoder)?;
    println!("{}: {} histories, infosets {:?}", game.spec().name, seen.histories, seen.infosets);

    // What the kit cannot know: that the other card is hidden. Exchange it for any other.
    let states = kit.check_hidden(&game, &encoder, |game, state, player, rng| {
        let mut other = *state;
        let step = 1 + rng.below(u32::from(game.ranks) - 1) as u8;
        other.cards[1 - player] = (state.cards[player] + step) % game.ranks;
        other
    })?;
    println!("the other card does not show in {states} states");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_game_keeps_its_contracts() {
        main().expect("every check passes");
    }

    /// 20 deals, each with one infoset of player 0, half of them with one of player 1.
    #[test]
    fn the_tree_has_the_size_that_counting_gives() {
        let game = HighCard { ranks: 5 };
        let seen = Conformance::default().assert(&game, &HighCardEncoder { ranks: 5 });
        assert!(seen.whole_tree);
        assert_eq!((seen.histories, seen.infosets), (1 + 5 + 20 * (1 + 2 + 2), [5, 5]));
        assert_eq!(seen.utilities, (-2.0, 2.0));
    }
}
