//! What people read holds the figures, their units and what they rest on.

use super::*;
use crate::advise::{Advisory, Question};
use crate::fit::Ceilings;
use crate::model::WhatIf;
use crate::profile::{Call, CallTimings, Profile, Utilisation};
use crate::sequence;
use crate::simulation::Truth;

#[test]
fn a_profile_says_where_time_goes_and_what_calls_are_made_of() {
    let mut profile = Truth::default().profile(1);
    profile.ceilings = Some(Ceilings { flops_per_second: 33e9, bytes_per_second: 10e9 });
    profile.utilisation = Some(Utilisation { worker_busy_share: 0.5, device_busy_share: None, samples: 10 });
    let report = ProfileReport::of(&profile).unwrap();
    let text = report.text();
    for part in [
        "Profile of simulated on simulated with 4 cores: network 100 → 64 × 3 → 10",
        "traversal",
        "100.0 %",
        "n = 10 iterations",
        "120 in 20 blocks",
        "dispatch-bound",
        "FLOP/s",
        "recursive           one row a call: each of 2 workers asks and waits: at most 1.0 rows a call",
        "2 workers × half of 64 lanes / 2.0 networks: at most 32.0 rows a call",
        "Busy during traversals: workers 50 % of the time (n = 10 phases)",
    ] {
        assert!(text.contains(part), "`{part}` in\n{text}");
    }
    assert_eq!(report.points().text().lines().count(), 2 + 2 * 6);
    assert!(serde_json::to_value(&report).unwrap()["calls"][0]["fit"]["dispatch_seconds"]["value"].is_f64());
}

#[test]
fn advice_can_be_read_without_documentation() {
    let profile = Truth::default().profile(1);
    let text = advisory(&Advisory::of(&profile, &Question::default()).unwrap());
    for part in [
        "An iteration takes ",
        "n = 10 iterations",
        "interleaved traversal",
        "recommended",
        "look again when the model's size is decided",
        "Two together",
        "  infrastructure:",
        "(after larger model)",
        "at network.hidden_size = 1024, network.num_layers = 6: an iteration takes ",
        "No projection has been verified yet",
    ] {
        assert!(text.contains(part), "`{part}` in\n{text}");
    }
}

#[test]
fn a_what_if_says_that_it_was_not_run() {
    let profile = Truth::default().profile(1);
    let what_if = WhatIf::parse("traversal.scheduler=interleaved").unwrap();
    let question = Question { what_if: Some(&what_if), ..Question::default() };
    let text = advisory(&Advisory::of(&profile, &question).unwrap());
    assert!(text.starts_with("What if traversal.scheduler = interleaved? Projected, not run. "), "{text}");
    assert!(text.contains("in force"));
}

#[test]
fn a_size_that_was_not_timed_is_told_with_the_command_that_times_it() {
    let mut profile = Truth::default().profile(1);
    let told = |profile: &Profile, what_if: Option<&str>| {
        let what_if = what_if.map(|text| WhatIf::parse(text).unwrap());
        let question = Question { what_if: what_if.as_ref(), ..Question::default() };
        advisory(&Advisory::of(profile, &question).unwrap())
    };
    let larger = "network.hidden_size=1024,network.num_layers=6,evaluation.every=5";
    let text = told(&profile, Some(larger));
    for part in [
        "EXTRAPOLATED: networks of 1024 × 6 were not timed.",
        "scaled from 64 × 3 by arithmetic",
        "`deepcfr profile --sizes 1024x6`",
    ] {
        assert!(text.contains(part), "`{part}` in\n{text}");
    }
    let outlook = "extrapolated: this size was not timed; `deepcfr profile --sizes 1024x6` does";
    let text = told(&profile, Some("evaluation.every=5"));
    assert!(!text.contains("EXTRAPOLATED") && text.contains(outlook), "{text}");
    for mut calls in profile.calls.clone() {
        (calls.network.hidden_size, calls.network.num_layers) = (1024, 6);
        profile.calls.push(calls);
    }
    for what_if in [None, Some(larger)] {
        let text = told(&profile, what_if);
        assert!(!text.to_lowercase().contains("extrapolated"), "{text}");
    }
    // A step is half of the cost: forward passes alone are not enough.
    let of_a_step =
        |calls: &CallTimings| calls.call == Call::TrainingStep && calls.network.hidden_size == 1024;
    profile.calls.retain(|calls| !of_a_step(calls));
    assert!(told(&profile, Some(larger)).contains("EXTRAPOLATED"));
}

#[test]
fn the_drawing_has_every_lever_and_every_edge() {
    let svg = order_svg(&sequence::all()).unwrap();
    assert_eq!(svg.matches("<text").count(), sequence::all().len());
    assert_eq!(svg.matches("<path").count(), sequence::edges(&sequence::all()).len());
    assert!(svg.starts_with("<svg") && svg.ends_with("</svg>\n"));
}
