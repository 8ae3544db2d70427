//! One way to time: contenders take turns, so that a disturbance of the machine falls on all alike; a turn
//! that warms caches, buffers and memories is dropped; the order within a turn is drawn from a seed, so that
//! nobody always comes after the same neighbour.
//!
//! A contender's figure is the median of its stretches. The fastest one is a limit: what was possible once.
//! Ratios are taken turn by turn, since two stretches of one turn share their disturbances.
//!
//! Not here: what is timed, and confidence intervals (`deepcfr-levers`).
//!
//! ```
//! use std::convert::Infallible;
//! use deepcfr_timing::{Turns, timed};
//!
//! let sums = [1_000_u64, 100_000];
//! let timings = Turns::new(5, 1).take(sums.len(), |place| {
//!     timed(1, || Ok::<_, Infallible>(std::hint::black_box((0..sums[place]).sum::<u64>())))
//! })?;
//! println!("{} sums a second, {} of the longer one", timings[0].per_second(), timings[1].per_second());
//! # Ok::<(), Infallible>(())
//! ```

mod threads;
mod turns;

pub use threads::limit;
pub use turns::{Stretch, Timings, Turns, median, repeated, timed};
