//! Private thread pools: burn's matrix products run in the pool that they are called from.
//!
//! Not here: any parallel loop.

/// Burn's CPU backend, for messages.
pub(crate) const DEVICE: &str = "flex";

/// A pool of `threads` threads that nobody else uses.
pub(crate) fn private_pool(threads: usize) -> Result<rayon::ThreadPool, String> {
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .thread_name(|index| format!("nn-{index}"))
        .build()
        .map_err(|error| error.to_string())
}
