//! Inference engines against each other: forward passes on rows of real games, in interleaved turns.
//!
//! Each engine computes on one thread. A block times every call once, in an order of its own, so that a
//! disturbance of the machine falls on all alike. Weights are random (He 2015): about half of a layer's
//! outputs are zero under ReLU, as in a fitted network. Not here: traversals (see `scheduler_bench`) and
//! tables of the result.

use std::sync::Arc;

use deepcfr_board::Board;
use deepcfr_core::{NetId, Weights};
use deepcfr_levers::fit::{Fit, NetworkShape, Timing};
use deepcfr_nn::LearnerConfig;

use crate::error::BenchError;
use crate::profile::{Timed, repeat, time_blocks};
use deepcfr_config::{Engine, RunConfig};
use deepcfr_train::networks::{activation, factory_of};

/// What is timed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InferencePlan {
    /// The engines; the first one is what the others are compared with.
    pub engines: Vec<Engine>,
    /// Rows of a call.
    pub batches: Vec<usize>,
    /// Networks: hidden size and hidden layers.
    pub sizes: Vec<(usize, usize)>,
    /// How often each call has its turn.
    pub blocks: u32,
}

/// Forward passes of one engine with one network.
#[derive(Clone, Debug)]
pub struct InferenceTiming {
    /// The engine.
    pub engine: Engine,
    /// Whether its rows are bit-identical whatever the batch.
    pub row_invariant: bool,
    /// The network.
    pub network: NetworkShape,
    /// Mean seconds of a call, by block and rows.
    pub timings: Vec<Timing>,
    /// Dispatch and kernel; `None` where too few batches or blocks were timed.
    pub fit: Option<Fit>,
}

/// What came out.
#[derive(Clone, Debug)]
pub struct InferenceBench {
    /// One entry a network and engine.
    pub timings: Vec<InferenceTiming>,
    /// The share of features that are not zero.
    pub density: f64,
}

/// Times `plan` on rows of the game of `config`, drawn by random play under its seed.
///
/// # Errors
/// If an engine cannot be used, or fails.
pub fn bench_inference(
    config: &RunConfig,
    board: &dyn Board,
    plan: &InferencePlan,
) -> Result<InferenceBench, BenchError> {
    let shape = board.facts().shape();
    let most = plan.batches.iter().copied().max().unwrap_or(1);
    let rows: Arc<[f32]> = board.rows(most, config.run.seed).into();
    let set = rows.iter().filter(|value| **value != 0.0).count();
    let (mut timed, mut about) = (Vec::new(), Vec::new());
    for &size in &plan.sizes {
        let network = LearnerConfig {
            activation: activation(config.network.activation),
            ..LearnerConfig::plain(shape, size.0, size.1)
        };
        let weights = Arc::new(Weights::Mlp(network.fresh_network(config.run.seed)));
        for &engine in &plan.engines {
            let factory = factory_of(engine, &config.inference, shape, 1)?;
            about.push((engine, factory.spec().row_invariant));
            let mut model = factory.open()?;
            model.load(NetId(0), &weights)?;
            let (rows, mut out) = (Arc::clone(&rows), vec![0.0; most * shape.num_actions]);
            let stretch = move |count: usize| {
                let rows = &rows[..count * shape.num_features];
                repeat(&mut *model, rows, &mut out[..count * shape.num_actions])
            };
            timed.push(Timed::forward(engine, shape, size, plan.batches.clone(), Box::new(stretch)));
        }
    }
    time_blocks(&mut timed, plan.blocks, config.run.seed, || Ok(()))?;
    let timings = timed.into_iter().map(Timed::finish).zip(about).map(|(calls, about)| InferenceTiming {
        engine: about.0,
        row_invariant: about.1,
        network: calls.network,
        fit: Fit::of(&calls.timings, config.run.seed).ok(),
        timings: calls.timings,
    });
    Ok(InferenceBench { timings: timings.collect(), density: set as f64 / rows.len() as f64 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use deepcfr_config::Base;

    #[test]
    fn every_call_is_timed_in_every_block_on_rows_of_the_game() {
        let sets = ["network.activation=gelu".to_owned()];
        let catalogue = deepcfr_builtin::catalogue();
        let config = catalogue.schema().resolve(&Base::Preset("kuhn".to_owned()), &sets, None).unwrap();
        let board = catalogue.board(&config.game).unwrap();
        let plan = InferencePlan {
            engines: vec![Engine::Native, Engine::Burn],
            batches: vec![1, 2, 8],
            sizes: vec![(4, 1), (8, 2)],
            blocks: 3,
        };
        let bench = bench_inference(&config, &*board, &plan).unwrap();
        // A row of Kuhn poker has two ones among seven features.
        assert!((bench.density - 2.0 / 7.0).abs() < 1e-9, "{}", bench.density);
        let seen: Vec<_> =
            bench.timings.iter().map(|timing| (timing.engine, timing.network.num_layers)).collect();
        let expected = [(Engine::Native, 1), (Engine::Burn, 1), (Engine::Native, 2), (Engine::Burn, 2)];
        assert_eq!(seen, expected);
        for timing in &bench.timings {
            assert_eq!(timing.row_invariant, timing.engine == Engine::Native);
            assert_eq!(timing.timings.len(), 9);
            assert!(timing.timings.iter().all(|timing| timing.seconds > 0.0));
            assert!(timing.fit.is_some());
        }
    }
}
