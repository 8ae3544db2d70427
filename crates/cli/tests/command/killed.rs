//! A run that is killed at any moment goes on from its last checkpoint as if nothing had happened.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use deepcfr_runs::metrics::{IterationMetrics, read_metrics};
use tempfile::TempDir;

use crate::deepcfr;

/// A leduc run of a few seconds with everything that a checkpoint holds: warm networks, both
/// averages, the tabular curve.
const RUN: [&str; 15] = [
    "train",
    "--preset",
    "leduc",
    "--quiet",
    "--set",
    "run.iterations=40",
    "--set",
    "traversal.traversals_per_player=300",
    "--set",
    "evaluation.every=10",
    "--set",
    "evaluation.deals=20",
    "--set",
    "checkpoint.every=3",
    "--seed=5",
];

const KILLS: usize = 10;

fn run_folder(folder: &Path) -> Option<PathBuf> {
    Some(fs::read_dir(folder.join("runs")).ok()?.flatten().next()?.path())
}

fn metrics(folder: &Path) -> Vec<IterationMetrics> {
    let run = run_folder(folder).expect("the run has a folder");
    read_metrics(&run).expect("the metrics are whole").iter().map(IterationMetrics::without_times).collect()
}

/// Starts or resumes, and kills after `milliseconds` unless the run ends before.
fn run_and_kill(folder: &Path, arguments: &[&str], milliseconds: u64) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_deepcfr"));
    command.args(arguments).current_dir(folder).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().expect("the command was built");
    std::thread::sleep(Duration::from_millis(milliseconds));
    // Kill -9 on Unix; a run that has ended by itself is none the worse for it.
    let _ = child.kill();
    child.wait().expect("the child was started");
}

#[test]
fn a_run_killed_ten_times_ends_with_the_metrics_of_one_that_was_not() {
    let whole = TempDir::new().unwrap();
    let begin = std::time::Instant::now();
    let answer = deepcfr(whole.path(), &RUN);
    assert_eq!((answer.code, answer.err.as_str()), (Some(0), ""));
    let span = begin.elapsed().as_millis() as u64;
    let expected = metrics(whole.path());

    let killed = TempDir::new().unwrap();
    // Moments all over the run, different at every test: whatever they are, the result must hold.
    let mut moment = u64::from(std::process::id()).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let mut resumed = 0;
    for _ in 0..KILLS {
        moment = moment.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let milliseconds = 20 + (moment >> 33) % (span / 3).max(1);
        let saved = run_folder(killed.path()).filter(|run| {
            fs::read_dir(run.join("checkpoints")).is_ok_and(|files| {
                files.flatten().any(|file| file.path().extension().is_some_and(|end| end == "ckpt"))
            })
        });
        match saved {
            Some(run) => {
                resumed += 1;
                run_and_kill(
                    killed.path(),
                    &["train", "--quiet", "--resume", run.to_str().unwrap()],
                    milliseconds,
                );
            }
            None => {
                // Nothing was saved yet: there is nothing to lose, the run starts anew.
                let _ = fs::remove_dir_all(killed.path().join("runs"));
                run_and_kill(killed.path(), &RUN, milliseconds);
            }
        }
    }
    let run = run_folder(killed.path()).expect("ten attempts leave a run");
    let last = deepcfr(killed.path(), &["train", "--quiet", "--resume", run.to_str().unwrap()]);
    assert_eq!(last.code, Some(0), "{}", last.err);
    assert!(resumed > 0, "no attempt got as far as a checkpoint");
    assert!(metrics(killed.path()) == expected, "killed at moments drawn from {moment:#x}");
}
