//! What the predecessor changed, as the data names it, and what that means in the cost model.
//!
//! Some of it no key of this program does: such a change works on a world's costs from here. Not here: what
//! levers do (`catalogue`).

use deepcfr_core::Stream;
use serde::Deserialize;

use super::before::{Range, line};
use crate::law::Scheduler;
use crate::model::{Alternative, Change, World};
use crate::profile::Device;
use crate::statistics::{Use, between, stream};

/// Factors on dispatch and kernel of fused training steps: compiled graphs check their guards in each call.
const FUSED: (Range, Range) = ((0.4, 1.1), (0.8, 1.05));
/// Factor on batch assembly with one memory a player, which no longer reads the other's samples.
const SPLIT: Range = (0.0, 0.6);
/// Factor on calls in another runtime, on a logarithmic scale.
const RUNTIME: Range = (0.5, 2.0);
/// Relative standard deviation of batch assembly about its factor.
const SPLIT_ERROR: f64 = 0.03;

/// A change, as the data names it.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum PastChange {
    /// Networks compute on an accelerator with these calls.
    Accelerator {
        /// Dispatch in microseconds.
        a_us: Range,
        /// Kernel in microseconds a row.
        b_us: Range,
    },
    /// Another scheduler.
    Schedule {
        /// Which.
        scheduler: Scheduler,
        /// Lanes of a worker.
        lanes: f64,
    },
    /// So many workers.
    Workers {
        /// How many.
        count: f64,
    },
    /// Training steps compiled.
    Fused {},
    /// Training steps in mixed precision.
    MixedPrecision {},
    /// Forward passes in another runtime.
    Runtime {},
    /// One advantage memory a player.
    SplitMemories {},
    /// Evaluation in batches.
    EvaluationBatch {
        /// Rows of a call.
        rows: f64,
    },
    /// Matches side by side.
    EvaluationParallel {
        /// How many.
        matches: f64,
    },
}

impl PastChange {
    /// World `index` after the change; `None` where what it needs was not known.
    pub(super) fn apply(self, mut world: World, seed: u64, index: usize) -> Option<World> {
        let mut stream = stream(seed, Use::PastChange, index);
        match self {
            Self::Accelerator { a_us, b_us } => return Some(on_accelerator(world, a_us, b_us, seed, index)),
            Self::Schedule { scheduler, lanes } => return world.after(&Change::Schedule(scheduler, lanes)),
            Self::Workers { count } => return world.after(&Change::Workers(count)),
            Self::MixedPrecision {} => return world.after(&Change::Step(Alternative::MixedPrecision)),
            Self::EvaluationBatch { rows } => return world.after(&Change::EvaluationBatch(rows)),
            Self::Fused {} => fuse_steps(&mut world, &mut stream)?,
            Self::Runtime {} => change_runtime(&mut world, &mut stream)?,
            Self::SplitMemories {} => split_memories(&mut world, &mut stream),
            Self::EvaluationParallel { matches } => world.matches_side_by_side(matches),
        }
        Some(world)
    }
}

/// The world with its networks on an accelerator, whose calls the workers' cores do not slow down.
fn on_accelerator(mut world: World, a_us: Range, b_us: Range, seed: u64, index: usize) -> World {
    const OTHER_DRAWS: usize = 1 << 20;
    let mut stream = stream(seed, Use::BackTest, index + OTHER_DRAWS);
    let (a_us, b_us) = (between(&mut stream, a_us), between(&mut stream, b_us));
    world.costs.calls.forward = Some(line(a_us, b_us));
    world.costs.traversal.device = Device::Accelerator;
    world.costs.traversal.contention = 1.0;
    world
}

fn fuse_steps(world: &mut World, stream: &mut Stream) -> Option<()> {
    let (dispatch, kernel) = (between(stream, FUSED.0), between(stream, FUSED.1));
    let cost = world.costs.calls.step.as_ref()?.scaled(dispatch, kernel);
    world.step_costs(cost)
}

fn change_runtime(world: &mut World, stream: &mut Stream) -> Option<()> {
    let (fastest, slowest) = RUNTIME;
    let factor = fastest * (slowest / fastest).powf(stream.uniform());
    let cost = world.costs.calls.forward.as_ref()?.scaled(factor, factor);
    world.forward_costs(cost)
}

fn split_memories(world: &mut World, stream: &mut Stream) {
    let error = (SPLIT_ERROR * stream.normal()).exp();
    world.costs.batch_assembly_seconds *= between(stream, SPLIT) * error;
}
