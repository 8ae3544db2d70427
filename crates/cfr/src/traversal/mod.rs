//! Sampled traversals: *lanes* that walk a game tree, pause where a network must answer, and record
//! training samples.
//!
//! A lane is one traversal in flight with an explicit stack. A worker thread advances many lanes
//! over one [`Evaluator`]; several workers share the traversals of an iteration; the calling thread
//! hands samples to the sink in traversal order. Traversal `i` draws from its own stream, keyed by
//! (seed, iteration, traverser, `i`), so that workers, lanes, groups and batch sizes change the
//! speed and never a sample (given an evaluator whose rows do not depend on their batch).
//!
//! Not here: networks, what is done with samples, and when iterations happen.

use deepcfr_core::{Encoder, Evaluator, Game, SampleSink};

mod commit;
mod context;
mod error;
pub mod evaluators;
mod exchange;
mod external;
mod lane;
#[cfg(feature = "testkit")]
pub mod oracle;
mod outcome;
mod plan;
mod recording;
mod rollout;
mod sampling;
mod scheme;
mod share;
mod stats;

pub use error::TraversalError;
pub use plan::{Budgets, StrategySource, TraversalPlan};
pub use sampling::{Baseline, Continuation, OutcomeSampling, RolloutSampling, Sampling};
pub use stats::{TraversalStats, TraversalTimes};

use context::Context;
use external::External;
use outcome::Outcome;
use rollout::Rollout;
use scheme::Scheme;

/// Runs the traversals of `plan` as `sampling` says, with one thread per evaluator and commits their samples to `sink`
/// in traversal order. One evaluator runs on the calling thread.
///
/// # Errors
/// If the plan cannot be run or an evaluator fails; the sink may then hold part of the samples.
///
/// # Panics
/// If the game or the encoder panics.
pub fn run<G: Game, E: Encoder<G>, V: Evaluator + Send>(
    game: &G,
    encoder: &E,
    sampling: Sampling<'_, G>,
    plan: &TraversalPlan,
    workers: &mut [V],
    sink: &mut dyn SampleSink,
) -> Result<TraversalStats, TraversalError> {
    sampling.check()?;
    plan.check(workers.len())?;
    let context = Context::new(game, encoder, plan);
    match sampling {
        Sampling::External => run_scheme(&context, plan, &External, workers, sink),
        Sampling::Outcome { parameters, baseline } => {
            run_scheme(&context, plan, &Outcome { parameters, baseline }, workers, sink)
        }
        Sampling::Rollout { parameters, policy } => {
            run_scheme(&context, plan, &Rollout { parameters, policy }, workers, sink)
        }
    }
}

fn run_scheme<G: Game, E: Encoder<G>, V: Evaluator + Send>(
    context: &Context<'_, G, E>,
    plan: &TraversalPlan,
    scheme: &impl Scheme<G>,
    workers: &mut [V],
    sink: &mut dyn SampleSink,
) -> Result<TraversalStats, TraversalError> {
    match workers {
        [evaluator] => exchange::run_alone(context, plan, scheme, evaluator, sink),
        _ => exchange::run_threads(context, plan, scheme, workers, sink),
    }
}
