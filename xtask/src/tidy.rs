//! `cargo xtask tidy`: checks that the crates keep their layers, that no modules need each other in a circle,
//! that source files say what they are for and that lock files are current. Reads `cargo metadata` and the tracked
//! files; changes nothing.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;
use std::process::{Command, ExitCode, Output};

use serde_json::Value;

use crate::cycles;

/// What each crate may depend on within the workspace (normal dependencies), from the lowest layer up.
const LAYERS: &[(&str, &[&str])] = &[
    ("deepcfr-core", &[]),
    ("deepcfr-games", &["deepcfr-core"]),
    ("deepcfr-cfr", &["deepcfr-core"]),
    ("deepcfr-efg", &["deepcfr-core"]),
    ("deepcfr-serve", &["deepcfr-core"]),
    ("deepcfr-nn", &["deepcfr-core"]),
    ("deepcfr-onnx", &["deepcfr-core"]),
    ("deepcfr-levers", &["deepcfr-core"]),
    ("deepcfr-timing", &["deepcfr-core"]),
    ("deepcfr-config", &["deepcfr-core"]),
    ("deepcfr-runs", &["deepcfr-core"]),
    ("deepcfr-board", &["deepcfr-core", "deepcfr-cfr", "deepcfr-serve", "deepcfr-config"]),
    ("deepcfr-builtin", &["deepcfr-core", "deepcfr-games", "deepcfr-cfr", "deepcfr-config", "deepcfr-board"]),
    ("deepcfr-solve", &["deepcfr-core", "deepcfr-cfr", "deepcfr-config", "deepcfr-board", "deepcfr-runs"]),
    (
        "deepcfr-train",
        &[
            "deepcfr-core",
            "deepcfr-cfr",
            "deepcfr-serve",
            "deepcfr-nn",
            "deepcfr-onnx",
            "deepcfr-config",
            "deepcfr-board",
            "deepcfr-runs",
            "deepcfr-timing",
        ],
    ),
    (
        "deepcfr-arena",
        &[
            "deepcfr-core",
            "deepcfr-cfr",
            "deepcfr-nn",
            "deepcfr-onnx",
            "deepcfr-config",
            "deepcfr-board",
            "deepcfr-runs",
            "deepcfr-solve",
            "deepcfr-train",
        ],
    ),
    (
        "deepcfr-bench",
        &[
            "deepcfr-core",
            "deepcfr-games",
            "deepcfr-cfr",
            "deepcfr-serve",
            "deepcfr-nn",
            "deepcfr-levers",
            "deepcfr-config",
            "deepcfr-board",
            "deepcfr-builtin",
            "deepcfr-runs",
            "deepcfr-timing",
            "deepcfr-train",
        ],
    ),
    (
        "deepcfr-cli",
        &[
            "deepcfr-core",
            "deepcfr-nn",
            "deepcfr-levers",
            "deepcfr-config",
            "deepcfr-board",
            "deepcfr-builtin",
            "deepcfr-runs",
            "deepcfr-solve",
            "deepcfr-train",
            "deepcfr-arena",
            "deepcfr-bench",
        ],
    ),
];

/// Families of packages that must never be compiled for these crates, however indirectly.
const BANNED: &[(&str, &[&str])] = &[
    ("deepcfr-core", &["burn", "serde", "tracing"]),
    ("deepcfr-games", &["burn", "serde", "tracing"]),
    ("deepcfr-cfr", &["burn", "serde", "tracing"]),
    ("deepcfr-efg", &["burn", "serde", "tracing"]),
    ("deepcfr-serve", &["burn", "serde"]),
    ("deepcfr-onnx", &["burn", "tracing"]),
    ("deepcfr-timing", &["burn", "serde", "tracing"]),
    ("deepcfr-config", &["burn"]),
    ("deepcfr-runs", &["burn"]),
    ("deepcfr-board", &["burn"]),
    ("deepcfr-builtin", &["burn"]),
    ("deepcfr-solve", &["burn"]),
];

/// Packages that reach GPUs: the command brings in none of them unless it is asked to.
const GPU: &[&str] =
    &["burn-cubecl", "burn-cuda", "burn-wgpu", "cubecl-core", "cubecl-server", "cudarc", "wgpu"];

/// The one crate that may name burn.
const BURN_HOME: &str = "deepcfr-nn";

/// The most lines that a source file may have above its unit tests.
const MAX_LINES: usize = 500;

