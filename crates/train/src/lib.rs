//! Composition: run folders, metrics, checkpoints and reports of a training run.
//!
//! Deliberately absent: algorithms (below, in `cfr` and `nn`) and the command line (above).

mod atomic_file;

pub mod arena;
pub mod catalogue;
pub mod checkpoint;
pub mod config;
pub mod devices;
pub mod export;
pub mod machine;
pub mod metrics;
pub mod profile;
pub mod report;
pub mod respond;
pub mod run_folder;
pub mod solve;
pub mod sweep;

mod archive;
mod collect;
mod cpu_bench;
mod device_bench;
mod diagnostics;
mod error;
mod evaluation;
mod exact;
mod inference;
mod inference_bench;
mod lanes;
mod memory_plan;
mod networks;
mod registry;
mod scheduler_bench;
mod session;
mod small_game;
mod state;
mod trainer;

pub use cpu_bench::{
    CpuLimits, CpuReport, Fingerprint, Limit, SizeCost, SizeModel, StageSpeed, bench_cpu, fingerprint,
};
pub use device_bench::{DeviceBench, DeviceTiming};
pub use diagnostics::{CalibrationBin, ClassDiagnostics, Diagnostics, PlayerDiagnostics};
pub use error::TrainError;
pub use inference_bench::{InferenceBench, InferencePlan, InferenceTiming, bench_inference};
pub use memory_plan::{MemoryError, MemoryPlan};
pub use networks::usable_engines;
pub use scheduler_bench::{SchedulerTiming, bench_schedulers};
pub use session::{Observer, Outcome, Start, evaluate, resume, train};
