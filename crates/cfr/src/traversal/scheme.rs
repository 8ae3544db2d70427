//! What a sampling scheme adds to a lane: how a node of the traverser is walked.
//!
//! Not here: chance, the opponent, budgets and recording, which all schemes share (`lane`).

use deepcfr_core::{Action, ActionSet, Game, SampleShape, Stream};

use super::recording::Recording;
use crate::regret::uniform;

/// A way to walk the traverser's nodes.
pub(super) trait Scheme<G: Game>: Sync {
    /// What a node of the traverser keeps on the stack while its children are walked.
    type Frame: Send;

    /// Enters a node whose strategy stands in the target row of advantage sample `slot`: pushes a
    /// frame and moves the walk to a child.
    fn open(&self, game: &G, walk: &mut Walk<G, Self::Frame>, slot: usize);

    /// Takes the value of the child that the topmost frame walked last. Either moves the walk to
    /// another child and returns `None`, or writes the sample's target, pops the frame and returns
    /// the node's value.
    fn close(&self, game: &G, walk: &mut Walk<G, Self::Frame>, value: f64) -> Option<f64>;

    /// Writes the strategy at `state` before there is any network: every element, 0 at illegal actions.
    #[inline]
    fn initial(
        &self,
        _game: &G,
        _state: &G::State,
        legal: ActionSet,
        _rng: &mut Stream,
        strategy: &mut [f32],
    ) {
        uniform(legal, strategy);
    }
}

/// `ε·uniform + (1 − ε)·σ` over `legal`, from the row of `σ`.
#[inline]
pub(super) fn explored(epsilon: f64, legal: ActionSet, strategy: &[f32]) -> impl Fn(Action) -> f64 {
    let uniform = epsilon / legal.len() as f64;
    move |action| uniform + (1.0 - epsilon) * f64::from(strategy[usize::from(action)])
}

/// A traversal's position, random stream and stack. Buffers are reused by later traversals.
pub(super) struct Walk<G: Game, F> {
    pub(super) state: G::State,
    /// Actions from the root to `state`, chance included.
    pub(super) depth: u32,
    pub(super) rng: Stream,
    pub(super) frames: Vec<F>,
    /// One row of `num_actions` numbers per frame, for the scheme's use.
    pub(super) rows: Vec<f64>,
    pub(super) shape: SampleShape,
    pub(super) recording: Recording<G::State>,
}

impl<G: Game, F> Walk<G, F> {
    /// Where the row of the frame at `height` begins, with room for it made.
    #[inline]
    pub(super) fn make_row(&mut self, height: usize) -> usize {
        let start = height * self.shape.num_actions;
        if self.rows.len() < start + self.shape.num_actions {
            self.rows.resize(2 * (start + self.shape.num_actions), 0.0);
        }
        start
    }
}
