//! What seeded work gives, as a few numbers: a change that is about speed alone must not change them.
//!
//! Forward passes and all that follows from them depend on the machine's vector unit (fused
//! multiply-adds or not); the rest is the same everywhere. Not here: timing.

use std::fmt;

use deepcfr_cfr::memory::{Memories, Memory};
use deepcfr_core::{Encoder, NetId};
use deepcfr_games::lost_cities::{
    ActionSpace, Cards, CardsEncoder, LostCities, Rules, Slots, SlotsEncoder, State,
};
use deepcfr_nn::encode_weights;

use super::games::{classic, decisions, playout};
use super::networks::{BATCHES, rows_of};
use super::trainer;
use super::traversal::shortened;
use crate::error::BenchError;
use deepcfr_config::RunConfig;
use deepcfr_train::networks::{NUM_NETS, factory};

/// Random games played.
const GAMES: u32 = 200;
/// Traversals of each player, twice.
const TRAVERSALS: u32 = 20;
/// Steps of a fit.
const STEPS: usize = 5;

/// Hashes of seeded work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fingerprint {
    /// Random games of Lost Cities: legal actions and results.
    pub playouts: u64,
    /// Rows of both encoders.
    pub encodings: u64,
    /// Samples of two iterations, the second one's drawn with networks.
    pub samples: u64,
    /// Weights after short fits.
    pub fits: u64,
    /// Outputs of those networks.
    pub forwards: u64,
}

impl Fingerprint {
    pub(super) fn compute(config: &RunConfig) -> Result<Self, BenchError> {
        let states = decisions(&classic::<Slots>());
        let slots = encodings(&classic::<Slots>(), &SlotsEncoder::new(&Rules::classic()), &states);
        let cards = encodings(&classic::<Cards>(), &CardsEncoder::new(&Rules::classic()), &states);
        let mut config = shortened(config, STEPS);
        config.network.hidden_size = 128;
        config.traversal.traversals_per_player = TRAVERSALS;
        let (samples, fits, forwards) = two_iterations(config)?;
        Ok(Self {
            playouts: hash([playouts::<Slots>(), playouts::<Cards>()]),
            encodings: hash([slots, cards]),
            samples,
            fits,
            forwards,
        })
    }

    /// All of it as one number.
    pub fn all(&self) -> u64 {
        hash([self.playouts, self.encodings, self.samples, self.fits, self.forwards])
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { playouts, encodings, samples, fits, forwards } = self;
        write!(
            f,
            "{:016x} (playouts {playouts:016x}, encodings {encodings:016x}, samples {samples:016x}, fits {fits:016x}, forwards {forwards:016x})",
            self.all()
        )
    }
}

/// FNV-1a over words.
fn hash(words: impl IntoIterator<Item = u64>) -> u64 {
    words.into_iter().fold(0xcbf2_9ce4_8422_2325, |state: u64, word| {
        (state ^ word).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(23)
    })
}

fn playouts<A: ActionSpace>() -> u64 {
    let game = classic::<A>();
    let mut words = Vec::new();
    for index in 0..GAMES {
        let played = playout(&game, index, |_, legal| {
            words.extend([legal.bits() as u64, (legal.bits() >> 64) as u64]);
        });
        words.push(played.utility.to_bits());
    }
    hash(words)
}

fn encodings<A: ActionSpace>(
    game: &LostCities<A>,
    encoder: &impl Encoder<LostCities<A>>,
    states: &[State],
) -> u64 {
    let mut row = vec![0.0; encoder.num_features()];
    hash(states.iter().map(|state| {
        encoder.encode(game, state, state.player(), &mut row);
        hash(bits(&row))
    }))
}

fn bits(row: &[f32]) -> impl Iterator<Item = u64> {
    row.iter().map(|value| value.to_bits().into())
}

fn two_iterations(config: RunConfig) -> Result<(u64, u64, u64), BenchError> {
    let mut trainer = trainer(config)?;
    trainer.iterate()?;
    trainer.iterate()?;
    let networks = trainer.networks().advantage().expect("every iteration fits networks");
    let fits = networks.iter().flat_map(|weights| encode_weights(weights)).map(u64::from);
    let mut model = factory(trainer.config(), trainer.shape(), NUM_NETS)?.open()?;
    model.load(NetId::advantage(0), &networks[0])?;
    let memories: &Memories = trainer.memories();
    let mut outputs = Vec::new();
    for batch in BATCHES {
        outputs.extend(forward(&mut *model, &memories.advantage[0], batch)?);
    }
    Ok((memories.hash(), hash(fits), hash(bits(&outputs))))
}

fn forward(
    model: &mut dyn deepcfr_core::Model,
    memory: &Memory,
    batch: usize,
) -> Result<Vec<f32>, BenchError> {
    let mut out = vec![0.0; batch * model.spec().num_outputs];
    model.forward(NetId::advantage(0), &rows_of(memory, batch), &mut out)?;
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What does not depend on the vector unit, as it was when the figures were first taken.
    #[test]
    fn rules_and_encoders_give_what_they_gave() {
        let slots = SlotsEncoder::new(&Rules::classic());
        let states = decisions(&classic::<Slots>());
        let figures =
            [playouts::<Slots>(), playouts::<Cards>(), encodings(&classic::<Slots>(), &slots, &states)];
        assert_eq!(figures, [0xb84c_3c50_fa8c_5f5d, 0xda9a_d768_78e4_7446, 0xf4cb_9d23_7300_0819]);
    }
}
