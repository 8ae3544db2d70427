//! Where an iteration's time goes: exclusive phases that add up.
//!
//! Not here: times of parallel workers, which may exceed the wall clock.

use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

/// What the main thread is busy with, or waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Game logic, encoding, inference, recording of samples.
    Traversal,
    /// Samples into the memories.
    Memory,
    /// Training batches out of the memories, as far as the optimiser waits for them.
    BatchAssembly,
    /// Fits of the advantage networks.
    AdvantageTraining,
    /// Fits of the average-strategy network.
    StrategyTraining,
    /// Exact evaluation, baselines, matches.
    Evaluation,
    /// Writing a checkpoint.
    Checkpoint,
    /// Everything else.
    Other,
}

/// Seconds in each phase.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PhaseSeconds {
    /// [`Phase::Traversal`].
    pub traversal: f64,
    /// [`Phase::Memory`].
    pub memory: f64,
    /// [`Phase::BatchAssembly`].
    pub batch_assembly: f64,
    /// [`Phase::AdvantageTraining`].
    pub advantage_training: f64,
    /// [`Phase::StrategyTraining`].
    pub strategy_training: f64,
    /// [`Phase::Evaluation`].
    pub evaluation: f64,
    /// [`Phase::Checkpoint`].
    pub checkpoint: f64,
    /// [`Phase::Other`].
    pub other: f64,
}

impl PhaseSeconds {
    /// All phases with names for people, in the order in which they are shown.
    pub fn named(&self) -> [(&'static str, f64); 8] {
        [
            ("traversal", self.traversal),
            ("memory", self.memory),
            ("batch assembly", self.batch_assembly),
            ("advantage training", self.advantage_training),
            ("strategy training", self.strategy_training),
            ("evaluation", self.evaluation),
            ("checkpoint", self.checkpoint),
            ("other", self.other),
        ]
    }

    /// Seconds in all phases together.
    pub fn sum(&self) -> f64 {
        self.named().iter().map(|(_, seconds)| seconds).sum()
    }

    /// Every phase times `factor`.
    #[must_use]
    pub fn scaled(&self, factor: f64) -> Self {
        Self {
            traversal: factor * self.traversal,
            memory: factor * self.memory,
            batch_assembly: factor * self.batch_assembly,
            advantage_training: factor * self.advantage_training,
            strategy_training: factor * self.strategy_training,
            evaluation: factor * self.evaluation,
            checkpoint: factor * self.checkpoint,
            other: factor * self.other,
        }
    }

    /// Adds another iteration's seconds.
    pub fn add(&mut self, other: &Self) {
        self.traversal += other.traversal;
        self.memory += other.memory;
        self.batch_assembly += other.batch_assembly;
        self.advantage_training += other.advantage_training;
        self.strategy_training += other.strategy_training;
        self.evaluation += other.evaluation;
        self.checkpoint += other.checkpoint;
        self.other += other.other;
    }

    fn get_mut(&mut self, phase: Phase) -> &mut f64 {
        match phase {
            Phase::Traversal => &mut self.traversal,
            Phase::Memory => &mut self.memory,
            Phase::BatchAssembly => &mut self.batch_assembly,
            Phase::AdvantageTraining => &mut self.advantage_training,
            Phase::StrategyTraining => &mut self.strategy_training,
            Phase::Evaluation => &mut self.evaluation,
            Phase::Checkpoint => &mut self.checkpoint,
            Phase::Other => &mut self.other,
        }
    }
}

/// Books every moment to exactly one phase.
#[derive(Debug)]
pub struct PhaseClock {
    phase: Phase,
    since: Instant,
    seconds: PhaseSeconds,
}

impl PhaseClock {
    /// Starts in [`Phase::Other`].
    pub fn start() -> Self {
        Self { phase: Phase::Other, since: Instant::now(), seconds: PhaseSeconds::default() }
    }

    /// From now on time belongs to `phase`. Returns the phase that it belonged to before.
    pub fn switch(&mut self, phase: Phase) -> Phase {
        let now = Instant::now();
        *self.seconds.get_mut(self.phase) += (now - self.since).as_secs_f64();
        self.since = now;
        std::mem::replace(&mut self.phase, phase)
    }

    /// How long the current phase has had the clock since the last switch.
    pub fn current(&self) -> Duration {
        self.since.elapsed()
    }

    /// Moves time already booked to `from` over to `to`: for parts that only the callee can time.
    /// Never moves more than `from` has, so that parallel parts cannot make it negative.
    pub fn rebook(&mut self, from: Phase, to: Phase, time: Duration) {
        self.switch(self.phase);
        let moved = time.as_secs_f64().min(*self.seconds.get_mut(from));
        *self.seconds.get_mut(from) -= moved;
        *self.seconds.get_mut(to) += moved;
    }

    /// Ends the iteration and starts the next at the same moment, in the same phase. Returns the
    /// phases and the iteration's seconds.
    pub fn lap(&mut self) -> (PhaseSeconds, f64) {
        self.switch(self.phase);
        let seconds = std::mem::take(&mut self.seconds);
        (seconds, seconds.sum())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_moment_is_booked_once() {
        let begin = Instant::now();
        let mut clock = PhaseClock::start();
        clock.switch(Phase::Traversal);
        std::thread::sleep(Duration::from_millis(20));
        assert_eq!(clock.switch(Phase::AdvantageTraining), Phase::Traversal);
        std::thread::sleep(Duration::from_millis(10));
        clock.switch(Phase::Other);
        clock.rebook(Phase::AdvantageTraining, Phase::BatchAssembly, Duration::from_millis(4));
        clock.rebook(Phase::AdvantageTraining, Phase::BatchAssembly, Duration::from_secs(9));
        let (phases, total) = clock.lap();
        let outside = begin.elapsed().as_secs_f64();
        assert!(phases.traversal >= 0.02 && phases.batch_assembly >= 0.01, "{phases:?}");
        assert_eq!(phases.advantage_training, 0.0);
        assert!(total <= outside && (phases.sum() - total).abs() < 1e-12);
        let (next, _) = clock.lap();
        assert!(next.sum() < total && next.traversal == 0.0);
    }
}
