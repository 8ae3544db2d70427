//! Every check of the conformance kit fails on a game that is broken in exactly that way.
//!
//! The game: a coin that player 0 sees; then player 0, player 1 and player 0 again choose 0 or 1.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use deepcfr_core::{
    Action, ActionSet, Encoder, FeatureBlock, Game, GameSpec, InfosetKey, Player, Stream, Turn,
};
use deepcfr_games::testkit::{Breach, Conformance, Part};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    None,
    ThreePlayers,
    EndlessUtilityRange,
    ActionUnnamed,
    ThirdSeat,
    NoLegalAction,
    ActionBeyondTheSpace,
    NoOutcome,
    ZeroWeight,
    OutcomesDescend,
    HugeWeights,
    SamplesTheOther,
    SamplesTwice,
    GoesOn,
    UtilityTooHigh,
    RangeNotOfBothSigns,
    FeatureNotWritten,
    FeatureInfinite,
    KeyChanges,
    StateShared,
    CopiesCount,
    LegalActionsLeak,
    FeaturesLeak,
    FeaturesForget,
    OwnActionForgotten,
    CoinShows,
}

struct Coin {
    fault: Fault,
    /// How often a key was asked for.
    asked: AtomicU8,
}

impl Coin {
    fn has(&self, fault: Fault) -> bool {
        self.fault == fault
    }

    /// What a player knows, one number a fact; the coin is 0 for the one who does not see it.
    fn known(&self, state: &CoinState, player: Player) -> [u8; 5] {
        let sees_coin = player == 0 || self.has(Fault::CoinShows);
        let mut actions = state.actions;
        if self.has(Fault::OwnActionForgotten) && state.length == 2 {
            actions[0] = 0;
        }
        let coin = if sees_coin { state.coin } else { 0 };
        [coin, actions[0], actions[1], state.length, player as u8]
    }
}

/// Coin and actions count from 1; 0 is "not yet".
#[derive(Debug, Default)]
struct CoinState {
    coin: u8,
    actions: [u8; 3],
    length: u8,
    /// How many copies this state has gone through.
    copies: u8,
    /// Shared by all copies.
    shared: Arc<AtomicU8>,
}

impl Clone for CoinState {
    fn clone(&self) -> Self {
        let copies = self.copies + 1;
        Self { shared: Arc::clone(&self.shared), copies, ..*self }
    }
}

impl Game for Coin {
    type State = CoinState;

    fn spec(&self) -> GameSpec {
        GameSpec {
            name: "coin",
            num_players: if self.has(Fault::ThreePlayers) { 3 } else { 2 },
            simultaneous: false,
            num_actions: 2,
            utility_range: match self.fault {
                Fault::EndlessUtilityRange => (-1.0, f64::INFINITY),
                Fault::RangeNotOfBothSigns => (-1.0, 1.5),
                _ => (-1.5, 1.5),
            },
            max_depth: if self.has(Fault::GoesOn) { 3 } else { 4 },
        }
    }

    fn action_names(&self) -> Vec<String> {
        let names = ["left", "right"].map(str::to_owned);
        names.into_iter().skip(usize::from(self.has(Fault::ActionUnnamed))).collect()
    }

    fn root(&self) -> CoinState {
        CoinState::default()
    }

    fn turn(&self, state: &CoinState) -> Turn {
        match (state.coin, state.length) {
            (0, _) => Turn::Chance,
            (_, 3) => Turn::Terminal,
            (_, 1) if self.has(Fault::ThirdSeat) => Turn::Player(2),
            (_, length) => Turn::Player((length & 1).into()),
        }
    }

    fn legal_actions(&self, state: &CoinState) -> ActionSet {
        match self.fault {
            Fault::NoLegalAction if state.length == 2 => ActionSet::EMPTY,
            Fault::ActionBeyondTheSpace if state.length == 2 => ActionSet::first(3),
            Fault::LegalActionsLeak if state.length == 1 => ActionSet::first(state.coin.into()),
            _ => ActionSet::first(2),
        }
    }

    fn chance_outcomes(&self, _state: &CoinState, mut visit: impl FnMut(Action, u32)) {
        let outcomes: &[(Action, u32)] = match self.fault {
            Fault::NoOutcome => &[],
            Fault::ZeroWeight => &[(0, 1), (1, 0)],
            Fault::OutcomesDescend => &[(1, 1), (0, 1)],
            Fault::HugeWeights => &[(0, 1 << 31), (1, 1 << 31)],
            _ => &[(0, 1), (1, 3)],
        };
        outcomes.iter().for_each(|&(side, weight)| visit(side, weight));
    }

