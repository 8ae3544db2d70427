//! `cargo xtask results [PRESET…]`: trains presets over seeds, keeps their curves and writes docs/results.md.
//!
//! A preset that is not named keeps the curves of its last time. Not here: what a run measures.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use serde_json::{Value, json};

const PAGE: &str = "docs/results.md";
const RECORD: &str = "benches/record/results";
const RUNS: &str = "target/results";
const SEEDS: u64 = 3;

/// The presets in the order of the page, each with the best published figure beside which it stands.
const PRESETS: [(&str, &str); 2] = [
    ("kuhn", "VR-DeepPDCFR+ 3.0 (Xu et al. 2026)"),
    ("leduc", "SD-CFR 44 ± 5 at 13M nodes (re-run of the setting of DREAM, Steinberger et al. 2020)"),
];

/// A curve's columns: a policy of the run, or a tabular solver at the same nodes.
const LINES: [&str; 4] = ["SD-CFR average", "policy network", "ES-MCCFR", "linear ES-MCCFR"];

const INTRO: &str = "\
# Results

What the presets come to. `cargo xtask results [PRESET…]` trains them, seeds 1 to 3 one after the other, keeps the curves in
`benches/record/results` and writes this page from all curves that are there.

Figures are exploitability (NashConv over two players) in thousandths of the ante a game, mean ± standard deviation over
the seeds. Nodes are decisions and ends that traversals visit, chance excluded. Seconds are those of the run without
evaluation. The tabular lines are Monte Carlo CFR on the same tree to the same number of nodes: ES-MCCFR, and the same with
iteration t counting t times, as the networks' samples do.
";

