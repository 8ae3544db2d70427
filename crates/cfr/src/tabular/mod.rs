//! Tabular solvers and exact evaluation.
