//! `cargo xtask soft-gpu`: what runs on every device, run on a software Vulkan driver (Mesa's
//! lavapipe): model parity, training steps, the batching server, a whole run of Kuhn poker.
//!
//! Builds with the feature `wgpu` below `target/soft-gpu`, which takes 25 to 40 minutes of processor
//! time the first time. Skipped with a message where there is no driver. Not here: speed, which a
//! software driver says nothing about.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Duration;

use super::{Part, conclude, part, target_folder};

const BUILD: Duration = Duration::from_secs(3 * 3600);
const TESTS: Duration = Duration::from_secs(3600);

/// The test files that take their device from `DEEPCFR_TEST_DEVICE`, in both packages.
const TEST: &str = "device";

pub(crate) fn run() -> ExitCode {
    let Some(driver) = software_driver() else {
        println!(
            "soft-gpu: skipped: no software Vulkan driver (Debian: apt-get install libvulkan1 mesa-vulkan-drivers)"
        );
        return ExitCode::SUCCESS;
    };
    println!("soft-gpu: driver {}", driver.display());
    let parts = checks(&driver);
    conclude("soft-gpu", &parts)
}

fn checks(driver: &Path) -> Vec<Part> {
    let mut parts = vec![part("build", cargo().arg("--no-run"), BUILD)];
    if parts[0].failure.is_none() {
        // One test at a time: a driver on the processor's threads has no use for more.
        let mut tests = cargo();
        tests.args(["--", "--nocapture", "--test-threads", "1"]).envs(environment(driver));
        parts.push(part("tests", &mut tests, TESTS));
    }
    parts
}

fn cargo() -> Command {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["test", "--release", "--locked", "-p", "deepcfr-nn", "-p", "deepcfr-cli"]);
    cargo.args(["--features", "deepcfr-cli/wgpu", "--test", TEST]);
    cargo.env("CARGO_TARGET_DIR", target_folder("soft-gpu"));
    // The driver computes, not burn: a third of the time to build for hardly any to run.
    cargo.env("CARGO_PROFILE_RELEASE_DEBUG", "0").env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "1");
    cargo
}

fn environment(driver: &Path) -> Vec<(&'static str, PathBuf)> {
    vec![
        ("DEEPCFR_TEST_DEVICE", "wgpu".into()),
        // Both names of the same setting, for old and new Vulkan loaders.
        ("VK_ICD_FILENAMES", driver.to_owned()),
        ("VK_DRIVER_FILES", driver.to_owned()),
    ]
}

/// The description of Mesa's software driver, where it is installed.
fn software_driver() -> Option<PathBuf> {
    let folders = ["/usr/share/vulkan/icd.d", "/etc/vulkan/icd.d", "/usr/local/share/vulkan/icd.d"];
    let entries = folders.iter().filter_map(|folder| std::fs::read_dir(folder).ok()).flatten().flatten();
    let paths = entries.map(|entry| entry.path());
    paths.into_iter().find(|path| {
        path.file_name().and_then(|name| name.to_str()).is_some_and(|name| name.starts_with("lvp_icd"))
    })
}
