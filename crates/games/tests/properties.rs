//! Any rules in range: the kit's checks, and payoffs recomputed from the history alone.

use deepcfr_core::{Action, ActionSet, Game, Purpose, Stream, Turn};
use deepcfr_games::goofspiel::{Goofspiel, GoofspielEncoder, GoofspielRules, PrizeOrder, Scoring};
use deepcfr_games::leduc::{self, Leduc, LeducEncoder, LeducRules};
use deepcfr_games::liars_dice::{LiarsDice, LiarsDiceEncoder, LiarsDiceRules};
use deepcfr_games::testkit::Conformance;
use proptest::prelude::*;

/// Enough for every kind of state to come up: the cases vary the rules.
const QUICK: Conformance =
    Conformance { playouts: 40, max_histories: 300, perfect_recall: true, features_identify: true, seed: 3 };

/// Plays a random game and returns its chance outcomes, its players' actions, and its utility.
fn random_game<G: Game>(game: &G, seed: u64) -> (Vec<Action>, Vec<Action>, f64) {
    let mut rng = Stream::new(seed, Purpose::Test, 0, 0, 0);
    let (mut outcomes, mut actions, mut state) = (Vec::new(), Vec::new(), game.root());
    loop {
        let action = match game.turn(&state) {
            Turn::Terminal => return (outcomes, actions, game.utility(&state)),
            Turn::Chance => {
                outcomes.push(game.sample_chance(&state, &mut rng));
                outcomes[outcomes.len() - 1]
            }
            Turn::Player(_) => {
                let legal: ActionSet = game.legal_actions(&state);
                let rank = rng.below(legal.len() as u32) as usize;
                actions.push(legal.nth(rank).expect("the rank is below the number of actions"));
                actions[actions.len() - 1]
            }
        };
        game.apply(&mut state, action);
    }
}

/// Leduc's payoff, told as a story: who put in how much, then who has the better hand.
fn leduc_payoff(cards: &[Action], actions: &[Action]) -> f64 {
    let (mut chips, mut mover, mut raise, mut checked) = ([1.0, 1.0], 0, 2.0, false);
    for &action in actions {
        let other = 1 - mover;
        match action {
            leduc::FOLD => return if mover == 0 { -chips[0] } else { chips[1] },
            leduc::RAISE => chips[mover] = chips[other] + raise,
            _ if chips[mover] == chips[other] && !checked => checked = true,
            _ => {
                chips[mover] = chips[other];
                (raise, checked, mover) = (4.0, false, 0);
                continue;
            }
        }
        mover = other;
    }
    let ranks: Vec<_> = cards.iter().map(|card| card / 2).collect();
    let score = |seat: usize| if ranks[seat] == ranks[2] { 1000 } else { ranks[seat] };
    chips[0] * f64::from(i32::from(score(0)) - i32::from(score(1))).signum() * f64::from(score(0) != score(1))
}

/// The bidder before "liar" wins if enough dice show the face, or the highest, which is wild.
fn liars_dice_payoff(sides: Action, dice: &[Action], actions: &[Action]) -> f64 {
    let bid = actions[actions.len() - 2];
    let (quantity, face) = (bid / sides + 1, bid % sides);
    let matching = dice.iter().filter(|&&die| die == face || die == sides - 1).count();
    let bidder_is_first = actions.len().is_multiple_of(2);
    if (matching >= quantity as usize) == bidder_is_first { 1.0 } else { -1.0 }
}

fn goofspiel_difference(prizes: &[Action], bids: &[Action]) -> f64 {
    let rounds = bids.chunks_exact(2).zip(prizes);
    rounds
        .map(|(bid, &prize)| {
            f64::from(i32::from(bid[0]) - i32::from(bid[1])).signum()
                * f64::from(bid[0] != bid[1])
                * f64::from(prize + 1)
        })
        .sum()
}

fn leduc_rules() -> impl Strategy<Value = LeducRules> {
    (LeducRules::MIN_RANKS..=LeducRules::MAX_RANKS, any::<bool>())
        .prop_map(|(ranks, suit_blind_keys)| LeducRules { ranks, suit_blind_keys })
}

