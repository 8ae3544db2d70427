//! Counterfactual regret minimisation: the tabular family, exact best response, and the
//! sampled traversals and memories of Deep CFR, and matches between strategies.
//!
//! Deliberately absent: networks, files, configuration, threads that outlive a call.
//!
//! A game of one's own, solved, and its solution held against another strategy:
//!
//! ```
//! use std::sync::Arc;
//!
//! use deepcfr_cfr::matches::{Contestant, MatchPlan, Pairing, PolicyBot, play_bots};
//! use deepcfr_cfr::tabular::{Algorithm, GameTree, KeyedPolicy, Solver, TreeLimits, evaluate};
//! use deepcfr_core::{Action, ActionSet, Game, GameSpec, InfosetKey, Player, RandomPolicy, Turn};
//!
//! /// Both lay a coin without seeing the other's: equal sides win player 0 a point, or two if they are heads.
//! struct Coins;
//!
//! impl Game for Coins {
//!     type State = [Option<Action>; 2];
//!
//!     fn spec(&self) -> GameSpec {
//!         let (num_players, simultaneous) = (2, false);
//!         let (num_actions, utility_range, max_depth) = (2, (-1.0, 2.0), 2);
//!         GameSpec { name: "coins", num_players, simultaneous, num_actions, utility_range, max_depth }
//!     }
//!     fn root(&self) -> Self::State {
//!         [None; 2]
//!     }
//!     fn turn(&self, state: &Self::State) -> Turn {
//!         state.iter().position(Option::is_none).map_or(Turn::Terminal, Turn::Player)
//!     }
//!     fn legal_actions(&self, _: &Self::State) -> ActionSet {
//!         ActionSet::first(2)
//!     }
//!     fn apply(&self, state: &mut Self::State, action: Action) {
//!         state[usize::from(state[0].is_some())] = Some(action);
//!     }
//!     fn utility(&self, state: &Self::State) -> f64 {
//!         match state {
//!             [Some(0), Some(0)] => 2.0,
//!             [first, second] => if first == second { 1.0 } else { -1.0 },
//!         }
//!     }
//!     fn infoset_key(&self, _: &Self::State, _: Player) -> InfosetKey {
//!         InfosetKey(0) // Neither knows anything.
//!     }
//! }
//!
//! let tree = Arc::new(GameTree::build(&Coins, TreeLimits::default())?);
//! let mut solver = Solver::new(Arc::clone(&tree), Algorithm::CFR_PLUS, 0)?;
//! solver.step(10_000);
//! let solution = solver.average_policy();
//! let heads = solution.at(&tree, 0)[0];
//! let exact = evaluate(&tree, &solution);
//! assert!((heads - 0.4).abs() < 1e-3 && (exact.values[0] - 0.2).abs() < 1e-3);
//! assert!(exact.exploitability < 1e-3);
//!
//! let (solved, random) = (PolicyBot(KeyedPolicy::from_tree(&tree, &solution)), PolicyBot(RandomPolicy));
//! let pairing = Pairing { subject: Contestant::Bot(&solved), opponent: Contestant::Bot(&random) };
//! let plan = MatchPlan { seed: 7, evaluation: 0, deals: 1000, lanes: 1, groups: 1 };
//! let result = &play_bots(&Coins, &plan, &[pairing], 1)?[0].result;
//! println!("{:+.3} ± {:.3} points a game", result.mean_difference, result.ci95);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod lanes;
pub mod matches;
pub mod memory;
pub mod regret;
pub mod response;
pub mod tabular;
pub mod traversal;
