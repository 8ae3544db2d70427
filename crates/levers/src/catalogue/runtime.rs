//! The question of another runtime: thresholds that were decided before anything was timed.
//!
//! Another runtime is worth a closer look only if none of its figures lags behind by more than its
//! threshold. Not here: taking the figures.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Rows of the forward passes that are compared, and how much slower each may be.
pub const FORWARD_THRESHOLDS: [(u32, f64); 3] = [(1, 1.30), (64, 1.20), (256, 1.30)];
/// How much slower a slice of game logic may be.
pub const LOGIC_THRESHOLD: f64 = 1.25;
/// The least efficiency of 8 threads.
pub const EFFICIENCY_THRESHOLD: f64 = 0.75;

/// Figures of the other runtime over those of this one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RuntimeFigures {
    /// Seconds of a forward pass at the rows of [`FORWARD_THRESHOLDS`], theirs over ours.
    #[serde(default)]
    pub forward_ratios: [Option<f64>; 3],
    /// Seconds of a slice of game logic, theirs over ours.
    #[serde(default)]
    pub logic_ratio: Option<f64>,
    /// Efficiency of 8 threads, theirs.
    #[serde(default)]
    pub thread_efficiency: Option<f64>,
}

/// A threshold that is not met, or not measured.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RuntimeObjection {
    /// What was compared.
    pub what: String,
    /// The figure; `None`: to be measured.
    pub got: Option<f64>,
    /// The threshold.
    pub limit: f64,
}

impl RuntimeFigures {
    /// Why the other runtime is not taken further; nothing if it is.
    pub fn objections(&self) -> Vec<RuntimeObjection> {
        let mut objections = Vec::new();
        let mut ask = |what: String, got: Option<f64>, limit: f64, fine: bool| {
            if !fine {
                objections.push(RuntimeObjection { what, got, limit });
            }
        };
        for (&(rows, limit), got) in FORWARD_THRESHOLDS.iter().zip(self.forward_ratios) {
            let what = format!("forward pass of {rows} rows, seconds relative to ours");
            ask(what, got, limit, got.is_some_and(|ratio| ratio <= limit));
        }
        let logic = self.logic_ratio.is_some_and(|ratio| ratio <= LOGIC_THRESHOLD);
        ask("game logic, seconds relative to ours".to_owned(), self.logic_ratio, LOGIC_THRESHOLD, logic);
        let threads = self.thread_efficiency.is_some_and(|efficiency| efficiency >= EFFICIENCY_THRESHOLD);
        ask("efficiency of 8 threads".to_owned(), self.thread_efficiency, EFFICIENCY_THRESHOLD, threads);
        objections
    }

    /// Whether a measured figure already refuses it.
    pub fn refused(&self) -> bool {
        self.objections().iter().any(|objection| objection.got.is_some())
    }
}

impl fmt::Display for RuntimeObjection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.got {
            Some(got) => write!(f, "{}: {got:.2} against a limit of {:.2}", self.what, self.limit),
            None => write!(f, "{}: not measured (limit {:.2})", self.what, self.limit),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Flux against PyTorch as the predecessor measured it.
    #[test]
    fn a_runtime_twice_as_slow_is_refused() {
        let flux = RuntimeFigures {
            forward_ratios: [Some(2.01), Some(2.06), Some(2.00)],
            logic_ratio: None,
            thread_efficiency: Some(0.59),
        };
        assert!(flux.refused());
        let words: Vec<String> = flux.objections().iter().map(ToString::to_string).collect();
        assert_eq!(
            words[1],
            "forward pass of 64 rows, seconds relative to ours: 2.06 against a limit of 1.20"
        );
        assert_eq!(words[3], "game logic, seconds relative to ours: not measured (limit 1.25)");
        assert_eq!(words.len(), 5);
    }

    #[test]
    fn an_equal_runtime_passes_and_an_unmeasured_one_is_not_refused_yet() {
        let equal = RuntimeFigures {
            forward_ratios: [Some(1.29), Some(1.19), Some(0.8)],
            logic_ratio: Some(1.0),
            thread_efficiency: Some(0.9),
        };
        assert_eq!(equal.objections(), []);
        let unknown = RuntimeFigures::default();
        assert!(!unknown.refused() && unknown.objections().len() == 5);
    }
}
