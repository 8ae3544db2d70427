//! The 128-bit name of what a player knows.
//!
//! Not here: features (see the encoders).

use deepcfr_core::{InfosetKey, Player};

use super::layout::Layout;
use super::state::State;

/// How the own hand enters a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HandKey {
    /// Which cards.
    Multiset,
    /// Which card in which slot.
    Slots,
}

/// The key of `player`'s knowledge: own hand, both players' expeditions, the piles in order, the
/// cards that either is known to hold, phase, closed pile, deck size and decisions taken.
///
/// This is the state of the table, not the whole history: orders of play that lead to the same
/// table, hand and knowledge share a key. The legal actions are a function of it.
pub(super) fn infoset_key(layout: &Layout, state: &State, player: Player, hand_key: HandKey) -> InfosetKey {
    let pack = |[own, other]: [u32; 2]| u64::from(own) << 32 | u64::from(other);
    let status = u64::from(state.plies)
        | u64::from(state.deck_len) << 16
        | u64::from(state.closed_pile) << 24
        | (state.phase as u64) << 32
        | u64::from(state.player) << 40
        | (player as u64) << 41
        | u64::from(state.hand_len[player]) << 48;
    let hand = match hand_key {
        HandKey::Multiset => [state.hand[player], u64::from(state.hand_wagers[player])],
        HandKey::Slots => [state.slots[player], 1 << 32],
    };
    let mut hash = Hash128::start();
    hash.absorb(status, hand[0]);
    hash.absorb(hand[1], pack(state.played_wagers));
    hash.absorb(state.played[0], state.played[1]);
    hash.absorb(state.known[0], state.known[1]);
    hash.absorb(pack(state.known_wagers), 0);
    for pair in state.piles[..layout.size.colours.next_multiple_of(2)].chunks_exact(2) {
        hash.absorb(pair[0], pair[1]);
    }
    InfosetKey(hash.finish())
}

/// Multiply–xorshift over 128-bit words. Each step is a bijection of the running value, so two
/// inputs that differ in one word never collide.
struct Hash128(u128);

impl Hash128 {
    const MULTIPLIER: u128 = 0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835;

    #[inline]
    fn start() -> Self {
        Self(0x2545_f491_4f6c_dd1d_a076_1d64_78bd_642f)
    }

    #[inline]
    fn absorb(&mut self, high: u64, low: u64) {
        let mixed = (self.0 ^ (u128::from(high) << 64 | u128::from(low))).wrapping_mul(Self::MULTIPLIER);
        self.0 = mixed ^ mixed >> 67;
    }

    #[inline]
    fn finish(mut self) -> u128 {
        self.absorb(0, 0);
        self.absorb(0, 0);
        self.0
    }
}
