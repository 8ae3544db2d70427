//! Measuring and advising: what the commands print, and what they refuse.

use tempfile::TempDir;

use crate::{deepcfr, refused};

#[test]
fn schedulers_are_timed_on_the_same_nodes() {
    let folder = TempDir::new().unwrap();
    let arguments = [
        &["bench", "schedulers", "--preset", "kuhn", "--turns", "1", "--json"][..],
        &["--set", "network.hidden_size=8", "--set", "traversal.workers=2"],
    ]
    .concat();
    let answer = deepcfr(folder.path(), &arguments);
    assert_eq!(answer.code, Some(0), "{}", answer.err);
    let lines: Vec<serde_json::Value> =
        answer.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let names: Vec<&str> = lines.iter().map(|line| line["scheduler"].as_str().unwrap()).collect();
    assert_eq!(names, ["recursive", "interleaved", "server", "interleaved+server"]);
    assert!(lines.iter().all(|line| line["nodes"] == lines[0]["nodes"] && line["batches"]["rows"] != 0));
    let mean = |line: usize| lines[line]["batches"]["mean_rows"].as_f64().unwrap();
    assert!(mean(0) == 1.0 && mean(2) <= 2.0 && mean(1) > 2.0, "{}", answer.out);
}

#[test]
fn advice_follows_from_a_profile_and_a_missing_one_is_refused() {
    let profile = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/levers/example-profile.json");
    let folder = TempDir::new().unwrap();
    let answer = deepcfr(folder.path(), &["advise", "--profile", profile]);
    assert_eq!((answer.code, answer.err.as_str()), (Some(0), ""));
    let other = "network.hidden_size=1024,network.num_layers=6";
    let asked = deepcfr(folder.path(), &["advise", "--profile", profile, "--what-if", other]);
    assert!(asked.code == Some(0) && asked.out != answer.out, "{}", asked.err);
    assert!(refused(&["advise", "--profile", "none.json"]).contains("none.json"));
    let unknown = ["advise", "--profile", profile, "--what-if", "network.colour=1"];
    assert!(refused(&unknown).contains("network.colour"));
}

/// A server's worth of the in-flight law in a run's summary: what bounds the batches, what to use.
#[test]
fn a_summary_says_why_one_lane_workers_cannot_fill_a_batch() {
    let folder = TempDir::new().unwrap();
    let sets = [
        "traversal.scheduler=server",
        "traversal.workers=8",
        "traversal.tabulate_below=0",
        "run.iterations=2",
        "evaluation.deals=0",
    ];
    let mut arguments = vec!["train", "--quiet", "--preset", "kuhn"];
    sets.iter().for_each(|set| arguments.extend(["--set", set]));
    let answer = deepcfr(folder.path(), &arguments);
    assert_eq!(answer.code, Some(0), "{}", answer.err);
    let run = std::fs::read_dir(folder.path().join("runs")).unwrap().flatten().next().unwrap().path();
    let summary = std::fs::read_to_string(run.join("summary.md")).unwrap();
    for said in ["8 × 1, 2", "8 workers share batches", "traversal.scheduler = \"interleaved\""] {
        assert!(summary.contains(said), "{said}: {summary}");
    }
    let metrics = std::fs::read_to_string(run.join("metrics.jsonl")).unwrap();
    let last: serde_json::Value = serde_json::from_str(metrics.lines().last().unwrap()).unwrap();
    assert!(last["batches"]["mean_rows"].as_f64().unwrap() <= 8.0);
    assert!(last["batches"]["closes"]["quorum"].as_u64().unwrap() > 0);
}

#[test]
fn games_are_listed_with_the_parameters_that_are_set() {
    let folder = TempDir::new().unwrap();
    let listed = deepcfr(folder.path(), &["games", "leduc", "--set", "game.leduc.ranks=5"]);
    assert_eq!(listed.code, Some(0), "{}", listed.err);
    assert!(listed.out.starts_with("leduc\n  parameters: ranks=5"), "{}", listed.out);
    assert!(!listed.out.contains("kuhn") && listed.out.contains("infosets: 780;"), "{}", listed.out);
    let unknown = refused(&["games", "leducc"]);
    assert!(unknown.contains("game.name"), "{unknown}");
    let foreign = refused(&["games", "--set", "run.seed=3"]);
    assert!(foreign.contains("only keys of [game] can be set here"), "{foreign}");
}

#[test]
fn a_game_too_big_to_be_measured_says_so_before_it_trains() {
    let folder = TempDir::new().unwrap();
    let small = "--set run.iterations=1 --set traversal.traversals_per_player=2 --set training.advantage_steps=1 \
                 --set training.strategy_steps=1 --set network.hidden_size=8 --set evaluation.deals=2 \
                 --set evaluation.nash_conv=";
    let train = |game: &str, nash_conv: &str| {
        let words = format!("train --set game.name={game} {small}{nash_conv}");
        let answer = deepcfr(folder.path(), &words.split_whitespace().collect::<Vec<_>>());
        assert_eq!(answer.code, Some(0), "{}", answer.err);
        answer.err.contains("exploitability will not be measured")
    };
    assert!(train("lost_cities", "auto"));
    assert!(!train("lost_cities", "off"));
    assert!(!train("kuhn", "auto"));
}
