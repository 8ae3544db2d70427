//! A game as one player meets it whose opponent plays a strategy that does not change: the opponent's
//! decisions become chance.
//!
//! Whoever learns to play [`Against`] learns a best response, whatever the method: traversals, solvers
//! and matches need not know. The value that such a player reaches in the game itself, against the same
//! strategy, is a lower bound of the best response's, and the mean of both seats' values one of
//! exploitability. Not here: learning, and measuring what was learned.

use deepcfr_core::{
    Action, ActionSet, Encoder, Game, GameSpec, InfosetKey, MAX_ACTIONS, NUM_PLAYERS, Player, Policy, Stream,
    Turn,
};

use crate::matches::Bot;
use crate::traversal::Baseline;

/// A strategy that does not change.
///
/// It may be a mixture, one part of which is drawn before a game and kept to its end, as SD-CFR plays.
pub trait FixedStrategy<G: Game>: Sync {
    /// Weights of the parts for a game in `seat`: positive, at least one, at most 65,536.
    fn weights(&self, _seat: Player) -> &[f64] {
        &[1.0]
    }

    /// Writes the probability of every action that part `part` gives the player to move: 0 at illegal
    /// actions, summing to 1 up to rounding.
    fn probabilities(&self, part: usize, game: &G, state: &G::State, probabilities: &mut [f64]);
}

/// A strategy of one part.
#[derive(Clone, Copy, Debug)]
pub struct Pure<P>(pub P);

impl<G: Game, P: Policy<G>> FixedStrategy<G> for Pure<P> {
    fn probabilities(&self, _part: usize, game: &G, state: &G::State, probabilities: &mut [f64]) {
        self.0.probabilities(game, state, probabilities);
    }
}

/// `game` for `responder`, whose opponent plays `strategy`.
///
/// Chance first draws the part that the opponent plays, where there are several, and afterwards the
/// opponent's actions. Probabilities are rounded to 2⁻²⁴, the weight that chance has in the seam.
pub struct Against<'a, G: Game, S> {
    game: &'a G,
    strategy: &'a S,
    responder: Player,
}

/// A position, with the part that the opponent plays once it is drawn.
#[derive(Clone, Copy, Debug)]
pub struct AgainstState<T> {
    inner: T,
    part: Option<u16>,
}

impl<'a, G: Game, S: FixedStrategy<G>> Against<'a, G, S> {
    /// # Panics
    /// If the strategy has no part or more than a chance outcome can name, or there is no such seat.
    pub fn new(game: &'a G, strategy: &'a S, responder: Player) -> Self {
        assert!(responder < NUM_PLAYERS, "there are two seats");
        let parts = strategy.weights(1 - responder).len();
        assert!((1..=usize::from(u16::MAX) + 1).contains(&parts), "1 to 65,536 parts");
        Self { game, strategy, responder }
    }

    fn is_drawn(&self, state: &AgainstState<G::State>) -> bool {
        state.part.is_some()
    }

    /// Chance's outcomes with their weights in units of 2⁻²⁴, before the opponent's part is drawn.
    fn parts(&self) -> impl Iterator<Item = (Action, u32)> + Clone {
        let weights = self.strategy.weights(1 - self.responder);
        let total: f64 = weights.iter().sum();
        weights.iter().enumerate().map(move |(part, weight)| (part as Action, in_units(weight / total)))
    }

    /// Writes the opponent's strategy, one entry for each action of the game.
    fn ask(&self, state: &AgainstState<G::State>, row: &mut [f64]) {
        let part = usize::from(state.part.unwrap_or(0));
        self.strategy.probabilities(part, self.game, &state.inner, row);
    }

    /// The opponent's actions with their weights in units of 2⁻²⁴, from its strategy in `row`.
    fn actions<'r>(
        &self,
        state: &AgainstState<G::State>,
        row: &'r [f64],
    ) -> impl Iterator<Item = (Action, u32)> + Clone + use<'r, G, S> {
        let played = self.game.legal_actions(&state.inner).iter();
        played
            .map(|action| (action, row[usize::from(action)]))
            .filter(|(_, p)| *p > 0.0)
            .map(|(action, probability)| (action, in_units(probability)))
    }
}

/// The first outcome whose cumulative weight exceeds a number that is drawn below the total.
fn draw(outcomes: impl Iterator<Item = (Action, u32)> + Clone, rng: &mut Stream) -> Action {
    let total: u64 = outcomes.clone().map(|(_, weight)| u64::from(weight)).sum();
    let mut left = rng.below_u64(total);
    for (outcome, weight) in outcomes {
        match left.checked_sub(u64::from(weight)) {
            Some(rest) => left = rest,
            None => return outcome,
        }
    }
    unreachable!("the draw is below the total weight")
}

