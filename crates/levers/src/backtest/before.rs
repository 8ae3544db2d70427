//! Worlds from published figures and ranges. Not here: the figures, and what was changed.

use serde::Deserialize;

use crate::fit::{CallCost, Curve, NetworkShape};
use crate::law::{InFlight, Scheduler};
use crate::model::{CallBook, Costs, EvaluationCosts, Prior, TrainingCosts, TraversalCosts, World};
use crate::profile::Device;
use crate::statistics::{Use, between, stream};

/// A figure that lies between two values.
pub type Range = (f64, f64);

/// The predecessor's default.
const SCHEDULER: Scheduler = Scheduler::Recursive;
/// Networks that the predecessor's sweeps ask: one advantage network a player.
const NETWORKS: f64 = 2.0;
const MAX_BATCH: f64 = 128.0;
/// Traversals of a player in an iteration, 280 and more: more than the lanes of any case.
const TRAVERSALS: f64 = 1e6;
const MICROSECOND: f64 = 1e-6;

/// What was known before a change.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Before {
    /// Cores of the machine.
    pub cores: f64,
    /// Traversal workers.
    pub workers: f64,
    /// Rows of an iteration.
    #[serde(default)]
    pub rows: Option<Range>,
    /// A call within the run over the same call timed alone.
    #[serde(default)]
    pub contention: Option<Range>,
    /// A forward pass.
    #[serde(default)]
    pub forward: Option<ForwardRange>,
    /// A training step.
    #[serde(default)]
    pub step: Option<StepRange>,
    /// Seconds of phases.
    #[serde(default)]
    pub phases: Phases,
    /// Evaluation.
    #[serde(default)]
    pub evaluation: Option<EvaluationRange>,
}

/// A forward pass: a + b·B.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ForwardRange {
    /// Dispatch in microseconds.
    pub a_us: Range,
    /// Kernel in microseconds a row.
    pub b_us: Range,
}

/// A training step, its batch taken as one row.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StepRange {
    /// Its seconds.
    pub seconds: f64,
    /// The part that is kernel.
    pub kernel_share: Range,
}

/// Seconds of phases; the rest of the iteration is `other`.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Phases {
    /// Traversal.
    pub traversal: f64,
    /// Batch assembly.
    pub assembly: f64,
    /// Advantage training.
    pub advantage: f64,
    /// Strategy training.
    pub strategy: f64,
    /// The rest.
    pub other: f64,
}

/// An evaluation.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EvaluationRange {
    /// Its seconds.
    pub seconds_each: f64,
    /// Its games.
    pub games: f64,
    /// Rows of a game.
    pub rows_per_game: Range,
    /// Matches side by side.
    pub parallel: f64,
}

impl Before {
    /// The world `index`: every range drawn uniformly.
    pub(super) fn world(&self, seed: u64, index: usize) -> World {
        let mut stream = stream(seed, Use::BackTest, index);
        let mut draw = |range: Range| between(&mut stream, range);
        let prior = Prior::draw(seed, index);
        let forward = self.forward.map(|forward| line(draw(forward.a_us), draw(forward.b_us)));
        let step = self.step.map(|step| {
            let kernel = step.seconds * draw(step.kernel_share);
            CallCost::exactly(Curve::Linear { a_seconds: step.seconds - kernel, b_seconds_per_row: kernel })
        });
        let rows = self.rows.map(&mut draw);
        let contention = self.contention.map_or(1.0, &mut draw);
        let rows_per_game = self.evaluation.map(|evaluation| draw(evaluation.rows_per_game));
        let evaluation = self.evaluation_costs(forward.as_ref(), rows_per_game);
        let training = |seconds| TrainingCosts { seconds, batch: 1.0 };
        let costs = Costs {
            traversal: self.traversal(&prior, rows, contention, forward.as_ref()),
            memory_seconds: 0.0,
            batch_assembly_seconds: self.phases.assembly,
            advantage: training(self.phases.advantage),
            strategy: training(self.phases.strategy),
            evaluation,
            checkpoint_seconds: 0.0,
            other_seconds: self.phases.other,
            calls: CallBook { forward, step, ..CallBook::default() },
        };
        let network = NetworkShape { features: 297, actions: 22, hidden_size: 512, num_layers: 3 };
        World::of(costs, prior, network, TRAVERSALS)
    }

    fn traversal(
        &self,
        prior: &Prior,
        rows: Option<f64>,
        contention: f64,
        forward: Option<&CallCost>,
    ) -> TraversalCosts {
        const LEAST_SHARE: f64 = 0.02;
        let (phase, workers) = (self.phases.traversal, self.workers);
        let flight =
            InFlight { scheduler: SCHEDULER, workers, lanes: 1.0, networks: NETWORKS, max_batch: MAX_BATCH };
        let (rows, call) = match (rows, forward) {
            (Some(rows), Some(forward)) => (rows, contention * forward.seconds(1.0)),
            _ => (1.0, 0.0),
        };
        let logic = (phase * workers / rows - call).max(LEAST_SHARE * phase * workers / rows);
        TraversalCosts {
            flight,
            fill: 1.0,
            device: Device::Cpu,
            cores: self.cores,
            server_threads: 1.0,
            rows,
            logic_seconds_per_row: logic,
            contention,
            call_overhead_seconds: 0.0,
            hand_over_seconds: prior.hand_over_seconds,
            overlap: prior.overlap,
            table: None,
            adjustment: 1.0,
        }
    }

    fn evaluation_costs(&self, forward: Option<&CallCost>, rows_per_game: Option<f64>) -> EvaluationCosts {
        const MOST_SHARE: f64 = 0.95;
        let Some(evaluation) = self.evaluation else {
            return EvaluationCosts {
                seconds_each: 0.0,
                every: f64::INFINITY,
                games: 1.0,
                games_share: 1.0,
                network_share: None,
                batch: 1.0,
                parallel: 1.0,
            };
        };
        let network_share = forward.zip(rows_per_game).map(|(forward, rows)| {
            (evaluation.games * rows * forward.seconds(1.0) / evaluation.seconds_each).min(MOST_SHARE)
        });
        EvaluationCosts {
            seconds_each: evaluation.seconds_each,
            every: 1.0,
            games: evaluation.games,
            games_share: 1.0,
            network_share,
            batch: 1.0,
            parallel: evaluation.parallel,
        }
    }
}

pub(super) fn line(a_us: f64, b_us: f64) -> CallCost {
    let (a_seconds, b_seconds_per_row) = (a_us * MICROSECOND, b_us * MICROSECOND);
    CallCost::exactly(Curve::Linear { a_seconds, b_seconds_per_row })
}
