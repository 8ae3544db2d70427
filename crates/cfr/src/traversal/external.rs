//! External sampling: every action of the traverser is walked (Lanctot et al. 2009; Brown et al.
//! 2019, algorithm 2).

use deepcfr_core::{Action, Actions, Game};

use super::scheme::{Scheme, Walk};

/// The value passed up is the strategy-weighted mean `v̂(I) = Σ_b σ(b) v̂(b)`; the target is
/// `v̂(a) − v̂(I)`.
pub(super) struct External;

/// A node of the traverser, some of whose actions are still to be walked.
pub(super) struct Frame<S> {
    state: S,
    depth: u32,
    slot: usize,
    action: Action,
    left: Actions,
}

impl<G: Game> Scheme<G> for External {
    type Frame = Frame<G::State>;

    #[inline]
    fn open(&self, game: &G, walk: &mut Walk<G, Self::Frame>, slot: usize) {
        walk.make_row(walk.frames.len());
        let mut left = walk.recording.advantage.legal(slot).iter();
        let action = left.next().expect("a player state has legal actions");
        let (state, depth) = (walk.state.clone(), walk.depth);
        walk.frames.push(Frame { state, depth, slot, action, left });
        game.apply(&mut walk.state, action);
        walk.depth += 1;
    }

    #[inline]
    fn close(&self, game: &G, walk: &mut Walk<G, Self::Frame>, value: f64) -> Option<f64> {
        let height = walk.frames.len() - 1;
        let row = height * walk.shape.num_actions;
        let frame = &mut walk.frames[height];
        walk.rows[row + usize::from(frame.action)] = value;
        if let Some(action) = frame.left.next() {
            frame.action = action;
            walk.state.clone_from(&frame.state);
            walk.depth = frame.depth + 1;
            game.apply(&mut walk.state, action);
            return None;
        }
        let slot = frame.slot;
        walk.frames.pop();
        Some(write_target(walk, row, slot))
    }
}

/// Turns the strategy in the sample's target row into the target; returns the node's value.
#[inline]
fn write_target<G: Game, F>(walk: &mut Walk<G, F>, row: usize, slot: usize) -> f64 {
    let samples = &mut walk.recording.advantage;
    let legal = samples.legal(slot);
    let targets = samples.targets_mut(walk.shape, slot);
    let values = &walk.rows[row..row + targets.len()];
    let mean: f64 = legal.iter().map(usize::from).map(|a| f64::from(targets[a]) * values[a]).sum();
    legal.iter().map(usize::from).for_each(|action| {
        targets[action] = (values[action] - mean) as f32;
    });
    mean
}
