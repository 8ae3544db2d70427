//! From a profile to advice, to a lever that was tried, to advice that knows of it; sweeps that are killed.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;

use crate::{deepcfr, refused, refused_in};

const SMALL: [&str; 10] = [
    "--preset",
    "kuhn",
    "--set",
    "network.hidden_size=8",
    "--set",
    "traversal.tabulate_below=0",
    "--set",
    "traversal.scheduler=recursive",
    "--set",
    "evaluation.every=6",
];

fn folder_in_runs(folder: &Path, part: &str) -> PathBuf {
    let entries = fs::read_dir(folder.join("runs")).unwrap().flatten().map(|entry| entry.path());
    let mut named = entries.filter(|path| path.to_str().is_some_and(|name| name.contains(part)));
    named.next().unwrap_or_else(|| panic!("{part} in runs"))
}

fn json_lines(path: &Path) -> Vec<Value> {
    fs::read_to_string(path).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn a_profile_is_measured_judged_and_a_lever_tried_on_it() {
    let folder = TempDir::new().unwrap();
    let none = refused_in(folder.path(), &["advise"]);
    assert!(none.contains("deepcfr profile"), "{none}");

    let answer = deepcfr(folder.path(), &[&["profile", "--quick"], &SMALL[..]].concat());
    assert_eq!(answer.code, Some(0), "{}", answer.err);
    let own = folder_in_runs(folder.path(), "profile-kuhn");
    for file in ["profile.json", "profile.txt", "phases.svg", "calls.svg", "roofline.svg"] {
        assert!(own.join(file).is_file(), "{file}");
    }
    for said in
        ["Profile of kuhn", "scheduler recursive", "forward pass", "training step", "next:    deepcfr advise"]
    {
        assert!(answer.out.contains(said), "{said}: {}", answer.out);
    }
    let profile: Value =
        serde_json::from_str(&fs::read_to_string(own.join("profile.json")).unwrap()).unwrap();
    assert_eq!(profile["workload"]["traversal"]["scheduler"], "recursive");
    assert_eq!(profile["workload"]["infosets"], 12);
    let iterations = profile["iterations"].as_array().unwrap();
    // One row a call, and as many calls as rows.
    assert!(iterations.len() >= 6 && iterations.iter().all(|i| i["rows"] == i["calls"] && i["rows"] != 0));
    let ceilings = ["ceilings", "ceilings_of_all_threads"];
    assert!(ceilings.iter().all(|which| profile[which]["flops_per_second"].as_f64().unwrap() > 1e8));

    let advice = deepcfr(folder.path(), &["advise"]);
    assert_eq!(advice.code, Some(0), "{}", advice.err);
    assert!(
        advice.out.contains("profile.json") && advice.out.contains("No projection has been verified yet")
    );

    let arguments = ["advise", "--verify", "tabulated-strategy", "--turns", "2", "--iterations", "4"];
    let tried = deepcfr(folder.path(), &arguments);
    assert_eq!(tried.code, Some(0), "{}", tried.err);
    for said in ["sets:      traversal.tabulate_below=12", "projected: ×", "learning is identical"] {
        assert!(tried.out.contains(said), "{said}: {}", tried.out);
    }
    let lines = json_lines(&folder.path().join("runs/levers.jsonl"));
    let events: Vec<&str> = lines.iter().map(|line| line["event"].as_str().unwrap()).collect();
    assert_eq!(events, ["projected", "verified"]);
    assert_eq!(lines[0]["projection"], lines[1]["projection"]);
    assert_eq!(lines[1]["drift"]["verdict"], "identical");
    assert_eq!(json_lines(&own.join("levers.jsonl")), lines);

    let advice = deepcfr(folder.path(), &["advise"]);
    assert!(advice.out.contains("Earlier projections: "), "{}", advice.out);
    let refusal = refused_in(folder.path(), &["advise", "--verify", "faster"]);
    assert!(refusal.contains("no such lever; there are interleaving"), "{refusal}");
}

#[test]
fn what_cannot_be_profiled_or_swept_is_refused_before_anything_is_run() {
    assert!(refused(&["profile", "--preset", "kuhn", "--sizes", "64"]).contains("for example 1024x6"));
    assert!(refused(&["sweep", "--preset", "kuhn"]).contains("model-size"));
    assert!(refused(&["sweep", "--over", "traversal.lanes"]).contains("16,64,256"));
    assert!(refused(&["sweep", "--over", "traversal.lames=1,2"]).contains("traversal.lanes"));
    assert!(refused(&["sweep", "--resume", "none"]).contains("none"));
}

const SWEEP: [&str; 13] = [
    "sweep",
    "model-size",
    "--grid",
    "16x2",
    "--preset",
    "kuhn",
    "--set",
    "network.hidden_size=8",
    "--set",
    "evaluation.every=20",
    "--iterations=60",
    "--seeds=2",
    "--out=sweep",
];

/// What the cells learned, without times.
fn curves(folder: &Path) -> Vec<(String, Value)> {
    let cells = fs::read_dir(folder.join("sweep/cells")).unwrap().flatten().map(|entry| entry.path());
    let mut curves: Vec<(String, Value)> = cells
        .map(|cell| {
            let result: Value =
                serde_json::from_str(&fs::read_to_string(cell.join("result.json")).unwrap()).unwrap();
            (cell.file_name().unwrap().to_str().unwrap().to_owned(), result["run"]["curve"].clone())
        })
        .collect();
    curves.sort_by(|x, y| x.0.cmp(&y.0));
    curves
}

#[test]
fn a_sweep_that_is_killed_goes_on_to_the_same_results() {
    let whole = TempDir::new().unwrap();
    let begin = std::time::Instant::now();
    let answer = deepcfr(whole.path(), &SWEEP);
    assert_eq!(answer.code, Some(0), "{}", answer.err);
    let span = begin.elapsed();
    for said in ["# Sweep over model size", "| 8x2 |", "| 16x2 |", "## Decision", "Against the present size"]
    {
        assert!(answer.out.contains(said), "{said}: {}", answer.out);
    }
    assert!(whole.path().join("sweep/learning.svg").is_file());

    let killed = TempDir::new().unwrap();
    let mut resumed = 0;
    loop {
        let begun = killed.path().join("sweep/sweep.json").is_file();
        let resume = ["sweep", "--resume", "sweep"];
        let arguments: &[&str] = if begun { &resume } else { &SWEEP };
        let mut command = Command::new(env!("CARGO_BIN_EXE_deepcfr"));
        command.args(arguments).current_dir(killed.path()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        resumed += u32::from(begun);
        if resumed > 4 {
            assert!(child.wait().unwrap().success());
            break;
        }
        std::thread::sleep(span / 4 + Duration::from_millis(20));
        let _ = child.kill();
        child.wait().unwrap();
    }
    assert_eq!(curves(killed.path()), curves(whole.path()));
    let report = fs::read_to_string(killed.path().join("sweep/report.md")).unwrap();
    assert!(report.contains("## Decision") && report.contains("2 runs, 118 iterations"), "{report}");
}
