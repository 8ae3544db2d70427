//! Properties of the rules that no single reference game shows.

use deepcfr_core::{Action, Game, Purpose, Stream, Turn};
use deepcfr_games::lost_cities::{ActionSpace, Cards, LostCities, Rules, Slots, State};

const SMALL: Rules = Rules {
    colours: 2,
    ranks: 4,
    wagers: 1,
    hand_size: 3,
    expedition_penalty: -10,
    bonus_threshold: 4,
    bonus_amount: 10,
    ..Rules::classic()
};

fn game<A: ActionSpace>(rules: Rules) -> LostCities<A> {
    LostCities::new(rules).expect("possible rules")
}

/// Plays at random from `state` until `stop` or the end.
fn play<A: ActionSpace>(
    game: &LostCities<A>,
    state: &mut State,
    rng: &mut Stream,
    stop: impl Fn(&State) -> bool,
) {
    loop {
        match game.turn(state) {
            Turn::Terminal => return,
            _ if stop(state) => return,
            Turn::Chance => {
                let kind = game.sample_chance(state, rng);
                game.apply(state, kind);
            }
            Turn::Player(_) => {
                let legal = game.legal_actions(state);
                let action = legal.nth(rng.below(legal.len() as u32) as usize).expect("not empty");
                game.apply(state, action);
            }
        }
    }
}

fn stream(index: u32) -> Stream {
    Stream::new(3, Purpose::Test, 0, 0, index)
}

/// The default of `Game::sample_chance`, spelled out.
fn first_above<A: ActionSpace>(game: &LostCities<A>, state: &State, rng: &mut Stream) -> Action {
    let mut cards = Vec::new();
    game.chance_outcomes(state, |kind, copies| (0..copies).for_each(|_| cards.push(kind)));
    cards[rng.below(cards.len() as u32) as usize]
}

#[test]
fn sampled_chance_is_the_outcome_that_the_seam_prescribes() {
    for (index, rules) in
        [Rules::classic(), SMALL, Rules { colours: 6, wagers: 4, ..Rules::classic() }].into_iter().enumerate()
    {
        let game = game::<Cards>(rules);
        let mut rng = stream(index as u32);
        for _ in 0..50 {
            let mut state = game.root();
            while game.turn(&state) != Turn::Terminal {
                let (mut here, mut there) = (rng.clone(), rng.clone());
                if game.turn(&state) == Turn::Chance {
                    let drawn = game.sample_chance(&state, &mut here);
                    assert_eq!(drawn, first_above(&game, &state, &mut there));
                    assert_eq!(here.next_u64(), there.next_u64(), "one number is consumed");
                }
                let plies = state.plies();
                let was_chance = game.turn(&state) == Turn::Chance;
                let drawn = state.deck_left();
                play(&game, &mut state, &mut rng, |now| {
                    if was_chance { now.deck_left() < drawn } else { now.plies() > plies }
                });
            }
        }
    }
}

#[test]
fn endless_play_is_cut_off_and_says_so() {
    let game = game::<Slots>(Rules { ply_cap: 61, ..Rules::classic() });
    let mut truncated = 0;
    for index in 0..50 {
        let mut state = game.root();
        play(&game, &mut state, &mut stream(index), |_| false);
        truncated += u32::from(game.truncated(&state));
        assert!(state.plies() <= 61);
        assert_eq!(game.utility(&state), f64::from(game.score(&state, 0) - game.score(&state, 1)));
    }
    assert_eq!(truncated, 50, "random play needs some 280 decisions");
}

#[test]
fn a_deck_that_the_deal_empties_ends_the_game_at_the_first_draw() {
    let rules = Rules { colours: 1, ranks: 4, wagers: 0, hand_size: 2, ..Rules::classic() };
    let game = game::<Cards>(rules);
    let mut state = game.root();
    play(&game, &mut state, &mut stream(0), |_| false);
    assert_eq!((state.plies(), game.truncated(&state)), (1, false));
}

#[test]
fn keys_tell_apart_what_a_player_knows_and_nothing_else() {
    let game = game::<Cards>(SMALL);
    let mut seen = std::collections::HashMap::new();
    for index in 0..3000 {
        let mut state = game.root();
        let mut rng = stream(index);
        while game.turn(&state) != Turn::Terminal {
            if let Turn::Player(player) = game.turn(&state) {
                let shown = format!("{} {}", state.plies(), visible(&game, &state, player));
                let key = game.infoset_key(&state, player);
                assert_eq!(*seen.entry(key).or_insert_with(|| shown.clone()), shown);
            }
            let (plies, deck) = (state.plies(), state.deck_left());
            play(&game, &mut state, &mut rng, |now| now.plies() > plies || now.deck_left() < deck);
        }
    }
    let distinct: std::collections::HashSet<_> = seen.values().collect();
    assert_eq!(distinct.len(), seen.len());
    assert!(seen.len() > 10_000, "{}", seen.len());
}

/// All that a player may know, in words: the description and the piles below their tops.
fn visible(game: &LostCities<Cards>, state: &State, player: usize) -> String {
    let piles: Vec<Vec<_>> = (0..2).map(|colour| game.pile(state, colour).collect()).collect();
    let draws = game.legal_actions(state);
    let mine = game.describe_infoset(state, 1 - player);
    let known_of_me = mine.lines().find(|line| line.starts_with("theirs for certain")).unwrap_or_default();
    format!("{} {piles:?} {draws:?} {known_of_me}", game.describe_infoset(state, player))
}

#[test]
fn the_state_stays_small() {
    assert_eq!(size_of::<State>(), 192);
}

#[test]
fn actions_and_positions_read_well() {
    let game = game::<Cards>(Rules::classic());
    let mut state = game.root();
    play(&game, &mut state, &mut stream(1), |now| now.plies() == 1);
    assert_eq!(game.describe_action(&state, 100), "draw from the deck");
    let play_red_wager = game.kind(4, 0) as Action;
    let mut fresh = game.root();
    assert_eq!(game.describe_action(&fresh, play_red_wager), "red wager");
    [game.kind(4, 0), game.kind(0, 9)].iter().for_each(|&kind| game.apply(&mut fresh, kind as Action));
    play(&game, &mut fresh, &mut stream(2), |now| now.hand_slots(1).len() == 8);
    assert_eq!(game.describe_action(&fresh, play_red_wager), "play red wager");
    let shown = game.describe_infoset(&fresh, 0);
    assert!(shown.starts_with("player 0, to play or discard, 44 cards in the deck\nhand: "), "{shown}");
    assert!(shown.contains("red wager") && !shown.contains("theirs for certain"), "{shown}");
}
