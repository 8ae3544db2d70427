//! The conformance kit on every game of this crate, several rule sets each.

use deepcfr_core::{Action, ActionSet, Encoder, Game, InfosetKey, Player, Turn};
use deepcfr_games::goofspiel::{Goofspiel, GoofspielEncoder, GoofspielRules, PrizeOrder, Scoring};
use deepcfr_games::kuhn::{Kuhn, KuhnEncoder};
use deepcfr_games::leduc::{Leduc, LeducEncoder, LeducRules};
use deepcfr_games::liars_dice::{LiarsDice, LiarsDiceEncoder, LiarsDiceRules};
use deepcfr_games::lost_cities::{Cards, CardsEncoder, LostCities, Rules, Slots, SlotsEncoder, Sorted};
use deepcfr_games::testkit::{Conformance, Coverage};

/// Walks trees of up to this many histories to the end.
const WHOLE: Conformance = Conformance {
    playouts: 500,
    max_histories: 400_000,
    perfect_recall: true,
    features_identify: true,
    seed: 1,
};
/// For games whose trees are too large.
const SAMPLED: Conformance = Conformance { playouts: 500, max_histories: 5_000, ..WHOLE };
/// For Lost Cities, whose keys forget the order of play and whose features do not tell in which order
/// cards lie buried in a pile.
const FORGETFUL: Conformance = Conformance {
    playouts: 60,
    max_histories: 3_000,
    perfect_recall: false,
    features_identify: false,
    ..WHOLE
};

/// Checks the whole tree, and that the utility bounds are reached and not merely kept.
fn whole_tree<G: Game, E: Encoder<G>>(game: &G, encoder: &E) -> Coverage {
    let seen = WHOLE.assert(game, encoder);
    assert!(seen.whole_tree, "the tree has more histories than expected: {seen:?}");
    assert_eq!(seen.utilities, game.spec().utility_range);
    assert_eq!(seen.longest, game.spec().max_depth);
    seen
}

fn leduc(ranks: usize, suit_blind_keys: bool) -> Leduc {
    Leduc::new(LeducRules { ranks, suit_blind_keys }).expect("ranks in range")
}

fn liars_dice(dice: usize, sides: usize) -> LiarsDice {
    LiarsDice::new(LiarsDiceRules { dice, sides }).expect("dice and sides in range")
}

fn goofspiel(cards: usize, order: PrizeOrder, scoring: Scoring) -> Goofspiel {
    Goofspiel::new(GoofspielRules { cards, order, scoring }).expect("cards in range")
}

#[test]
fn kuhn_conforms() {
    let seen = whole_tree(&Kuhn, &KuhnEncoder);
    assert_eq!((seen.histories, seen.infosets), (58, [6, 6]));
}

#[test]
fn leduc_conforms_with_and_without_suits() {
    for (suit_blind, infosets) in [(false, 468), (true, 144)] {
        let game = leduc(3, suit_blind);
        let seen = whole_tree(&game, &LeducEncoder::new(&game));
        assert_eq!((seen.histories, seen.infosets), (9457, [infosets; 2]));
    }
}

#[test]
fn leduc_conforms_at_both_ends_of_its_range() {
    let smallest = leduc(LeducRules::MIN_RANKS, false);
    whole_tree(&smallest, &LeducEncoder::new(&smallest));
    for suit_blind in [false, true] {
        for ranks in [13, LeducRules::MAX_RANKS] {
            let game = leduc(ranks, suit_blind);
            SAMPLED.assert(&game, &LeducEncoder::new(&game));
        }
    }
}

#[test]
fn liars_dice_conforms() {
    for (dice, sides) in [(1, 2), (1, 4), (1, 6), (2, 2)] {
        let game = liars_dice(dice, sides);
        whole_tree(&game, &LiarsDiceEncoder::new(&game));
    }
    for (dice, sides) in [(2, 3), (5, 6), (15, 2), (2, 16)] {
        let game = liars_dice(dice, sides);
        SAMPLED.assert(&game, &LiarsDiceEncoder::new(&game));
    }
}

#[test]
fn goofspiel_conforms() {
    for order in [PrizeOrder::Ascending, PrizeOrder::Descending, PrizeOrder::Random] {
        for scoring in [Scoring::WinLoss, Scoring::PointDifference] {
            for cards in [2, 3, 4] {
                let game = goofspiel(cards, order, scoring);
                whole_tree(&game, &GoofspielEncoder::new(&game));
            }
            let game = goofspiel(GoofspielRules::MAX_CARDS, order, scoring);
            SAMPLED.assert(&game, &GoofspielEncoder::new(&game));
        }
    }
}

/// The boxed game, and small rule sets at the edges: no wagers, one colour, a hand of one.
fn lost_cities_rules() -> Vec<Rules> {
    let small = |colours, ranks, wagers, hand_size| Rules {
        colours,
        ranks,
        wagers,
        hand_size,
        ply_cap: 60,
        ..Rules::classic()
    };
    vec![Rules::classic(), small(3, 5, 1, 4), small(2, 3, 0, 2), small(1, 4, 2, 1)]
}

#[test]
fn lost_cities_conforms_by_card() {
    for rules in lost_cities_rules() {
        let game = LostCities::<Cards>::new(rules).expect("possible rules");
        FORGETFUL.assert(&game, &CardsEncoder::new(&rules));
    }
}

