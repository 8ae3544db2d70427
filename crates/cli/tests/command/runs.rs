//! Runs from start to end: results, interruption, resuming, and what is refused on the way.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::{deepcfr, refused_in};

/// Keeps a run of Kuhn poker to a few hundredths of a second.
const SMALL: [&str; 10] = [
    "--preset",
    "kuhn",
    "--set",
    "run.iterations=2",
    "--set",
    "training.advantage_steps=100",
    "--set",
    "training.strategy_steps=100",
    "--set",
    "evaluation.deals=10",
];

fn train(folder: &Path) -> PathBuf {
    let answer = deepcfr(folder, &[&["train", "--quiet"][..], &SMALL].concat());
    assert_eq!((answer.code, answer.err.as_str()), (Some(0), ""));
    for said in ["finished iteration 2", "phases:", "policy network: exploitability ", "tabular ES-MCCFR at "]
    {
        assert!(answer.out.contains(said), "{said}: {}", answer.out);
    }
    the_run(folder)
}

fn the_run(folder: &Path) -> PathBuf {
    let runs: Vec<_> = fs::read_dir(folder.join("runs")).unwrap().flatten().collect();
    assert_eq!(runs.len(), 1);
    runs[0].path()
}

fn text(path: &Path) -> &str {
    path.to_str().expect("test folders have plain names")
}

fn checkpoint(run: &Path) -> PathBuf {
    run.join("checkpoints/iteration-000002.ckpt")
}

#[test]
fn a_memory_that_leaves_samples_out_says_so_once() {
    let folder = TempDir::new().unwrap();
    let full = ["--set", "memory.kind=reservoir", "--set", "memory.advantage_capacity=300"];
    let answer = deepcfr(folder.path(), &[&["train"][..], &SMALL, &full].concat());
    for player in [0, 1] {
        let said = format!("the memory of player {player}'s advantages is full");
        assert_eq!(answer.err.matches(&said).count(), 1, "{}", answer.err);
    }
    assert!(answer.err.contains("its mean targets keep a noise of about "), "{}", answer.err);
    assert!(!answer.err.contains("the memory of strategies is full"), "{}", answer.err);
}

#[test]
fn a_run_is_evaluated_inspected_and_gone_on_with() {
    let folder = TempDir::new().unwrap();
    let run = train(folder.path());
    let evaluated = deepcfr(folder.path(), &["eval", text(&run), "--set", "evaluation.deals=20"]);
    assert!(evaluated.out.starts_with("kuhn, iteration 2 "), "{}", evaluated.out);
    assert!(evaluated.out.contains("current against random: wins "), "{}", evaluated.out);
    let inspected = deepcfr(folder.path(), &["inspect", run.file_name().unwrap().to_str().unwrap()]);
    assert!(inspected.out.contains("finished 2 of 2 iterations: "), "{}", inspected.out);
    let done = deepcfr(folder.path(), &["train", "--resume", text(&run)]);
    assert!(done.code == Some(0) && done.out.starts_with("nothing to do"), "{}", done.out);
    let more = deepcfr(folder.path(), &["train", "--resume", text(&run), "--set", "run.iterations=4"]);
    assert!(more.code == Some(0) && more.out.starts_with("finished iteration 4"), "{}{}", more.out, more.err);
    assert!(more.err.contains("iteration 3/4") && more.err.contains("iteration 4/4"), "{}", more.err);
    assert_eq!(fs::read_to_string(run.join("metrics.jsonl")).unwrap().lines().count(), 4);
}

#[test]
fn another_game_or_seed_cannot_go_on_with_a_run() {
    let folder = TempDir::new().unwrap();
    let run = train(folder.path());
    let said = refused_in(
        folder.path(),
        &["train", "--resume", text(&run), "--set", "game.name=leduc", "--set", "run.seed=9"],
    );
    assert!(said.contains("run.seed = 9\n      the run was started with 1"), "{said}");
    assert!(said.contains("game.name = \"leduc\"\n      the run was started with \"kuhn\""), "{said}");
    let config = fs::read_to_string(run.join("config.toml")).unwrap();
    fs::write(run.join("config.toml"), config.replace("name = \"kuhn\"\n\n", "name = \"leduc\"\n\n"))
        .unwrap();
    let said = refused_in(folder.path(), &["train", "--resume", text(&run)]);
    assert!(said.contains("belongs to the game kuhn, this run is leduc ranks=3"), "{said}");
}

#[test]
fn a_checkpoint_that_is_truncated_foreign_or_missing_is_refused_by_name() {
    let folder = TempDir::new().unwrap();
    let run = train(folder.path());
    let whole = fs::read(checkpoint(&run)).unwrap();
    for (bytes, said) in
        [(&whole[..whole.len() / 2], "is truncated"), (b"no checkpoint", "is not a deepcfr checkpoint")]
    {
        fs::write(checkpoint(&run), bytes).unwrap();
        for command in [&["train", "--resume"][..], &["eval"]] {
            let message = refused_in(folder.path(), &[command, &[text(&run)]].concat());
            assert!(message.contains(said) && message.contains("iteration-000002.ckpt"), "{message}");
        }
    }
    fs::remove_file(checkpoint(&run)).unwrap();
    let message = refused_in(folder.path(), &["train", "--resume", text(&run)]);
    assert!(message.contains("no checkpoint in "), "{message}");
}

#[test]
fn a_run_larger_than_the_machine_is_refused_with_the_numbers() {
    let folder = TempDir::new().unwrap();
    let capacity = "memory.advantage_capacity=4000000000";
    let message = refused_in(folder.path(), &["train", "--preset", "lost-cities", "--set", capacity]);
    assert!(
        message.contains("the run needs ") && message.contains("lower memory.advantage_capacity"),
        "{message}"
    );
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_ends_cleanly_with_a_checkpoint() {
    let folder = TempDir::new().unwrap();
    let arguments = [&["train"][..], &SMALL, &["--set", "run.iterations=1000000"]].concat();
    let mut command = Command::new(env!("CARGO_BIN_EXE_deepcfr"));
    command.args(arguments).current_dir(folder.path()).stdout(Stdio::piped()).stderr(Stdio::null());
    let child = command.spawn().unwrap();
    let begin = Instant::now();
    let is_under_way = || {
        let runs = fs::read_dir(folder.path().join("runs")).into_iter().flatten().flatten();
        runs.map(|run| run.path().join("metrics.jsonl"))
            .any(|file| fs::metadata(file).is_ok_and(|m| m.len() > 0))
    };
    while !is_under_way() {
        assert!(begin.elapsed() < Duration::from_secs(60), "no iteration within a minute");
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    let out = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(
        out.starts_with("stopped after iteration ") && out.contains("to go on: deepcfr train --resume "),
        "{out}"
    );
    let run = the_run(folder.path());
    let lines = fs::read_to_string(run.join("metrics.jsonl")).unwrap().lines().count();
    assert!(run.join(format!("checkpoints/iteration-{lines:06}.ckpt")).is_file());
}
