//! Advice as text that can be read without the documentation. Not here: the advice.

use super::{Table, count, order_text, ratio, seconds, share};
use crate::advise::{Advice, Advisory, Extrapolation, Outlook, Verdict};
use crate::catalogue::{Check, Goal};
use crate::fit::NetworkShape;
use crate::ledger::Calibration;
use crate::profile::PhaseSeconds;

/// The whole advice.
pub fn advisory(advisory: &Advisory) -> String {
    let mut text = heading(advisory);
    text += &format!("\n{}\n", levers(advisory).text());
    text += "×1.20 (1.10 to 1.31): an iteration is expected to be 1.20 times as fast, and with 90 % probability\n\
             between 1.10 and 1.31 times. ~: the lever's effect is an assumption, not a measurement. Recommended\n\
             is what was measured and is worth at least ×1.03 at the lower end of its interval.\n";
    text += &reasons(advisory);
    if !advisory.pairs.is_empty() {
        text += &format!("\nTwo together\n{}", pairs(advisory).text());
    }
    text += &format!("\nIn which order\n{}", order_text(&advisory.order));
    text += &outlook(advisory);
    text += &format!("\n{}\n", calibration(&advisory.calibration));
    text
}

fn heading(advisory: &Advisory) -> String {
    let what = match &advisory.what_if {
        Some(what_if) => format!("What if {what_if}? Projected, not run. "),
        None => String::new(),
    };
    format!(
        "{what}An iteration takes {} ({} to {}; n = {} iterations): {}.\nForward passes of traversals are {} of it.\n{}",
        seconds(advisory.iteration_seconds.value),
        seconds(advisory.iteration_seconds.low),
        seconds(advisory.iteration_seconds.high),
        advisory.iterations,
        phases(&advisory.phases),
        share(&advisory.forward_share),
        advisory.extrapolation.as_ref().map_or_else(String::new, extrapolated)
    )
}

/// What an answer about networks of a size that was not timed is worth, and how to time it.
fn extrapolated(Extrapolation { from, to }: &Extrapolation) -> String {
    format!(
        "EXTRAPOLATED: networks of {} × {} were not timed. What their calls cost is scaled from {} × {} by arithmetic, which\n\
         does not tell when weights leave a cache. To time them, profile the same configuration with\n\
         `deepcfr profile {}`, then ask again.\n",
        to.hidden_size,
        to.num_layers,
        from.hidden_size,
        from.num_layers,
        sizes(to)
    )
}

/// The option that has a size timed.
fn sizes(network: &NetworkShape) -> String {
    format!("--sizes {}x{}", network.hidden_size, network.num_layers)
}

/// Phases of at least one per cent, the largest first.
fn phases(phases: &PhaseSeconds) -> String {
    const LEAST: f64 = 0.01;
    let total = phases.sum();
    let mut shares: Vec<(&str, f64)> =
        PhaseSeconds::NAMES.into_iter().zip(phases.as_array().map(|seconds| seconds / total)).collect();
    shares.sort_by(|x, y| y.1.total_cmp(&x.1));
    let shown = shares.iter().filter(|(_, share)| *share >= LEAST);
    let words: Vec<String> = shown.map(|(name, share)| format!("{name} {:.0} %", 100.0 * share)).collect();
    words.join(", ")
}

/// One line a lever.
pub(super) fn levers(advisory: &Advisory) -> Table {
    let mut table = Table::new(&["lever", "speed-up of an iteration", "verdict", "state"]);
    for advice in &advisory.advice {
        table.push([
            advice.lever.to_string(),
            speed_up(advice),
            short(&advice.verdict),
            advice.state.to_string(),
        ]);
    }
    table
}

fn speed_up(advice: &Advice) -> String {
    let assumed = if advice.unmeasured.is_some() { "~" } else { "" };
    match (&advice.verdict, advice.projection) {
        (Verdict::InForce, _) | (_, None) => String::new(),
        (_, Some(projection)) => format!("{assumed}{}", ratio(&projection.calibrated)),
    }
}

fn short(verdict: &Verdict) -> String {
    match verdict {
        Verdict::MeasureFirst { .. } => "measure first".to_owned(),
        Verdict::NotNow { .. } => "not now".to_owned(),
        Verdict::NoMeasurableGain { .. } => "no measurable gain".to_owned(),
        other => other.to_string(),
    }
}