    fn sample_chance(&self, _state: &CoinState, rng: &mut Stream) -> Action {
        let side = Action::from(rng.below(4) >= 1);
        match self.fault {
            Fault::SamplesTheOther => 1 - side,
            Fault::SamplesTwice => {
                rng.next_u64();
                side
            }
            _ => side,
        }
    }

    fn apply(&self, state: &mut CoinState, action: Action) {
        let number = action as u8 + 1;
        if state.coin == 0 {
            state.coin = number;
        } else {
            state.actions[state.length as usize] = number;
            state.length += 1;
        }
        state.shared.fetch_add(1, Ordering::Relaxed);
    }

    fn utility(&self, state: &CoinState) -> f64 {
        let guessed = state.actions[1] == state.coin;
        let stake = if state.actions[2] == 2 { 1.5 } else { 1.0 };
        let scale = if self.has(Fault::UtilityTooHigh) { 2.0 } else { 1.0 };
        scale * if guessed { -stake } else { stake }
    }

    fn infoset_key(&self, state: &CoinState, player: Player) -> InfosetKey {
        let extra = match self.fault {
            Fault::KeyChanges => self.asked.fetch_add(1, Ordering::Relaxed),
            Fault::StateShared => state.shared.load(Ordering::Relaxed),
            Fault::CopiesCount => state.copies,
            _ => 0,
        };
        let known = self.known(state, player).into_iter().chain([extra]);
        InfosetKey(known.fold(0, |key, fact| key << 8 | u128::from(fact)))
    }
}

struct CoinEncoder;

impl Encoder<Coin> for CoinEncoder {
    fn num_features(&self) -> usize {
        5
    }

    fn encode(&self, game: &Coin, state: &CoinState, player: Player, row: &mut [f32]) {
        let known = game.known(state, player);
        let written = if game.has(Fault::FeatureNotWritten) { 4 } else { 5 };
        (0..written).for_each(|index| row[index] = known[index].into());
        match game.fault {
            Fault::FeatureInfinite => row[1] = f32::NEG_INFINITY,
            Fault::FeaturesLeak => row[0] = state.coin.into(),
            Fault::FeaturesForget => row[0] = 0.0,
            _ => {}
        }
    }
}

/// Describes fewer features than there are.
struct ShortLayout;

impl Encoder<Coin> for ShortLayout {
    fn num_features(&self) -> usize {
        CoinEncoder.num_features()
    }

    fn encode(&self, game: &Coin, state: &CoinState, player: Player, row: &mut [f32]) {
        CoinEncoder.encode(game, state, player, row);
    }

    fn layout(&self) -> Vec<FeatureBlock> {
        vec![FeatureBlock::new("all but one", 4)]
    }
}

fn breach(fault: Fault) -> Option<Breach> {
    let game = Coin { fault, asked: AtomicU8::new(0) };
    Conformance::default().check(&game, &CoinEncoder).err().map(|violation| violation.breach)
}

#[test]
fn the_sound_game_passes() {
    assert_eq!(breach(Fault::None), None);
    let game = Coin { fault: Fault::None, asked: AtomicU8::new(0) };
    let seen = Conformance::default().assert(&game, &CoinEncoder);
    assert_eq!((seen.histories, seen.infosets), (1 + 2 * (1 + 2 + 4 + 8), [10, 2]));
    assert!(seen.whole_tree);
}

/// Asserts that a fault is reported as the breach of that pattern.
macro_rules! assert_found {
    ($($fault:ident => $breach:pat,)*) => {
        $(
            let found = breach(Fault::$fault);
            assert!(matches!(found, Some($breach)), "{:?} gave {found:?}", Fault::$fault);
        )*
    };
}

