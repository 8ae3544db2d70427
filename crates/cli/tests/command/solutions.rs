//! Tabular solutions through the command: curves, files, going on, comparing, exploiting, refusals.

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::{deepcfr, refused, refused_in};

/// Solves in the folder `name` and returns it and what was printed.
fn solve(folder: &Path, name: &str, arguments: &[&str]) -> (PathBuf, String) {
    let answer = deepcfr(folder, &[&["solve", "--out", name][..], arguments].concat());
    assert_eq!((answer.code, answer.err.as_str()), (Some(0), ""), "{}", answer.out);
    (folder.join(name), answer.out)
}

fn text(path: &Path) -> &str {
    path.to_str().expect("test folders have plain names")
}

/// Iterations, exploitability and value by point.
fn points(solution: &Path) -> Vec<(u64, f64, f64)> {
    let csv = fs::read_to_string(solution.join("curve.csv")).unwrap();
    let field = |line: &str, index: usize| line.split(',').nth(index).unwrap().to_owned();
    let point = |line: &str| {
        let [exploitability, value] = [4, 6].map(|index| field(line, index).parse().unwrap());
        (field(line, 1).parse().unwrap(), exploitability, value)
    };
    csv.lines().skip(1).map(point).collect()
}

#[test]
fn a_game_is_solved_and_its_policy_can_be_exploited_by_what_the_curve_says() {
    let folder = TempDir::new().unwrap();
    let arguments = ["solve", "--game", "kuhn", "--algorithm", "cfr+", "--iterations", "1000"];
    let answer = deepcfr(folder.path(), &arguments);
    assert_eq!((answer.code, answer.err.as_str()), (Some(0), ""));
    let runs: Vec<_> = fs::read_dir(folder.path().join("runs")).unwrap().flatten().collect();
    let name = runs[0].file_name().into_string().unwrap();
    assert!(runs.len() == 1 && name.ends_with("-solve-kuhn-cfr-plus"), "{name}");
    let solution = runs[0].path();
    for file in ["curve.json", "machine.json", "policy.dcfr", "solve.toml", "exploitability-by-nodes.svg"] {
        assert!(fs::metadata(solution.join(file)).unwrap().len() > 0, "{file}");
    }
    let points = points(&solution);
    let iterations: Vec<u64> = points.iter().map(|point| point.0).collect();
    assert_eq!(iterations, [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000]);
    let (_, exploitability, value) = points[9];
    assert!((0.0..1e-3).contains(&exploitability), "{exploitability}");
    assert!((value + 1.0 / 18.0).abs() < 1e-3, "{value}");
    for said in ["finished after 1000 iterations", "NashConv", "12 infosets", "mA/g"] {
        assert!(answer.out.contains(said), "{said}: {}", answer.out);
    }
    for subject in [name.as_str(), text(&solution), text(&solution.join("policy.dcfr"))] {
        let exploited = deepcfr(folder.path(), &["exploit", subject]);
        assert_eq!((exploited.code, exploited.err.as_str()), (Some(0), ""));
        for said in [
            "kuhn, cfr+ after 1000 iterations",
            &format!("value           {value:+.9} to player 0"),
            "best responses  ",
            "infosets        12 of 12\n",
        ] {
            assert!(exploited.out.contains(said), "{said}: {}", exploited.out);
        }
        let figure = exploited.out.split("exploitability  ").nth(1).unwrap().split(' ').next().unwrap();
        let figure: f64 = figure.parse().unwrap();
        assert!((figure / exploitability - 1.0).abs() < 1e-5, "{figure} {exploitability}");
    }
}

#[test]
fn a_solution_that_is_gone_on_with_is_the_one_that_was_never_stopped() {
    let folder = TempDir::new().unwrap();
    for algorithm in ["dcfr", "es-mccfr"] {
        let arguments = |n| ["--game", "kuhn", "--algorithm", algorithm, "--seed", "5", "--iterations", n];
        let (whole, _) = solve(folder.path(), &format!("{algorithm}-whole"), &arguments("60"));
        let (parts, _) = solve(folder.path(), &format!("{algorithm}-parts"), &arguments("50"));
        let answer = deepcfr(folder.path(), &["solve", "--resume", text(&parts), "--iterations", "60"]);
        assert_eq!((answer.code, answer.err.as_str()), (Some(0), ""));
        assert!(answer.out.contains("seed 5, from iteration 50"), "{}", answer.out);
        assert_eq!(points(&parts), points(&whole), "{algorithm}");
        let read = |folder: &Path| fs::read(folder.join("policy.dcfr")).unwrap();
        assert!(read(&parts) == read(&whole), "{algorithm}");
        let done =
            deepcfr(folder.path(), &["solve", "--quiet", "--resume", text(&parts), "--iterations", "60"]);
        assert!(done.out.starts_with("nothing to do: 60 iterations are done"), "{}", done.out);
        assert_eq!(points(&parts), points(&whole), "{algorithm}");
    }
}

