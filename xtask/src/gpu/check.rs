//! `cargo xtask gpu-check`: everything that a machine with an NVIDIA GPU can tell, within ten minutes
//! after the build, into a report with the raw figures.
//!
//! Needs no network once the crates are there (docs/devices.md has a script that prepares the build).
//! Without a GPU it says so and exits with 2. Not here: how each figure is measured (see `deepcfr
//! bench device`), and how the report reads (see `report`).

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::{Duration, SystemTime};

use super::report::{self, Measured};
use super::{Part, conclude, part, target_folder};

const BUILD: Duration = Duration::from_secs(3 * 3600);
/// Limits of the parts that measure; together ten minutes.
const DEVICES: Duration = Duration::from_secs(40);
const PARITY: Duration = Duration::from_secs(120);
const TABLE: Duration = Duration::from_secs(100);
const SCHEDULERS: Duration = Duration::from_secs(120);
const RUN: Duration = Duration::from_secs(120);

const MODELS: &str = "512x3,768x4,1024x6,1536x8";
const BATCHES: &str = "1,2,4,8,16,32,64,128,256,512,1024,2048,4096";
const PRECISIONS: &str = "f32,bf16,f16";
/// With it at 0, burn fuses no kernels.
const FUSION: &str = "BURN_FUSION_MAX_EXPLORATIONS";

/// A short run on the device, all its networks there.
const ON_DEVICE: [&str; 4] = ["--set", "run.device=cuda", "--set", "inference.engine=burn"];

pub(crate) fn run() -> ExitCode {
    let Some(gpu) = gpu() else {
        println!("gpu-check: no NVIDIA GPU here (`nvidia-smi -L` lists none)");
        return ExitCode::from(2);
    };
    println!("gpu-check: {}", gpu.trim());
    match checks(gpu.trim()) {
        Ok(parts) => conclude("gpu-check", &parts),
        Err(problem) => {
            println!("gpu-check: failed: {problem}");
            ExitCode::FAILURE
        }
    }
}

/// What `nvidia-smi` lists, if anything.
fn gpu() -> Option<String> {
    let listed =
        Command::new("nvidia-smi").arg("-L").output().ok().filter(|output| output.status.success())?;
    let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
    listed.contains("GPU 0").then_some(listed)
}

fn checks(gpu: &str) -> Result<Vec<Part>, String> {
    let folder = fresh_folder()?;
    let mut parts = vec![part("build", tests().arg("--no-run"), BUILD)];
    if parts[0].failure.is_some() {
        return Ok(parts);
    }
    let command = target_folder("gpu-check").join("release/deepcfr");
    parts.push(part("devices", Command::new(&command).arg("devices"), DEVICES));
    let mut parity = tests();
    parity.args(["--", "--test-threads", "1"]).env("DEEPCFR_TEST_DEVICE", "cuda");
    parts.push(part("parity", &mut parity, PARITY));
    let mut measured = Measured { gpu: gpu.to_owned(), ..Measured::default() };
    measure(&command, &mut measured, &mut parts);
    runs(&command, &folder, &mut parts);
    report::write(&folder, &measured, &parts)?;
    println!("\nwrote {}", folder.display());
    Ok(parts)
}

/// The table of forward passes and training steps, with fused kernels and without.
fn measure(command: &Path, measured: &mut Measured, parts: &mut Vec<Part>) {
    let mut bench = Command::new(command);
    bench.args(["bench", "device", "--device", "cuda", "--models", MODELS, "--batches", BATCHES]);
    bench.args(["--precisions", PRECISIONS, "--csv"]);
    let fused = part("table, fused", &mut bench, TABLE);
    let plain = part("table, not fused", bench.env(FUSION, "0"), TABLE);
    (measured.fused, measured.plain) = (fused.output.clone(), plain.output.clone());
    parts.extend([fused, plain]);
}

/// The schedulers, and three iterations of a long game.
fn runs(command: &Path, folder: &Path, parts: &mut Vec<Part>) {
    let mut schedulers = Command::new(command);
    schedulers.args(["bench", "schedulers", "--preset", "lost-cities-seed", "--turns", "2"]).args(ON_DEVICE);
    schedulers.args(["--set", "traversal.traversals_per_player=100"]);
    parts.push(part("schedulers", &mut schedulers, SCHEDULERS));
    let mut train = Command::new(command);
    train.args(["train", "--preset", "lost-cities", "--quiet", "--set", "run.iterations=3"]).args(ON_DEVICE);
    train
        .args(["--set", "evaluation.deals=100", "--set"])
        .arg(format!("run.folder={}", folder.join("run").display()));
    parts.push(part("lost-cities, 3 iterations", &mut train, RUN));
}

fn tests() -> Command {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["test", "--release", "--locked", "-p", "deepcfr-nn", "-p", "deepcfr-cli"]);
    cargo.args(["--features", "deepcfr-cli/cuda", "--test", "device"]);
    cargo.env("CARGO_TARGET_DIR", target_folder("gpu-check"));
    cargo
}

/// A new folder below `target`, which a report worth keeping is copied from to `benches/record`.
fn fresh_folder() -> Result<PathBuf, String> {
    let seconds = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |now| now.as_secs());
    let folder = target_folder("gpu-check").join(format!("report-{seconds}"));
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    std::path::absolute(&folder).map_err(|error| error.to_string())
}
