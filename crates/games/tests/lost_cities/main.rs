//! Lost Cities against reference games, encodings and bot decisions, through the public API.
//!
//! Provenance of the data: `testdata/README.md`.

mod bots;
mod card_rows;
mod encodings;
mod reference;
mod replay;
mod table;
