//! A strategy that does not change, answering one position at a time, from any thread.
//!
//! Not here: matches, which ask in batches, and where strategies come from.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError, RwLock};

use deepcfr_cfr::matches::{NetworkStrategy, OutputRule};
use deepcfr_cfr::response::FixedStrategy;
use deepcfr_cfr::tabular::KeyedPolicy;
use deepcfr_core::{
    ActionSet, Encoder, Game, InfosetKey, MAX_ACTIONS, Model, ModelError, NUM_PLAYERS, NetId, Player, Policy,
    Turn,
};

/// Answers that are kept: some hundred megabytes. In a small game all of them, in a large one the first.
const KEPT: usize = 1 << 20;

/// Probabilities of all actions by network and infoset.
type Kept = HashMap<(NetId, InfosetKey), Box<[f32]>>;

/// Whoever does not change.
#[derive(Clone, Copy)]
pub enum FixedPlayer<'a> {
    /// A table of probabilities; infosets that it lacks play uniformly.
    Table(&'a KeyedPolicy),
    /// Networks.
    Networks(&'a FixedNetworks),
}

impl FixedPlayer<'_> {
    /// Why a network did not answer, if that has happened. Until somebody asks, positions that could not be
    /// answered play uniformly.
    pub fn failure(&self) -> Option<ModelError> {
        match self {
            Self::Table(_) => None,
            Self::Networks(networks) => networks.failure(),
        }
    }
}

/// Networks that answer one position at a time. A game keeps the network that it drew.
pub struct FixedNetworks {
    rule: OutputRule,
    /// By seat.
    parts: [Vec<NetId>; NUM_PLAYERS],
    weights: [Vec<f64>; NUM_PLAYERS],
    /// Taken by whoever asks, and put back.
    models: Mutex<Vec<Box<dyn Model>>>,
    kept: RwLock<Kept>,
    failure: Mutex<Option<ModelError>>,
}

impl FixedNetworks {
    /// `strategy` with a model for each thread that may ask at a time, all with their weights loaded.
    pub fn new(strategy: &NetworkStrategy, models: Vec<Box<dyn Model>>) -> Self {
        let part = |seat: Player| strategy.parts(seat);
        Self {
            rule: strategy.rule(),
            parts: [0, 1].map(|seat| part(seat).map(|(net, _)| net).collect()),
            weights: [0, 1].map(|seat| part(seat).map(|(_, weight)| weight).collect()),
            models: Mutex::new(models),
            kept: RwLock::default(),
            failure: Mutex::default(),
        }
    }

    /// Why a network did not answer, if that has happened.
    pub fn failure(&self) -> Option<ModelError> {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The strategy of one part (see [`FixedStrategy`]) as a policy of `G`, whose rows `encoder` writes.
    pub fn policy<'a, E>(&'a self, encoder: &'a E, parts: [usize; NUM_PLAYERS]) -> NetworkPolicy<'a, E> {
        NetworkPolicy { networks: self, encoder, parts }
    }

    /// Writes the probabilities of all actions at a position, by part `part` of the player to move.
    fn write<G: Game, E: Encoder<G>>(
        &self,
        (game, encoder): (&G, &E),
        state: &G::State,
        part: usize,
        probabilities: &mut [f64],
    ) {
        let Turn::Player(player) = game.turn(state) else { unreachable!("a player is to move") };
        let net = self.parts[player][part];
        let key = (net, game.infoset_key(state, player));
        let copy = |from: &[f32], to: &mut [f64]| {
            from.iter().zip(to).for_each(|(&from, to)| *to = f64::from(from));
        };
        let kept = self.kept.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = kept.get(&key) {
            return copy(known, probabilities);
        }
        let is_full = kept.len() >= KEPT;
        drop(kept);
        debug_assert!(probabilities.len() <= MAX_ACTIONS);
        let mut row = vec![0.0; encoder.num_features()];
        encoder.encode(game, state, player, &mut row);
        let answer = self.ask(net, &row, game.legal_actions(state), probabilities.len());
        copy(&answer, probabilities);
        if !is_full {
            self.kept.write().unwrap_or_else(PoisonError::into_inner).insert(key, answer);
        }
    }

    /// The probabilities of `actions` actions at the position of `row`, by network `net`; uniform where the
    /// network fails, which is noted.
    fn ask(&self, net: NetId, row: &[f32], legal: ActionSet, actions: usize) -> Box<[f32]> {
        let mut outputs = vec![0.0; actions];
        let models = || self.models.lock().unwrap_or_else(PoisonError::into_inner);
        let taken = models().pop();
        let mut model = taken.expect("there is a model for each thread");
        let answered = model.forward(net, row, &mut outputs);
        models().push(model);
        if let Err(error) = answered {
            outputs.fill(0.0);
            self.failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
        }
        let mut probabilities = vec![0.0; actions].into_boxed_slice();
        self.rule.probabilities(&outputs, legal, &mut probabilities);
        probabilities
    }
}

/// A part of [`FixedNetworks`] as a policy.
pub struct NetworkPolicy<'a, E> {
    networks: &'a FixedNetworks,
    encoder: &'a E,
    parts: [usize; NUM_PLAYERS],
}