pub(crate) fn run(wanted: &[String]) -> ExitCode {
    match write(wanted) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn write(wanted: &[String]) -> Result<(), String> {
    let names = || PRESETS.iter().map(|(name, _)| *name);
    if let Some(unknown) = wanted.iter().find(|word| !names().any(|name| name == word.as_str())) {
        let known = names().collect::<Vec<_>>().join(", ");
        return Err(format!("no results are kept of {unknown}; there are {known}"));
    }
    std::fs::create_dir_all(RECORD).map_err(|error| format!("{RECORD}: {error}"))?;
    for name in names().filter(|name| wanted.is_empty() || wanted.iter().any(|word| word == name)) {
        for seed in 1..=SEEDS {
            let curve = train(name, seed)?;
            let text = serde_json::to_string_pretty(&curve).expect("a curve is plain data");
            let path = record(name, seed);
            std::fs::write(&path, text + "\n").map_err(|error| format!("{}: {error}", path.display()))?;
        }
    }
    let mut page = INTRO.to_owned();
    for (name, published) in PRESETS {
        let curves: Vec<Value> = (1..=SEEDS).filter_map(|seed| read(&record(name, seed))).collect();
        if !curves.is_empty() {
            page += &section(name, published, &curves);
        }
    }
    std::fs::write(PAGE, page).map_err(|error| format!("{PAGE}: {error}"))?;
    println!("wrote {PAGE}");
    Ok(())
}

fn record(preset: &str, seed: u64) -> PathBuf {
    Path::new(RECORD).join(format!("{preset}-{seed}.json"))
}

fn read(path: &Path) -> Option<Value> {
    serde_json::from_str(&std::fs::read_to_string(path).ok()?).ok()
}

/// Trains `preset` and returns its curve.
fn train(preset: &str, seed: u64) -> Result<Value, String> {
    let folder = Path::new(RUNS).join(format!("{preset}-{seed}"));
    // What an earlier call left would be taken for this one's.
    let _ = std::fs::remove_dir_all(&folder);
    let status = Command::new(env!("CARGO"))
        .args(["run", "--quiet", "--release", "--locked", "-p", "deepcfr-cli", "--", "train", "--quiet"])
        .args(["--preset", preset, "--seed", &seed.to_string()])
        .arg("--set")
        .arg(format!("run.folder={}", folder.display()))
        .status()
        .expect("cargo runs: it started this program");
    if !status.success() {
        return Err(format!("{preset} with seed {seed} ended with {status}"));
    }
    let run = std::fs::read_dir(&folder).ok().and_then(|mut runs| runs.next()?.ok());
    let run = run.ok_or_else(|| format!("{}: no run", folder.display()))?.path();
    let metrics = run.join("metrics.jsonl");
    let metrics =
        std::fs::read_to_string(&metrics).map_err(|error| format!("{}: {error}", metrics.display()))?;
    let lines = metrics.lines().filter_map(|line| serde_json::from_str(line).ok());
    let points: Vec<Value> = lines.filter_map(|line: Value| point(&line)).collect();
    let machine = read(&run.join("machine.json")).unwrap_or_default();
    let command = format!("deepcfr train --preset {preset} --seed {seed}");
    Ok(json!({ "command": command, "machine": machine, "points": points }))
}

/// An evaluated line of the metrics as a point of the curve.
fn point(line: &Value) -> Option<Value> {
    let evaluation = line.get("evaluation")?.as_object()?;
    let named = |list: &str, key: &str| {
        let entries = evaluation.get(list).and_then(Value::as_array).into_iter().flatten();
        entries
            .filter_map(|entry| Some((entry[key].as_str()?.to_owned(), figure(entry)?)))
            .collect::<Vec<_>>()
    };
    let figures = named("exact", "policy").into_iter().chain(named("tabular", "solver"));
    let mut point = json!({
        "iteration": line["iteration"],
        "nodes": line["nodes_total"],
        "seconds": line["clock"]["wall_seconds"].as_f64()? - line["clock"]["evaluation_seconds"].as_f64()?,
    });
    figures.for_each(|(name, figure)| point[name] = json!(figure));
    Some(point)
}

/// Thousandths of the ante, or of a point in games without one.
fn figure(entry: &Value) -> Option<f64> {
    let points = || Some(1000.0 * entry["exploitability_points"].as_f64()?);
    entry["exploitability_ma_per_g"].as_f64().or_else(points)
}

fn section(name: &str, published: &str, curves: &[Value]) -> String {
    let first = &curves[0];
    let machine = &first["machine"];
    let commit = machine["git_commit"].as_str().unwrap_or("unknown");
    let mut text = format!(
        "\n## `{name}`\n\nPublished: {published}. {} seeds, {} cores of {}, commit {}.\n\n| iteration | nodes | seconds |",
        curves.len(),
        machine["logical_cores"],
        machine["cpu"].as_str().unwrap_or("an unknown processor"),
        &commit[..commit.len().min(7)],
    );
    let lines: Vec<&str> = LINES.into_iter().filter(|line| of(curves, 0, line).is_some()).collect();
    lines.iter().for_each(|line| text += &format!(" {line} |"));
    text += "\n|---:|---:|---:|";
    text += &"---:|".repeat(lines.len());
    text += "\n";
    let count = curves.iter().filter_map(|curve| Some(curve["points"].as_array()?.len())).min().unwrap_or(0);
    for index in 0..count {
        let plain = |key: &str| of(curves, index, key).map_or(f64::NAN, |(mean, _)| mean);
        let (nodes, seconds) = (plain("nodes") / 1e6, plain("seconds"));
        let _ = write!(text, "| {} | {nodes:.2}M | {seconds:.0} |", plain("iteration"));
        for line in &lines {
            match of(curves, index, line) {
                Some((mean, spread)) => _ = write!(text, " {mean:.1} ± {spread:.1} |"),
                None => text += " – |",
            }
        }
        text += "\n";
    }
    text
}

/// Mean and standard deviation over the curves at their point `index`; `None` where one has no such figure.
fn of(curves: &[Value], index: usize, key: &str) -> Option<(f64, f64)> {
    let values: Option<Vec<f64>> = curves.iter().map(|curve| curve["points"][index][key].as_f64()).collect();
    let values = values?;
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    let spread = if values.len() > 1 { (squares / (values.len() - 1) as f64).sqrt() } else { 0.0 };
    Some((mean, spread))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_tells_means_and_spreads_of_every_line_that_there_is() {
        let curve = |figure: f64| {
            let line = json!({
                "iteration": 5, "nodes_total": 2_000_000, "clock": {"wall_seconds": 9.0, "evaluation_seconds": 1.0},
                "evaluation": {
                    "exact": [{"policy": "SD-CFR average", "exploitability_ma_per_g": figure}],
                    "tabular": [{"solver": "ES-MCCFR", "exploitability_points": 0.02}],
                },
            });
            json!({ "machine": {}, "points": [point(&line).expect("it is evaluated")] })
        };
        let text = section("kuhn", "nothing", &[curve(1.0), curve(3.0)]);
        assert!(text.contains("| iteration | nodes | seconds | SD-CFR average | ES-MCCFR |\n"), "{text}");
        assert!(text.contains("| 5 | 2.00M | 8 | 2.0 ± 1.4 | 20.0 ± 0.0 |"), "{text}");
        assert_eq!(point(&json!({ "iteration": 1, "evaluation": null })), None);
    }
}
