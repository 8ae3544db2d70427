//! Every reference game, replayed decision by decision in both action spaces.

use deepcfr_core::{ActionSet, Game, Turn};
use deepcfr_games::lost_cities::{ActionSpace, Cards, LostCities, Slots, Sorted, State};

use crate::reference::{self, ReferenceGame};

#[test]
fn all_games_replay_exactly_by_slot() {
    let games = reference::games();
    assert_eq!(games.len(), 240);
    let mut decisions = 0;
    for reference in games.values() {
        let game = reference.build::<Slots>();
        reference.walk(&game, |ply, state, _| match reference.legal.get(ply) {
            Some(&legal) => {
                assert_eq!(game.turn(state), Turn::Player(ply / 2 % 2));
                assert_eq!(
                    game.legal_actions(state),
                    ActionSet::from_bits(legal),
                    "{}:{ply}",
                    reference.game
                );
                decisions += 1;
            }
            None => check_end(reference, &game, state),
        });
    }
    assert_eq!(decisions, 31_960);
}

#[test]
fn all_games_replay_exactly_by_card() {
    replay::<Cards>();
}

#[test]
fn all_games_replay_exactly_with_colours_sorted() {
    replay::<Sorted>();
}

fn replay<A: ActionSpace>() {
    for reference in reference::games().values() {
        let (game, slots) = (reference.build::<A>(), reference.build::<Slots>());
        reference.walk(&game, |ply, state, twin| match reference.legal.get(ply) {
            Some(&legal) => {
                let by_slot = ActionSet::from_bits(legal).iter();
                let expected: ActionSet =
                    by_slot.map(|action| game.to_action(twin, slots.to_move(twin, action))).collect();
                assert_eq!(game.legal_actions(state), expected, "{}:{ply}", reference.game);
            }
            None => check_end(reference, &game, state),
        });
    }
}

#[test]
fn moves_and_actions_name_each_other() {
    for reference in reference::games().values().take(40) {
        let (cards, slots) = (reference.build::<Cards>(), reference.build::<Slots>());
        let sorted = reference.build::<Sorted>();
        reference.walk(&cards, |ply, state, _| {
            if ply < reference.actions.len() {
                same_after_round_trip(&sorted, state);
                same_after_round_trip(&cards, state);
                same_after_round_trip(&slots, state);
            }
        });
    }
}

fn same_after_round_trip<A: ActionSpace>(game: &LostCities<A>, state: &State) {
    for action in game.legal_actions(state) {
        assert_eq!(game.to_action(state, game.to_move(state, action)), action);
    }
}

fn check_end<A: ActionSpace>(reference: &ReferenceGame, game: &LostCities<A>, state: &State) {
    let number = reference.game;
    assert_eq!(game.turn(state), Turn::Terminal, "{number}");
    assert!(!game.truncated(state));
    assert_eq!(state.plies(), 2 * reference.turns);
    assert_eq!(state.deck_left(), reference.deck_left);
    for player in 0..2 {
        assert_eq!(game.score(state, player), reference.totals[player], "{number}");
        let mut hand: Vec<_> = state.hand_slots(player).collect();
        hand.sort_unstable();
        assert_eq!(hand, reference.hands[player], "{number}");
        for (colour, cards) in reference.expeditions[player].iter().enumerate() {
            assert_eq!(&expedition_kinds(game, state, player, colour), cards, "{number}");
            let score = game.expedition(state, player, colour).score;
            assert_eq!(score, reference.scores[player][colour], "{number}");
        }
    }
    for (colour, pile) in reference.discards.iter().enumerate() {
        let mut cards: Vec<_> = game.pile(state, colour).collect();
        cards.reverse();
        assert_eq!(&cards, pile, "{number}");
    }
    assert_eq!(game.utility(state), f64::from(reference.totals[0] - reference.totals[1]));
}

fn expedition_kinds<A: ActionSpace>(
    game: &LostCities<A>,
    state: &State,
    player: usize,
    colour: usize,
) -> Vec<usize> {
    let expedition = game.expedition(state, player, colour);
    let wagers = (0..expedition.wagers).map(|_| game.kind(colour, 0));
    let ranks = (0..9).filter(|rank| expedition.numbers >> rank & 1 == 1);
    wagers.chain(ranks.map(|rank| game.kind(colour, rank + 1))).collect()
}

#[test]
fn the_chance_outcomes_are_what_the_deck_holds() {
    for reference in reference::games().values().take(60) {
        let game = reference.build::<Slots>();
        let (mut state, mut left) = (game.root(), reference.deal.clone());
        let mut actions = reference.actions.iter();
        while game.turn(&state) != Turn::Terminal {
            let action = if game.turn(&state) == Turn::Chance {
                let mut outcomes = Vec::new();
                game.chance_outcomes(&state, |kind, copies| {
                    (0..copies).for_each(|_| outcomes.push(kind));
                });
                let mut expected = left.clone();
                expected.sort_unstable();
                assert_eq!(outcomes, expected);
                left.remove(0)
            } else {
                *actions.next().expect("one a decision")
            };
            game.apply(&mut state, action);
        }
        assert_eq!(left.len(), reference.deck_left);
    }
}