pub(crate) fn run() -> ExitCode {
    let metadata = cargo_metadata();
    let mut problems = layering(&metadata);
    problems.extend(banned(&metadata));
    problems.extend(gpu_packages(&default_tree()));
    problems.extend(sources());
    problems.extend(stale_locks());
    for problem in &problems {
        eprintln!("tidy: {problem}");
    }
    if problems.is_empty() {
        println!("tidy: layers and sources are in order");
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// The programs outside the workspace, whose `Cargo.lock` follows what the workspace's crates need.
const OUTSIDE: &[&str] = &["examples/own-game"];

/// The programs outside the workspace whose lock files no longer hold: a crate that the workspace gained, or a
/// dependency of one, stands in them too, and nothing but a build of theirs would tell.
fn stale_locks() -> Vec<String> {
    let stale = |folder: &&&str| {
        let output = locked_metadata(&["--manifest-path", &format!("{folder}/Cargo.toml")]);
        !output.status.success()
    };
    let told = |folder: &&str| {
        format!(
            "{folder}/Cargo.lock is behind its crates: `cargo update --workspace` in {folder} brings it up"
        )
    };
    OUTSIDE.iter().filter(stale).map(told).collect()
}

fn locked_metadata(more: &[&str]) -> Output {
    Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--locked"])
        .args(more)
        .output()
        .expect("cargo runs: it started this program")
}

fn cargo_metadata() -> Value {
    let output = locked_metadata(&[]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("cargo metadata prints JSON")
}

fn packages(metadata: &Value) -> impl Iterator<Item = &Value> {
    metadata["packages"].as_array().expect("metadata lists packages").iter()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// The normal, non-optional dependencies of a package by name.
fn direct(package: &Value) -> impl Iterator<Item = &str> {
    let dependencies = package["dependencies"].as_array().expect("packages list dependencies").iter();
    dependencies.filter(|d| d["kind"].is_null() && d["optional"] != true).map(|d| text(&d["name"]))
}

fn layering(metadata: &Value) -> Vec<String> {
    let mut problems = Vec::new();
    for package in packages(metadata).filter(|p| text(&p["name"]).starts_with("deepcfr-")) {
        let name = text(&package["name"]);
        let Some((_, allowed)) = LAYERS.iter().find(|(layer, _)| *layer == name) else {
            if name != "deepcfr-benches" {
                problems.push(format!("{name} has no layer: add it to LAYERS in xtask/src/tidy.rs"));
            }
            continue;
        };
        for dependency in direct(package) {
            if dependency.starts_with("deepcfr-") && !allowed.contains(&dependency) {
                problems.push(format!("{name} must not depend on {dependency}: it is not below it"));
            }
            if dependency.starts_with("burn") && name != BURN_HOME {
                problems.push(format!("{name} must not depend on {dependency}: only {BURN_HOME} names burn"));
            }
        }
    }
    problems
}

/// Every package that a package's normal dependencies bring in.
fn closure<'a>(root: &'a str, by_name: &HashMap<&'a str, &'a Value>) -> BTreeSet<&'a str> {
    let mut seen = BTreeSet::new();
    let mut open = vec![root];
    while let Some(name) = open.pop() {
        if seen.insert(name)
            && let Some(package) = by_name.get(name)
        {
            open.extend(direct(package));
        }
    }
    seen
}

fn banned(metadata: &Value) -> Vec<String> {
    let by_name: HashMap<&str, &Value> = packages(metadata).map(|p| (text(&p["name"]), p)).collect();
    let mut problems = Vec::new();
    for (name, families) in BANNED {
        for dependency in closure(name, &by_name) {
            if families.iter().any(|family| dependency.starts_with(family)) {
                problems.push(format!("{name} must not bring in {dependency}"));
            }
        }
    }
    problems
}

/// The packages that the command is built from without features, a line each.
fn default_tree() -> String {
    // Unlike the metadata, it leaves out what only a dependency's other features would bring in.
    let output = Command::new(env!("CARGO"))
        .args(["tree", "--locked", "-p", "deepcfr-cli", "-e", "normal,build", "--prefix", "none"])
        .output()
        .expect("cargo runs: it started this program");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("package names are UTF-8")
}

fn gpu_packages(tree: &str) -> Vec<String> {
    let named = tree.lines().filter_map(|line| line.split_whitespace().next());
    let gpu = named.filter(|package| GPU.iter().any(|family| package.starts_with(family)));
    let gpu: BTreeSet<&str> = gpu.collect();
    gpu.into_iter().map(|package| format!("a build without features must not bring in {package}")).collect()
}

fn sources() -> Vec<String> {
    let listed =
        Command::new("git").args(["ls-files", "--", "*.rs"]).output().expect("git lists the sources");
    let files = String::from_utf8(listed.stdout).expect("file names are UTF-8");
    let paths: Vec<&Path> = files.lines().map(Path::new).filter(|path| path.exists()).collect();
    let mut problems: Vec<String> = paths.iter().flat_map(|path| source_problems(path)).collect();
    problems.extend(cycles::problems(&paths));
    problems
}

fn source_problems(path: &Path) -> Vec<String> {
    let source = std::fs::read_to_string(path).expect("tracked sources are readable");
    let shown = path.display();
    let mut problems = Vec::new();
    if !source.starts_with("//!") {
        problems.push(format!("{shown}: the first line must say what the file is for (`//! …`)"));
    }
    let lines = source.lines().take_while(|line| !line.starts_with("#[cfg(test)]")).count();
    if lines > MAX_LINES && !path.iter().any(|part| part == "tests" || part == "tests.rs") {
        problems.push(format!("{shown}: {lines} lines above its tests; split it (limit {MAX_LINES})"));
    }
    problems
}
