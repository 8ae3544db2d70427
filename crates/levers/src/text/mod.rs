//! Tables and reports for people: every figure with its unit and what it rests on.
//!
//! Plain text for terminals and Markdown for documents come from the same tables. Not here: plots.

mod advice;
mod graph;
mod ledger;
mod next;
mod profile;
mod size_decision;
mod table;
mod units;

pub use advice::advisory;
pub use graph::{order_svg, order_text};
pub use ledger::ledger;
pub use next::next_steps;
pub use profile::{CallReport, ProfileReport};
pub use size_decision::size_decision;
pub use table::Table;
pub use units::{bytes, count, rate, ratio, seconds, share};

#[cfg(test)]
mod tests;
