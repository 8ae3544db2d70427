//! Ledgers on disk.

use std::path::PathBuf;

use super::*;

fn ledger_path(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("deepcfr-levers-{}-{name}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    folder.join("sub").join("levers.jsonl")
}

fn estimate(value: f64) -> Estimate {
    Estimate { value, low: 0.9 * value, high: 1.1 * value, samples: 10 }
}

fn setting() -> Setting {
    Setting { machine: "test".to_owned(), commit: None, config_hash: "7f".to_owned(), seeds: vec![1, 2] }
}

fn entries(speed_up: f64) -> (Entry, Entry) {
    let levers = vec![LeverId::Interleaving.into()];
    let projection = Projection::new(estimate(1.5), &Calibration::default());
    let projected = Entry::Projected {
        levers: levers.clone(),
        projection,
        setting: setting(),
        unix_seconds: 1_800_000_000,
    };
    let observed = Observed { speed_up: estimate(speed_up), turns: 4, iterations: 20 };
    let verified = Entry::verified(
        levers,
        projection,
        observed,
        Drift::Identical { compared: 20 },
        setting(),
        1_800_000_100,
    );
    (projected, verified)
}

#[test]
fn what_is_appended_is_read_back_and_nothing_is_rewritten() {
    let path = ledger_path("append");
    let mut ledger = Ledger::open(&path).unwrap();
    assert!(ledger.entries().is_empty());
    let (projected, verified) = entries(1.45);
    ledger.append(projected.clone()).unwrap();
    let before = std::fs::read_to_string(&path).unwrap();
    ledger.append(verified.clone()).unwrap();
    let after = std::fs::read_to_string(&path).unwrap();
    assert!(after.starts_with(&before) && after.lines().count() == 2);
    let read = Ledger::open(&path).unwrap();
    assert_eq!(read.entries(), [projected, verified]);
    let calibration = read.calibration();
    assert_eq!((calibration.records, calibration.covered), (1, 1));
    let (observed, drift) = read.latest(LeverId::Interleaving, "test", "7f").unwrap();
    assert_eq!((observed.turns, drift), (4, &Drift::Identical { compared: 20 }));
    assert!(read.latest(LeverId::Interleaving, "other", "7f").is_none());
    assert!(read.latest(LeverId::Server, "test", "7f").is_none());
}

#[test]
fn a_verification_needs_its_projection_first() {
    let mut ledger = Ledger::open(&ledger_path("order")).unwrap();
    let (_, verified) = entries(2.0);
    assert!(matches!(ledger.append(verified.clone()), Err(LedgerError::NotProjected)));
    let Entry::Verified { covered, .. } = verified else { unreachable!() };
    assert!(!covered, "2.0 is outside 1.35 to 1.65");
}

/// Two lines as an earlier program wrote them, of a lever that the catalogue has lost, and two of one that
/// it has.
#[test]
fn lines_of_levers_that_are_gone_stay_readable() {
    let path = ledger_path("former");
    let mut ledger = Ledger::open(&path).unwrap();
    for entry in <[Entry; 2]>::from(entries(1.45)) {
        ledger.append(entry).unwrap();
    }
    let now = std::fs::read_to_string(&path).unwrap();
    let then = now.replace("[\"interleaving\"]", "[\"compact-memories\"]");
    std::fs::write(&path, format!("{then}{now}")).unwrap();
    let read = Ledger::open(&path).unwrap();
    let names: Vec<String> = read.entries().iter().map(|entry| entry.levers()[0].to_string()).collect();
    assert_eq!(names, ["compact-memories", "compact-memories", "interleaving", "interleaving"]);
    assert_eq!(read.entries()[0].levers(), [RecordedLever::Former("compact-memories".to_owned())]);
    assert_eq!(read.entries()[2].levers(), [RecordedLever::Known(LeverId::Interleaving)]);
    // What became of it counts, and it is written as it was read.
    assert_eq!(read.calibration().records, 2);
    let written: Vec<String> =
        read.entries().iter().map(|entry| serde_json::to_string(entry).unwrap()).collect();
    assert_eq!(written.join("\n") + "\n", format!("{then}{now}"));
    let shown = crate::text::ledger(&read);
    assert!(shown.contains("compact-memories") && shown.contains("2 of 2 observed"), "{shown}");
}

#[test]
fn a_damaged_line_is_named() {
    let path = ledger_path("damaged");
    let mut ledger = Ledger::open(&path).unwrap();
    ledger.append(entries(1.5).0).unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, format!("{text}\n{}", &text[..40])).unwrap();
    let error = Ledger::open(&path).unwrap_err();
    assert!(matches!(error, LedgerError::Line { line: 3, .. }), "{error}");
}
