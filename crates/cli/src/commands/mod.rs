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

use deepcfr_bench::profile::Progress;
use deepcfr_config::{Base, ConfigError, RunConfig};
use deepcfr_runs::run_folder::{RunFolder, RunReference};

use crate::context::Context;
use crate::error::CommandError;

/// Finds the run that `RUN` on the command line stands for.
fn find_run(context: &Context, run: &str) -> Result<RunReference, CommandError> {
    Ok(RunFolder::resolve(&default_folder(context)?, run)?)
}

fn default_folder(context: &Context) -> Result<PathBuf, ConfigError> {
    Ok(context.schema().resolve(&Base::Default, &[], None)?.run.folder)
}

/// The configuration of a run, with `assignments` over it that must not change what is learned.
fn config_of(
    context: &Context,
    run: &RunReference,
    assignments: &[String],
) -> Result<RunConfig, CommandError> {
    let source = run.folder.path().join("config.toml").display().to_string();
    let base = Base::Text { source, text: run.folder.read_config()? };
    let started = context.schema().resolve(&base, &[], None)?;
    let config = context.schema().resolve(&base, assignments, None)?;
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
