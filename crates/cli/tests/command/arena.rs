//! The arena through the command: bots, runs, solutions, files, and what is refused.

use std::fs;
use std::path::Path;

use serde_json::Value;
use tempfile::TempDir;

use crate::{deepcfr, refused, refused_in};

const WITHOUT_ARCHIVE: [&str; 2] = ["average.sd_cfr=false", "evaluation.policies=[\"current\"]"];

/// Trains a short run of Kuhn poker; returns its folder's name.
fn train(folder: &Path, name: &str, set: &[&str]) -> String {
    let sets = [
        "run.iterations=4",
        "training.advantage_steps=60",
        "training.strategy_steps=60",
        "evaluation.deals=0",
        "checkpoint.every=2",
        "checkpoint.keep=2",
    ];
    let run_name = format!("run.name={name}");
    let mut arguments = vec!["train", "--quiet", "--preset", "kuhn", "--set", run_name.as_str()];
    sets.iter().chain(set).for_each(|set| arguments.extend(["--set", set]));
    let answer = deepcfr(folder, &arguments);
    assert_eq!(answer.code, Some(0), "{}", answer.err);
    let runs = fs::read_dir(folder.join("runs")).unwrap().flatten();
    let mut names = runs.map(|run| run.file_name().into_string().unwrap());
    names.find(|found| found.ends_with(name)).unwrap()
}

fn json(folder: &Path, arguments: &[&str]) -> Value {
    let answer = deepcfr(folder, &[&["arena", "--json", "-", "--quiet"][..], arguments].concat());
    assert_eq!((answer.code, answer.err.as_str()), (Some(0), ""), "{}", answer.out);
    serde_json::from_str(&answer.out).unwrap()
}

fn names(report: &Value) -> Vec<&str> {
    let contestants = report["contestants"].as_array().unwrap();
    contestants.iter().map(|contestant| contestant["name"].as_str().unwrap()).collect()
}

#[test]
fn bots_meet_and_the_result_stands_in_all_files() {
    let folder = TempDir::new().unwrap();
    let arguments = [
        "arena",
        "random",
        "Discard_Only",
        "threshold",
        "--game",
        "lost_cities",
        "--games",
        "40",
        "--out",
        "result",
    ];
    let answer = deepcfr(folder.path(), &arguments);
    assert_eq!(answer.code, Some(0), "{}", answer.err);
    assert!(answer.err.contains("120 games in ") && answer.err.contains(" a second"), "{}", answer.err);
    for said in
        ["# Arena: lost_cities colours=5", "| random       | discard-only |    40 |", "| 1     | threshold"]
    {
        assert!(answer.out.contains(said), "{said}: {}", answer.out);
    }
    let text = fs::read_to_string(folder.path().join("result/arena.md")).unwrap();
    assert!(text.starts_with(&answer.out) && text.ends_with("(arena.svg)\n"), "{text}");
    let report: Value =
        serde_json::from_str(&fs::read_to_string(folder.path().join("result/arena.json")).unwrap()).unwrap();
    assert_eq!(report["pairs"].as_array().unwrap().len(), 3);
    assert_eq!(report["pairs"][0]["scores"][1]["mean"], 0.0);
    assert_eq!(report["ladder"][0]["name"], "threshold");
    assert!(fs::read_to_string(folder.path().join("result/arena.svg")).unwrap().contains("</svg>"));
}

