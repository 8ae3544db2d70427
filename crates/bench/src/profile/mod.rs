//! Measuring what the optimisation calculus works on: a profile of a configuration on this machine.
//!
//! A shortened but real run tells where an iteration's time goes; calls of networks are then timed
//! against their batch with that run's own weights and rows; ceilings are measured beside them. Not
//! here: what follows from the figures (`deepcfr-levers`).

mod calls;
mod ceilings;
mod contention;
mod plots;
mod settings;
mod short_run;
mod store;
mod trial;
mod verify;
mod workload;

use std::path::Path;
use std::sync::atomic::AtomicBool;

use deepcfr_board::Catalogue;
use deepcfr_levers::profile::{Build, Machine, Profile, SCHEMA};

pub use plots::write_plots;
pub use short_run::{Length, Progress};
pub use store::{LEDGER, PROFILE, create_folder, newest_profile};
pub use trial::{Trial, TrialPlan, try_lever};

pub use crate::error::ProfilingError;

pub(crate) use calls::{Timed, repeat, time_blocks};

use short_run::Watch;

use crate::error::BenchError;
use deepcfr_config::RunConfig;
use deepcfr_runs::machine::MachineInfo;
use deepcfr_train::Trainer;
use deepcfr_train::devices;

/// How much is measured.
#[derive(Clone, Debug, PartialEq)]
pub struct ProfilePlan {
    /// Iterations of the shortened run.
    pub length: Length,
    /// Blocks of timed calls.
    pub blocks: u32,
    /// Networks of other sizes whose calls are timed too: (hidden size, hidden layers).
    pub sizes: Vec<(usize, usize)>,
}

impl ProfilePlan {
    /// About a minute of a small configuration.
    pub const FULL: Self = Self {
        length: Length { warm_up: 1, least: 9, most: 30, seconds: 20.0 },
        blocks: 10,
        sizes: Vec::new(),
    };
    /// Wider intervals in a fraction of the time.
    pub const QUICK: Self = Self {
        length: Length { warm_up: 1, least: 6, most: 12, seconds: 5.0 },
        blocks: 5,
        sizes: Vec::new(),
    };
}

/// Measures `config`; the shortened run keeps its checkpoint in `folder`.
///
/// # Errors
/// See [`BenchError`]; [`ProfilingError::Interrupted`] if `stop` is set before there is enough,
/// [`ProfilingError::Config`] if anything of `config` is to run elsewhere than on the processor.
pub fn measure(
    catalogue: &Catalogue,
    config: &RunConfig,
    plan: &ProfilePlan,
    folder: &Path,
    progress: &mut dyn Progress,
    stop: &AtomicBool,
) -> Result<Profile, BenchError> {
    devices::only_processor(config).map_err(ProfilingError::from)?;
    let mut watch = Watch { progress, stop };
    let short = short_run::shortened(config, plan.length);
    let mut trainer = Trainer::new(short, catalogue.board(&config.game)?)?;
    watch.say("running a shortened run");
    let run = short_run::run(&mut trainer, config, plan.length, folder, &mut watch)?;
    watch.say("timing calls of networks");
    let calls = calls::time_calls(&trainer, config, plan, &run.lines, &mut watch)?;
    let contention = contention::measure(&trainer, config, &mut watch)?;
    watch.say("measuring what the machine can do at most");
    let (one, all) = ceilings::measure(trainer.threads());
    let profile = Profile {
        schema: SCHEMA,
        machine: machine(),
        build: build(config),
        workload: workload::of(config, &trainer, &run),
        utilisation: workload::utilisation(&run.lines),
        iterations: run.samples(),
        calls,
        ceilings: Some(one),
        ceilings_of_all_threads: Some(all),
        effects: contention.into_iter().collect(),
    };
    profile.check().map_err(ProfilingError::from)?;
    Ok(profile)
}

fn build(config: &RunConfig) -> Build {
    Build {
        commit: MachineInfo::detect().git_commit,
        config_hash: config.hash(),
        config: Some(config.to_toml()),
        seed: config.run.seed,
    }
}

/// The machine by its processor, so that it is recognised wherever the same one is borrowed again.
fn machine() -> Machine {
    let info = MachineInfo::detect();
    let cores = info.logical_cores.unwrap_or(1);
    let cpu = info.cpu.as_deref().unwrap_or(std::env::consts::ARCH);
    Machine {
        name: format!("{cpu} × {cores}"),
        cpu: info.cpu.clone(),
        logical_cores: cores as u32,
        memory_bytes: info.memory_bytes,
        accelerator: None,
    }
}
