//! Kuhn and Leduc poker against whole trees, and played histories, of an independent implementation.
//!
//! Checks: who moves, legal actions, chance probabilities, returns, and that two states have equal
//! keys exactly when their reference infoset names are equal.

use deepcfr_core::{Game, Player, Turn};
use deepcfr_games::kuhn::Kuhn;
use deepcfr_games::leduc::{Leduc, LeducRules};

use crate::data::{Naming, Node, Partition, check_state, histories, replay, tree};

/// Walks the game and the reference nodes in the same order, and counts infosets by player.
fn compare<G: Game>(game: &G, nodes: &[Node], naming: Naming) -> [usize; 2] {
    let mut partition = Partition::new(naming);
    let mut stack = vec![(game.root(), Vec::new())];
    let mut expected = nodes.iter();
    while let Some((state, history)) = stack.pop() {
        let node = expected.next().expect("the game has no more histories than the reference");
        assert_eq!(node.history, history, "histories in depth-first order");
        let mut actions = check_state(game, &state, node, &mut partition);
        actions.reverse();
        for action in actions {
            let mut below = state.clone();
            game.apply(&mut below, action);
            stack.push((below, [&history[..], &[action]].concat()));
        }
    }
    assert!(expected.next().is_none(), "the reference has no more histories than the game");
    partition.counts()
}

#[test]
fn kuhn_equals_the_reference_tree() {
    let nodes = tree("kuhn_tree");
    assert_eq!(nodes.len(), 58);
    assert_eq!(compare(&Kuhn, &nodes, Naming::Exact), [6, 6]);
}

#[test]
fn leduc_equals_the_reference_tree() {
    let nodes = tree("leduc_tree");
    assert_eq!(nodes.len(), 9457);
    assert_eq!(compare(&Leduc::default(), &nodes, Naming::Exact), [468, 468]);
}

/// Replaces cards by ranks in the reference's names: the partition that suit-blind keys must give.
fn without_suits(name: &str) -> String {
    let rank_after = |name: &str, label: &str| match name.split_once(label) {
        None => name.to_owned(),
        Some((before, after)) => {
            let card: usize = after[..1].parse().expect("cards have one digit");
            format!("{before}{label}{}{}", card / 2, &after[1..])
        }
    };
    rank_after(&rank_after(name, "[Private: "), "[Public: ")
}

#[test]
fn leduc_without_suits_merges_exactly_the_infosets_of_equal_ranks() {
    let game = Leduc::new(LeducRules { ranks: 3, suit_blind_keys: true }).expect("3 ranks are possible");
    let counts = compare(&game, &tree("leduc_tree"), Naming::Mapped(without_suits));
    assert_eq!(counts, [144, 144]);
}

#[test]
fn kuhn_and_leduc_replay_the_reference_histories() {
    assert_eq!(replay(&Kuhn, &histories("kuhn_histories")), 30);
    assert_eq!(replay(&Leduc::default(), &histories("leduc_histories")), 120);
}

#[test]
fn leduc_refuses_impossible_decks() {
    for ranks in [0, 1, LeducRules::MAX_RANKS + 1] {
        let error = Leduc::new(LeducRules { ranks, ..LeducRules::default() }).expect_err("out of range");
        assert!(error.to_string().contains(&format!("{ranks} ranks")), "{error}");
    }
}

/// Thirteen ranks: deals, and infosets by counting (cards × bettings at which a player moves).
#[test]
fn leduc_with_thirteen_ranks_has_the_counted_number_of_infosets() {
    let game = Leduc::new(LeducRules { ranks: 13, suit_blind_keys: true }).expect("13 ranks are possible");
    let mut keys: [std::collections::HashSet<_>; 2] = Default::default();
    let mut stack = vec![game.root()];
    while let Some(state) = stack.pop() {
        let mut actions = Vec::new();
        match game.turn(&state) {
            Turn::Terminal => {}
            Turn::Chance => game.chance_outcomes(&state, |card, _| actions.push(card)),
            Turn::Player(player) => {
                let player: Player = player;
                keys[player].insert(game.infoset_key(&state, player));
                actions.extend(game.legal_actions(&state));
            }
        }
        for action in actions {
            let mut below = state;
            game.apply(&mut below, action);
            stack.push(below);
        }
    }
    // A round has 6 bettings at which somebody moves, 3 a player, and 5 that lead to a second round.
    let expected = 13 * 3 + 13 * 13 * 5 * 3;
    assert_eq!(keys.map(|keys| keys.len()), [expected; 2]);
}
