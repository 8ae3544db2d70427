//! A stand-in for a network, and plans and sinks that the tests share.

use std::sync::Arc;

use deepcfr_cfr::regret::AllNegative;
use deepcfr_cfr::traversal::evaluators::LocalEvaluator;
use deepcfr_cfr::traversal::{Budgets, Continuation, OutcomeSampling, StrategySource, TraversalPlan};
use deepcfr_core::{
    Encoder, Features, Game, Model, ModelError, ModelSpec, NetId, Player, Purpose, SampleMeta, SampleSink,
    Stream, Weights,
};

/// Outputs are pseudo-random numbers of mean -0.2 that depend on the network and the row's bits
/// alone: arbitrary strategies, all-negative infosets included.
pub(crate) struct HashModel {
    spec: ModelSpec,
    /// The forward pass that fails, counting from 1.
    pub(crate) fail_at: Option<usize>,
    forwards: usize,
}

impl HashModel {
    pub(crate) fn new<G: Game>(game: &G, encoder: &impl Encoder<G>) -> Self {
        let spec = ModelSpec {
            num_features: encoder.num_features(),
            num_outputs: game.spec().num_actions,
            num_nets: 2,
            row_invariant: true,
        };
        Self { spec, fail_at: None, forwards: 0 }
    }

    pub(crate) fn row(net: NetId, row: &[f32], out: &mut [f32]) {
        let seed = row.iter().fold(u64::from(net.0) + 1, |hash, value| {
            (hash ^ u64::from(value.to_bits())).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(29)
        });
        let mut stream = Stream::new(seed, Purpose::Test, 0, 0, 0);
        out.iter_mut().for_each(|value| *value = (stream.uniform() * 2.0 - 1.2) as f32);
    }
}

impl Model for HashModel {
    fn spec(&self) -> ModelSpec {
        self.spec
    }

    fn forward(&mut self, net: NetId, rows: &[f32], out: &mut [f32]) -> Result<(), ModelError> {
        self.forwards += 1;
        if self.fail_at == Some(self.forwards) {
            return Err(ModelError::Device { device: "test", reason: "told to fail".into() });
        }
        let rows = rows.chunks_exact(self.spec.num_features);
        for (row, out) in rows.zip(out.chunks_exact_mut(self.spec.num_outputs)) {
            Self::row(net, row, out);
        }
        Ok(())
    }

    fn load(&mut self, _net: NetId, weights: &Arc<Weights>) -> Result<(), ModelError> {
        Err(ModelError::Kind { kind: weights.kind() })
    }
}

pub(crate) fn local<G: Game>(game: &G, encoder: &impl Encoder<G>, max_batch: usize) -> LocalEvaluator {
    LocalEvaluator::new(Box::new(HashModel::new(game, encoder)), max_batch)
}

pub(crate) fn locals<G: Game>(
    game: &G,
    encoder: &impl Encoder<G>,
    max_batch: usize,
    workers: usize,
) -> Vec<LocalEvaluator> {
    (0..workers).map(|_| local(game, encoder, max_batch)).collect()
}

pub(crate) fn plan(traverser: Player, count: u32) -> TraversalPlan {
    TraversalPlan {
        seed: 11,
        iteration: 3,
        traverser,
        count,
        all_negative: AllNegative::Argmax,
        strategy: [StrategySource::Networks; 2],
        budgets: Budgets::UNLIMITED,
        lanes: 1,
        groups: 1,
    }
}

pub(crate) const OUTCOME: OutcomeSampling =
    OutcomeSampling { epsilon: 0.4, clip: None, continuation: Continuation::Strategy };

/// Every sample in order, by its bits.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Log {
    pub(crate) advantage: Vec<Entry>,
    pub(crate) strategy: Vec<Entry>,
}

/// A sample: player (2 for strategy samples), meta data, features, targets.
pub(crate) type Entry = (usize, SampleMeta, Vec<u32>, Vec<u32>);

fn bits(row: &[f32]) -> Vec<u32> {
    row.iter().map(|value| value.to_bits()).collect()
}

impl SampleSink for Log {
    fn advantage(&mut self, player: Player, meta: SampleMeta, features: &dyn Features, targets: &[f32]) {
        self.advantage.push((player, meta, bits(&features.to_row()), bits(targets)));
    }

    fn strategy(&mut self, meta: SampleMeta, features: &dyn Features, targets: &[f32]) {
        self.strategy.push((2, meta, bits(&features.to_row()), bits(targets)));
    }
}
