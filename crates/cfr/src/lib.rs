//! Counterfactual regret minimisation: the tabular family, exact best response, and the
//! sampled traversals and memories of Deep CFR, and matches between strategies.
//!
//! Deliberately absent: networks, files, configuration, threads that outlive a call.

mod lanes;
pub mod matches;
pub mod memory;
pub mod regret;
pub mod response;
pub mod tabular;
pub mod traversal;
