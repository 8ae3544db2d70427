//! The `deepcfr` command: reads arguments, calls `deepcfr-train`, prints.
//!
//! Exit codes: 0 for success, 1 when a run fails, 2 for bad input, 130 when a second Ctrl-C ends a
//! run at once. Results go to standard output, progress and errors to standard error. Not here:
//! anything that trains or evaluates.

mod arguments;
mod commands;
mod error;
mod figures;
mod interrupt;
mod output;
mod progress;

use std::process::ExitCode;

use clap::Parser;

use crate::arguments::{Arguments, Command};
use crate::error::CommandError;

fn main() -> ExitCode {
    match run(Arguments::parse().command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(error.exit_code())
        }
    }
}

fn run(command: Command) -> Result<(), CommandError> {
    match command {
        Command::Arena(arena) => commands::arena::run(&arena),
        Command::Train(train) => commands::train::run(&train),
        Command::Eval(eval) => commands::eval::run(&eval),
        Command::Solve(solve) => commands::solve::run(&solve),
        Command::Exploit(exploit) => commands::exploit::run(&exploit),
        Command::Games => commands::games::run(),
        Command::Advise(advise) => commands::advise::run(&advise),
        Command::Bench(bench) => commands::bench::run(&bench),
        Command::Devices => commands::devices::run(),
        Command::Config(config) => commands::config::run(&config),
        Command::Sweep(sweep) => commands::sweep::run(&sweep),
        Command::Profile(profile) => commands::profile::run(&profile),
        Command::Export(export) => commands::export::run(&export),
        Command::Inspect(inspect) => commands::inspect::run(&inspect),
    }
}
