//! Outcome sampling: one trajectory per traversal, with targets that are unbiased for every action.
//!
//! With sampled action `a*`, its sampled value `v̂` and a baseline `b`:
//! `v̂(a) = b(a) + 1[a = a*]·(v̂ − b(a))/ξ(a)`, `v̂(I) = Σ_a σ(a)·v̂(a)`, and the target of **every**
//! legal action is `v̂(a) − v̂(I)`, with `ξ` in place of `σ` in `v̂(I)` if the values are to assume that
//! the traverser goes on as the samples do. (Lanctot et al. 2009; baseline: Schmid et al. 2019, here at the
//! traverser's nodes only.) An action that was not sampled has target `b(a) − v̂(I)`, not 0: with 0
//! the mean target is not the advantage.

use deepcfr_core::{Action, Game};

use super::sampling::{Baseline, Continuation, OutcomeSampling};
use super::scheme::{Scheme, Walk, explored};
use crate::regret::sample_by;

/// Outcome sampling.
pub(super) struct Outcome<'a, G: Game> {
    pub(super) parameters: OutcomeSampling,
    /// `None`: `b = 0`, and no row is kept for each node of the trajectory.
    pub(super) baseline: Option<&'a dyn Baseline<G>>,
}

/// A node of the traverser on the trajectory.
pub(super) struct Frame {
    slot: usize,
    action: Action,
    /// `ξ(action)`.
    probability: f64,
}

impl<G: Game> Scheme<G> for Outcome<'_, G> {
    type Frame = Frame;

    #[inline]
    fn open(&self, game: &G, walk: &mut Walk<G, Frame>, slot: usize) {
        if let Some(baseline) = self.baseline {
            let row = walk.make_row(walk.frames.len());
            baseline.write(game, &walk.state, &mut walk.rows[row..row + walk.shape.num_actions]);
        }
        let samples = &mut walk.recording.advantage;
        let legal = samples.legal(slot);
        let strategy = samples.targets_mut(walk.shape, slot);
        let policy = explored(self.parameters.epsilon, legal, strategy);
        let action = sample_by(legal, walk.rng.uniform(), &policy);
        let frame = Frame { slot, action, probability: policy(action) };
        walk.frames.push(frame);
        game.apply(&mut walk.state, action);
        walk.depth += 1;
    }

    #[inline]
    fn close(&self, _game: &G, walk: &mut Walk<G, Frame>, value: f64) -> Option<f64> {
        let frame = walk.frames.pop().expect("a value is closed at a frame");
        let row = walk.frames.len() * walk.shape.num_actions;
        let samples = &mut walk.recording.advantage;
        let legal = samples.legal(frame.slot);
        let targets = samples.targets_mut(walk.shape, frame.slot);
        let epsilon = match self.parameters.continuation {
            Continuation::Strategy => 0.0,
            Continuation::Sampling => self.parameters.epsilon,
        };
        let explored = epsilon / legal.len() as f64;
        let weight = |probability: f32| explored + (1.0 - epsilon) * f64::from(probability);
        let sampled = usize::from(frame.action);
        if self.baseline.is_none() {
            // As below with values of 0; `+ 0.0` does to -0 what adding to them would.
            let value = self.clip(value / frame.probability + 0.0);
            let mean = weight(targets[sampled]) * value + 0.0;
            let other = (0.0 - mean) as f32;
            legal.iter().for_each(|action| targets[usize::from(action)] = other);
            targets[sampled] = (value - mean) as f32;
            return Some(mean);
        }
        let values = &mut walk.rows[row..row + targets.len()];
        values[sampled] = self.clip(values[sampled] + (value - values[sampled]) / frame.probability);
        let mean: f64 = legal.iter().map(usize::from).map(|a| weight(targets[a]) * values[a]).sum();
        legal.iter().map(usize::from).for_each(|action| {
            targets[action] = (values[action] - mean) as f32;
        });
        Some(mean)
    }
}

impl<G: Game> Outcome<'_, G> {
    #[inline]
    fn clip(&self, value: f64) -> f64 {
        self.parameters.clip.map_or(value, |bound| value.clamp(-bound, bound))
    }
}
