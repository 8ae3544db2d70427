//! A frozen strategy that answers one position at a time, from any thread.
//!
//! Not here: matches, which ask in batches.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError, RwLock};

use deepcfr_cfr::matches::{NetworkStrategy, OutputRule};
use deepcfr_cfr::response::FixedStrategy;
use deepcfr_cfr::tabular::KeyedPolicy;
use deepcfr_core::{
    Encoder, Game, InfosetKey, MAX_ACTIONS, Model, ModelFactory, NUM_PLAYERS, NetId, Player, Policy, Turn,
};

use crate::arena::{Frozen, Nets, Player as FrozenPlayer};
use crate::error::TrainError;

/// Answers that are kept: some hundred megabytes. In a small game all of them, in a large one the first.
const KEPT: usize = 1 << 20;

/// Probabilities of all actions by network and infoset.
type Kept = HashMap<(NetId, InfosetKey), Box<[f32]>>;

/// Whoever is responded to.
pub(super) enum FrozenOpponent<'a, E> {
    Table(&'a KeyedPolicy),
    Networks(Box<FrozenNetworks<'a, E>>),
}

/// Networks behind a lock for each model; a game keeps the network that it drew.
pub(super) struct FrozenNetworks<'a, E> {
    encoder: &'a E,
    rule: OutputRule,
    /// By seat.
    parts: [Vec<NetId>; NUM_PLAYERS],
    weights: [Vec<f64>; NUM_PLAYERS],
    /// Taken by whoever asks, and put back.
    models: Mutex<Vec<Box<dyn Model>>>,
    kept: RwLock<Kept>,
}

impl<'a, E> FrozenOpponent<'a, E> {
    /// Opens a model for each of `threads`.
    pub(super) fn new<G: Game>(
        frozen: &'a Frozen<'_, G>,
        nets: &Nets,
        encoder: &'a E,
        factory: &dyn ModelFactory,
        threads: usize,
    ) -> Result<Self, TrainError> {
        match &frozen.player {
            FrozenPlayer::Table(policy) => Ok(Self::Table(&policy.0)),
            FrozenPlayer::Networks(strategy) => {
                let networks = FrozenNetworks::new(strategy, nets, encoder, factory, threads)?;
                Ok(Self::Networks(Box::new(networks)))
            }
            FrozenPlayer::Rule(_) => unreachable!("bots are refused when the task is made"),
        }
    }
}

impl<'a, E> FrozenNetworks<'a, E> {
    fn new(
        strategy: &NetworkStrategy,
        nets: &Nets,
        encoder: &'a E,
        factory: &dyn ModelFactory,
        threads: usize,
    ) -> Result<Self, TrainError> {
        let mut models = Vec::with_capacity(threads);
        for _ in 0..threads {
            let mut model = factory.open()?;
            for (net, weights) in nets.numbered() {
                model.load(net, &weights)?;
            }
            models.push(model);
        }
        let part = |seat: Player| strategy.parts(seat);
        Ok(Self {
            encoder,
            rule: strategy.rule(),
            parts: [0, 1].map(|seat| part(seat).map(|(net, _)| net).collect()),
            weights: [0, 1].map(|seat| part(seat).map(|(_, weight)| weight).collect()),
            models: Mutex::new(models),
            kept: RwLock::default(),
        })
    }

    /// The probabilities of all actions at a position of `player`, by network `net`.
    fn ask<G: Game>(&self, game: &G, state: &G::State, player: Player, net: NetId) -> Box<[f32]>
    where
        E: Encoder<G>,
    {
        let actions = game.spec().num_actions;
        let mut row = vec![0.0; self.encoder.num_features()];
        self.encoder.encode(game, state, player, &mut row);
        let mut outputs = vec![0.0; actions];
        let models = || self.models.lock().unwrap_or_else(PoisonError::into_inner);
        let mut model = models().pop().expect("there is a model for each thread");
        let answered = model.forward(net, &row, &mut outputs);
        models().push(model);
        answered.expect("all networks were loaded, and CPU engines do not fail");
        let mut probabilities = vec![0.0; actions].into_boxed_slice();
        self.rule.probabilities(&outputs, game.legal_actions(state), &mut probabilities);
        probabilities
    }
}

impl<G: Game, E: Encoder<G>> FixedStrategy<G> for FrozenOpponent<'_, E> {
    fn weights(&self, seat: Player) -> &[f64] {
        match self {
            Self::Table(_) => &[1.0],
            Self::Networks(networks) => &networks.weights[seat],
        }
    }

    fn probabilities(&self, part: usize, game: &G, state: &G::State, probabilities: &mut [f64]) {
        let networks = match self {
            Self::Table(policy) => return policy.probabilities(game, state, probabilities),
            Self::Networks(networks) => networks,
        };
        let Turn::Player(player) = game.turn(state) else { unreachable!("the opponent is to move") };
        let net = networks.parts[player][part];
        let key = (net, game.infoset_key(state, player));
        let copy = |from: &[f32], to: &mut [f64]| {
            from.iter().zip(to).for_each(|(&from, to)| *to = f64::from(from));
        };
        let kept = networks.kept.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = kept.get(&key) {
            return copy(known, probabilities);
        }
        let is_full = kept.len() >= KEPT;
        drop(kept);
        debug_assert!(probabilities.len() <= MAX_ACTIONS);
        let answer = networks.ask(game, state, player, net);
        copy(&answer, probabilities);
        if !is_full {
            networks.kept.write().unwrap_or_else(PoisonError::into_inner).insert(key, answer);
        }
    }
}
