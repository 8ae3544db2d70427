//! The model-size decision as text. Not here: the decision.

use super::Table;
use crate::comparison::SizeDecision;

/// The decision and the statistics that it rests on; `unit` is the learning metric's.
pub fn size_decision(decision: &SizeDecision, unit: &str) -> String {
    let improvement = format!("improvement in {unit} (90 %)");
    let mut table = Table::new(&[
        "size",
        &improvement,
        "matched seeds",
        "time an iteration",
        "beyond the noise between seeds",
    ]);
    for size in &decision.comparisons {
        let interval = &size.improvement;
        table.push([
            format!("{} × {}", size.hidden_size, size.num_layers),
            format!("{:.2} ({:.2} to {:.2})", interval.value, interval.low, interval.high),
            size.seeds.to_string(),
            format!("×{:.2}", size.cost_ratio),
            if size.unlocks { "yes" } else { "no" }.to_owned(),
        ]);
    }
    format!(
        "Against the present size at iteration {} (noise between seeds: standard deviation {:.2} {unit})\n{}{decision}\n",
        decision.iteration,
        decision.seed_noise,
        table.text()
    )
}