#[test]
fn runs_checkpoints_strategies_and_solutions_meet_whatever_the_threads() {
    let folder = TempDir::new().unwrap();
    let small = train(folder.path(), "small", &["network.hidden_size=16"]);
    let large = train(folder.path(), "large", &WITHOUT_ARCHIVE);
    let solved = deepcfr(folder.path(), &["solve", "--game", "kuhn", "--iterations", "200", "--out", "nash"]);
    assert_eq!(solved.code, Some(0), "{}", solved.err);
    let (early, current) = (format!("{small}@2:current"), format!("runs/{small}:current"));
    let contestants = [small.as_str(), &early, &current, &large, "nash", "always-call", "--games", "400"];
    let report = json(folder.path(), &contestants);
    let expected = [
        format!("{small}@4:sd_cfr"),
        early.clone(),
        format!("{small}@4:current"),
        format!("{large}@4:policy_network"),
        "nash".to_owned(),
        "always-call".to_owned(),
    ];
    assert_eq!(names(&report), expected);
    assert_eq!((report["pairs"].as_array().unwrap().len(), report["game"].as_str()), (15, Some("kuhn")));
    // An equilibrium loses no points to anybody, and wins some from a caller.
    for pair in report["pairs"].as_array().unwrap() {
        let [mean, ci95] = ["mean", "ci95"].map(|key| pair["difference"][key].as_f64().unwrap());
        assert!(pair["b"] != "nash" || mean < 2.0 * ci95, "{pair}");
        assert!(pair["a"] != "nash" || mean > ci95, "{pair}");
    }
    for knobs in [
        &["--threads", "1"][..],
        &["--threads", "3", "--set", "traversal.lanes=5"],
        &["--threads", "2", "--set", "traversal.scheduler=interleaved+server"],
        &["--set", "traversal.scheduler=recursive"],
    ] {
        assert!(json(folder.path(), &[&contestants[..], knobs].concat()) == report, "{knobs:?}");
    }
    assert!(json(folder.path(), &[&contestants[..], &["--seed", "2"]].concat()) != report);
}

#[test]
fn games_are_as_many_as_the_question_takes() {
    let folder = TempDir::new().unwrap();
    let bots = ["random", "always-call", "--game", "leduc"];
    let precise = json(folder.path(), &[&bots[..], &["--precision", "0.2"]].concat());
    let pair = &precise["pairs"][0];
    assert!(pair["difference"]["ci95"].as_f64().unwrap() <= 0.2, "{pair}");
    assert!((300..20_000).contains(&pair["games"].as_u64().unwrap()), "{pair}");
    assert!(precise["rule"].as_str().unwrap().contains("Stein"), "{precise}");
    let apart = ["random", "discard-only", "--game", "lost_cities", "--until-decided"];
    let decided = json(folder.path(), &apart);
    let pair = &decided["pairs"][0];
    let [mean, ci95] = ["mean", "ci95"].map(|key| pair["difference"][key].as_f64().unwrap());
    assert!(mean.abs() > ci95 && pair["games"] == 200, "{pair}");
    let capped = json(folder.path(), &[&bots[..], &["--precision", "0.001", "--games", "1000"]].concat());
    assert_eq!(capped["pairs"][0]["games"], 1000);
}

#[test]
fn what_cannot_meet_is_refused_with_a_remedy() {
    for (arguments, said) in [
        (&["random", "always-call"][..], "--game lost_cities"),
        (&["random", "--game", "kuhn"], "give two or more"),
        (&["random", "randon", "--game", "kuhn"], "no bot is called so"),
        (&["random", "threshold", "--game", "kuhn"], "the game has no such bot; it has random, always-call"),
        (&["random", "RANDOM", "--game", "kuhn"], "give each contestant once"),
        (&["random", "always-call", "--game", "chess"], "give one of \"kuhn\""),
        (&["random", "always-call", "--game", "kuhn", "--games", "3"], "give an even number"),
        (&["random", "always-call", "--game", "kuhn", "--precision", "0"], "a number of points above 0"),
        (
            &["random", "always-call", "--game", "kuhn", "--set", "training.steps=fixed"],
            "only keys of [game]",
        ),
        (
            &["random", "always-call", "--game", "kuhn", "--set", "traversal.epsilon=0.1"],
            "only keys of [game]",
        ),
        (&["random", "no-run:best", "--game", "kuhn"], "one of policy_network, sd_cfr, current"),
    ] {
        let err = refused(&[&["arena"][..], arguments].concat());
        assert!(err.contains(said), "{arguments:?}: {err}");
    }
}

