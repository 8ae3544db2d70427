//! Games behind one face: what training, evaluation, matches and solvers ask of a game, with the game's own
//! types hidden.
//!
//! A [`Board`] is a configured game with its encoder and its rule-based players, set up and ready to be
//! walked, played and solved. Its methods are called once a phase, so that the walk behind each is compiled
//! for the game's own types while everything above is compiled once for all games. A [`Setup`] makes a board
//! of any [`Game`](deepcfr_core::Game) and [`Encoder`](deepcfr_core::Encoder); a [`Catalogue`] makes one from a
//! configuration. Not here: games (`deepcfr-games`, or your own crate), networks, files.
//!
//! ```
//! use deepcfr_board::{BoxError, Board, Catalogue, GameConfig, Setup};
//! use deepcfr_config::{Base, Refused};
//! # use deepcfr_core::*;
//! # struct Pennies; struct Row;
//! # impl Game for Pennies {
//! #     type State = [Option<bool>; 2];
//! #     fn spec(&self) -> GameSpec { GameSpec { name: "pennies", num_players: 2, simultaneous: false,
//! #         num_actions: 2, utility_range: (-1.0, 1.0), max_depth: 2 } }
//! #     fn root(&self) -> Self::State { [None; 2] }
//! #     fn turn(&self, s: &Self::State) -> Turn { match s { [None, _] => Turn::Player(0),
//! #         [_, None] => Turn::Player(1), _ => Turn::Terminal } }
//! #     fn legal_actions(&self, _: &Self::State) -> ActionSet { ActionSet::first(2) }
//! #     fn apply(&self, s: &mut Self::State, a: Action) { s[usize::from(s[0].is_some())] = Some(a == 1); }
//! #     fn utility(&self, s: &Self::State) -> f64 { if s[0] == s[1] { 1.0 } else { -1.0 } }
//! #     fn infoset_key(&self, _: &Self::State, player: Player) -> InfosetKey { InfosetKey(player as u128) }
//! # }
//! # impl Encoder<Pennies> for Row {
//! #     fn num_features(&self) -> usize { 1 }
//! #     fn encode(&self, _: &Pennies, _: &[Option<bool>; 2], p: Player, row: &mut [f32]) { row[0] = p as f32; }
//! # }
//! /// `[game.pennies]`: matching pennies, for stakes.
//! #[derive(serde::Serialize, serde::Deserialize)]
//! struct PenniesConfig {
//!     stakes: u32,
//! }
//!
//! impl GameConfig for PenniesConfig {
//!     const NAME: &'static str = "pennies";
//!     const MANUAL: &'static str = "# Matching pennies.\n[game.pennies]\n# Points at stake, 1 to 9.\nstakes = 1\n";
//!
//!     fn refused(&self) -> Vec<Refused> {
//!         Refused::outside("stakes", self.stakes, 1..=9).into_iter().collect()
//!     }
//!
//!     fn set_up(&self) -> Result<Box<dyn Board>, BoxError> {
//!         Ok(Setup::new(Pennies, Row).board())
//!     }
//! }
//!
//! let catalogue = Catalogue::new().game::<PenniesConfig>();
//! let config = catalogue.schema().resolve(&Base::Default, &[], None)?;
//! let board = catalogue.board(&config.game)?;
//! assert_eq!(board.facts().spec.name, "pennies");
//! let refused = catalogue.schema().resolve(&Base::Default, &["game.pennies.stakes=10".to_owned()], None);
//! assert!(refused.unwrap_err().to_string().contains("game.pennies.stakes = 10\n      give 1 to 9"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Networks as a [`Policy`](deepcfr_core::Policy), measured exactly where the game is small:
//!
//! ```
//! use deepcfr_board::FixedNetworks;
//! use deepcfr_cfr::matches::{NetworkStrategy, OutputRule};
//! use deepcfr_cfr::tabular::{GameTree, TabularPolicy, TreeLimits, evaluate};
//! use deepcfr_core::{Encoder, ModelFactory, ModelSpec, NetId};
//! use deepcfr_games::kuhn::{Kuhn, KuhnEncoder};
//! use deepcfr_serve::FunctionModel;
//!
//! // Logits of 0, in place of an engine of `deepcfr-nn` or `deepcfr-onnx` with weights loaded.
//! let num_features = Encoder::<Kuhn>::num_features(&KuhnEncoder);
//! let spec = ModelSpec { num_features, num_outputs: 2, num_nets: 1, row_invariant: true };
//! let model = FunctionModel::new(spec, |_, _: &[f32], logits: &mut [f32]| logits.fill(0.0)).open()?;
//!
//! let strategy = NetworkStrategy::single(NetId(0), OutputRule::Softmax);
//! let networks = FixedNetworks::new(&strategy, vec![model]);
//! let policy = networks.policy(&KuhnEncoder, [0, 0]);
//! let tree = GameTree::build(&Kuhn, TreeLimits::default())?;
//! let table = TabularPolicy::from_policy(&tree, &Kuhn, &tree.representatives(&Kuhn), &policy);
//! assert!((evaluate(&tree, &table).nash_conv - 11.0 / 12.0).abs() < 1e-6);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod catalogue;
mod face;
mod facts;
mod fixed;
mod keyed_solver;
mod listing;
mod position;
mod setup;
mod small_game;
mod worker;

pub use catalogue::{BoxError, Catalogue, GameConfig, RulesError};
pub use face::{Board, Contestant, Pairing, Sampling};
pub use facts::BoardFacts;
pub use fixed::{FixedNetworks, FixedPlayer, NetworkPolicy};
pub use keyed_solver::KeyedSolver;
pub use listing::{COUNTED_NODES, EncoderListing, GameListing, ListingError};
pub use position::Position;
pub use setup::{LeadAfter, Setup};
pub use small_game::SmallGame;
pub use worker::Worker;
