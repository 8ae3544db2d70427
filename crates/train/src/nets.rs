//! The networks that take part in matches, numbered, and the strategies that are played by them.
//!
//! Not here: models that answer for them (see `inference`).

use std::sync::Arc;

use deepcfr_cfr::matches::{MatchError, NetworkStrategy, OutputRule};
use deepcfr_cfr::regret::AllNegative;
use deepcfr_config::EvaluatedPolicy;
use deepcfr_core::{NUM_PLAYERS, NetId, Weights};

use crate::archive::Archived;

/// Networks that a model holds for a run: both players' advantages and the average strategy.
pub const NUM_NETS: usize = NUM_PLAYERS + 1;

/// Networks numbered from 0.
#[derive(Clone, Debug, Default)]
pub struct Nets(Vec<Arc<Weights>>);

/// More networks than can be numbered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{got} networks would have to play together, at most {most} can; lower average.archive_capacity, or name \
     fewer `:sd_cfr`"
)]
pub struct TooManyNetworks {
    /// How many there are.
    pub got: usize,
    /// How many there can be.
    pub most: usize,
}

impl Nets {
    /// Numbers a network.
    pub fn add(&mut self, weights: &Arc<Weights>) -> NetId {
        // More than 65,535 are refused by `check`, before any of these numbers is used.
        let net = NetId(self.0.len() as u16);
        self.0.push(Arc::clone(weights));
        net
    }

    /// How many there are; at least 1, as models hold no fewer.
    #[expect(clippy::len_without_is_empty, reason = "models hold at least one network")]
    pub fn len(&self) -> usize {
        self.0.len().max(1)
    }

    /// Makes sure that every network has a number of its own.
    ///
    /// # Errors
    /// If there are too many.
    pub fn check(&self) -> Result<(), TooManyNetworks> {
        let most = usize::from(u16::MAX);
        if self.0.len() > most { Err(TooManyNetworks { got: self.0.len(), most }) } else { Ok(()) }
    }

    /// All of them with their numbers.
    pub fn numbered(&self) -> Vec<(NetId, Arc<Weights>)> {
        self.0.iter().enumerate().map(|(net, weights)| (NetId(net as u16), Arc::clone(weights))).collect()
    }

    /// Adds the networks that `policy` is played by and says how; `None` where `weights` (by
    /// [`NetId::index`]) and `archive` do not hold it. `rule` is regret matching's where no advantage is
    /// positive.
    ///
    /// # Errors
    /// If the archive's weights cannot be drawn by.
    pub fn strategy(
        &mut self,
        policy: EvaluatedPolicy,
        weights: &[Option<Arc<Weights>>; NUM_NETS],
        archive: &[Archived],
        rule: AllNegative,
    ) -> Result<Option<NetworkStrategy>, MatchError> {
        let [first, second, average] = weights;
        match policy {
            EvaluatedPolicy::PolicyNetwork => Ok(average
                .as_ref()
                .map(|average| NetworkStrategy::single(self.add(average), OutputRule::Softmax))),
            EvaluatedPolicy::Current => Ok(first.as_ref().zip(second.as_ref()).map(|(first, second)| {
                let nets = [self.add(first), self.add(second)];
                NetworkStrategy::of_seats(nets, OutputRule::RegretMatching(rule))
            })),
            EvaluatedPolicy::SdCfr if archive.is_empty() => Ok(None),
            EvaluatedPolicy::SdCfr => {
                let archives: [Vec<_>; NUM_PLAYERS] = [0, 1].map(|player: usize| {
                    let entries = archive.iter();
                    entries.map(|entry| (self.add(&entry.networks[player]), entry.weight)).collect()
                });
                NetworkStrategy::sampled([&archives[0], &archives[1]], rule).map(Some)
            }
        }
    }
}
