//! `cargo xtask docs`: writes the pages that the program itself knows best.
//!
//! Not here: pages that people write.

use std::process::{Command, ExitCode};

const PAGE: &str = "docs/configuration.md";

pub(crate) fn run() -> ExitCode {
    let manual = Command::new(env!("CARGO"))
        .args(["run", "--quiet", "--release", "--locked", "-p", "deepcfr-cli", "--", "config", "--manual"])
        .output()
        .expect("cargo runs: it started this program");
    if !manual.status.success() {
        eprint!("{}", String::from_utf8_lossy(&manual.stderr));
        return ExitCode::FAILURE;
    }
    if let Err(error) = std::fs::write(PAGE, &manual.stdout) {
        eprintln!("{PAGE}: {error}");
        return ExitCode::FAILURE;
    }
    println!("wrote {PAGE}");
    ExitCode::SUCCESS
}
