//! The deterministic bots against the reference decisions, and the bots' common duties.

use deepcfr_core::{Action, Game, Purpose, Stream, Turn};
use deepcfr_games::lost_cities::{Bot, Cards, LostCities, Rules, Slots, State};
use serde::Deserialize;

use crate::reference;

#[derive(Deserialize)]
struct Decision {
    bot: String,
    game: u32,
    ply: usize,
    aid: u16,
}

#[test]
fn every_reference_decision_is_taken() {
    let (games, rows) = (reference::games(), reference::rows::<Decision>("bot_decisions.jsonl.gz"));
    assert_eq!(rows.len(), 1213);
    let mut rng = Stream::new(1, Purpose::Test, 0, 0, 0);
    let states = reference::states(&games, rows.iter().map(|row| (row.game, row.ply)));
    let wrong: Vec<_> = rows
        .iter()
        .zip(states)
        .filter_map(|(row, (reference, state))| {
            let game = reference.build::<Slots>();
            let bot: Bot = row.bot.parse().expect("a bot's name");
            let action = game.to_action(&state, bot.decide(&game, &state, &mut rng));
            (action != row.aid).then(|| format!("{} {}:{} {action} not {}", bot, row.game, row.ply, row.aid))
        })
        .collect();
    assert!(wrong.is_empty(), "{} wrong: {wrong:#?}", wrong.len());
}

/// Plays one game, checking each decision; the score difference.
fn play(game: &LostCities<Cards>, bots: [Bot; 2], index: u32) -> f64 {
    let mut chance = Stream::new(5, Purpose::Test, 0, 0, index);
    let mut choices = Stream::new(5, Purpose::Test, 1, 0, index);
    let mut state = game.root();
    loop {
        let action = match game.turn(&state) {
            Turn::Terminal => return game.utility(&state),
            Turn::Chance => game.sample_chance(&state, &mut chance),
            Turn::Player(player) => {
                let chosen = bots[player].decide(game, &state, &mut choices);
                let action = game.to_action(&state, chosen);
                assert!(game.legal_actions(&state).contains(action), "{} {chosen:?}", bots[player]);
                action
            }
        };
        game.apply(&mut state, action);
    }
}

#[test]
fn all_bots_play_legally_under_all_kinds_of_rules() {
    let base = Rules { ply_cap: 600, ..Rules::classic() };
    let sets = [
        base,
        Rules { colours: 6, wagers: 4, min_rank: 1, ..base },
        Rules { colours: 2, ranks: 4, wagers: 0, hand_size: 3, expedition_penalty: 0, ..base },
        Rules { colours: 1, ranks: 1, wagers: 1, hand_size: 1, bonus_threshold: 1, ..base },
        Rules { colours: 3, ranks: 2, wagers: 4, hand_size: 8, ..base },
    ];
    for rules in sets {
        let game = LostCities::<Cards>::new(rules).expect("possible rules");
        for (index, first) in Bot::ALL.into_iter().enumerate() {
            for second in Bot::ALL {
                play(&game, [first, second], index as u32);
            }
        }
    }
}

/// Against `random` the reference has balanced at +105.3 ± 2.4 and discard-only at +57.6 ± 1.5 over
/// 1,000 games; the spread of one game is about 39 and 24 points. 400 games: four standard errors.
#[test]
fn margins_against_random_agree_with_the_reference_table() {
    let game = LostCities::<Cards>::new(Rules::classic()).expect("possible rules");
    for (bot, margin, tolerance) in
        [(Bot::HeuristicBalanced, 105.3, 9.0), (Bot::DiscardOnly, 57.6, 6.0), (Bot::Random, 0.0, 9.0)]
    {
        let as_first: f64 = (0..200).map(|deal| play(&game, [bot, Bot::Random], deal)).sum();
        let as_second: f64 = (0..200).map(|deal| play(&game, [Bot::Random, bot], deal)).sum();
        let mean = (as_first - as_second) / 400.0;
        assert!((mean - margin).abs() < tolerance, "{bot}: {mean}");
    }
}

/// The position after the deal of two hands and then the given actions and cards.
fn after(game: &LostCities<Cards>, hands: [[Action; 8]; 2], actions: &[Action]) -> State {
    let mut state = game.root();
    let deal = hands[0].into_iter().zip(hands[1]).flat_map(|(first, second)| [first, second]);
    deal.chain(actions.iter().copied()).for_each(|action| game.apply(&mut state, action));
    state
}

/// Under classic rules kind `10·colour + rank` shows `rank + 1`; action 50 + kind discards it, 100
/// draws from the deck, 101 + colour takes a pile's top.
#[test]
fn the_threshold_bot_follows_its_rules() {
    let game = LostCities::<Cards>::new(Rules::classic()).expect("possible rules");
    let theirs = [5, 7, 12, 14, 15, 16, 17, 18];
    let decide = |mine: [Action; 8], actions: &[Action]| {
        let state = after(&game, [mine, theirs], actions);
        let mut rng = Stream::new(1, Purpose::Test, 0, 0, 0);
        game.to_action(&state, Bot::Threshold.decide(&game, &state, &mut rng))
    };
    let mine = [4, 9, 8, 11, 22, 31, 42, 10];
    assert_eq!(decide(mine, &[]), 4, "5, 9 and 10 are 24 points: opens with the lowest");
    let with_wager = [4, 9, 8, 11, 22, 31, 42, 0];
    assert_eq!(decide(with_wager, &[]), 0, "24 points and a wager: opens with the wager");
    let few = [9, 7, 11, 22, 31, 42, 10, 20];
    assert_eq!(decide(few, &[]), 7, "18 points are enough");
    let too_few = [9, 6, 11, 22, 31, 42, 10, 20];
    assert_eq!(decide(too_few, &[]), 61, "17 are not: the cheapest card goes, the first of equal ones");
    assert_eq!(decide(mine, &[4]), 100);
    let opened = [4, 100, 43];
    let they_discard = |kind: Action, rest: &[Action]| [&opened[..], &[50 + kind, 100, 23], rest].concat();
    assert_eq!(decide(mine, &they_discard(5, &[])), 61, "9 on 5 leaves a gap of 3");
    assert_eq!(decide(mine, &they_discard(5, &[61])), 101, "6 on 5 leaves no gap");
    assert_eq!(decide(mine, &they_discard(7, &[61])), 100, "8 on 5 leaves a gap of 2");
    let near = [4, 9, 7, 11, 22, 31, 42, 8];
    assert_eq!(decide(near, &they_discard(5, &[])), 7, "8 on 5 leaves a gap of 2");
}

#[test]
fn playing_out_at_once_is_playing_action_by_action() {
    // By slot, where an action says which of two equal wagers it lays down.
    let game = LostCities::<Slots>::new(Rules::classic()).expect("possible rules");
    for bot in Bot::ALL {
        for index in 0..20 {
            let stream = || Stream::new(4, Purpose::Test, 0, 0, index);
            let (mut state, mut rng, mut nodes) = (game.root(), stream(), 1);
            while game.turn(&state) != Turn::Terminal {
                let action = match game.turn(&state) {
                    Turn::Player(_) => {
                        nodes += 1;
                        game.to_action(&state, bot.decide(&game, &state, &mut rng))
                    }
                    _ => game.sample_chance(&state, &mut rng),
                };
                game.apply(&mut state, action);
            }
            let mut at_once = game.root();
            assert_eq!(bot.play_out(&game, &mut at_once, &mut stream()), nodes, "{bot}");
            assert_eq!(at_once, state, "{bot}");
        }
    }
}
