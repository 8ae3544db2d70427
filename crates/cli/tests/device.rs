//! A whole run of the command on the device that `DEEPCFR_TEST_DEVICE` names; without it nothing is run,
//! since the processor's runs are tested elsewhere. `cargo xtask soft-gpu` and `gpu-check` set it.

use std::process::Command;
use std::time::Instant;

use tempfile::TempDir;

/// A sixteenth of the preset's iterations, so that a software driver ends within minutes.
const ITERATIONS: &str = "run.iterations=100";

/// Exploitability of the SD-CFR average after so many, in thousandths of the ante a game: three times
/// what runs on the processor reach (24.7 to 28.1, seeds 1 to 3).
const BOUND: f64 = 80.0;

#[test]
fn kuhn_poker_is_learned_on_the_device() {
    let Ok(device) = std::env::var("DEEPCFR_TEST_DEVICE") else {
        println!("skipped: DEEPCFR_TEST_DEVICE names no device");
        return;
    };
    let folder = TempDir::new().unwrap();
    let begin = Instant::now();
    let settings =
        [format!("run.device={device}"), "inference.engine=burn".to_owned(), ITERATIONS.to_owned()];
    let mut command = Command::new(env!("CARGO_BIN_EXE_deepcfr"));
    command.args(["train", "--preset", "kuhn"]).current_dir(&folder);
    settings.iter().for_each(|setting| _ = command.args(["--set", setting]));
    let output = command.output().expect("the command was built");
    let (said, progress) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{progress}");
    assert!(
        progress.contains(&format!("training on {device} in f32, inference on {device} in f32")),
        "{progress}"
    );
    let average =
        said.lines().find(|line| line.contains("SD-CFR average: exploitability ")).expect("it is told");
    let figure = average.split("exploitability ").nth(1).and_then(|rest| rest.split(' ').next());
    let exploitability: f64 = figure.and_then(|figure| figure.parse().ok()).expect("a figure");
    println!("{device}: {average} after {:.0} s", begin.elapsed().as_secs_f64());
    assert!(exploitability < BOUND, "{said}");
}
