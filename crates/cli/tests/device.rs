//! A whole run of the command on the device that `DEEPCFR_TEST_DEVICE` names; without it nothing is run,
//! since the processor's runs are tested elsewhere. `cargo xtask soft-gpu` and `gpu-check` set it.

use std::process::Command;
use std::time::Instant;

use tempfile::TempDir;

/// Fewer and shorter fits than the preset's, so that a software driver, whose steps take milliseconds
/// however small, ends within ten minutes.
const SETTINGS: [&str; 3] = ["run.iterations=600", "training.advantage_steps=8", "training.strategy_steps=6"];

/// Exploitability of the SD-CFR average in thousandths of the ante a game, as the whole preset is to reach
/// (the processor: 6.0, 9.3 and 7.9 with seeds 1 to 3 of these settings).
const BOUND: f64 = 10.0;

#[test]
fn kuhn_poker_is_learned_on_the_device() {
    let Ok(device) = std::env::var("DEEPCFR_TEST_DEVICE") else {
        println!("skipped: DEEPCFR_TEST_DEVICE names no device");
        return;
    };
    let folder = TempDir::new().unwrap();
    let begin = Instant::now();
    let mut command = Command::new(env!("CARGO_BIN_EXE_deepcfr"));
    command.args(["train", "--preset", "kuhn"]).current_dir(&folder);
    command.args(["--set", &format!("run.device={device}"), "--set", "inference.engine=burn"]);
    SETTINGS.iter().for_each(|setting| _ = command.args(["--set", setting]));
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
