//! Sizes of networks that a question is about and whose calls the profile has not timed.
//!
//! Not here: how their calls are scaled (`model`), and how it is told (`text`).

use serde::Serialize;

use crate::fit::NetworkShape;
use crate::model::Ensemble;

/// Networks whose calls were not timed: what they cost is scaled from those of another size by arithmetic,
/// which knows nothing of caches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Extrapolation {
    /// The networks that were timed.
    pub from: NetworkShape,
    /// The networks that the answer is about.
    pub to: NetworkShape,
}

impl Extrapolation {
    /// What an answer about networks of shape `to` rests on, where that is not timings; `measured` are the
    /// worlds of a profile of networks of shape `from`.
    pub(super) fn of(measured: &Ensemble, from: NetworkShape, to: NetworkShape) -> Option<Self> {
        (to != from && !measured.has_timed(to)).then_some(Self { from, to })
    }
}
