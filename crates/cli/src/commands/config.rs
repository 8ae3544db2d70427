//! `deepcfr config`: prints a resolved configuration, or only checks it, or prints the manual.

use crate::arguments::ConfigArguments;
use crate::context::Context;
use crate::error::CommandError;
use crate::output::print;

pub(crate) fn run(context: &Context, arguments: &ConfigArguments) -> Result<(), CommandError> {
    if arguments.manual {
        return Ok(print(&context.schema().manual())?);
    }
    let source = &arguments.source;
    let config = context.schema().resolve(&source.base(), &source.set, source.seed)?;
    if arguments.check {
        return Ok(());
    }
    Ok(print(&config.to_toml())?)
}
