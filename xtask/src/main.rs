//! Repository chores: `cargo xtask <task>`. Not here: anything that a user of deepcfr runs.

mod cycles;
mod docs;
mod gpu;
mod mutants;
mod results;
mod tidy;

use std::process::ExitCode;

const HELP: &str = "\
usage: cargo xtask <task>

tasks:
  docs       write docs/configuration.md from the configuration's own manual
  gpu-check  check and measure everything on an NVIDIA GPU; exits with 2 where there is none
  mutants    break the algorithms on purpose and check that tests notice
  results    train presets over seeds and write docs/results.md; names of presets may follow
  soft-gpu   run what every device runs on a software Vulkan driver
  tidy       check the layering of crates and modules and the rules that every source file keeps
";

fn main() -> ExitCode {
    match std::env::args().nth(1).as_deref() {
        Some("docs") => docs::run(),
        Some("gpu-check") => gpu::gpu_check(),
        Some("mutants") => mutants::run(),
        Some("results") => results::run(&std::env::args().skip(2).collect::<Vec<_>>()),
        Some("soft-gpu") => gpu::soft_gpu(),
        Some("tidy") => tidy::run(),
        Some("--help" | "-h") | None => {
            print!("{HELP}");
            ExitCode::SUCCESS
        }
        Some(other) => {
            eprint!("error: unknown task `{other}`\n\n{HELP}");
            ExitCode::from(2)
        }
    }
}
