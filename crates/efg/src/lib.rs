//! Gambit's extensive-form games (`.efg`, version 2): read as a [`Game`](deepcfr_core::Game), written
//! from any game that is small enough.
//!
//! ```
//! use deepcfr_core::{Encoder, Game, Turn};
//! use deepcfr_efg::{EfgEncoder, read};
//!
//! let text = r#"EFG 2 R "a guess" { "Ann" "Bob" }
//! c "" 1 "" { "heads" 1/3 "tails" 2/3 } 0
//! p "" 1 1 "unseen coin" { "heads" "tails" } 0
//! t "" 1 "right" { 3 1 }
//! t "" 2 "wrong" { 0 4 }
//! p "" 1 1 "unseen coin" { "heads" "tails" } 0
//! t "" 2
//! t "" 1"#;
//! let game = read(text)?;
//! assert_eq!((game.report().nodes, game.report().infosets), (7, [1, 0]));
//! // The payoffs sum to 4: 2 were taken from each, so that they sum to 0.
//! assert_eq!(game.report().shift, 2.0);
//!
//! let mut state = game.root();
//! let mut weights = Vec::new();
//! game.chance_outcomes(&state, |_, weight| weights.push(weight));
//! assert_eq!((game.turn(&state), weights), (Turn::Chance, vec![1, 2]));
//! game.apply(&mut state, 1);
//! assert_eq!(game.describe_action(&state, 0), "heads");
//! assert_eq!(EfgEncoder::new(&game).num_features(), 1);
//! game.apply(&mut state, 1);
//! assert_eq!(game.utility(&state), 1.0);
//!
//! let error = read(&text.replace("1/3", "0.3")).expect_err("chance does not sum to 1");
//! assert!(error.to_string().starts_with("line 2, column 11: the probabilities"));
//! # Ok::<(), deepcfr_efg::EfgError>(())
//! ```
//!
//! What is read and what is refused stands in `docs/efg.md`. Deliberately absent: files (texts come in,
//! texts go out), games for more than two players, search and training.

mod chance;
mod encoder;
mod fault;
mod game;
mod labels;
mod lexer;
mod number;
mod place;
mod reader;
mod report;
mod write;

pub use chance::SUM_TOLERANCE;
pub use encoder::{EfgEncoder, EfgFeatures};
pub use fault::{EfgError, Fault, Owner};
pub use game::EfgGame;
pub use place::Place;
pub use report::{ChanceReport, EfgReport};
pub use write::{WriteError, WriteLimits, Written, write_efg};

/// Reads a game.
///
/// Takes one pass and no recursion, and a small multiple of the text's length in memory.
///
/// # Errors
/// [`EfgError`]: the first thing wrong, with its line and column and what to do about it.
pub fn read(text: &str) -> Result<EfgGame, EfgError> {
    reader::read(text)
}

/// Reads a game from the bytes of a file.
///
/// # Errors
/// As [`read`], and [`Fault::NotUtf8`] at the first byte that is not UTF-8.
pub fn read_bytes(bytes: &[u8]) -> Result<EfgGame, EfgError> {
    read(std::str::from_utf8(bytes).map_err(|error| {
        let valid = String::from_utf8_lossy(&bytes[..error.valid_up_to()]);
        EfgError { at: Place::of(&valid, valid.len()), fault: Fault::NotUtf8 }
    })?)
}
