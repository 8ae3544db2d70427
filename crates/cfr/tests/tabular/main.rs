//! The tabular side against reference data, closed forms and statistics.

mod curves;
mod policies;
mod reference;
mod sampling;
