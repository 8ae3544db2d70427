//! What to do next, in the order in which it pays: commands that can be typed. Not here: the advice.

use super::ratio;
use crate::advise::{Advice, Advisory, Verdict};
use crate::catalogue::{LeverId, Stage};

/// Steps that are named at most; the table above has them all.
const STEPS: usize = 4;

/// The next steps; `command` is how `deepcfr advise` was called, for example
/// `deepcfr advise --profile run/profile.json`.
pub fn next_steps(advisory: &Advisory, command: &str) -> String {
    let mut text = "What to do next\n".to_owned();
    if let Some(what_if) = &advisory.what_if {
        return text + &measure(what_if);
    }
    let open = |stage: fn(Stage) -> bool| {
        let levers = advisory.order.iter().filter(move |lever| stage(lever.lever().stage));
        levers.map(|&lever| advisory.lever(lever)).filter_map(|advice| step(advice, command))
    };
    let early: Vec<String> = open(|stage| stage == Stage::Infrastructure).collect();
    let size = open(|stage| stage == Stage::ModelSize);
    let late = open(|stage| stage == Stage::AfterModelSize);
    let nothing_early = early.is_empty();
    let steps: Vec<String> = early.into_iter().chain(size).chain(late).take(STEPS).collect();
    if nothing_early {
        text += &format!("  {}\n", largest_part(advisory));
    }
    for (index, step) in steps.iter().enumerate() {
        text += &format!("  {}. {step}\n", index + 1);
    }
    text
}

/// How to measure what was only projected.
fn measure(what_if: &str) -> String {
    // What the cost model counts in, and the configuration does not.
    const DERIVED: [&str; 2] = ["evaluation.games", "training.steps_factor"];
    let settings = || what_if.split(", ").map(|setting| setting.replace(' ', ""));
    let is_key = |setting: &String| !DERIVED.iter().any(|key| setting.starts_with(key));
    let sets: String = settings().filter(is_key).map(|setting| format!(" --set {setting}")).collect();
    let rest: Vec<String> = settings().filter(|setting| !is_key(setting)).collect();
    let beside = if rest.is_empty() {
        String::new()
    } else {
        format!(", with evaluation.deals and training.*_steps chosen for {}", rest.join(" and "))
    };
    format!("  This was projected, not run. To measure it: `deepcfr profile{sets}`{beside}\n")
}

/// What to do about a lever, where something is to be done.
fn step(advice: &Advice, command: &str) -> Option<String> {
    let (id, title) = (advice.lever, advice.lever.lever().title);
    let expected = || advice.projection.map_or_else(String::new, |p| format!(", {}", ratio(&p.calibrated)));
    let verify = format!("`{command} --verify {id}`");
    match &advice.verdict {
        Verdict::Recommended => Some(format!(
            "{title}: worth it{}. Prove it with {verify}, which names the keys that it sets",
            expected()
        )),
        Verdict::MeasureFirst { .. } if advice.unmeasured.is_none() => {
            Some(format!("{title}: may be worth it{}. Find out with {verify}", expected()))
        }
        Verdict::Experiment if id == LeverId::ModelSize => Some(format!(
            "{title}: costs time{}. Whether it learns more, `deepcfr sweep model-size` decides",
            expected()
        )),
        _ => None,
    }
}

fn largest_part(advisory: &Advisory) -> String {
    let total = advisory.phases.sum();
    let seconds = advisory.phases.as_array();
    let names = crate::profile::PhaseSeconds::NAMES;
    let largest = (0..names.len()).max_by(|&x, &y| seconds[x].total_cmp(&seconds[y])).unwrap_or(0);
    format!(
        "No infrastructure lever is worth pulling now. The largest part of an iteration is {} ({:.0} %): \
         fewer of it, rather than faster, is what would help.",
        names[largest],
        100.0 * seconds[largest] / total
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::advise::Question;
    use crate::law::Scheduler;
    use crate::model::WhatIf;
    use crate::simulation::Truth;

    fn steps(truth: Truth, what_if: Option<&WhatIf>) -> String {
        let question = Question { what_if, ..Question::default() };
        next_steps(&Advisory::of(&truth.profile(1), &question).unwrap(), "deepcfr advise")
    }

    #[test]
    fn infrastructure_comes_first_then_the_models_size() {
        let text = steps(Truth::default(), None);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "What to do next");
        assert!(lines[1].starts_with("  1. interleaved traversal: worth it, ×"), "{text}");
        assert!(lines[1].contains("`deepcfr advise --verify interleaving`"), "{text}");
        let size = lines.iter().position(|line| line.contains("`deepcfr sweep model-size` decides"));
        assert!(size.is_some_and(|line| line > 1), "{text}");
    }

    #[test]
    fn where_nothing_pays_the_largest_part_is_named() {
        let free = Truth { workers: 4, a_seconds: 1e-9, b_seconds: 1e-6, ..Truth::default() };
        let mut profile = Truth { scheduler: Scheduler::Interleaved, ..free }.profile(1);
        profile.workload.evaluation.follows_scheduler = true;
        let advisory = Advisory::of(&profile, &Question::default()).unwrap();
        let text = next_steps(&advisory, "deepcfr advise");
        assert!(text.contains("No infrastructure lever is worth pulling now. The largest part"), "{text}");
    }

    #[test]
    fn a_what_if_is_to_be_measured() {
        let what_if = WhatIf::parse("traversal.workers=1,evaluation.games=1000").unwrap();
        let text = steps(Truth::default(), Some(&what_if));
        for part in ["`deepcfr profile --set traversal.workers=1`", "for evaluation.games=1000"] {
            assert!(text.contains(part), "{text}");
        }
    }
}
