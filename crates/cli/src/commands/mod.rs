//! The commands, a module each.

pub(crate) mod advise;
pub(crate) mod arena;
pub(crate) mod bench;
mod bench_device;
pub(crate) mod config;
pub(crate) mod devices;
pub(crate) mod eval;
pub(crate) mod exploit;
pub(crate) mod export;
pub(crate) mod games;
pub(crate) mod inspect;
pub(crate) mod profile;
pub(crate) mod solve;
pub(crate) mod sweep;
pub(crate) mod train;

use std::path::PathBuf;

use deepcfr_train::config::{Base, ConfigError, RunConfig, resolve};
use deepcfr_train::profile::Progress;
use deepcfr_train::run_folder::{RunFolder, RunReference};

use crate::error::CommandError;

/// Finds the run that `RUN` on the command line stands for.
fn find_run(run: &str) -> Result<RunReference, CommandError> {
    Ok(RunFolder::resolve(&default_folder()?, run)?)
}

fn default_folder() -> Result<PathBuf, ConfigError> {
    Ok(resolve(&Base::Default, &[], None)?.run.folder)
}

/// The configuration of a run, with `assignments` over it that must not change what is learned.
fn config_of(run: &RunReference, assignments: &[String]) -> Result<RunConfig, CommandError> {
    let source = run.folder.path().join("config.toml").display().to_string();
    let base = Base::Text { source, text: run.folder.read_config()? };
    let started = resolve(&base, &[], None)?;
    let config = resolve(&base, assignments, None)?;
    config.check_resumes(&started)?;
    Ok(config)
}

/// Says on standard error what a measurement is doing.
struct Steps;

impl Progress for Steps {
    fn say(&mut self, what: &str) {
        eprintln!("{what}");
    }
}
