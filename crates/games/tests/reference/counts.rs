//! Sizes and values of whole trees, and liar's dice histories, against an independent implementation.

use std::collections::HashSet;

use deepcfr_core::{Game, InfosetKey, Policy, Turn};
use deepcfr_games::bots::{AlwaysCall, RandomPolicy};
use deepcfr_games::goofspiel::{Goofspiel, GoofspielRules, PrizeOrder, Scoring};
use deepcfr_games::kuhn::Kuhn;
use deepcfr_games::leduc::Leduc;
use deepcfr_games::liars_dice::{LiarsDice, LiarsDiceError, LiarsDiceRules};

use crate::data::{histories, replay};

/// Histories by kind, infosets by player, and the value for player 0 of a policy for both seats.
#[derive(Debug, Default)]
struct Census {
    chance: usize,
    decision: usize,
    terminal: usize,
    infosets: [HashSet<InfosetKey>; 2],
    pairs: usize,
    value: f64,
}

impl Census {
    fn take<G: Game>(game: &G, policy: &impl Policy<G>) -> Self {
        let mut census = Self::default();
        let mut stack = vec![(game.root(), 1.0)];
        while let Some((state, reach)) = stack.pop() {
            for (action, probability) in census.count(game, &state, reach, policy) {
                let mut below = state.clone();
                game.apply(&mut below, action);
                stack.push((below, reach * probability));
            }
        }
        census
    }

    fn count<G: Game>(
        &mut self,
        game: &G,
        state: &G::State,
        reach: f64,
        policy: &impl Policy<G>,
    ) -> Vec<(u16, f64)> {
        match game.turn(state) {
            Turn::Terminal => {
                self.terminal += 1;
                self.value += reach * game.utility(state);
                Vec::new()
            }
            Turn::Chance => {
                self.chance += 1;
                let mut outcomes = Vec::new();
                game.chance_outcomes(state, |outcome, weight| outcomes.push((outcome, f64::from(weight))));
                let total: f64 = outcomes.iter().map(|&(_, weight)| weight).sum();
                outcomes.into_iter().map(|(outcome, weight)| (outcome, weight / total)).collect()
            }
            Turn::Player(player) => {
                self.decision += 1;
                let legal = game.legal_actions(state);
                if self.infosets[player].insert(game.infoset_key(state, player)) {
                    self.pairs += legal.len();
                }
                let mut probabilities = vec![f64::NAN; game.spec().num_actions];
                policy.probabilities(game, state, &mut probabilities);
                assert!((probabilities.iter().sum::<f64>() - 1.0).abs() < 1e-12);
                legal.iter().map(|action| (action, probabilities[action as usize])).collect()
            }
        }
    }

    #[track_caller]
    fn assert(&self, histories: [usize; 3], infosets: usize, pairs: usize, value: f64) {
        assert_eq!([self.chance, self.decision, self.terminal], histories);
        assert_eq!(self.infosets.each_ref().map(HashSet::len), [infosets; 2]);
        assert_eq!(self.pairs, pairs);
        assert!((self.value - value).abs() < 1e-12, "value {} instead of {value}", self.value);
    }
}

fn liars_dice(dice: usize, sides: usize) -> LiarsDice {
    LiarsDice::new(LiarsDiceRules { dice, sides }).expect("dice and sides in range")
}

/// Figures of the reference data of 2026-11-30; the value is that of uniformly random play.
#[test]
fn trees_have_the_reference_sizes_and_values() {
    Census::take(&Kuhn, &RandomPolicy).assert([4, 24, 30], 6, 24, 0.125);
    Census::take(&Leduc::default(), &RandomPolicy).assert([157, 3780, 5520], 468, 2184, -0.078_125);
    Census::take(&liars_dice(1, 4), &RandomPolicy).assert([5, 4096, 4080], 512, 2040, -0.015_625);
    let six = Census::take(&liars_dice(1, 6), &RandomPolicy);
    six.assert([7, 147_456, 147_420], 12_288, 49_140, -0.032_407_407_407_407_4);
}

#[test]
fn liars_dice_replays_the_reference_histories() {
    assert_eq!(replay(&LiarsDice::default(), &histories("liars_dice_histories")), 120);
}

#[test]
fn checking_and_calling_to_the_end_is_fair_in_poker() {
    assert_eq!(Census::take(&Kuhn, &AlwaysCall).value, 0.0);
    assert!(Census::take(&Leduc::default(), &AlwaysCall).value.abs() < 1e-12);
}

/// Both players choose in ignorance of each other, so random play is fair; fixed prizes leave
/// `(n!)²` games, random ones `(n!)³`.
#[test]
fn goofspiel_has_the_counted_number_of_games_and_is_symmetric() {
    for (order, games) in [
        (PrizeOrder::Ascending, 24 * 24),
        (PrizeOrder::Descending, 24 * 24),
        (PrizeOrder::Random, 24 * 24 * 24),
    ] {
        for scoring in [Scoring::WinLoss, Scoring::PointDifference] {
            let game = Goofspiel::new(GoofspielRules { cards: 4, order, scoring }).expect("4 cards");
            let census = Census::take(&game, &RandomPolicy);
            assert_eq!(census.terminal, games);
            assert!(census.value.abs() < 1e-12);
            assert_eq!(census.infosets[0].len(), census.infosets[1].len());
        }
    }
}

/// Two dice each: the claim counts wild sixes of both players, once.
#[test]
fn the_highest_face_is_wild() {
    let game = liars_dice(2, 6);
    let outcome = |dice: [u16; 4], bid: u16| {
        let mut state = game.root();
        dice.iter().for_each(|&face| game.apply(&mut state, face - 1));
        game.apply(&mut state, bid);
        game.apply(&mut state, 24);
        assert_eq!(game.turn(&state), Turn::Terminal);
        game.utility(&state)
    };
    let bid = |quantity: u16, face: u16| (quantity - 1) * 6 + face - 1;
    let dice = [3, 6, 3, 6];
    assert_eq!(outcome(dice, bid(4, 3)), 1.0);
    assert_eq!(outcome(dice, bid(2, 6)), 1.0);
    assert_eq!(outcome(dice, bid(3, 6)), -1.0);
    assert_eq!(outcome(dice, bid(3, 5)), -1.0);
    assert_eq!(outcome(dice, bid(2, 5)), 1.0);
}

#[test]
fn impossible_rules_are_refused_by_name() {
    let refusal = |dice, sides| LiarsDice::new(LiarsDiceRules { dice, sides }).expect_err("refused");
    assert_eq!(refusal(0, 6), LiarsDiceError::Dice { got: 0 });
    assert_eq!(refusal(16, 2), LiarsDiceError::Dice { got: 16 });
    assert_eq!(refusal(1, 1), LiarsDiceError::Sides { got: 1 });
    assert_eq!(refusal(6, 6), LiarsDiceError::Bids { dice: 6, sides: 6 });
    assert!(refusal(6, 6).to_string().contains("72 bids"));
    for cards in [0, 1, 13] {
        let rules = GoofspielRules { cards, ..GoofspielRules::default() };
        assert!(Goofspiel::new(rules).expect_err("refused").to_string().contains(&format!("{cards} cards")));
    }
}
