//! Features of games that were read from files: a table's index, or a hash of what a player knows.
//!
//! A file says nothing of what its labels mean, so neither generalises as an encoder made for a game
//! does. Not here: the game itself.

use deepcfr_core::{Encoder, FeatureBlock, NUM_PLAYERS, Player};

use crate::game::{EfgGame, Infoset};

/// Which features an [`EfgEncoder`] writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EfgFeatures {
    /// One feature for each infoset: 1 at the one that the player is in. A network then learns each
    /// infoset by itself, as a table does.
    OneHot,
    /// The two seats, and then so many features into which the rest is hashed with signs (Weinberger et
    /// al. 2009, "Feature hashing for large scale multitask learning"): the infoset's number in 8 places,
    /// each of the player's own earlier moves (label and how many moves ago) and each word of the
    /// infoset's label in 2. Infosets that share moves and words share features, which is all that a
    /// network can generalise from.
    Hashed {
        /// How many features the seats are followed by.
        len: usize,
    },
}

impl EfgFeatures {
    /// The most infosets of a player for which [`EfgEncoder::new`] gives each its own feature.
    pub const ONE_HOT_INFOSETS: usize = 4096;
    /// The length that [`EfgEncoder::new`] hashes to: infosets of a few million still differ.
    pub const HASHED_LEN: usize = 512;
}

/// Places of an infoset's number.
const IDENTITY_PLACES: u64 = 8;
/// Places of a move or a word.
const SHARED_PLACES: u64 = 2;

/// Features of an [`EfgGame`], made for one game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EfgEncoder {
    features: EfgFeatures,
    infosets: [usize; NUM_PLAYERS],
}

impl EfgEncoder {
    /// One-hot up to [`EfgFeatures::ONE_HOT_INFOSETS`] infosets a player, hashed beyond.
    pub fn new(game: &EfgGame) -> Self {
        let few = game.report().infosets.iter().all(|&count| count <= EfgFeatures::ONE_HOT_INFOSETS);
        let hashed = EfgFeatures::Hashed { len: EfgFeatures::HASHED_LEN };
        Self::with(game, if few { EfgFeatures::OneHot } else { hashed })
    }

    /// The features asked for; lengths below 1 are 1.
    pub fn with(game: &EfgGame, features: EfgFeatures) -> Self {
        let features = match features {
            EfgFeatures::Hashed { len } => EfgFeatures::Hashed { len: len.max(1) },
            EfgFeatures::OneHot => features,
        };
        Self { features, infosets: game.report().infosets }
    }

    /// Which features it writes.
    pub fn features(&self) -> EfgFeatures {
        self.features
    }
}

impl Encoder<EfgGame> for EfgEncoder {
    fn num_features(&self) -> usize {
        match self.features {
            // A game without decisions has a row, too.
            EfgFeatures::OneHot => self.infosets.iter().sum::<usize>().max(1),
            EfgFeatures::Hashed { len } => NUM_PLAYERS + len,
        }
    }

    fn encode(&self, game: &EfgGame, &node: &u32, player: Player, row: &mut [f32]) {
        row.fill(0.0);
        let Some(infoset) = game.infoset(node) else { return };
        match self.features {
            EfgFeatures::OneHot => {
                let before: usize = self.infosets[..player].iter().sum();
                row[before + infoset.rank as usize] = 1.0;
            }
            EfgFeatures::Hashed { .. } => {
                let (seats, hashed) = row.split_at_mut(NUM_PLAYERS);
                seats[player] = 1.0;
                hash(game, infoset, hashed);
            }
        }
    }

    fn layout(&self) -> Vec<FeatureBlock> {
        match self.features {
            EfgFeatures::OneHot => {
                let [first, second] = self.infosets;
                let rest = self.num_features() - first - second;
                let blocks =
                    [("infoset of player 0", first), ("infoset of player 1", second), ("unused", rest)];
                let blocks = blocks.into_iter().filter(|&(_, len)| len > 0);
                blocks.map(|(name, len)| FeatureBlock::new(name, len)).collect()
            }
            EfgFeatures::Hashed { len } => vec![
                FeatureBlock::new("seat", NUM_PLAYERS),
                FeatureBlock::new("hash of infoset, own moves and words of its label", len),
            ],
        }
    }
}

fn hash(game: &EfgGame, infoset: &Infoset, row: &mut [f32]) {
    let seat = u64::from(infoset.owner);
    add(row, mixed(&[0, seat, infoset.number]), IDENTITY_PLACES);
    for (ago, (at, action)) in game.own_moves(infoset).enumerate() {
        let label = game.action_label(at, action);
        let named = if label.trim().is_empty() { u64::from(action) } else { of_bytes(label.as_bytes()) };
        add(row, mixed(&[1, seat, ago as u64, named]), SHARED_PLACES);
    }
    for word in game.infoset_label(infoset).split_whitespace() {
        add(row, mixed(&[2, seat, of_bytes(word.as_bytes())]), SHARED_PLACES);
    }
}

/// Adds ±1 at so many places that `token` chooses.
fn add(row: &mut [f32], token: u64, places: u64) {
    for place in 0..places {
        let bits = mixed(&[token, place]);
        // The high bits choose the place, the lowest the sign.
        let at = ((u128::from(bits) * row.len() as u128) >> 64) as usize;
        row[at] += if bits & 1 == 1 { 1.0 } else { -1.0 };
    }
}

/// FNV-1a.
fn of_bytes(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}

/// One number from several, by the finaliser of SplitMix64 after each.
fn mixed(parts: &[u64]) -> u64 {
    parts.iter().fold(0, |hash, &part| {
        let mut bits = (hash ^ part).wrapping_add(0x9e37_79b9_7f4a_7c15);
        bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ bits >> 31
    })
}
