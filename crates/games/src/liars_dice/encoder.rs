//! Features of liar's dice.
//!
//! Not here: rules.

use deepcfr_core::{Encoder, FeatureBlock, Player};

use super::{LiarsDice, LiarsDiceRules, LiarsDiceState, count};

/// Features in `{0, 1}`: `sides·dice + bids + 2·dice + sides + 1` of them (27 with one die of six
/// sides each, where `bids = 2·dice·sides`).
///
/// In order: for each face, whether at least 1, 2, … own dice show it; which bids were made; the
/// last bid's quantity and face, one-hot (all 0 before the first); seat.
#[derive(Clone, Copy, Debug)]
pub struct LiarsDiceEncoder {
    rules: LiarsDiceRules,
}

impl LiarsDiceEncoder {
    /// The encoder of a game's rules.
    pub fn new(game: &LiarsDice) -> Self {
        Self { rules: game.rules() }
    }
}

impl Encoder<LiarsDice> for LiarsDiceEncoder {
    fn num_features(&self) -> usize {
        let LiarsDiceRules { dice, sides } = self.rules;
        sides * dice + self.rules.bids() + 2 * dice + sides + 1
    }

    #[inline]
    fn encode(&self, game: &LiarsDice, state: &LiarsDiceState, player: Player, row: &mut [f32]) {
        let LiarsDiceRules { dice, sides } = self.rules;
        let (own, row) = row.split_at_mut(sides * dice);
        for (face, thresholds) in own.chunks_exact_mut(dice).enumerate() {
            let showing = count(state.rolls[player], face as u32) as usize;
            thresholds.iter_mut().enumerate().for_each(|(below, set)| *set = f32::from(below < showing));
        }
        let (bids, row) = row.split_at_mut(self.rules.bids());
        bids.iter_mut().enumerate().for_each(|(bid, made)| *made = f32::from(state.bids >> bid & 1 == 1));
        row.fill(0.0);
        if state.bids != 0 {
            let (quantity, face) = game.claim(state.bids.ilog2());
            row[quantity as usize - 1] = 1.0;
            row[2 * dice + face as usize] = 1.0;
        }
        row[2 * dice + sides] = player as f32;
    }

    fn layout(&self) -> Vec<FeatureBlock> {
        let LiarsDiceRules { dice, sides } = self.rules;
        let faces = (1..=sides)
            .map(|face| FeatureBlock::new(format!("own dice that show {face}: at least 1, 2, ..."), dice));
        let rest = [
            FeatureBlock::new("bids made, in the order of actions", self.rules.bids()),
            FeatureBlock::new("last bid's quantity from 1, 0 before the first", 2 * dice),
            FeatureBlock::new("last bid's face from 1, 0 before the first", sides),
            FeatureBlock::new("seat", 1),
        ];
        faces.chain(rest).collect()
    }
}
