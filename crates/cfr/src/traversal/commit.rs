//! Puts finished traversals back into order and hands their samples to the sink.

use std::time::Instant;

use deepcfr_core::{Encoder, Game, SampleSink};

use super::context::Context;
use super::plan::TraversalPlan;
use super::recording::Recording;
use super::stats::TraversalStats;

/// A finished traversal and its number.
pub(super) type Finished<P> = (u32, Recording<P>);

/// The one place that talks to the sink. Holds traversals that finished early in a ring of fixed
/// size: a traversal `window` or more beyond the next to commit must not be handed in.
pub(super) struct Committer<'a, G: Game, E> {
    context: &'a Context<'a, G, E>,
    sink: &'a mut dyn SampleSink,
    count: u32,
    max_nodes: u64,
    early: Vec<Option<Recording<G::State>>>,
    next: u32,
    values: f64,
    stats: TraversalStats,
}

impl<'a, G: Game, E: Encoder<G>> Committer<'a, G, E> {
    pub(super) fn new(
        context: &'a Context<'a, G, E>,
        sink: &'a mut dyn SampleSink,
        plan: &TraversalPlan,
        window: usize,
    ) -> Self {
        Self {
            context,
            sink,
            count: plan.count,
            max_nodes: plan.budgets.max_nodes_per_iteration,
            early: std::iter::repeat_with(|| None).take(window).collect(),
            next: 0,
            values: 0.0,
            stats: TraversalStats::default(),
        }
    }

    /// The traversal to be committed next: all before it are.
    pub(super) fn next(&self) -> u32 {
        self.next
    }

    /// Whether nothing more will be committed.
    pub(super) fn is_done(&self) -> bool {
        self.next == self.count || self.stats.nodes >= self.max_nodes
    }

    /// Takes `finished` and commits what is now in order; used-up recordings go to `spare`.
    pub(super) fn accept(
        &mut self,
        finished: &mut Vec<Finished<G::State>>,
        spare: &mut Vec<Recording<G::State>>,
    ) {
        let start = Instant::now();
        for (index, recording) in finished.drain(..) {
            let place = index as usize % self.early.len();
            self.early[place] = Some(recording);
        }
        while !self.is_done() {
            let place = self.next as usize % self.early.len();
            let Some(recording) = self.early[place].take() else { break };
            self.commit(&recording);
            spare.push(recording);
        }
        self.stats.times.commit += start.elapsed();
    }

    /// The final counts.
    pub(super) fn into_stats(mut self) -> TraversalStats {
        let valued = self.stats.traversals - self.stats.cut_traversals;
        self.stats.mean_value = if valued == 0 { 0.0 } else { self.values / valued as f64 };
        self.stats.iteration_cut = self.next < self.count;
        self.stats
    }

    fn commit(&mut self, recording: &Recording<G::State>) {
        self.next += 1;
        let stats = &mut self.stats;
        let (advantage, strategy) = recording.samples();
        stats.traversals += 1;
        stats.nodes += recording.nodes;
        stats.rows += recording.rows;
        stats.advantage_samples += advantage;
        stats.strategy_samples += strategy;
        stats.max_depth = stats.max_depth.max(recording.max_depth);
        if recording.cut {
            stats.cut_traversals += 1;
        } else {
            self.values += recording.value;
        }
        recording.commit(self.context, self.sink);
    }
}
