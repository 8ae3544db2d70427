//! Devices and lower precisions from the outside: what is listed, told, counted, and gone on with.

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::deepcfr;

const PRECISIONS: [&str; 3] = ["f32", "bf16", "f16"];

/// A short run of Kuhn poker in `precision`; its folder, and what it said of its progress.
fn trained(folder: &Path, precision: &str) -> (PathBuf, String) {
    let settings = [
        format!("training.precision={precision}"),
        format!("run.folder={precision}"),
        "run.iterations=2".to_owned(),
        "training.advantage_steps=20".to_owned(),
        "training.strategy_steps=20".to_owned(),
    ];
    let sets = settings.iter().flat_map(|setting| ["--set", setting]);
    let arguments: Vec<&str> = ["train", "--preset", "kuhn"].into_iter().chain(sets).collect();
    let answer = deepcfr(folder, &arguments);
    assert_eq!(answer.code, Some(0), "{}", answer.err);
    let run = fs::read_dir(folder.join(precision)).unwrap().flatten().next().expect("one run").path();
    (run, answer.err)
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().flatten() {
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

fn last_line(run: &Path) -> serde_json::Value {
    let text = fs::read_to_string(run.join("metrics.jsonl")).unwrap();
    serde_json::from_str(text.lines().last().expect("there are lines")).unwrap()
}

#[test]
fn a_checkpoint_goes_on_under_every_precision() {
    let folder = TempDir::new().unwrap();
    for first in PRECISIONS {
        let (run, progress) = trained(folder.path(), first);
        let told = progress.contains(&format!("{first} brings nothing to training on the processor"));
        assert_eq!(told, first != "f32", "{progress}");
        for second in PRECISIONS {
            let copied = folder.path().join(format!("{first}-{second}"));
            copy(&run, &copied);
            let precision = format!("training.precision={second}");
            let to = copied.to_str().unwrap();
            let resume =
                ["train", "--quiet", "--resume", to, "--set", "run.iterations=3", "--set", &precision];
            let answer = deepcfr(folder.path(), &resume);
            assert_eq!((answer.code, answer.err.as_str()), (Some(0), ""), "{first} to {second}");
            let line = last_line(&copied);
            assert_eq!(line["iteration"], 3);
            let fit = &line["fits"]["advantage"][0];
            assert_eq!(fit["loss_scale"].is_number(), second == "f16", "{first} to {second}: {fit}");
            assert!(fit["steps"].as_u64().is_some_and(|steps| steps > 0), "{fit}");
        }
    }
}

#[test]
fn devices_and_promises_are_listed() {
    let folder = TempDir::new().unwrap();
    let answer = deepcfr(folder.path(), &["devices"]);
    assert_eq!((answer.code, answer.err.as_str()), (Some(0), ""));
    let line = |start: &str| {
        answer
            .out
            .lines()
            .find(|line| line.starts_with(start))
            .unwrap_or_else(|| panic!("{start}: {}", answer.out))
    };
    assert!(line("cpu ").contains("yes     f32, bf16, f16"), "{}", answer.out);
    for kind in ["cuda", "wgpu", "vulkan"] {
        assert!(line(kind).contains(&format!("build with --features {kind}")), "{}", answer.out);
    }
    assert!(line("native").ends_with("yes") && line("burn").ends_with("no"), "{}", answer.out);
    let heading = line("engine");
    let (on, same) = (heading.find("runs on").unwrap(), heading.find("rows the same").unwrap());
    for (engine, place, promise) in [
        ("native", "cpu", "yes"),
        ("burn", "every device", "no"),
        ("onnxruntime", "inference.provider", "no"),
    ] {
        let line = line(engine);
        assert!(line[on..].starts_with(place) && &line[same..] == promise, "{}", answer.out);
    }
}

#[test]
fn a_device_is_timed_call_by_call() {
    let folder = TempDir::new().unwrap();
    let bench = [
        "bench",
        "device",
        "--models",
        "16x2",
        "--batches",
        "1,4",
        "--calls",
        "2",
        "--steps",
        "1",
        "--step-batch",
        "8",
    ];
    let answer = deepcfr(folder.path(), &bench);
    assert_eq!(answer.code, Some(0), "{}", answer.err);
    assert_eq!(answer.out.lines().count(), 4, "{}", answer.out);
    let table = deepcfr(folder.path(), &[&bench[..], &["--csv"]].concat());
    let columns = |line: &str| line.split(',').count();
    assert!(table.out.lines().all(|line| columns(line) == 12), "{}", table.out);
    assert!(
        table.out.lines().last().is_some_and(|line| line.starts_with("training step,16x2,f32,8,")),
        "{}",
        table.out
    );
}
