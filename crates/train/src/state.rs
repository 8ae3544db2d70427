//! What a run has come to. Not here: how it goes on (see `trainer`), and its form in a file (see `checkpoint`).

use deepcfr_cfr::memory::Memories;
use deepcfr_runs::metrics::RunClock;

use crate::networks::Networks;

/// What a checkpoint holds, beside a small game's [`Exact`](crate::exact::Exact).
pub(crate) struct State {
    pub(crate) iteration: u32,
    pub(crate) nodes_total: u64,
    pub(crate) run_clock: RunClock,
    pub(crate) memories: Memories,
    pub(crate) networks: Networks,
}
