//! The tabular side against reference data, closed forms and statistics.

mod curves;
mod reference;
mod sampling;
