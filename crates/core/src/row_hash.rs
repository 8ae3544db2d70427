//! One number for a feature row and its legal actions, by which equal rows find each other.
//!
//! Not here: tables, and whether rows of equal hashes are equal.

use crate::ActionSet;

/// A 128-bit hash of the bits of a row and its legal actions, the same on every machine. Two of a million
/// distinct rows meet with a probability below 1e-26.
pub fn row_hash(features: &[f32], legal: ActionSet) -> u128 {
    let legal = legal.bits();
    let mut state = [0x9E37_79B9_7F4A_7C15, 0xD1B5_4A32_D192_ED03];
    mix(&mut state, legal as u64, (legal >> 64) as u64);
    let quads = features.chunks_exact(4);
    let rest = quads.remainder();
    for quad in quads {
        mix(&mut state, word(quad[0], quad[1]), word(quad[2], quad[3]));
    }
    for &value in rest {
        mix(&mut state, word(value, 0.0), 0);
    }
    mix(&mut state, features.len() as u64, 0);
    u128::from(state[0]) << 64 | u128::from(state[1])
}

/// Folded 128-bit products, as in wyhash, with the other half of the state in each operand.
#[inline]
fn mix(state: &mut [u64; 2], a: u64, b: u64) {
    let [first, second] = *state;
    state[0] = fold(a ^ first ^ 0xA076_1D64_78BD_642F, b ^ second ^ 0xE703_7ED1_A0B4_28DB);
    state[1] = fold(a ^ second ^ 0x8EBC_6AF0_9C88_C6E3, b ^ first.rotate_left(32) ^ 0x5899_65CC_7537_4CC3);
}

#[inline]
fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    product as u64 ^ (product >> 64) as u64
}

#[inline]
fn word(low: f32, high: f32) -> u64 {
    u64::from(high.to_bits()) << 32 | u64::from(low.to_bits())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bit_of_a_row_and_its_legal_actions_counts() {
        let legal = ActionSet::first(2);
        let mut hashes = vec![
            row_hash(&[], legal),
            row_hash(&[0.0], legal),
            row_hash(&[-0.0], legal),
            row_hash(&[0.0; 2], legal),
            row_hash(&[0.0; 4], legal),
            row_hash(&[0.0; 4], ActionSet::first(3)),
            row_hash(&[0.0; 4], ActionSet::from_bits(0b11 << 70)),
        ];
        for place in 0..7 {
            let mut row = [0.0; 7];
            row[place] = 1.0;
            hashes.push(row_hash(&row, legal));
        }
        let count = hashes.len();
        hashes.sort_unstable();
        hashes.dedup();
        assert_eq!(hashes.len(), count);
    }
}
