//! The seams of deepcfr: traits and plain data that the other crates meet at.
//!
//! Deliberately absent: any algorithm, any loop over a game tree, any I/O, any dependency on a
//! machine-learning stack. A user who only brings a game compiles this crate alone.
//!
//! A whole game, and one hand of it at random:
//!
//! ```
//! use deepcfr_core::{Action, ActionSet, Game, GameSpec, InfosetKey, Player, Purpose, Stream, Turn};
//!
//! /// Player 0 is dealt a losing or a winning card and checks or bets; player 1 folds or calls a bet unseen.
//! struct Bluff;
//!
//! impl Game for Bluff {
//!     /// The card, player 0's action, player 1's.
//!     type State = [Option<Action>; 3];
//!
//!     fn spec(&self) -> GameSpec {
//!         let (num_players, simultaneous) = (2, false);
//!         let (num_actions, utility_range, max_depth) = (2, (-2.0, 2.0), 3);
//!         GameSpec { name: "bluff", num_players, simultaneous, num_actions, utility_range, max_depth }
//!     }
//!     fn root(&self) -> Self::State {
//!         [None; 3]
//!     }
//!     fn turn(&self, state: &Self::State) -> Turn {
//!         match state {
//!             [None, ..] => Turn::Chance,
//!             [_, None, _] => Turn::Player(0),
//!             [_, Some(1), None] => Turn::Player(1),
//!             _ => Turn::Terminal,
//!         }
//!     }
//!     fn legal_actions(&self, _: &Self::State) -> ActionSet {
//!         ActionSet::first(2)
//!     }
//!     fn chance_outcomes(&self, _: &Self::State, mut visit: impl FnMut(Action, u32)) {
//!         (0..2).for_each(|card| visit(card, 1));
//!     }
//!     fn apply(&self, state: &mut Self::State, action: Action) {
//!         *state.iter_mut().find(|part| part.is_none()).expect("the game goes on") = Some(action);
//!     }
//!     fn utility(&self, state: &Self::State) -> f64 {
//!         match state {
//!             [_, Some(1), Some(0)] => 1.0,
//!             [card, bet, _] => (if *card == Some(1) { 1.0 } else { -1.0 }) * f64::from(1 + bet.unwrap_or(0)),
//!         }
//!     }
//!     fn infoset_key(&self, state: &Self::State, player: Player) -> InfosetKey {
//!         InfosetKey(if player == 0 { state[0].unwrap_or(0).into() } else { 2 })
//!     }
//! }
//!
//! Bluff.spec().check()?;
//! let mut rng = Stream::new(7, Purpose::EvaluationPlay, 0, 0, 0);
//! let mut state = Bluff.root();
//! loop {
//!     let action = match Bluff.turn(&state) {
//!         Turn::Terminal => break,
//!         Turn::Chance => Bluff.sample_chance(&state, &mut rng),
//!         Turn::Player(_) => {
//!             Bluff.legal_actions(&state).choose(|count| rng.below(count)).expect("somebody is to move")
//!         }
//!     };
//!     Bluff.apply(&mut state, action);
//! }
//! assert!((1.0..=2.0).contains(&Bluff.utility(&state).abs()));
//! # Ok::<(), deepcfr_core::GameError>(())
//! ```
//!
//! `deepcfr-cfr` solves such a game, the kit in `deepcfr-games` checks it, and with an [`Encoder`] and
//! `deepcfr-board` it can be trained on.
//!
//! Units: utilities and advantages are in the game's own points (chips in poker); probabilities
//! are in `[0, 1]`; rows that cross a seam are row-major `f32` slices.

mod action;
mod batch_sizes;
mod device;
mod encoder;
mod evaluator;
mod game;
mod learner;
mod model;
mod policy;
mod rng;
mod row_hash;
mod sample;
mod select;
mod weighting;
mod weights;

pub use action::{Action, ActionSet, Actions, MAX_ACTIONS};
pub use batch_sizes::BatchSizes;
pub use device::{DeviceName, Placement, Precision, UnknownDevice};
pub use encoder::{Encoder, FeatureBlock};
pub use evaluator::{Evaluator, EvaluatorError, Query};
pub use game::{Game, GameError, GameSpec, InfosetKey, MAX_FACTS, NUM_PLAYERS, Player, Turn};
pub use learner::{FitContext, FitReport, LearnError, Learner};
pub use model::{Model, ModelError, ModelFactory, ModelSpec, NetId};
pub use policy::{Policy, RandomPolicy};
pub use rng::{Purpose, Stream};
pub use row_hash::row_hash;
pub use sample::{Edition, Features, MergedSamples, SampleMeta, SampleShape, SampleSink, SampleSource};
pub use select::select_bit;
pub use weighting::Weighting;
pub use weights::{Activation, Dense, MlpWeights, RowKey, TableWeights, Weights};
