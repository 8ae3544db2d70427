//! What a batch of traversals did.

use std::time::Duration;

/// Counts over committed traversals (the same for any number of workers and lanes), and times.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TraversalStats {
    /// Traversals committed, cut ones included.
    pub traversals: u64,
    /// Decision and terminal nodes visited; chance is not counted.
    pub nodes: u64,
    /// Rows that networks were asked for.
    pub rows: u64,
    /// Advantage samples committed.
    pub advantage_samples: u64,
    /// Strategy samples committed.
    pub strategy_samples: u64,
    /// Traversals that hit `max_nodes_per_traversal`; their samples were discarded.
    pub cut_traversals: u64,
    /// Whether `max_nodes_per_iteration` ended the iteration before its last traversal.
    pub iteration_cut: bool,
    /// The longest path walked, in actions from the root, chance included.
    pub max_depth: u32,
    /// Mean sampled value of the game for the traverser over traversals not cut, in points.
    pub mean_value: f64,
    /// Where the time went.
    pub times: TraversalTimes,
}

/// Times, measured per sweep and never per node. The first two are sums over workers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TraversalTimes {
    /// Workers waiting for networks (with a local evaluator: the forward passes).
    pub inference_wait: Duration,
    /// Workers doing everything else: rules, encoding, regret matching, recording.
    pub logic: Duration,
    /// Handing samples to the sink, on the calling thread.
    pub commit: Duration,
}
