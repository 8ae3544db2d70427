//! Outcome sampling: one trajectory, explored by the traverser alone.
//!
//! With sampled action a*, value v̂ below it and sampling strategy ξ = ε·uniform + (1 − ε)·σ, the
//! estimate is v̂(a) = 1[a = a*]·v̂/ξ(a), v̂(I) = Σ_a σ(a)·v̂(a); regrets grow by
//! (v̂(a) − v̂(I)) / ξ(what the traverser did before) for every legal action, sampled or not.

use deepcfr_core::{Player, Stream, Turn};

use super::{Slots, Tables, Walk, pick, push_strategy};

/// A decision of the traverser on the trajectory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Decision {
    slots: Slots,
    rank: usize,
    /// σ and ξ of the action taken.
    strategy: f64,
    sampling: f64,
    /// One over the product of ξ before this decision.
    weight: f64,
}

/// Walks one trajectory for `traverser` and returns the number of decision and terminal nodes.
pub(super) fn traverse<W: Walk>(
    walk: &mut W,
    tables: &mut Tables,
    scratch: &mut Vec<f64>,
    trail: &mut Vec<Decision>,
    mut rng: Stream,
    traverser: Player,
    exploration: f64,
) -> u64 {
    trail.clear();
    let mut node = walk.root();
    let (mut nodes, mut weight) = (0, 1.0);
    loop {
        let player = match walk.turn(&node) {
            Turn::Chance => {
                node = walk.draw(&node, &mut rng);
                continue;
            }
            Turn::Terminal => break,
            Turn::Player(player) => player,
        };
        nodes += 1;
        let slots = walk.slots(&node, player, tables);
        scratch.clear();
        push_strategy(tables, slots, scratch);
        let rank = if player == traverser {
            let decision = decide(scratch, slots, &mut rng, exploration, weight);
            trail.push(decision);
            weight /= decision.sampling;
            decision.rank
        } else {
            let sums = &mut tables.sums[slots.range()];
            sums.iter_mut().zip(&*scratch).for_each(|(sum, share)| *sum += weight * share);
            pick(scratch, rng.uniform())
        };
        node = walk.child(&node, rank);
    }
    let utility = walk.utility(&node);
    add_regrets(tables, trail, if traverser == 0 { utility } else { -utility });
    nodes + 1
}

#[inline]
fn decide(strategy: &[f64], slots: Slots, rng: &mut Stream, exploration: f64, weight: f64) -> Decision {
    // One number serves both: below ε it explores, scaled back to [0, 1).
    let draw = rng.uniform();
    let rank = if draw < exploration {
        ((draw / exploration * slots.len as f64) as usize).min(slots.len - 1)
    } else {
        pick(strategy, (draw - exploration) / (1.0 - exploration))
    };
    let sampling = exploration / slots.len as f64 + (1.0 - exploration) * strategy[rank];
    Decision { slots, rank, strategy: strategy[rank], sampling, weight }
}

#[inline]
fn add_regrets(tables: &mut Tables, trail: &[Decision], utility: f64) {
    let mut value = utility;
    for decision in trail.iter().rev() {
        let taken = value / decision.sampling;
        value = decision.strategy * taken;
        let regrets = &mut tables.regrets[decision.slots.range()];
        let below = decision.weight * value;
        regrets.iter_mut().for_each(|regret| *regret -= below);
        regrets[decision.rank] += decision.weight * taken;
    }
}