#[test]
fn each_fault_of_a_single_state_is_found() {
    assert_found! {
        ThreePlayers => Breach::Refused(_),
        EndlessUtilityRange => Breach::UtilityRange { .. },
        ActionUnnamed => Breach::ActionNames { named: 1, num_actions: 2 },
        ThirdSeat => Breach::NoSuchPlayer { player: 2 },
        NoLegalAction => Breach::NoLegalAction,
        ActionBeyondTheSpace => Breach::ActionOutOfRange { num_actions: 2, .. },
        NoOutcome => Breach::NoOutcome,
        ZeroWeight => Breach::ZeroWeight { outcome: 1 },
        OutcomesDescend => Breach::OutcomesOutOfOrder { before: 1, outcome: 0 },
        HugeWeights => Breach::WeightsOverflow,
        SamplesTheOther => Breach::Sampling { .. },
        SamplesTwice => Breach::SamplingDraws,
        GoesOn => Breach::TooDeep { max_depth: 3 },
        UtilityTooHigh => Breach::Utility { .. },
        RangeNotOfBothSigns => Breach::Utility { .. },
        FeatureNotWritten => Breach::Feature { index: 4, .. },
        FeatureInfinite => Breach::Feature { index: 1, .. },
    }
}

#[test]
fn a_layout_that_does_not_cover_the_row_is_found() {
    let game = Coin { fault: Fault::None, asked: AtomicU8::new(0) };
    let found = Conformance::default().check(&game, &ShortLayout).unwrap_err();
    assert_eq!(found.breach, Breach::Layout { described: 4, num_features: 5 });
}

#[test]
fn each_fault_between_states_is_found() {
    assert_found! {
        KeyChanges => Breach::AnswerChanges { part: Part::Key },
        StateShared => Breach::CopyShared { part: Part::Key },
        CopiesCount => Breach::ReplayDiffers { part: Part::Key },
        LegalActionsLeak => Breach::LegalActionsDiffer { .. },
        FeaturesLeak => Breach::FeaturesDiffer { .. },
        FeaturesForget => Breach::FeaturesCollide { .. },
        OwnActionForgotten => Breach::ImperfectRecall { .. },
    }
}

#[test]
fn forgetting_is_allowed_where_recall_is_not_asked_for() {
    let game = Coin { fault: Fault::OwnActionForgotten, asked: AtomicU8::new(0) };
    let lenient = Conformance { perfect_recall: false, ..Conformance::default() };
    assert_eq!(lenient.assert(&game, &CoinEncoder).infosets, [6, 2]);
}

#[test]
fn equal_features_are_allowed_where_they_need_not_identify() {
    let game = Coin { fault: Fault::FeaturesForget, asked: AtomicU8::new(0) };
    let lenient = Conformance { features_identify: false, ..Conformance::default() };
    assert_eq!(lenient.assert(&game, &CoinEncoder).infosets, [10, 2]);
    let leaky = Coin { fault: Fault::FeaturesLeak, asked: AtomicU8::new(0) };
    let violation = lenient.check(&leaky, &CoinEncoder).expect_err("the coin leaks");
    assert!(matches!(violation.breach, Breach::FeaturesDiffer { .. }));
}

/// A key that holds the hidden coin is consistent in itself; only turning the coin over shows it.
#[test]
fn what_should_be_hidden_is_found_by_dealing_again() {
    let check = |fault| {
        let game = Coin { fault, asked: AtomicU8::new(0) };
        Conformance::default().assert(&game, &CoinEncoder);
        Conformance::default().check_hidden(&game, &CoinEncoder, |_, state, player, _| {
            let mut other = state.clone();
            other.coin = if player == 1 { 3 - state.coin } else { state.coin };
            other
        })
    };
    assert_eq!(check(Fault::None), Ok(3000));
    let violation = check(Fault::CoinShows).expect_err("the coin shows");
    assert_eq!(violation.breach, Breach::HiddenShows { part: Part::Key });
}

#[test]
fn a_small_budget_says_that_the_tree_was_not_walked() {
    let game = Coin { fault: Fault::None, asked: AtomicU8::new(0) };
    let hasty = Conformance { max_histories: 10, playouts: 0, ..Conformance::default() };
    let seen = hasty.assert(&game, &CoinEncoder);
    assert_eq!((seen.histories, seen.whole_tree), (10, false));
}

/// Random games alone find a leak as well: large games are not walked.
#[test]
fn random_games_find_what_the_walk_does_not_reach() {
    let game = Coin { fault: Fault::FeaturesLeak, asked: AtomicU8::new(0) };
    let no_walk = Conformance { max_histories: 0, ..Conformance::default() };
    let violation = no_walk.check(&game, &CoinEncoder).expect_err("the coin leaks");
    assert!(matches!(violation.breach, Breach::FeaturesDiffer { .. }));
    let text = violation.to_string();
    assert!(text.starts_with("coin after the actions [") && text.contains("same key"), "{text}");
}
