//! The n-th member of a set that is a word.
//!
//! Not here: what the members mean.

/// The position of the set bit that has `rank` set bits below it; `None` if there are not so many.
///
/// Broadword selection (Vigna 2008), by table within a byte. It does not branch on which bits are set, which is
/// as good as random, but on whether the upper half is empty: a caller's sets are mostly alike in that.
#[inline]
pub fn select_bit(bits: u128, rank: u32) -> Option<u32> {
    choose_bit(bits, |_| rank)
}

/// [`select_bit`] with the rank that `choose` gives, told how many set bits there are.
#[inline]
pub(crate) fn choose_bit(bits: u128, choose: impl FnOnce(u32) -> u32) -> Option<u32> {
    let (low, high) = (bits as u64, (bits >> 64) as u64);
    let low_sums = byte_sums(low);
    let below = total(low_sums);
    if high == 0 {
        let rank = choose(below);
        return (rank < below).then(|| select_in_word(low, low_sums, rank));
    }
    let high_sums = byte_sums(high);
    let all = below + total(high_sums);
    let rank = choose(all);
    if rank >= all {
        return None;
    }
    let upper = rank >= below;
    let (word, sums, rank) = if upper { (high, high_sums, rank - below) } else { (low, low_sums, rank) };
    Some(64 * u32::from(upper) + select_in_word(word, sums, rank))
}

const ONES: u64 = 0x0101_0101_0101_0101;

/// Byte `i` counts the set bits in bytes `0..=i`.
#[inline]
fn byte_sums(bits: u64) -> u64 {
    let pairs = bits - (bits >> 1 & 0x5555_5555_5555_5555);
    let quads = (pairs & 0x3333_3333_3333_3333) + (pairs >> 2 & 0x3333_3333_3333_3333);
    ((quads + (quads >> 4)) & 0x0f0f_0f0f_0f0f_0f0f).wrapping_mul(ONES)
}

/// The set bits of a whole word, from its [`byte_sums`].
#[inline]
fn total(sums: u64) -> u32 {
    (sums >> 56) as u32
}

/// [`select_bit`] where there are enough bits; `sums` are the word's [`byte_sums`].
#[inline]
fn select_in_word(bits: u64, sums: u64, rank: u32) -> u32 {
    const HIGH: u64 = 0x8080_8080_8080_8080;
    let passed = ((u64::from(rank).wrapping_mul(ONES) | HIGH) - sums) & HIGH;
    let byte = (((passed >> 7).wrapping_mul(ONES) >> 56) as u32 * 8) & 63;
    let left = rank.wrapping_sub((sums << 8 >> byte) as u32);
    byte + u32::from(IN_BYTE[(bits >> byte) as usize & 255][left as usize & 7])
}

/// The positions of the set bits of every byte.
const IN_BYTE: [[u8; 8]; 256] = {
    let mut table = [[0; 8]; 256];
    let mut byte = 0;
    while byte < 256 {
        let (mut rank, mut bit) = (0, 0);
        while bit < 8 {
            if byte >> bit & 1 == 1 {
                table[byte][rank] = bit as u8;
                rank += 1;
            }
            bit += 1;
        }
        byte += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn select_finds_every_set_bit() {
        let words = [1, u64::MAX, 0x8000_0000_0000_0001, 0x0f0f_1234_8421_00f0, 0xff00_0000_0000_0000, 0];
        for low in words {
            for high in words {
                let bits = u128::from(high) << 64 | u128::from(low);
                let members: Vec<u32> = (0..128).filter(|bit| bits >> bit & 1 == 1).collect();
                for (rank, &bit) in members.iter().enumerate() {
                    assert_eq!(select_bit(bits, rank as u32), Some(bit), "{bits:x} {rank}");
                }
                assert_eq!(select_bit(bits, members.len() as u32), None);
                let last = choose_bit(bits, |count| {
                    assert_eq!(count, members.len() as u32);
                    count.wrapping_sub(1)
                });
                assert_eq!(last, members.last().copied());
            }
        }
    }

    #[test]
    fn select_finds_every_bit_of_every_byte() {
        for byte in 1..256u128 {
            let members = (0..8).filter(|bit| byte >> bit & 1 == 1);
            for (rank, bit) in members.enumerate() {
                for shift in [0, 8, 56, 64, 120] {
                    assert_eq!(select_bit(byte << shift, rank as u32), Some(bit + shift));
                }
            }
        }
    }
}
