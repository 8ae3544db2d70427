//! The in-flight law: how large batches can get, whatever the window.
//!
//! A lane waits for the row that it sent, so at most `workers × outstanding` rows exist at a time, and
//! a call serves one network: B ≤ workers × outstanding / networks. `outstanding` is 1 for a worker
//! that blocks, its lanes for one that interleaves. Not here: what a batch costs (`fit`).

use std::fmt;

use serde::{Deserialize, Serialize};

/// How workers meet the networks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scheduler {
    /// One lane a worker, one row a call.
    Recursive,
    /// Many lanes a worker, the worker's rows answered together.
    Interleaved,
    /// One lane a worker, the rows of all workers answered together.
    Server,
    /// Many lanes a worker in two groups, one walking while the other waits for the server.
    #[serde(rename = "interleaved+server")]
    InterleavedServer,
}

impl Scheduler {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Recursive, Self::Interleaved, Self::Server, Self::InterleavedServer];

    /// The name in configurations.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Recursive => "recursive",
            Self::Interleaved => "interleaved",
            Self::Server => "server",
            Self::InterleavedServer => "interleaved+server",
        }
    }

    /// Whether rows of several workers share a call.
    pub const fn shares_calls(self) -> bool {
        matches!(self, Self::Server | Self::InterleavedServer)
    }

    /// Whether a worker has more than one lane.
    pub const fn interleaves(self) -> bool {
        matches!(self, Self::Interleaved | Self::InterleavedServer)
    }
}

impl fmt::Display for Scheduler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// What bounds the rows in flight.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InFlight {
    /// The scheduler.
    pub scheduler: Scheduler,
    /// Worker threads.
    pub workers: f64,
    /// Lanes of each worker; 1 where the scheduler does not interleave.
    pub lanes: f64,
    /// Networks that a sweep asks, on average: at least 1, and below the number of networks where
    /// sweeps do not always ask all of them.
    pub networks: f64,
    /// Most rows that a call may have.
    pub max_batch: f64,
}

impl InFlight {
    /// Rows in flight at a time that may share a call.
    pub fn rows(&self) -> f64 {
        match self.scheduler {
            Scheduler::Recursive => 1.0,
            Scheduler::Interleaved => self.lanes,
            Scheduler::Server => self.workers,
            Scheduler::InterleavedServer => self.workers * (self.lanes / 2.0).max(1.0),
        }
    }

    /// The most rows that a call can have on average.
    pub fn bound(&self) -> f64 {
        self.filled(1.0)
    }

    /// Rows of a call on average where `fill` of the rows in flight are there when it starts.
    pub fn filled(&self, fill: f64) -> f64 {
        let shared = match self.scheduler {
            Scheduler::Recursive => 1.0,
            _ => fill * self.rows() / self.networks,
        };
        shared.clamp(1.0, self.max_batch)
    }

    /// The same workload under another scheduler with `lanes` lanes a worker.
    #[must_use]
    pub fn under(&self, scheduler: Scheduler, lanes: f64) -> Self {
        Self { scheduler, lanes: if scheduler.interleaves() { lanes } else { 1.0 }, ..*self }
    }
}

impl fmt::Display for InFlight {
    /// The law with its numbers.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { scheduler, workers, lanes, networks, max_batch } = self;
        match scheduler {
            Scheduler::Recursive => write!(f, "one row a call: each of {workers} workers asks and waits")?,
            Scheduler::Interleaved => write!(f, "{lanes} lanes of a worker / {networks:.1} networks")?,
            Scheduler::Server => write!(f, "{workers} workers × 1 row / {networks:.1} networks")?,
            Scheduler::InterleavedServer => {
                write!(f, "{workers} workers × half of {lanes} lanes / {networks:.1} networks")?;
            }
        }
        write!(f, ": at most {:.1} rows a call", self.bound())?;
        if self.rows() / self.networks > *max_batch {
            write!(f, " (limited by traversal.max_batch)")
        } else {
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PREDECESSOR: InFlight = InFlight {
        scheduler: Scheduler::Recursive,
        workers: 8.0,
        lanes: 1.0,
        networks: 2.0,
        max_batch: 128.0,
    };

    /// The server of the predecessor (the program before this one) batched 7.2 to 7.9 rows of 8 blocking workers, halved by two networks.
    #[test]
    fn eight_blocking_workers_cannot_fill_a_batch() {
        assert_eq!(PREDECESSOR.under(Scheduler::Server, 64.0).bound(), 4.0);
        assert_eq!(PREDECESSOR.bound(), 1.0);
        assert_eq!(PREDECESSOR.under(Scheduler::Interleaved, 64.0).bound(), 32.0);
        let both = PREDECESSOR.under(Scheduler::InterleavedServer, 64.0);
        assert_eq!((both.rows(), both.bound()), (256.0, 128.0));
        let words = "8 workers × half of 64 lanes / 2.0 networks: at most 128.0 rows a call";
        assert_eq!(both.to_string(), words);
        assert!(
            InFlight { max_batch: 100.0, ..both }.to_string().ends_with("(limited by traversal.max_batch)")
        );
    }

    #[test]
    fn names_are_those_of_configurations() {
        for scheduler in Scheduler::ALL {
            let json = serde_json::to_string(&scheduler).unwrap();
            assert_eq!(json, format!("\"{}\"", scheduler.name()));
            assert_eq!(serde_json::from_str::<Scheduler>(&json).unwrap(), scheduler);
        }
    }
}