impl<G: Game, E: Encoder<G>> Policy<G> for NetworkPolicy<'_, E> {
    fn probabilities(&self, game: &G, state: &G::State, probabilities: &mut [f64]) {
        let Turn::Player(player) = game.turn(state) else { unreachable!("a player is to move") };
        self.networks.write((game, self.encoder), state, self.parts[player], probabilities);
    }
}

/// A fixed player with the encoder that shows it the game.
pub(crate) struct Fixed<'a, E> {
    pub(crate) player: &'a FixedPlayer<'a>,
    pub(crate) encoder: &'a E,
}

impl<G: Game, E: Encoder<G>> FixedStrategy<G> for Fixed<'_, E> {
    fn weights(&self, seat: Player) -> &[f64] {
        match self.player {
            FixedPlayer::Table(_) => &[1.0],
            FixedPlayer::Networks(networks) => &networks.weights[seat],
        }
    }

    fn probabilities(&self, part: usize, game: &G, state: &G::State, probabilities: &mut [f64]) {
        match self.player {
            FixedPlayer::Table(policy) => policy.probabilities(game, state, probabilities),
            FixedPlayer::Networks(networks) => {
                networks.write((game, self.encoder), state, part, probabilities);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use deepcfr_cfr::regret::AllNegative;
    use deepcfr_core::{ModelSpec, Weights};
    use deepcfr_games::kuhn::{Kuhn, KuhnEncoder};

    use super::*;

    /// Answers with the advantages 3 and 1, or fails.
    struct Constant {
        fails: bool,
    }

    impl Model for Constant {
        fn spec(&self) -> ModelSpec {
            ModelSpec { num_features: 7, num_outputs: 2, num_nets: 2, row_invariant: true }
        }

        fn forward(&mut self, _: NetId, _: &[f32], out: &mut [f32]) -> Result<(), ModelError> {
            if self.fails {
                return Err(ModelError::Device { device: "test", reason: "gone".to_owned() });
            }
            out.copy_from_slice(&[3.0, 1.0]);
            Ok(())
        }

        fn load(&mut self, _: NetId, _: &Arc<Weights>) -> Result<(), ModelError> {
            Ok(())
        }
    }

    fn first_decision() -> <Kuhn as Game>::State {
        let mut state = Kuhn.root();
        [0, 1].into_iter().for_each(|card| Kuhn.apply(&mut state, card));
        state
    }

    fn played(fails: bool) -> ([f64; 2], Option<ModelError>) {
        let strategy = NetworkStrategy::current(AllNegative::Uniform);
        let networks = FixedNetworks::new(&strategy, vec![Box::new(Constant { fails })]);
        let mut probabilities = [0.0; 2];
        let policy = networks.policy(&KuhnEncoder, [0, 0]);
        policy.probabilities(&Kuhn, &first_decision(), &mut probabilities);
        (probabilities, FixedPlayer::Networks(&networks).failure())
    }

    #[test]
    fn networks_play_by_their_rule() {
        assert_eq!(played(false), ([0.75, 0.25], None));
    }

    #[test]
    fn a_network_that_fails_is_told_and_does_not_panic() {
        let (probabilities, failure) = played(true);
        assert_eq!(probabilities, [0.5, 0.5]);
        assert!(matches!(failure, Some(ModelError::Device { .. })), "{failure:?}");
    }
}
