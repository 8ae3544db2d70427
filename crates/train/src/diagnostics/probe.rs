//! A sample of an iteration's samples, kept aside for diagnostics.
//!
//! Not here: what is computed from it.

use deepcfr_cfr::memory::Memories;
use deepcfr_core::{ActionSet, Features, NUM_PLAYERS, Player, Purpose, SampleMeta, SampleSink, Stream};

/// Samples kept of each player.
const KEPT: u64 = 1000;

/// One advantage sample with the class of each legal action.
pub(super) struct ProbedSample {
    pub(super) features: Vec<f32>,
    pub(super) legal: ActionSet,
    pub(super) targets: Vec<f32>,
    /// By action; only those of legal actions mean anything.
    pub(super) classes: Vec<u8>,
}

/// Advantage samples of one iteration, up to 1,000 of each player, every one with the same chance.
pub struct Probe {
    pub(super) classes: &'static [&'static str],
    pub(super) players: [Kept; NUM_PLAYERS],
}

/// One player's.
pub(super) struct Kept {
    seen: u64,
    draws: Stream,
    pub(super) samples: Vec<ProbedSample>,
}

impl Probe {
    /// An empty probe for samples of `iteration`, whose actions fall into `classes`.
    pub fn new(seed: u64, iteration: u32, classes: &'static [&'static str]) -> Self {
        let kept = |player: usize| Kept {
            seen: 0,
            draws: Stream::new(seed, Purpose::Diagnostics, iteration, player as u32, 0),
            samples: Vec::new(),
        };
        Self { classes, players: [kept(0), kept(1)] }
    }
}

impl Kept {
    /// Reservoir sampling (Vitter's R).
    fn offer(&mut self, legal: ActionSet, features: &dyn Features, targets: &[f32]) {
        self.seen += 1;
        let place = if self.seen <= KEPT { self.seen - 1 } else { self.draws.below_u64(self.seen) };
        if place >= KEPT {
            return;
        }
        let class = |action: usize| match legal.contains(action as u16) {
            true => features.action_class(action as u16) as u8,
            false => 0,
        };
        let sample = ProbedSample {
            features: features.to_row(),
            legal,
            targets: targets.to_vec(),
            classes: (0..targets.len()).map(class).collect(),
        };
        match self.samples.get_mut(place as usize) {
            Some(kept) => *kept = sample,
            None => self.samples.push(sample),
        }
    }
}

/// The memories, and the probe beside them where there is one.
pub struct Watched<'a> {
    /// Where samples go.
    pub memories: &'a mut Memories,
    /// Keeps some aside.
    pub probe: Option<&'a mut Probe>,
}

impl SampleSink for Watched<'_> {
    fn advantage(&mut self, player: Player, meta: SampleMeta, features: &dyn Features, targets: &[f32]) {
        if let Some(probe) = &mut self.probe {
            probe.players[player].offer(meta.legal, features, targets);
        }
        self.memories.advantage(player, meta, features, targets);
    }

    fn strategy(&mut self, meta: SampleMeta, features: &dyn Features, targets: &[f32]) {
        self.memories.strategy(meta, features, targets);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_sample_is_kept_with_the_same_chance() {
        let mut counts = [0u32; 10];
        for seed in 0..40 {
            let mut probe = Probe::new(seed, 1, &["all actions"]);
            for index in 0..5000u32 {
                let row = [index as f32];
                probe.players[0].offer(ActionSet::first(1), &row, &[0.0]);
            }
            let kept = &probe.players[0].samples;
            assert_eq!(kept.len() as u64, KEPT);
            kept.iter().for_each(|sample| counts[sample.features[0] as usize / 500] += 1);
        }
        // χ² with 9 degrees of freedom: 33.7 is the 0.9999 quantile.
        let chi2: f64 = counts.iter().map(|&count| (f64::from(count) - 4000.0).powi(2) / 4000.0).sum();
        assert!(chi2 < 33.7, "{counts:?}");
    }
}
