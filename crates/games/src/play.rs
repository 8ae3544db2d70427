//! Games played from the root by a rule of choice, for whoever needs many positions: measurements of speed,
//! fingerprints of the rules.
//!
//! Not here: matches and their scores, and traversals (`deepcfr-cfr`).

use deepcfr_core::{Action, Game, Player, Stream, Turn};

/// Plays `game` from its root until it ends, or until `choose` has no action to give. Returns the state
/// there and the number of actions that led to it, those of chance included.
///
/// `choose` is shown every decision and whose it is, and must give a legal action; `rng` draws chance and
/// is lent to it.
pub fn play<G: Game>(
    game: &G,
    rng: &mut Stream,
    mut choose: impl FnMut(&G::State, Player, &mut Stream) -> Option<Action>,
) -> (G::State, usize) {
    let mut state = game.root();
    let mut actions = 0;
    loop {
        let action = match game.turn(&state) {
            Turn::Terminal => return (state, actions),
            Turn::Chance => game.sample_chance(&state, rng),
            Turn::Player(player) => match choose(&state, player, rng) {
                Some(action) => action,
                None => return (state, actions),
            },
        };
        game.apply(&mut state, action);
        actions += 1;
    }
}

/// The decisions of one game that is played as by [`play`], in order: each state, and whose it is.
pub fn decisions<G: Game>(
    game: &G,
    mut rng: Stream,
    mut choose: impl FnMut(&G::State, Player, &mut Stream) -> Option<Action>,
) -> Vec<(G::State, Player)> {
    let mut seen = Vec::new();
    play(game, &mut rng, |state, player, rng| {
        seen.push((state.clone(), player));
        choose(state, player, rng)
    });
    seen
}

/// A legal action in a state where a player acts, each with the same probability: random play, given to
/// [`play`] or [`decisions`].
#[inline]
pub fn random_action<G: Game>(game: &G, state: &G::State, rng: &mut Stream) -> Option<Action> {
    game.legal_actions(state).choose(|count| rng.below(count))
}

#[cfg(test)]
mod tests {
    use deepcfr_core::Purpose;

    use super::*;
    use crate::leduc::{Leduc, LeducRules};

    fn stream(index: u32) -> Stream {
        Stream::new(1, Purpose::Test, 0, 0, index)
    }

    /// Leduc poker deals two cards, and a third unless somebody folds in the first round.
    #[test]
    fn every_decision_of_a_game_is_seen_once_and_in_order() {
        let game = Leduc::new(LeducRules::default()).unwrap();
        for index in 0..200 {
            let random = |state: &_, _, rng: &mut _| random_action(&game, state, rng);
            let (end, actions) = play(&game, &mut stream(index), random);
            let seen = decisions(&game, stream(index), random);
            assert_eq!(game.turn(&end), Turn::Terminal);
            assert!([2, 3].contains(&(actions - seen.len())), "{actions} actions, {} seen", seen.len());
            assert!(seen.iter().all(|(state, player)| game.turn(state) == Turn::Player(*player)));
            let keys: Vec<_> =
                seen.iter().map(|(state, player)| (*player, game.infoset_key(state, *player))).collect();
            assert!(keys.iter().enumerate().all(|(place, key)| !keys[..place].contains(key)));
        }
    }

    #[test]
    fn a_game_is_left_where_nothing_is_chosen() {
        let game = Leduc::new(LeducRules::default()).unwrap();
        let mut left = 2;
        let (state, actions) = play(&game, &mut stream(0), |state, _, rng| {
            left -= 1;
            if left > 0 { random_action(&game, state, rng) } else { None }
        });
        assert_eq!(actions, 3, "two cards and one choice");
        assert_ne!(game.turn(&state), Turn::Chance);
    }

    #[test]
    fn random_play_takes_every_legal_action() {
        let game = Leduc::new(LeducRules::default()).unwrap();
        let (state, _) = play(&game, &mut stream(0), |_, _, _| None);
        let legal = game.legal_actions(&state);
        let mut rng = stream(1);
        let mut taken = [0_usize; 8];
        (0..1000).for_each(|_| taken[random_action(&game, &state, &mut rng).unwrap() as usize] += 1);
        for (action, times) in taken.into_iter().enumerate() {
            let expected = if legal.contains(action as Action) { 1000 / legal.len() } else { 0 };
            assert!(times.abs_diff(expected) < 80, "action {action}: {times} of 1000, expected {expected}");
            assert_eq!(times > 0, expected > 0);
        }
    }
}
