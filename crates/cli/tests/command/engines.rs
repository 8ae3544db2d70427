//! ONNX Runtime and exports through the real command. What needs the library is skipped without it.

use std::io::Write;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::{deepcfr, refused, refused_in};

/// A short run of Kuhn poker; its folder.
fn trained(folder: &Path, sets: &[&str]) -> PathBuf {
    let mut arguments = vec!["train", "--quiet", "--preset", "kuhn"];
    let small = ["run.iterations=3", "network.hidden_size=8", "evaluation.deals=20", "evaluation.every=1"];
    small.iter().chain(sets).for_each(|set| arguments.extend(["--set", set]));
    let answer = deepcfr(folder, &arguments);
    assert_eq!(answer.code, Some(0), "{}", answer.err);
    std::fs::read_dir(folder.join("runs")).unwrap().flatten().next().unwrap().path()
}

/// Whether ONNX Runtime can be used, by the command's own word.
fn has_onnx_runtime() -> bool {
    let small =
        ["bench", "inference", "--preset", "kuhn", "--models", "4x1", "--batches", "1", "--turns", "1"];
    let folder = TempDir::new().unwrap();
    let answer = deepcfr(folder.path(), &[&small[..], &["--engines", "onnxruntime"]].concat());
    let there = answer.code == Some(0);
    if !there {
        assert!(std::env::var_os("ORT_DYLIB_PATH").is_none(), "{}", answer.err);
        writeln!(std::io::stderr(), "skipped: {}", answer.err).expect("standard error takes text");
    }
    there
}

#[test]
fn a_missing_library_ends_every_command_before_any_work() {
    let library = "inference.onnxruntime_library=/no/such/libonnxruntime.so";
    let sets = ["--set", "inference.engine=onnxruntime", "--set", library];
    let folder = TempDir::new().unwrap();
    let run = trained(folder.path(), &[]);
    let run = run.to_str().unwrap();
    let commands: [&[&str]; 3] = [
        &["train", "--preset", "kuhn"],
        &["arena", run, "random"],
        &["bench", "inference", "--engines", "onnxruntime"],
    ];
    for command in commands {
        let said = refused_in(folder.path(), &[command, &sets].concat());
        for part in ["/no/such/libonnxruntime.so", "pip install onnxruntime", "ORT_DYLIB_PATH"] {
            assert!(said.contains(part), "{command:?}: {said}");
        }
    }
    let empty = format!("inference.onnxruntime_library={}", folder.path().display());
    let said =
        refused(&["train", "--preset", "kuhn", "--set", "inference.engine=onnxruntime", "--set", &empty]);
    assert!(said.contains("holds no ONNX Runtime library"), "{said}");
}

#[test]
fn runs_train_play_and_evaluate_with_onnx_runtime() {
    if !has_onnx_runtime() {
        return;
    }
    let folder = TempDir::new().unwrap();
    let by = |engine: &str| {
        let place = format!("run.folder={engine}");
        let engine = format!("inference.engine={engine}");
        let sets = ["traversal.tabulate_below=0", "evaluation.nash_conv=off", &place, &engine];
        let mut arguments = vec!["train", "--preset", "kuhn", "--set", "run.iterations=3"];
        sets.iter().for_each(|set| arguments.extend(["--set", set]));
        let answer = deepcfr(folder.path(), &arguments);
        assert_eq!(answer.code, Some(0), "{}", answer.err);
        answer
    };
    let (native, onnx) = (by("native"), by("onnxruntime"));
    assert!(
        onnx.err.contains("engine onnxruntime: a row's answer may depend on its batch by rounding"),
        "{}",
        onnx.err
    );
    assert!(!native.err.contains("by rounding"), "{}", native.err);
    let run = std::fs::read_dir(folder.path().join("onnxruntime")).unwrap().flatten().next().unwrap().path();
    let run = run.to_str().unwrap();
    let played = |engine: &str| {
        let engine = format!("inference.engine={engine}");
        let games = ["--games", "400", "--quiet", "--json", "-", "--set", &engine];
        let answer = deepcfr(folder.path(), &[&["arena", run, "random"][..], &games].concat());
        assert_eq!(answer.code, Some(0), "{}", answer.err);
        let json: serde_json::Value = serde_json::from_str(&answer.out).unwrap();
        json["pairs"][0]["difference"]["mean"].as_f64().unwrap()
    };
    // The same games with the same networks: only a choice on the edge of rounding can differ.
    let (native, onnx) = (played("native"), played("onnxruntime"));
    assert!((native - onnx).abs() <= 0.02, "{native} and {onnx}");
}