fn liars_dice_rules() -> impl Strategy<Value = LiarsDiceRules> {
    let sides = LiarsDiceRules::MIN_SIDES..=LiarsDiceRules::MAX_SIDES;
    sides.prop_flat_map(|sides| {
        let most = (LiarsDiceRules::MAX_BIDS / (2 * sides)).min(LiarsDiceRules::MAX_DICE);
        (1..=most).prop_map(move |dice| LiarsDiceRules { dice, sides })
    })
}

fn goofspiel_rules() -> impl Strategy<Value = GoofspielRules> {
    let order = prop::sample::select(vec![PrizeOrder::Ascending, PrizeOrder::Descending, PrizeOrder::Random]);
    let scoring = prop::sample::select(vec![Scoring::WinLoss, Scoring::PointDifference]);
    let cards = GoofspielRules::MIN_CARDS..=GoofspielRules::MAX_CARDS;
    (cards, order, scoring).prop_map(|(cards, order, scoring)| GoofspielRules { cards, order, scoring })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(48) })]

    #[test]
    fn leduc_pays_what_the_story_says(rules in leduc_rules(), seed: u64) {
        let game = Leduc::new(rules).expect("rules in range");
        QUICK.assert(&game, &LeducEncoder::new(&game));
        for offset in 0..100 {
            let (cards, actions, utility) = random_game(&game, seed.wrapping_add(offset));
            prop_assert_eq!(utility, leduc_payoff(&cards, &actions), "{:?} {:?}", cards, actions);
        }
    }

    #[test]
    fn liars_dice_pays_what_the_dice_say(rules in liars_dice_rules(), seed: u64) {
        let game = LiarsDice::new(rules).expect("rules in range");
        QUICK.assert(&game, &LiarsDiceEncoder::new(&game));
        for offset in 0..100 {
            let (dice, actions, utility) = random_game(&game, seed.wrapping_add(offset));
            prop_assert_eq!(utility, liars_dice_payoff(rules.sides as Action, &dice, &actions));
        }
    }

    #[test]
    fn goofspiel_pays_what_the_bids_won(rules in goofspiel_rules(), seed: u64) {
        let game = Goofspiel::new(rules).expect("rules in range");
        QUICK.assert(&game, &GoofspielEncoder::new(&game));
        let cards = rules.cards as Action;
        for offset in 0..100 {
            let (mut prizes, bids, utility) = random_game(&game, seed.wrapping_add(offset));
            match rules.order {
                PrizeOrder::Ascending => prizes.extend(0..cards),
                PrizeOrder::Descending => prizes.extend((0..cards).rev()),
                PrizeOrder::Random => {}
            }
            let difference = goofspiel_difference(&prizes, &bids);
            let expected = match rules.scoring {
                Scoring::PointDifference => difference,
                Scoring::WinLoss => difference.clamp(-1.0, 1.0),
            };
            prop_assert_eq!(utility, expected);
        }
    }

    /// Out of range means an error that names the setting, never a panic.
    #[test]
    fn any_numbers_are_either_accepted_or_refused(
        ranks in number(),
        dice in number(),
        sides in number(),
        cards in number(),
    ) {
        let in_range = (LeducRules::MIN_RANKS..=LeducRules::MAX_RANKS).contains(&ranks);
        prop_assert_eq!(Leduc::new(LeducRules { ranks, suit_blind_keys: false }).is_ok(), in_range);
        let in_range = (GoofspielRules::MIN_CARDS..=GoofspielRules::MAX_CARDS).contains(&cards);
        prop_assert_eq!(Goofspiel::new(GoofspielRules { cards, ..Default::default() }).is_ok(), in_range);
        let in_range = (1..=LiarsDiceRules::MAX_DICE).contains(&dice)
            && (LiarsDiceRules::MIN_SIDES..=LiarsDiceRules::MAX_SIDES).contains(&sides)
            && 2 * dice * sides <= LiarsDiceRules::MAX_BIDS;
        match LiarsDice::new(LiarsDiceRules { dice, sides }) {
            Ok(game) => prop_assert!(in_range && game.spec().check().is_ok()),
            Err(error) => prop_assert!(!in_range && error.to_string().starts_with("liars_dice with")),
        }
    }
}

/// Mostly numbers near the ranges, sometimes any.
fn number() -> impl Strategy<Value = usize> {
    prop_oneof![9 => 0_usize..80, 3 => 0_usize..8, 1 => any::<usize>()]
}
