//! Bots and models that the match tests share.

use std::sync::Arc;

use deepcfr_cfr::matches::{Bot, MatchPlan};
use deepcfr_cfr::traversal::evaluators::LocalEvaluator;
use deepcfr_core::{Action, Game, Model, ModelError, ModelSpec, NetId, Policy, Purpose, Stream, Weights};

/// The rows of outputs of a stand-in model.
pub(crate) type Outputs = fn(NetId, &[f32], &mut [f32]);

/// A model whose outputs are a function of the network and the row.
pub(crate) struct RowModel {
    pub(crate) spec: ModelSpec,
    pub(crate) outputs: Outputs,
}

impl Model for RowModel {
    fn spec(&self) -> ModelSpec {
        self.spec
    }

    fn forward(&mut self, net: NetId, rows: &[f32], out: &mut [f32]) -> Result<(), ModelError> {
        let rows = rows.chunks_exact(self.spec.num_features);
        rows.zip(out.chunks_exact_mut(self.spec.num_outputs))
            .for_each(|(row, out)| (self.outputs)(net, row, out));
        Ok(())
    }

    fn load(&mut self, _net: NetId, weights: &Arc<Weights>) -> Result<(), ModelError> {
        Err(ModelError::Kind { kind: weights.kind() })
    }
}

/// Pseudo-random outputs of mean -0.2 that depend on the network and the row's bits alone.
pub(crate) fn hashed(net: NetId, row: &[f32], out: &mut [f32]) {
    let seed = row.iter().fold(u64::from(net.0) + 1, |hash, value| {
        (hash ^ u64::from(value.to_bits())).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(29)
    });
    let mut stream = Stream::new(seed, Purpose::Test, 0, 0, 0);
    out.iter_mut().for_each(|value| *value = (stream.uniform() * 2.0 - 1.2) as f32);
}

pub(crate) fn evaluators(spec: (usize, usize), outputs: Outputs, workers: usize) -> Vec<LocalEvaluator> {
    let (num_features, num_outputs) = spec;
    let spec = ModelSpec { num_features, num_outputs, num_nets: 8, row_invariant: true };
    (0..workers).map(|_| LocalEvaluator::new(Box::new(RowModel { spec, outputs }), 16)).collect()
}

pub(crate) fn plan(deals: u32, lanes: usize) -> MatchPlan {
    MatchPlan { seed: 17, evaluation: 3, deals, lanes, groups: 1 }
}

/// Uniform over the legal actions.
pub(crate) struct Uniform;

impl<G: Game> Bot<G> for Uniform {
    fn act(&self, game: &G, state: &G::State, rng: &mut Stream) -> Action {
        let legal = game.legal_actions(state);
        legal.nth(rng.below(legal.len() as u32) as usize).expect("the draw is below the count")
    }
}

/// A pure strategy without system: a legal action by the infoset's key.
pub(crate) struct Pure(pub(crate) u64);

impl Pure {
    pub(crate) fn choice<G: Game>(&self, game: &G, state: &G::State) -> Action {
        let deepcfr_core::Turn::Player(player) = game.turn(state) else { panic!("a player is to move") };
        let key = game.infoset_key(state, player).0;
        let mut stream = Stream::new(self.0 ^ key as u64 ^ (key >> 64) as u64, Purpose::Test, 0, 0, 0);
        let legal = game.legal_actions(state);
        legal.nth(stream.below(legal.len() as u32) as usize).expect("the draw is below the count")
    }
}

impl<G: Game> Bot<G> for Pure {
    fn act(&self, game: &G, state: &G::State, _rng: &mut Stream) -> Action {
        self.choice(game, state)
    }
}

/// Fixed weights by action, normalised over the legal ones.
pub(crate) struct Fixed(pub(crate) &'static [f64]);

impl<G: Game> Policy<G> for Fixed {
    fn probabilities(&self, game: &G, state: &G::State, probabilities: &mut [f64]) {
        let legal = game.legal_actions(state);
        let total: f64 = legal.iter().map(|action| self.0[usize::from(action)]).sum();
        probabilities.fill(0.0);
        legal
            .iter()
            .for_each(|action| probabilities[usize::from(action)] = self.0[usize::from(action)] / total);
    }
}
