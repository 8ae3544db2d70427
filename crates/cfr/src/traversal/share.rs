//! A worker's share of the traversals: claimed and handed in several at a time, begun one by one.
//!
//! Not here: how lanes are driven (`lanes`), and what lies behind the desk (`exchange`).

use std::ops::Range;

use deepcfr_core::{Encoder, Game};

use super::commit::Finished;
use super::context::Context;
use super::lane::Lane;
use super::recording::Recording;
use super::scheme::Scheme;
use crate::lanes::Work;

/// Finished traversals are handed in this many at a time, or sooner if they are long: buffers that
/// come back early are still in the processor's cache.
pub(super) const HAND_IN: usize = 32;

/// The nodes of finished traversals that are worth handing in at once.
const HAND_IN_NODES: u64 = 512;

/// Where a worker gets traversals and leaves results.
pub(super) trait Desk<P> {
    /// Claims traversals. With `patient` this may block until there are some.
    fn claim(&mut self, patient: bool) -> Claim;

    /// Leaves results; `finished` is empty afterwards. Gives used buffers in return, as many as were
    /// left if it has them.
    fn hand_in(&mut self, finished: &mut Vec<Finished<P>>, spare: &mut Vec<Recording<P>>);

    /// Whether the iteration is over, whatever is still in flight.
    fn is_closed(&self) -> bool;

    /// Ends the iteration for everybody at this desk, after a failure.
    fn close(&mut self);
}

/// The answer to a claim.
pub(super) enum Claim {
    /// These traversals are the worker's to do.
    Traversals(Range<u32>),
    /// Too far ahead of the oldest traversal in flight: ask again after finishing some.
    Later,
    /// There are no more.
    Closed,
}

/// What a worker has of a desk's traversals.
pub(super) struct Share<'a, G: Game, E, D> {
    context: &'a Context<'a, G, E>,
    pub(super) desk: D,
    claimed: Range<u32>,
    spare: Vec<Recording<G::State>>,
    finished: Vec<Finished<G::State>>,
    /// Nodes of the traversals in `finished`.
    finished_nodes: u64,
}

impl<'a, G: Game, E, D> Share<'a, G, E, D> {
    pub(super) fn new(context: &'a Context<'a, G, E>, desk: D) -> Self {
        Self {
            context,
            desk,
            claimed: 0..0,
            spare: Vec::new(),
            finished: Vec::with_capacity(HAND_IN),
            finished_nodes: 0,
        }
    }
}

impl<G, E, S, D> Work<Lane<G, S>> for Share<'_, G, E, D>
where
    G: Game,
    E: Encoder<G>,
    S: Scheme<G>,
    D: Desk<G::State>,
{
    fn begin(&mut self, lane: &mut Lane<G, S>, patient: bool) -> bool {
        if self.claimed.is_empty() {
            match self.desk.claim(patient) {
                Claim::Traversals(range) => self.claimed = range,
                Claim::Later => {
                    self.leave();
                    return false;
                }
                Claim::Closed => return false,
            }
        }
        let index = self.claimed.next().expect("a claim is not empty");
        let recording = self.spare.pop().unwrap_or_default();
        lane.begin(self.context, index, recording);
        true
    }

    fn finish(&mut self, lane: &mut Lane<G, S>) {
        let (index, recording) = lane.finish();
        self.finished_nodes += recording.nodes;
        self.finished.push((index, recording));
        if self.finished.len() == HAND_IN || self.finished_nodes >= HAND_IN_NODES {
            self.leave();
        }
    }

    fn hand_in(&mut self) {
        self.leave();
    }

    fn is_closed(&self) -> bool {
        self.desk.is_closed()
    }

    fn close(&mut self) {
        self.desk.close();
    }
}

impl<G: Game, E, D: Desk<G::State>> Share<'_, G, E, D> {
    fn leave(&mut self) {
        self.finished_nodes = 0;
        self.desk.hand_in(&mut self.finished, &mut self.spare);
    }
}
