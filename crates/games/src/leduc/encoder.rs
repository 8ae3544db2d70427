//! Features of Leduc poker.
//!
//! Not here: rules.

use deepcfr_core::{Action, Encoder, FeatureBlock, Player};

use super::{CALL, Leduc, LeducRules, LeducState, NO_CARD, RAISE, rank};

/// Actions of a round that a player to move can have seen; the fourth, a call, ends the round.
const SLOTS: usize = 3;
/// Per slot: was it a call, was it a raise.
const BETTING: usize = 2 * SLOTS * 2;
/// Public card there, pair, private rank, public rank, seat, facing a raise, chips of either player.
const SUMMARY: usize = 8;
const MOST_CHIPS: f32 = 13.0;

/// Features in `[0, 1]`, `2·ranks + 20` of them (26 with three ranks), two more with suits.
///
/// In order: private rank one-hot, public rank one-hot (all 0 before it is dealt), the betting of
/// both rounds slot by slot, and a summary that a small network would otherwise have to learn first:
/// whether the public card is there, whether it pairs, both ranks as numbers (so that strategies
/// carry over between neighbouring ranks), seat, facing a raise, chips paid by either player. Then
/// both suits, unless the rules are suit-blind.
#[derive(Clone, Copy, Debug)]
pub struct LeducEncoder {
    rules: LeducRules,
}

impl LeducEncoder {
    /// The encoder of a game's rules.
    pub fn new(game: &Leduc) -> Self {
        Self { rules: game.rules() }
    }

    #[inline]
    fn summary(&self, state: &LeducState, player: Player) -> [f32; SUMMARY] {
        let scaled = |card: u8| f32::from(rank(card)) / (self.rules.ranks - 1) as f32;
        let (private, public) = (state.cards[player], state.cards[2]);
        let shown = public != NO_CARD;
        [
            f32::from(shown),
            f32::from(shown && rank(private) == rank(public)),
            scaled(private),
            if shown { scaled(public) } else { 0.0 },
            player as f32,
            f32::from(state.facing_raise()),
            f32::from(state.paid[player]) / MOST_CHIPS,
            f32::from(state.paid[1 - player]) / MOST_CHIPS,
        ]
    }
}

impl Encoder<Leduc> for LeducEncoder {
    fn num_features(&self) -> usize {
        2 * self.rules.ranks + BETTING + SUMMARY + if self.rules.suit_blind_keys { 0 } else { 2 }
    }

    #[inline]
    fn encode(&self, _game: &Leduc, state: &LeducState, player: Player, row: &mut [f32]) {
        let (private, public) = (state.cards[player], state.cards[2]);
        let (ranks, row) = row.split_at_mut(2 * self.rules.ranks);
        ranks.fill(0.0);
        ranks[rank(private) as usize] = 1.0;
        if public != NO_CARD {
            ranks[self.rules.ranks + rank(public) as usize] = 1.0;
        }
        let (betting, row) = row.split_at_mut(BETTING);
        write_betting(state.history, betting);
        let (summary, suits) = row.split_at_mut(SUMMARY);
        summary.copy_from_slice(&self.summary(state, player));
        if let [private_suit, public_suit] = suits {
            *private_suit = f32::from(private & 1);
            *public_suit = f32::from(public != NO_CARD && public & 1 == 1);
        }
    }

    fn layout(&self) -> Vec<FeatureBlock> {
        let ranks = self.rules.ranks;
        let block = |name: &str, len| FeatureBlock::new(name, len);
        let mut blocks = vec![
            block("own card's rank", ranks),
            block("public card's rank, 0 before it is dealt", ranks),
            block("first round's actions in order: call, raise", BETTING / 2),
            block("second round's actions in order: call, raise", BETTING / 2),
            block("public card dealt", 1),
            block("public card pairs the own card", 1),
            block("own rank over the highest", 1),
            block("public rank over the highest", 1),
            block("seat", 1),
            block("facing a raise", 1),
            block("chips paid over 13: own, opponent's", 2),
        ];
        if !self.rules.suit_blind_keys {
            blocks.push(block("suits: own card, public card", 2));
        }
        blocks
    }
}

#[inline]
fn write_betting(history: [u8; 2], betting: &mut [f32]) {
    for (round, slots) in history.into_iter().zip(betting.chunks_exact_mut(2 * SLOTS)) {
        for (slot, pair) in slots.chunks_exact_mut(2).enumerate() {
            let action = Action::from(round >> (2 * slot) & 3);
            pair[0] = f32::from(action == CALL);
            pair[1] = f32::from(action == RAISE);
        }
    }
}
