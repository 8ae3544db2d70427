//! Rollout sampling: one trajectory, at whose nodes every action of the traverser is played out by a
//! fixed policy.
//!
//! `v̂(a)` is the mean utility of `rollouts` games that start with `a` and in which both players then
//! follow the rollout policy; the target of every legal action is `v̂(a) − Σ_b σ(b)·v̂(b)`. No
//! importance weights: the trajectory only chooses which nodes are looked at (as in ESCHER, McAleer et
//! al. 2023, whose history values are here measured, not learned). Regret matching on such targets is a
//! step of policy improvement over the rollout policy (Tesauro and Galperin 1996), **not** a step
//! towards an equilibrium: values assume that everybody goes on as the rollout policy does. What it
//! gives is a signal at every decision of a long game, hundreds of plies before the end.
//!
//! All actions of a node meet the same chance numbers, so luck that they share cancels in the target.

use deepcfr_core::{ActionSet, Game, Player, Stream, Turn};

use super::sampling::RolloutSampling;
use super::scheme::{Scheme, Walk, explored};
use crate::matches::Bot;
use crate::regret::sample_by;

/// Rollout sampling under a policy.
pub(super) struct Rollout<'a, G: Game> {
    pub(super) parameters: RolloutSampling,
    pub(super) policy: &'a dyn Bot<G>,
}

impl<G: Game> Scheme<G> for Rollout<'_, G> {
    /// Targets are known when a node is entered: nothing stays on the stack.
    type Frame = ();

    fn open(&self, game: &G, walk: &mut Walk<G, ()>, slot: usize) {
        let Turn::Player(player) = game.turn(&walk.state) else { unreachable!("opened at a decision") };
        let row = walk.make_row(0);
        let legal = walk.recording.advantage.legal(slot);
        let games = walk.rng.branch();
        let values = &mut walk.rows[row..row + walk.shape.num_actions];
        walk.recording.nodes += self.play_out(game, &walk.state, player, (legal, games), values);
        let targets = walk.recording.advantage.targets_mut(walk.shape, slot);
        let action = sample_by(legal, walk.rng.uniform(), explored(self.parameters.epsilon, legal, targets));
        let mean: f64 = legal.iter().map(usize::from).map(|a| f64::from(targets[a]) * values[a]).sum();
        legal.iter().map(usize::from).for_each(|a| targets[a] = (values[a] - mean) as f32);
        game.apply(&mut walk.state, action);
        walk.depth += 1;
    }

    fn close(&self, _game: &G, _walk: &mut Walk<G, ()>, _value: f64) -> Option<f64> {
        unreachable!("no frame is ever pushed")
    }

    fn initial(&self, game: &G, state: &G::State, _: ActionSet, rng: &mut Stream, strategy: &mut [f32]) {
        strategy.fill(0.0);
        strategy[usize::from(self.policy.act(game, state, rng))] = 1.0;
    }
}

impl<G: Game> Rollout<'_, G> {
    /// Writes each legal action's mean utility for `player`; returns the nodes visited.
    fn play_out(
        &self,
        game: &G,
        state: &G::State,
        player: Player,
        (legal, games): (ActionSet, Stream),
        values: &mut [f64],
    ) -> u64 {
        let mut nodes = 0;
        let share = f64::from(self.parameters.rollouts).recip();
        legal.iter().for_each(|action| values[usize::from(action)] = 0.0);
        let mut games = games;
        for _ in 0..self.parameters.rollouts {
            let luck = games.branch();
            for action in legal {
                let mut end = state.clone();
                game.apply(&mut end, action);
                nodes += self.policy.play_out(game, &mut end, &mut luck.clone());
                let utility = game.utility(&end);
                values[usize::from(action)] += share * if player == 0 { utility } else { -utility };
            }
        }
        nodes
    }
}