#[test]
fn a_provider_without_its_libraries_is_named_with_the_remedy() {
    if !has_onnx_runtime() {
        return;
    }
    let sets = ["--set", "inference.engine=onnxruntime", "--set", "inference.provider=tensorrt"];
    let folder = TempDir::new().unwrap();
    let answer = deepcfr(folder.path(), &[&["train", "--preset", "kuhn", "--quiet"][..], &sets].concat());
    if answer.code == Some(0) {
        return eprintln!("TensorRT is there");
    }
    assert_eq!(answer.code, Some(2), "{}", answer.err);
    for part in ["inference.provider = \"tensorrt\"", "onnxruntime-gpu", "or give \"cpu\""] {
        assert!(answer.err.contains(part), "{}", answer.err);
    }
}

#[test]
fn engines_are_timed_in_one_table_and_a_file() {
    let folder = TempDir::new().unwrap();
    let what = ["--engines", "native,burn", "--batches", "1,8,2", "--models", "8x1,4x2", "--turns", "3"];
    let arguments = [&["bench", "inference", "--preset", "kuhn", "--out", "times.csv"][..], &what].concat();
    let answer = deepcfr(folder.path(), &arguments);
    assert_eq!(answer.code, Some(0), "{}", answer.err);
    for said in ["us a call", "dispatch", "times native", "4x2", "by rounding, with burn"] {
        assert!(answer.out.contains(said), "{said}: {}", answer.out);
    }
    let csv = std::fs::read_to_string(folder.path().join("times.csv")).unwrap();
    // Two networks, two engines, three batches, three turns.
    assert_eq!(csv.lines().count(), 1 + 2 * 2 * 3 * 3);
    assert!(refused_in(folder.path(), &arguments).contains("times.csv"));
    let unknown = refused(&["bench", "inference", "--engines", "native,torch"]);
    assert!(unknown.contains("--engines") && unknown.contains("native, burn, onnxruntime"), "{unknown}");
    assert!(refused(&["bench", "inference", "--batches", "0"]).contains("--batches"));
    assert!(refused(&["bench", "inference", "--models", "512"]).contains("512"));
}

#[test]
fn a_run_is_exported_with_a_card() {
    let folder = TempDir::new().unwrap();
    let run = trained(folder.path(), &["evaluation.nash_conv=off"]);
    let run = run.to_str().unwrap();
    let answer = deepcfr(folder.path(), &["export", run, "--format", "onnx"]);
    assert_eq!(answer.code, Some(0), "{}", answer.err);
    for said in ["iteration 3", "advantage0.onnx", "strategy.onnx", "card.json"] {
        assert!(answer.out.contains(said), "{said}: {}", answer.out);
    }
    let card = Path::new(run).join("export/iteration-000003-onnx/card.json");
    let card: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(card).unwrap()).unwrap();
    assert_eq!((&card["game"]["name"], &card["actions"]["count"]), (&"kuhn".into(), &2.into()));
    let one = ["export", run, "--format", "safetensors", "--network", "strategy", "--out", "policy"];
    let answer = deepcfr(folder.path(), &one);
    assert_eq!(answer.code, Some(0), "{}", answer.err);
    let mut files: Vec<_> = std::fs::read_dir(folder.path().join("policy")).unwrap().flatten().collect();
    files.sort_by_key(|file| file.file_name());
    let names: Vec<_> = files.iter().map(|file| file.file_name().into_string().unwrap()).collect();
    assert_eq!(names, ["card.json", "card.md", "strategy.safetensors"]);
    assert!(refused(&["export", "no-such-run", "--format", "onnx"]).contains("no-such-run"));
}
