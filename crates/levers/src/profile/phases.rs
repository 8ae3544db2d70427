//! Exclusive phase seconds of measured iterations. Not here: what they are made of (`costs`).

use serde::{Deserialize, Serialize};

use super::ProfileError;

/// Exclusive seconds of one iteration; they add up to the iteration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PhaseSeconds {
    /// Game logic, encoding, inference, recording of samples.
    pub traversal_seconds: f64,
    /// Samples into the memories.
    pub memory_seconds: f64,
    /// Training batches out of the memories.
    pub batch_assembly_seconds: f64,
    /// Fits of the advantage networks.
    pub advantage_training_seconds: f64,
    /// Fits of the average-strategy network.
    pub strategy_training_seconds: f64,
    /// Evaluation, in the iterations that have one.
    pub evaluation_seconds: f64,
    /// Writing checkpoints.
    pub checkpoint_seconds: f64,
    /// Everything else.
    pub other_seconds: f64,
}

impl PhaseSeconds {
    /// Phases in the order in which they are shown.
    pub const NAMES: [&'static str; 8] = [
        "traversal",
        "memory",
        "batch assembly",
        "advantage training",
        "strategy training",
        "evaluation",
        "checkpoint",
        "other",
    ];

    /// Seconds in the order of [`PhaseSeconds::NAMES`].
    pub const fn as_array(&self) -> [f64; 8] {
        [
            self.traversal_seconds,
            self.memory_seconds,
            self.batch_assembly_seconds,
            self.advantage_training_seconds,
            self.strategy_training_seconds,
            self.evaluation_seconds,
            self.checkpoint_seconds,
            self.other_seconds,
        ]
    }

    /// Phases from their seconds in the order of [`PhaseSeconds::NAMES`].
    pub const fn from_array(seconds: [f64; 8]) -> Self {
        Self {
            traversal_seconds: seconds[0],
            memory_seconds: seconds[1],
            batch_assembly_seconds: seconds[2],
            advantage_training_seconds: seconds[3],
            strategy_training_seconds: seconds[4],
            evaluation_seconds: seconds[5],
            checkpoint_seconds: seconds[6],
            other_seconds: seconds[7],
        }
    }

    /// Seconds of the iteration.
    pub fn sum(&self) -> f64 {
        self.as_array().iter().sum()
    }
}

/// One measured iteration.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IterationSample {
    /// The iteration, from 1.
    pub iteration: u32,
    /// Exclusive phases.
    pub phases: PhaseSeconds,
    /// Whether the strategy was evaluated in this iteration.
    pub evaluated: bool,
    /// Decision and terminal nodes visited.
    pub nodes: u64,
    /// Rows that networks answered in the traversal phase.
    pub rows: u64,
    /// Forward passes in the traversal phase.
    pub calls: u64,
    /// Seconds in these passes, summed over the threads that ran them.
    pub forward_thread_seconds: f64,
}

impl IterationSample {
    /// Mean rows of a forward pass.
    pub fn mean_batch(&self) -> f64 {
        if self.calls == 0 { 0.0 } else { self.rows as f64 / self.calls as f64 }
    }

    pub(super) fn check(&self) -> Result<(), ProfileError> {
        let seconds = self.phases.as_array();
        match seconds.into_iter().find(|seconds| !seconds.is_finite() || *seconds < 0.0) {
            Some(got) => return Err(ProfileError::Figure { field: "iterations.phases", got }),
            None => super::positive("an iteration's seconds", self.phases.sum())?,
        }
        if !self.forward_thread_seconds.is_finite() || self.forward_thread_seconds < 0.0 {
            let got = self.forward_thread_seconds;
            return Err(ProfileError::Figure { field: "iterations.forward_thread_seconds", got });
        }
        Ok(())
    }
}

/// What each of `samples` counts for in an average iteration of a run that evaluates every
/// `every_iterations` (0: never): a shortened run evaluates more often, and what goes with evaluation
/// (a policy network that is fitted only then) must not count more often than in the run itself.
pub(crate) fn weights(samples: &[IterationSample], every_iterations: u32) -> Vec<f64> {
    let (all, evaluated) = (samples.len(), samples.iter().filter(|sample| sample.evaluated).count());
    if every_iterations == 0 || evaluated == 0 || evaluated == all {
        return vec![1.0; all];
    }
    let share = 1.0 / f64::from(every_iterations);
    let weight = |sample: &IterationSample| {
        let (share, count) =
            if sample.evaluated { (share, evaluated) } else { (1.0 - share, all - evaluated) };
        share * all as f64 / count as f64
    };
    samples.iter().map(weight).collect()
}

/// Seconds of average iterations of a run that evaluates every `every_iterations`, one figure a sample
/// that was not evaluated, or a sample where all were. Their mean is the run's average iteration.
pub fn average_iterations(samples: &[IterationSample], every_iterations: u32) -> Vec<f64> {
    let seconds = |evaluated: bool| -> Vec<f64> {
        let these = samples.iter().filter(|sample| sample.evaluated == evaluated);
        these.map(|sample| sample.phases.sum()).collect()
    };
    let (with, without) = (seconds(true), seconds(false));
    if with.is_empty() || without.is_empty() || every_iterations == 0 {
        return if without.is_empty() { with } else { without };
    }
    let share = 1.0 / f64::from(every_iterations);
    let evaluated = crate::statistics::mean(&with);
    without.iter().map(|seconds| (1.0 - share) * seconds + share * evaluated).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn samples() -> Vec<IterationSample> {
        let one = |iteration: u32| {
            let evaluated = iteration.is_multiple_of(3);
            let phases = PhaseSeconds {
                traversal_seconds: 1.0,
                strategy_training_seconds: if evaluated { 2.0 } else { 0.0 },
                evaluation_seconds: if evaluated { 8.0 } else { 0.0 },
                ..PhaseSeconds::default()
            };
            let forward_thread_seconds = 0.5;
            IterationSample {
                iteration,
                phases,
                evaluated,
                nodes: 1,
                rows: 1,
                calls: 1,
                forward_thread_seconds,
            }
        };
        (1..=6).map(one).collect()
    }

    #[test]
    fn a_run_that_evaluates_less_often_than_its_shortened_form_is_weighed_so() {
        let samples = samples();
        let weights = weights(&samples, 10);
        assert!((weights.iter().sum::<f64>() - 6.0).abs() < 1e-12);
        let mean: f64 = samples.iter().zip(&weights).map(|(s, w)| w * s.phases.sum() / 6.0).sum();
        // One second always, ten more every tenth iteration.
        assert!((mean - 2.0).abs() < 1e-12, "{mean}");
        let averages = average_iterations(&samples, 10);
        assert!(averages.len() == 4 && averages.iter().all(|seconds| (seconds - 2.0).abs() < 1e-12));
        assert_eq!(average_iterations(&samples[..2], 10), [1.0, 1.0]);
        assert_eq!(average_iterations(&samples[2..3], 10), [11.0]);
        assert_eq!(super::weights(&samples, 0), [1.0; 6]);
    }
}
