//! Traversals of an iteration as a contender: a collector, networks and memories of its own, reused from turn
//! to turn.
//!
//! Not here: which traversals are compared.

use deepcfr_cfr::memory::Memories;
use deepcfr_config::RunConfig;
use deepcfr_core::ModelFactory;
use deepcfr_timing::{Stretch, timed};
use deepcfr_train::Trainer;
use deepcfr_train::collect::{Collected, Collector, Walk};
use deepcfr_train::diagnostics::Watched;
use deepcfr_train::inference::Inference;
use deepcfr_train::lanes::Lanes;

use crate::error::BenchError;

/// Who walks, and where the samples go.
pub(crate) struct Walked<'a> {
    trainer: &'a Trainer,
    collector: Collector,
    inference: Inference,
    /// The same for every turn, so that memory which is touched for the first time is not timed.
    memories: Memories,
}

impl<'a> Walked<'a> {
    /// Walks of `config` with so many workers and with the networks that `trainer` fitted, models opened by
    /// `factories`; lanes are measured if they are open.
    ///
    /// # Errors
    /// If an engine cannot be opened or fails.
    ///
    /// # Panics
    /// If the trainer has fitted nothing.
    pub(crate) fn new(
        trainer: &'a Trainer,
        config: &RunConfig,
        factories: &[Box<dyn ModelFactory>],
        workers: usize,
        memories: Memories,
    ) -> Result<Self, BenchError> {
        let mut inference = Inference::open(config, factories, workers)?;
        inference.publish(&trainer.advantage_nets().expect("the first iteration fits networks"))?;
        let collector = Collector::new(config, trainer.board(), workers);
        let mut walked = Self { trainer, collector, inference, memories };
        let mut lanes = *walked.collector.lanes();
        if lanes.are_open() {
            trainer.measure_lanes(&mut lanes)?;
            walked.collector.set_lanes(lanes);
        }
        Ok(walked)
    }

    /// Has `lanes` instead.
    pub(crate) fn set_lanes(&mut self, lanes: Lanes) {
        self.collector.set_lanes(lanes);
    }

    /// Workers of its traversals.
    pub(crate) fn workers(&self) -> usize {
        self.collector.workers()
    }

    /// One iteration's traversals of both players. The items are nodes.
    ///
    /// # Errors
    /// If a traversal fails.
    pub(crate) fn walk(&mut self) -> Result<(Stretch, Collected), BenchError> {
        let mut collected = None;
        let mut stretch = timed(1, || -> Result<(), BenchError> {
            let mut sink = Watched { memories: &mut self.memories, probe: None };
            let walk = Walk::of_both(2);
            collected =
                Some(self.collector.on_board(self.trainer.board(), walk, &mut self.inference, &mut sink)?);
            Ok(())
        })?;
        let collected = collected.expect("the walk has ended");
        stretch.items = collected.nodes as f64;
        Ok((stretch, collected))
    }
}