#[test]
fn runs_of_other_games_strategies_and_checkpoints_are_refused() {
    let folder = TempDir::new().unwrap();
    let run = train(folder.path(), "plain", &WITHOUT_ARCHIVE);
    let solved = deepcfr(folder.path(), &["solve", "--game", "leduc", "--iterations", "2", "--out", "other"]);
    assert_eq!(solved.code, Some(0), "{}", solved.err);
    let (archived, missing) = (format!("{run}:sd_cfr"), format!("{run}@3"));
    for (arguments, said) in [
        (&[run.as_str(), "other"][..], "the games differ"),
        (&[run.as_str(), "random", "--game", "leduc"], "it cannot be set"),
        (&[archived.as_str(), "random"], "holds no sd_cfr strategy; it has policy_network, current"),
        (&[missing.as_str(), "random"], "iteration-000003.ckpt"),
        (&["other@2", "random"], "a solution has one strategy"),
    ] {
        let err = refused_in(folder.path(), &[&["arena"][..], arguments].concat());
        assert!(err.contains(said), "{arguments:?}: {err}");
    }
}

fn number_after(text: &str, label: &str) -> f64 {
    let rest = text.split_once(label).unwrap_or_else(|| panic!("{label}: {text}")).1;
    rest.split_whitespace().next().unwrap().parse().unwrap()
}

#[test]
fn a_learned_response_comes_close_to_the_exact_one_from_below() {
    let folder = TempDir::new().unwrap();
    let run = train(folder.path(), "weak", &["run.iterations=3", "checkpoint.every=1", "checkpoint.keep=1"]);
    let exact = deepcfr(folder.path(), &["exploit", &run]);
    assert_eq!(exact.code, Some(0), "{}", exact.err);
    let of_average = exact.out.split_once("SD-CFR average after 3").unwrap().1;
    let exact = number_after(of_average, "exploitability  ");
    let subject = format!("{run}:sd_cfr");
    let mut arguments =
        vec!["exploit", &subject, "--approximate", "--iterations", "12", "--traversals", "2000"];
    arguments.extend(["--games", "100000"]);
    let learned = deepcfr(folder.path(), &arguments);
    assert_eq!(learned.code, Some(0), "{}", learned.err);
    assert!(learned.err.contains("responder as player 1: iteration 12/12"), "{}", learned.err);
    let bound = number_after(&learned.out, "at least ");
    let ci95 = number_after(&learned.out, "± ");
    assert!(bound - 2.0 * ci95 <= exact && bound + ci95 >= 0.8 * exact, "{exact}: {}", learned.out);
    for said in ["a lower bound", "12 iterations of 2000 traversals a seat", "100000 fresh games"] {
        assert!(learned.out.contains(said), "{said}: {}", learned.out);
    }
    arguments.extend(["--threads", "1", "--quiet"]);
    let alone = deepcfr(folder.path(), &arguments);
    let figures = |out: &str| out.lines().take(3).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!((figures(&alone.out), alone.err.as_str()), (figures(&learned.out), ""));
}

#[test]
fn responses_that_cannot_be_learned_are_refused() {
    let folder = TempDir::new().unwrap();
    let run = train(folder.path(), "any", &[]);
    for (arguments, said) in [
        (&["threshold", "--approximate"][..], "give a run or a solution"),
        (&[run.as_str(), "--approximate", "--iterations", "0"], "--iterations = 0"),
        (&[run.as_str(), "--approximate", "--games", "3"], "give an even number"),
        (&[run.as_str(), "--approximate", "--traversals", "0"], "--traversals = 0"),
    ] {
        let err = refused_in(folder.path(), &[&["exploit"][..], arguments].concat());
        assert!(err.contains(said), "{arguments:?}: {err}");
    }
}
