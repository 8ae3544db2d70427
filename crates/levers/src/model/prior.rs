//! What the model does not measure: ranges that each world draws from, and how far a change may land
//! from its formula.
//!
//! Ranges are wide on purpose: a prior decides nothing on its own, because a lever whose effect rests on
//! one is never recommended before it is measured (`advise`). Not here: what the ledger teaches
//! (`ledger` stretches whole intervals).

use deepcfr_core::Stream;

use crate::statistics::{Use, between, stream};

/// What kind of change a modelling error belongs to. The numbers are places in a world's draws: one that is
/// no longer used stays free, so that a projection in a ledger can be made again from its profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// Another scheduler.
    Schedule = 0,
    /// More lanes, workers or rows a call under the same scheduler.
    Capacity = 1,
    /// Another engine or precision, timed at the run's own shapes.
    Call = 2,
    /// A network of another size.
    Network = 3,
    /// Evaluation done otherwise.
    Evaluation = 4,
    /// The strategy read from a table.
    Tabulated = 6,
}

impl Kind {
    /// Relative standard deviation of the changed phase about its formula.
    pub const fn error(self) -> f64 {
        match self {
            Self::Schedule | Self::Evaluation | Self::Tabulated => 0.10,
            Self::Network => 0.08,
            Self::Capacity => 0.05,
            Self::Call => 0.03,
        }
    }
}

/// One draw of what is not measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prior {
    /// Share of the rows in flight that a call finds under a scheduler that was not run: 0.7 to 1.
    pub fill: f64,
    /// Overlap of walking and serving: 0.5 to 1.
    pub overlap: f64,
    /// Seconds to hand a batch over to a server thread and back: 5 to 60 µs.
    pub hand_over_seconds: f64,
    /// Factor on logic a row for pausing and resuming lanes: 1 to 1.25.
    pub lane_overhead: f64,
    /// Relative growth of a worker's time for each further worker within the cores: 0 to 0.2, as the program
    /// before this one had it with 8 threads on 6 cores (efficiency 30 to 59 %).
    pub worker_contention: f64,
    /// Exponent of the kernel's growth with arithmetic: 0.9 to 1.1.
    pub kernel_exponent: f64,
    /// Exponent of the dispatch's growth, with parameters on CPUs and layers on accelerators: 0.8 to 1.2.
    pub dispatch_exponent: f64,
    /// Seconds to look a row up in a table: 20 to 200 ns.
    pub lookup_seconds: f64,
    /// What each further match side by side adds, as a share of the first: 0.25 to 1.
    pub parallel_efficiency: f64,
    /// Factors on dispatch and kernel in mixed precision: 1 to 1.4 (casts), 0.45 to 1.
    pub mixed_precision: (f64, f64),
    /// Factors on dispatch and kernel of an engine built for inference: 0.2 to 1.1, 0.6 to 1.1.
    pub engine: (f64, f64),
    /// The part of what a call takes longer within the run that does not grow with its rows: 0.4 to 1
    /// (caches that the walk has emptied, timers).
    pub overhead_share: f64,
    /// How long a worker's lanes run dry at the end of a phase, in mean traversals: 0.2 to 0.8.
    pub drain: f64,
    errors: [f64; 7],
}

impl Prior {
    /// The draw of world `index`.
    pub fn draw(seed: u64, index: usize) -> Self {
        let mut stream = stream(seed, Use::Priors, index);
        let s = &mut stream;
        Self {
            fill: between(s, (0.7, 1.0)),
            overlap: between(s, (0.5, 1.0)),
            hand_over_seconds: logarithmic(s, (5e-6, 60e-6)),
            lane_overhead: between(s, (1.0, 1.25)),
            worker_contention: between(s, (0.0, 0.2)),
            kernel_exponent: between(s, (0.9, 1.1)),
            dispatch_exponent: between(s, (0.8, 1.2)),
            lookup_seconds: logarithmic(s, (20e-9, 200e-9)),
            parallel_efficiency: between(s, (0.25, 1.0)),
            mixed_precision: (between(s, (1.0, 1.4)), between(s, (0.45, 1.0))),
            engine: {
                skip(s, 2);
                (between(s, (0.2, 1.1)), between(s, (0.6, 1.1)))
            },
            errors: {
                skip(s, 3);
                std::array::from_fn(|_| s.normal())
            },
            overhead_share: between(s, (0.4, 1.0)),
            drain: between(s, (0.2, 0.8)),
        }
    }

    /// The factor by which a change of `kind` misses its formula in this world.
    pub fn error(&self, kind: Kind) -> f64 {
        (kind.error() * self.errors[kind as usize]).exp()
    }
}

/// Leaves out draws of ranges that are gone, for the reason that [`Kind`] gives.
fn skip(stream: &mut Stream, count: usize) {
    for _ in 0..count {
        let _ = stream.uniform();
    }
}

fn logarithmic(stream: &mut Stream, (low, high): (f64, f64)) -> f64 {
    low * (high / low).powf(stream.uniform())
}
