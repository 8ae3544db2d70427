//! `deepcfr config`: prints a resolved configuration, or only checks it, or prints the manual.

use deepcfr_train::config::{manual, resolve};

use crate::arguments::ConfigArguments;
use crate::error::CommandError;
use crate::output::print;

pub(crate) fn run(arguments: &ConfigArguments) -> Result<(), CommandError> {
    if arguments.manual {
        return Ok(print(&manual())?);
    }
    let source = &arguments.source;
    let config = resolve(&source.base(), &source.set, source.seed)?;
    if arguments.check {
        return Ok(());
    }
    Ok(print(&config.to_toml())?)
}
