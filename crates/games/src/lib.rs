//! Rules and encoders of the games, one folder or file a game, and rule-based bots.
//!
//! Deliberately absent: search, training, serialisation. Depends on `deepcfr-core` alone.
//!
//! A hand of poker in words:
//!
//! ```
//! use deepcfr_core::{Game, Purpose, Stream};
//! use deepcfr_games::leduc::{Leduc, LeducRules};
//! use deepcfr_games::play::{play, random_action};
//!
//! let game = Leduc::new(LeducRules { ranks: 13, ..LeducRules::default() })?;
//! let mut rng = Stream::new(7, Purpose::EvaluationPlay, 0, 0, 0);
//! let (end, _) = play(&game, &mut rng, |state, player, rng| {
//!     let action = random_action(&game, state, rng)?;
//!     println!("{}: {}", game.describe_infoset(state, player), game.describe_action(state, action));
//!     Some(action)
//! });
//! println!("player 0 gets {:+}", game.utility(&end));
//! assert!(game.utility(&end).abs() <= 13.0);
//! # Ok::<(), deepcfr_games::leduc::LeducError>(())
//! ```
//!
//! The conformance kit (feature `testkit`) in the tests of a game, built-in or one's own:
//!
//! ```
//! # #[cfg(feature = "testkit")] {
//! use deepcfr_games::kuhn::{Kuhn, KuhnEncoder};
//! use deepcfr_games::testkit::Conformance;
//!
//! let coverage = Conformance::default().assert(&Kuhn, &KuhnEncoder);
//! assert!(coverage.whole_tree);
//! assert_eq!(coverage.infosets, [6, 6]);
//! # }
//! ```

pub mod bots;
pub mod goofspiel;
pub mod kuhn;
pub mod leduc;
pub mod liars_dice;
pub mod lost_cities;
pub mod play;
#[cfg(feature = "testkit")]
pub mod testkit;
