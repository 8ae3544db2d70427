//! What tells memories apart whose contents may differ although as many samples were offered.

use std::sync::atomic::{AtomicU64, Ordering};

/// A number that no other memory of the process has: a copy gets one of its own.
#[derive(Debug)]
pub(super) struct Identity(u64);

impl Identity {
    pub(super) fn new() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self(NEXT.fetch_add(1, Ordering::Relaxed))
    }

    pub(super) fn number(&self) -> u64 {
        self.0
    }
}

impl Clone for Identity {
    fn clone(&self) -> Self {
        Self::new()
    }
}
