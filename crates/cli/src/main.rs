//! The `deepcfr` command with the games that come with it.

use std::process::ExitCode;

fn main() -> ExitCode {
    deepcfr_cli::Program::new().run()
}
