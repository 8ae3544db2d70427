//! Measurements of training on this machine: where an iteration's time goes, what every stage could do at
//! most, engines, schedulers and devices against each other, sweeps over sizes and keys, and levers that are
//! tried and held against their projections.
//!
//! Not here: what follows from the figures (`deepcfr-levers`), and tables for people (the command line).
//!
//! ```
//! use deepcfr_bench::{InferencePlan, bench_inference};
//! use deepcfr_config::{Base, Engine};
//!
//! let catalogue = deepcfr_builtin::catalogue();
//! let config = catalogue.schema().resolve(&Base::Preset("kuhn".to_owned()), &[], None)?;
//! let board = catalogue.board(&config.game)?;
//! let plan = InferencePlan {
//!     engines: vec![Engine::Native],
//!     batches: vec![1, 8],
//!     sizes: vec![(8, 1)],
//!     blocks: 2,
//! };
//! let bench = bench_inference(&config, &*board, &plan)?;
//! println!("{:.1} ns a call of one row", 1e9 * bench.timings[0].timings[0].seconds);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod profile;
pub mod sweep;

mod cpu_bench;
mod device_bench;
mod error;
mod inference_bench;
mod scheduler_bench;
mod walked;

pub use cpu_bench::{
    CpuLimits, CpuReport, Fingerprint, Limit, SizeCost, SizeModel, StageSpeed, bench_cpu, fingerprint,
};
pub use device_bench::{DeviceBench, DeviceTiming};
pub use error::BenchError;
pub use inference_bench::{InferenceBench, InferencePlan, InferenceTiming, bench_inference};
pub use scheduler_bench::{SchedulerTiming, bench_schedulers};
