//! The tabular side against reference data, closed forms and statistics.

mod curves;
mod linear_program;
mod pipeline;
mod policies;
mod reference;
mod sampling;
mod simplex;
mod updates;