/// Why each lever that is not simply recommended is not.
fn reasons(advisory: &Advisory) -> String {
    let mut text = "\nWhy\n".to_owned();
    for advice in &advisory.advice {
        let lever = advice.lever.lever();
        let reason = match &advice.verdict {
            Verdict::InForce => continue,
            Verdict::Recommended => met(advice),
            Verdict::Experiment => lever.what.to_owned(),
            other => other.to_string(),
        };
        text += &format!("  {} ({}): {reason}\n", lever.id, lever.title);
        if !matches!(advice.verdict, Verdict::Recommended | Verdict::Experiment) {
            text += &format!("      look again {}\n", lever.trigger);
        }
    }
    text
}

/// What the preconditions found.
fn met(advice: &Advice) -> String {
    let evidence = advice.checks.iter().filter_map(|(_, check)| match check {
        Check::Met { evidence } => Some(evidence.as_str()),
        _ => None,
    });
    let words: Vec<&str> = evidence.collect();
    if words.is_empty() { "recommended".to_owned() } else { words.join("; ") }
}

fn pairs(advisory: &Advisory) -> Table {
    let mut table = Table::new(&["first", "then", "speed-up of an iteration", "verdict"]);
    for pair in &advisory.pairs {
        let [first, second] = pair.levers.map(|lever| lever.to_string());
        let verdict = match (pair.recommended, pair.projection.calibrated.low > 1.0) {
            (true, _) => "recommended",
            (false, true) if pair.levers.iter().any(|lever| lever.lever().goal == Goal::Quality) => {
                "one pays for the other"
            }
            (false, true) => "no measurable gain",
            (false, false) => "costs time",
        };
        table.push([first, second, ratio(&pair.projection.calibrated), verdict.to_owned()]);
    }
    table
}

fn outlook(advisory: &Advisory) -> String {
    let mut text = "\nWhat would change the answer\n".to_owned();
    advisory.outlook.iter().for_each(|outlook| text += &scenario(outlook));
    for growth in &advisory.growth {
        let now = format!(
            "a {} of B = {} rows (n½ = {})",
            growth.call.name(),
            count(growth.rows),
            count(growth.half_rate_rows.value)
        );
        text += &match growth.first_size {
            _ if growth.arithmetic_factor <= 1.0 => format!("  {now} is more kernel than dispatch already\n"),
            Some((hidden, layers)) => format!(
                "  {now} becomes more kernel than dispatch with ×{} arithmetic, as at {hidden} × {layers}, if dispatch stays\n",
                count(growth.arithmetic_factor)
            ),
            None => format!(
                "  {now} becomes more kernel than dispatch with ×{} arithmetic, beyond the largest size of `deepcfr sweep model-size`\n",
                count(growth.arithmetic_factor)
            ),
        };
    }
    text
}

fn scenario(outlook: &Outlook) -> String {
    let mut text = format!(
        "  at {}: an iteration takes {} ({} to {}): {}\n",
        outlook.what_if,
        seconds(outlook.iteration_seconds.value),
        seconds(outlook.iteration_seconds.low),
        seconds(outlook.iteration_seconds.high),
        phases(&outlook.phases)
    );
    if let Some(Extrapolation { to, .. }) = &outlook.extrapolation {
        text +=
            &format!("      extrapolated: this size was not timed; `deepcfr profile {}` does\n", sizes(to));
    }
    for (lever, before, then) in &outlook.changes {
        text += &format!("      {}: {before} → {then}\n", lever.lever().title);
    }
    text
}

/// How right earlier projections were.
pub(super) fn calibration(calibration: &Calibration) -> String {
    let Some(coverage) = calibration.coverage() else {
        return "No projection has been verified yet: intervals are as the model has them (scale 1.00)."
            .to_owned();
    };
    format!(
        "Earlier projections: {} of {} observed speed-ups lay in their 90 % interval ({:.0} %); they were {:+.1} % off \
         the projection on average; intervals here are stretched by {:.2}.",
        calibration.covered,
        calibration.records,
        100.0 * coverage,
        100.0 * (calibration.mean_log_error.exp() - 1.0),
        calibration.scale
    )
}
