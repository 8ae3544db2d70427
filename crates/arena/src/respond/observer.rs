//! Who sees a response being learned and measured. Not here: what is shown of it.

use deepcfr_cfr::matches::Watch;
use deepcfr_core::Player;

/// Sees a response being learned.
pub trait RespondObserver {
    /// The learner of `seat` has done `iteration` of `iterations`; `loss` of its last fit in the loss's
    /// own units.
    fn iteration(&mut self, _seat: Player, _iteration: u32, _iterations: u32, _loss: f64) {}

    /// Who sees the games that measure.
    fn watch(&self) -> &dyn Watch {
        &()
    }
}
