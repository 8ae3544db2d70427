//! The small games against reference data of an independent implementation.

mod counts;
mod data;
mod trees;