#[test]
fn lost_cities_conforms_by_card_with_colours_sorted() {
    for rules in lost_cities_rules() {
        let game = LostCities::<Sorted>::new(rules).expect("possible rules");
        FORGETFUL.assert(&game, &CardsEncoder::new(&rules));
    }
}

#[test]
fn lost_cities_conforms_by_slot() {
    for rules in lost_cities_rules() {
        let game = LostCities::<Slots>::new(rules).expect("possible rules");
        FORGETFUL.assert(&game, &SlotsEncoder::new(&rules));
    }
}

/// A state that carries its history, so that a test can deal its hidden part anew.
struct Recorded<G>(G);

#[derive(Clone)]
struct Record<S> {
    state: S,
    actions: Vec<Action>,
    /// The public card of poker, or whatever else the third chance node gave.
    third_outcome: Option<Action>,
    outcomes: u8,
}

impl<G: Game> Recorded<G> {
    fn replay(&self, actions: &[Action]) -> Record<G::State> {
        let mut record = self.root();
        actions.iter().for_each(|&action| self.apply(&mut record, action));
        record
    }
}

impl<G: Game> Game for Recorded<G> {
    type State = Record<G::State>;

    fn spec(&self) -> deepcfr_core::GameSpec {
        self.0.spec()
    }

    fn root(&self) -> Self::State {
        Record { state: self.0.root(), actions: Vec::new(), third_outcome: None, outcomes: 0 }
    }

    fn turn(&self, state: &Self::State) -> Turn {
        self.0.turn(&state.state)
    }

    fn legal_actions(&self, state: &Self::State) -> ActionSet {
        self.0.legal_actions(&state.state)
    }

    fn chance_outcomes(&self, state: &Self::State, visit: impl FnMut(Action, u32)) {
        self.0.chance_outcomes(&state.state, visit);
    }

    fn apply(&self, state: &mut Self::State, action: Action) {
        if self.0.turn(&state.state) == Turn::Chance {
            state.outcomes += 1;
            if state.outcomes == 3 {
                state.third_outcome = Some(action);
            }
        }
        self.0.apply(&mut state.state, action);
        state.actions.push(action);
    }

    fn utility(&self, state: &Self::State) -> f64 {
        self.0.utility(&state.state)
    }

    fn infoset_key(&self, state: &Self::State, player: Player) -> InfosetKey {
        self.0.infoset_key(&state.state, player)
    }
}

struct Inner<E>(E);

impl<G: Game, E: Encoder<G>> Encoder<Recorded<G>> for Inner<E> {
    fn num_features(&self) -> usize {
        self.0.num_features()
    }

    fn encode(&self, game: &Recorded<G>, state: &Record<G::State>, player: Player, row: &mut [f32]) {
        self.0.encode(&game.0, &state.state, player, row);
    }
}

/// Poker: the opponent's card becomes any other that the player does not see. Returns how many
/// states were compared.
fn redeal_poker<G: Game, E: Encoder<G>>(game: G, encoder: E, cards: u32) -> usize {
    let compared = WHOLE.check_hidden(&Recorded(game), &Inner(encoder), |game, state, player, rng| {
        let mut actions = state.actions.clone();
        let seen = [Some(actions[player]), state.third_outcome];
        actions[1 - player] = loop {
            let card = rng.below(cards) as Action;
            if !seen.contains(&Some(card)) {
                break card;
            }
        };
        game.replay(&actions)
    });
    compared.expect("nothing hidden shows")
}

#[test]
fn the_opponents_card_does_not_show() {
    assert!(redeal_poker(Kuhn, KuhnEncoder, 3) > 500);
    for suit_blind in [false, true] {
        let game = leduc(13, suit_blind);
        assert!(redeal_poker(game, LeducEncoder::new(&game), 26) > 500);
    }
}

#[test]
fn the_opponents_dice_do_not_show() {
    let game = liars_dice(2, 6);
    let encoder = LiarsDiceEncoder::new(&game);
    let compared = WHOLE.check_hidden(&Recorded(game), &Inner(encoder), |game, state, player, rng| {
        let mut actions = state.actions.clone();
        let theirs = 2 * (1 - player);
        actions[theirs..theirs + 2].iter_mut().for_each(|die| *die = rng.below(6) as Action);
        game.replay(&actions)
    });
    assert!(compared.expect("nothing hidden shows") > 500);
}

/// Goofspiel: in the second mover's turn, the first one's bid may be any card in its hand.
#[test]
fn the_first_bid_of_a_round_does_not_show() {
    let game = goofspiel(5, PrizeOrder::Random, Scoring::WinLoss);
    let encoder = GoofspielEncoder::new(&game);
    let compared = WHOLE.check_hidden(&Recorded(game), &Inner(encoder), |game, state, player, rng| {
        let mut actions = state.actions.clone();
        if player == 1 {
            actions.pop();
            let before = game.replay(&actions);
            let hand = game.legal_actions(&before);
            let bid = hand.nth(rng.below(hand.len() as u32) as usize);
            actions.push(bid.expect("the rank is below the number of cards"));
        }
        game.replay(&actions)
    });
    assert!(compared.expect("nothing hidden shows") > 500);
}
