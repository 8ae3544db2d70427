//! A profile on disk, through the public API: read, refuse, advise.

use std::path::{Path, PathBuf};

use deepcfr_levers::advise::{Advisory, Question, Verdict};
use deepcfr_levers::catalogue::LeverId;
use deepcfr_levers::ledger::{Entry, Ledger, Setting};
use deepcfr_levers::profile::{Profile, ProfileError};
use deepcfr_levers::text;
use deepcfr_levers::verify::{Drift, Observed, TurnPair};

fn example() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/levers/example-profile.json")
}

/// A new folder for one test.
fn scratch(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("deepcfr-levers-{}-{name}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

#[test]
fn the_documented_example_is_read_and_written_back_unchanged() {
    let profile = Profile::read(&example()).unwrap();
    let copy = scratch("copy").join("profile.json");
    profile.write(&copy).unwrap();
    assert_eq!(Profile::read(&copy).unwrap(), profile);
    let report = text::ProfileReport::of(&profile).unwrap();
    // The simulated device: 100 µs dispatch, 10 µs a row.
    let forward = &report.calls[0].fit;
    assert!(forward.dispatch_seconds.contains(100e-6), "{:?}", forward.dispatch_seconds);
    assert!(forward.kernel_seconds_per_row.contains(10e-6), "{:?}", forward.kernel_seconds_per_row);
}

#[test]
fn documents_that_are_no_profile_are_refused() {
    let folder = scratch("refused");
    let text = std::fs::read_to_string(example()).unwrap();
    let read = |name: &str, text: String| {
        let path = folder.join(name);
        std::fs::write(&path, text).unwrap();
        Profile::read(&path).unwrap_err()
    };
    let newer = read("newer.json", text.replace("\"schema\": 1", "\"schema\": 2"));
    assert!(matches!(newer, ProfileError::Schema { got: 2, expected: 1 }), "{newer}");
    let unknown = read("unknown.json", text.replace("\"workers\"", "\"wrokers\""));
    assert!(unknown.to_string().contains("wrokers"), "{unknown}");
    let negative = read("negative.json", text.replacen("\"memory_seconds\": 0", "\"memory_seconds\": -1", 1));
    assert!(matches!(negative, ProfileError::Figure { field: "iterations.phases", .. }), "{negative}");
    assert!(matches!(Profile::read(&folder.join("none.json")), Err(ProfileError::File { .. })));
}

/// Three facts that earlier programs wrote, in profiles as they wrote them.
#[test]
fn profiles_of_earlier_programs_are_read() {
    let records = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../benches/record/levers");
    let text = std::fs::read_to_string(records.join("leduc-burn.json")).unwrap();
    for field in ["static_shapes", "memory_per_player", "compact"] {
        assert!(text.contains(&format!("\"{field}\"")), "{field}");
    }
    assert_eq!(Profile::read(&records.join("leduc-burn.json")).unwrap().workload.traversal.lanes, 16);
    assert_eq!(Ledger::open(&records.join("levers.jsonl")).unwrap().calibration().records, 39);
}

/// Profile, advice, projection written down, turns, verification, and the next advice that knows of it.
#[test]
fn the_whole_loop_from_profile_to_ledger() {
    let profile = Profile::read(&example()).unwrap();
    let path = scratch("loop").join("levers.jsonl");
    let mut ledger = Ledger::open(&path).unwrap();
    let advisory = Advisory::of(&profile, &Question::default()).unwrap();
    let advice = advisory.lever(LeverId::Interleaving);
    assert_eq!(advice.verdict, Verdict::Recommended);
    let projection = advice.projection.unwrap();
    let setting = Setting {
        machine: profile.machine.name.clone(),
        commit: profile.build.commit.clone(),
        config_hash: profile.build.config_hash.clone(),
        seeds: vec![1],
    };
    let levers = vec![LeverId::Interleaving.into()];
    let projected =
        Entry::Projected { levers: levers.clone(), projection, setting: setting.clone(), unix_seconds: 1 };
    ledger.append(projected).unwrap();
    let faster = projection.raw.value;
    let pair = |_| TurnPair { without_seconds: vec![4.0, 4.1, 3.9], with_seconds: vec![4.0 / faster; 3] };
    let observed = Observed::of(&(0..4).map(pair).collect::<Vec<_>>(), 1).unwrap();
    let drift = Drift::exact(&[0.25, 0.125], &[0.25, 0.125]);
    ledger.append(Entry::verified(levers, projection, observed, drift, setting, 2)).unwrap();

    let ledger = Ledger::open(&path).unwrap();
    let shown = text::ledger(&ledger);
    assert!(shown.contains("learning is identical (2 figures, bit for bit)"), "{shown}");
    assert!(shown.contains("1 of 1 observed speed-ups lay in their 90 % interval"), "{shown}");
    let later = Advisory::of(&profile, &Question { ledger: Some(&ledger), ..Question::default() }).unwrap();
    assert_eq!(later.lever(LeverId::Interleaving).state.to_string(), "verified");
}