/// Never 0: what is played at all stays possible.
fn in_units(probability: f64) -> u32 {
    ((probability * f64::from(1 << 24)).round() as u32).max(1)
}

impl<G: Game, S: FixedStrategy<G>> Game for Against<'_, G, S> {
    type State = AgainstState<G::State>;

    fn spec(&self) -> GameSpec {
        let spec = self.game.spec();
        GameSpec { max_depth: spec.max_depth + 1, ..spec }
    }

    fn root(&self) -> Self::State {
        let single = self.strategy.weights(1 - self.responder).len() == 1;
        AgainstState { inner: self.game.root(), part: single.then_some(0) }
    }

    fn turn(&self, state: &Self::State) -> Turn {
        if !self.is_drawn(state) {
            return Turn::Chance;
        }
        match self.game.turn(&state.inner) {
            Turn::Player(player) if player != self.responder => Turn::Chance,
            other => other,
        }
    }

    fn legal_actions(&self, state: &Self::State) -> ActionSet {
        self.game.legal_actions(&state.inner)
    }

    fn chance_outcomes(&self, state: &Self::State, mut visit: impl FnMut(Action, u32)) {
        if self.is_drawn(state) && self.game.turn(&state.inner) == Turn::Chance {
            return self.game.chance_outcomes(&state.inner, visit);
        }
        if !self.is_drawn(state) {
            return self.parts().for_each(|(part, weight)| visit(part, weight));
        }
        let mut row = [0.0; MAX_ACTIONS];
        let row = &mut row[..self.game.spec().num_actions];
        self.ask(state, row);
        self.actions(state, row).for_each(|(action, weight)| visit(action, weight));
    }

    fn apply(&self, state: &mut Self::State, action: Action) {
        if self.is_drawn(state) {
            self.game.apply(&mut state.inner, action);
        } else {
            state.part = Some(action);
        }
    }

    fn utility(&self, state: &Self::State) -> f64 {
        self.game.utility(&state.inner)
    }

    fn infoset_key(&self, state: &Self::State, player: Player) -> InfosetKey {
        self.game.infoset_key(&state.inner, player)
    }

    /// Asks the strategy once, where the default would twice.
    fn sample_chance(&self, state: &Self::State, rng: &mut Stream) -> Action {
        if self.is_drawn(state) && self.game.turn(&state.inner) == Turn::Chance {
            return self.game.sample_chance(&state.inner, rng);
        }
        if !self.is_drawn(state) {
            return draw(self.parts(), rng);
        }
        let mut row = [0.0; MAX_ACTIONS];
        let row = &mut row[..self.game.spec().num_actions];
        self.ask(state, row);
        draw(self.actions(state, row), rng)
    }

    fn truncated(&self, state: &Self::State) -> bool {
        self.game.truncated(&state.inner)
    }

    fn scores(&self, state: &Self::State) -> Option<[f64; NUM_PLAYERS]> {
        self.game.scores(&state.inner)
    }
}

/// What was made for the game itself, for [`Against`]: an encoder, a baseline, a bot.
pub struct Inner<T>(pub T);

impl<G: Game, S: FixedStrategy<G>, E: Encoder<G>> Encoder<Against<'_, G, S>> for Inner<&E> {
    fn num_features(&self) -> usize {
        self.0.num_features()
    }

    fn encode(
        &self,
        game: &Against<'_, G, S>,
        state: &AgainstState<G::State>,
        player: Player,
        row: &mut [f32],
    ) {
        self.0.encode(game.game, &state.inner, player, row);
    }
}

impl<G: Game, S: FixedStrategy<G>> Baseline<Against<'_, G, S>> for Inner<&dyn Baseline<G>> {
    fn write(&self, game: &Against<'_, G, S>, state: &AgainstState<G::State>, values: &mut [f64]) {
        self.0.write(game.game, &state.inner, values);
    }
}

impl<G: Game, S: FixedStrategy<G>> Bot<Against<'_, G, S>> for Inner<&dyn Bot<G>> {
    fn act(&self, game: &Against<'_, G, S>, state: &AgainstState<G::State>, rng: &mut Stream) -> Action {
        self.0.act(game.game, &state.inner, rng)
    }
}
