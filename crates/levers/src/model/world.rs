//! One draw of everything that is uncertain. Not here: how worlds are drawn (`ensemble`) and what changes them
//! (`change`).

use std::collections::BTreeMap;

use super::costs::{CallBook, Costs};
use super::prior::Prior;
use crate::fit::NetworkShape;
use crate::profile::Quantity;

/// One draw of everything that is uncertain.
#[derive(Clone, Debug)]
pub struct World {
    /// What an iteration costs.
    pub costs: Costs,
    /// What is not measured.
    pub prior: Prior,
    /// Shape of the networks.
    pub network: NetworkShape,
    /// Networks that traversals may ask.
    pub networks: f64,
    /// Traversals between two barriers.
    pub traversals_per_barrier: f64,
    /// Whether the average-strategy network is fitted in evaluated iterations only.
    pub strategy_with_evaluation: bool,
    /// Whether evaluation is played by the workers of traversals.
    pub evaluation_by_workers: bool,
    /// Calls that were timed at other shapes.
    pub(super) other_shapes: BTreeMap<NetworkShape, CallBook>,
    /// Measured ratios.
    pub(super) ratios: Vec<(Quantity, f64)>,
}

impl World {
    /// A world of given costs, for figures that come from elsewhere than a profile.
    pub fn of(costs: Costs, prior: Prior, network: NetworkShape, traversals_per_barrier: f64) -> Self {
        let networks = costs.traversal.flight.networks;
        Self {
            costs,
            prior,
            network,
            networks,
            traversals_per_barrier,
            strategy_with_evaluation: false,
            evaluation_by_workers: false,
            other_shapes: BTreeMap::new(),
            ratios: Vec::new(),
        }
    }

    /// The ratio that was measured for `quantity`.
    pub(super) fn ratio(&self, quantity: Quantity) -> Option<f64> {
        self.ratios.iter().find(|(key, _)| *key == quantity).map(|&(_, ratio)| ratio)
    }
}
