//! The cost model: an iteration's seconds from rows, calls, logic and phases, as an ensemble of
//! equally likely worlds.
//!
//! A [`World`] is one draw of everything that is uncertain; [`Change`]s map it to the world after an
//! optimisation or under another configuration. Statistics over the ensemble of worlds are
//! projections with intervals. Not here: which changes are worth doing (`catalogue`, `advise`).

mod change;
mod costs;
mod ensemble;
mod prior;
mod whatif;
mod world;

pub use change::Change;
pub use costs::{
    Alternative, CallBook, Costs, EvaluationCosts, TabulatedStrategy, TrainingCosts, TraversalCosts,
};
pub use ensemble::{Ensemble, ModelError};
pub use prior::{Kind, Prior};
pub use whatif::{WhatIf, WhatIfError};
pub use world::World;

#[cfg(test)]
mod tests;
