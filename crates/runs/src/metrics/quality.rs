//! One figure for how good a run's strategy is, where one figure is compared.
//!
//! Not here: the other figures of an evaluation, which stand beside it in reports.

use super::EvaluationMetrics;

/// The strategy that is compared where it was evaluated; otherwise the first that was.
const COMPARED: &str = "SD-CFR average";

/// One figure for how good a strategy is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quality {
    /// The figure, in points.
    pub value: f64,
    /// Whether less is better.
    pub lower_is_better: bool,
}

impl Quality {
    /// What the figure is, in words.
    pub const fn unit(&self) -> &'static str {
        if self.lower_is_better { "points of exploitability" } else { "points ahead of the strongest bot" }
    }
}

impl EvaluationMetrics {
    /// Exact exploitability of the compared strategy; without it, its mean lead over the opponent that
    /// leaves it least. `None` where nothing was evaluated.
    pub fn quality(&self) -> Option<Quality> {
        let compared = self.exact.iter().find(|exact| exact.policy == COMPARED).or(self.exact.first());
        if let Some(exact) = compared {
            return Some(Quality { value: exact.exploitability_points, lower_is_better: true });
        }
        let first = &self.matches.first()?.policy;
        let has = self.matches.iter().any(|played| played.policy == COMPARED);
        let policy = if has { COMPARED } else { first };
        let leads = self.matches.iter().filter(|played| played.policy == policy);
        let least = leads.map(|played| played.mean_difference).fold(f64::INFINITY, f64::min);
        Some(Quality { value: least, lower_is_better: false })
    }
}