#[test]
fn algorithms_are_compared_in_one_table_and_one_plot_each() {
    let folder = TempDir::new().unwrap();
    let compare = ["--game", "kuhn", "--quiet", "--compare", "cfr,cfr+,es-mccfr", "--iterations", "200"];
    let (solution, out) = solve(folder.path(), "compared", &compare);
    assert_eq!(out.matches("exploitability in points").count(), 1, "{out}");
    for algorithm in ["cfr  ", "cfr+ ", "es-mccfr "] {
        let row = out.lines().find(|line| line.starts_with(algorithm)).expect(algorithm);
        assert_eq!(row.split_whitespace().nth(1), Some("200"), "{row}");
    }
    for cost in ["iterations", "nodes", "seconds"] {
        let svg = fs::read_to_string(solution.join(format!("exploitability-by-{cost}.svg"))).unwrap();
        assert!(svg.contains("es-mccfr") && svg.contains("cfr+"), "{cost}");
    }
    let exploited = deepcfr(folder.path(), &["exploit", text(&solution)]);
    assert_eq!(exploited.out.matches("exploitability  ").count(), 3, "{}", exploited.out);
}

#[test]
fn a_game_too_big_to_lay_out_is_sampled_and_not_exploited() {
    let folder = TempDir::new().unwrap();
    let big = ["--game", "leduc", "--algorithm", "os-mccfr", "--iterations", "20", "--max-nodes", "1000"];
    let (solution, out) = solve(folder.path(), "big", &big);
    assert!(out.contains("too big to be laid out"), "{out}");
    let message = refused_in(folder.path(), &["exploit", text(&solution), "--max-nodes", "1000"]);
    for said in ["leduc has more than 1000 nodes", "GB", "os-mccfr", "matches", "raise the limit"] {
        assert!(message.contains(said), "{said}: {message}");
    }
    let exploited = deepcfr(folder.path(), &["exploit", text(&solution)]);
    assert!(exploited.out.contains(" are missing and play uniformly"), "{}", exploited.out);
    let full = ["solve", "--game", "leduc", "--algorithm", "cfr", "--max-nodes", "1000", "--out", "x"];
    assert!(refused_in(folder.path(), &full).contains("leduc has more than 1000 nodes"));
}

#[test]
fn a_training_run_is_exploited_too() {
    let folder = TempDir::new().unwrap();
    let sets = ["run.iterations=2", "training.advantage_steps=50", "training.strategy_steps=50"];
    let sets = sets.map(|set| ["--set", set]).concat();
    let trained = deepcfr(folder.path(), &[&["train", "--quiet", "--preset", "kuhn"][..], &sets].concat());
    assert_eq!((trained.code, trained.err.as_str()), (Some(0), ""));
    let run = fs::read_dir(folder.path().join("runs")).unwrap().flatten().next().unwrap().path();
    let exploited = deepcfr(folder.path(), &["exploit", text(&run)]);
    assert_eq!((exploited.code, exploited.err.as_str()), (Some(0), ""));
    for said in ["policy network after 2 iterations", "SD-CFR average after 2", "infosets        12 of 12"] {
        assert!(exploited.out.contains(said), "{said}: {}", exploited.out);
    }
}

#[test]
fn what_cannot_be_solved_is_refused_with_key_value_and_remedy() {
    for (arguments, said) in [
        (&["solve", "--game", "chess"][..], "game.name = \"chess\"\n      give one of"),
        (&["solve", "--algorithm", "dcf"], "--algorithm = dcf\n      no such algorithm; did you mean dcfr?"),
        (&["solve", "--iterations", "0"], "--iterations = 0\n      give 1 to"),
        (&["solve", "--seconds", "0"], "--seconds = 0\n      give a number above 0"),
        (&["solve", "--set", "run.iterations=3"], "--set = run.iterations=3\n      only keys of [game]"),
        (&["solve", "--set", "game.leduc.ranks=1"], "game.leduc.ranks = 1\n      give 2 to 64"),
        (&["solve", "--compare", "cfr"], "--compare = cfr\n      give two or more"),
        (&["solve", "--compare", "cfr,cfr"], "--compare = cfr\n      give each algorithm once"),
        (&["solve", "--compare", "cfr,dcfr", "--algorithm", "cfr"], "cannot be used with"),
        (&["solve", "--resume", "nothing"], "no run \"nothing\""),
        (&["exploit", "nothing"], "no run \"nothing\""),
        (&["exploit", "nothing", "--max-nodes", "0"], "--max-nodes = 0\n      give 1 to"),
    ] {
        let message = refused(arguments);
        assert!(message.contains(said), "{arguments:?}: {message}");
    }
}

#[test]
fn files_that_are_foreign_damaged_or_in_the_way_are_refused_by_name() {
    let folder = TempDir::new().unwrap();
    let (solution, _) = solve(folder.path(), "kuhn", &["--game", "kuhn", "--iterations", "5"]);
    let again = refused_in(folder.path(), &["solve", "--out", "kuhn"]);
    assert!(again.contains("--out = kuhn: it exists already"), "{again}");
    let policy = solution.join("policy.dcfr");
    let whole = fs::read(&policy).unwrap();
    let mut flipped = whole.clone();
    let middle = whole.len() / 2;
    flipped[middle] ^= 1;
    for (bytes, said) in
        [(&whole[..middle], "is truncated"), (&flipped, "is damaged"), (b"a text", "is not a deepcfr")]
    {
        fs::write(&policy, bytes).unwrap();
        for command in [&["solve", "--iterations", "9", "--resume"][..], &["exploit"]] {
            let message = refused_in(folder.path(), &[command, &[text(&solution)]].concat());
            assert!(message.contains(said) && message.contains("policy.dcfr"), "{message}");
        }
    }
    let empty = folder.path().join("empty");
    fs::create_dir(&empty).unwrap();
    let message = refused_in(folder.path(), &["solve", "--resume", text(&empty)]);
    assert!(message.contains("it has no solve.toml"), "{message}");
}
