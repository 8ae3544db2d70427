//! The advantage networks of past iterations: SD-CFR's average strategy (Steinberger 2019).
//!
//! Not here: playing from it (evaluation) and its exact average on small games (the trainer).

use std::sync::Arc;

use deepcfr_core::{NUM_PLAYERS, Weights};

/// One entry: the networks that an iteration's fits ended with.
#[derive(Clone, Debug, PartialEq)]
pub struct Archived {
    /// How much the entry counts in the average: the sum of the iterations' weights it stands for.
    pub weight: f64,
    /// Both players' networks.
    pub networks: [Arc<Weights>; NUM_PLAYERS],
}

/// Past advantage networks with their weights, oldest first.
///
/// Equal neighbours become one entry. When the archive is full, every second entry gives its weight
/// to its later neighbour and goes: the archive then stands for the same span at half the
/// resolution. Differs from the paper, which keeps all; choose a capacity of at least the number of
/// iterations to keep all.
#[derive(Clone, Debug)]
pub struct Archive {
    capacity: usize,
    entries: Vec<Archived>,
}

impl Archive {
    /// An empty archive of at most `capacity` entries, at least one.
    pub fn new(capacity: usize) -> Self {
        Self { capacity: capacity.max(1), entries: Vec::new() }
    }

    /// Adds the networks of an iteration.
    pub fn add(&mut self, weight: f64, networks: [Arc<Weights>; NUM_PLAYERS]) {
        if let Some(last) = self.entries.last_mut()
            && last.networks == networks
        {
            last.weight += weight;
            return;
        }
        if self.entries.len() == self.capacity {
            self.thin();
        }
        self.entries.push(Archived { weight, networks });
    }

    /// The entries, oldest first.
    pub fn entries(&self) -> &[Archived] {
        &self.entries
    }

    fn thin(&mut self) {
        let mut carried = 0.0;
        let last = self.entries.len() - 1;
        let mut index = 0;
        self.entries.retain_mut(|entry| {
            let keep = index % 2 == 1 || index == last;
            index += 1;
            if keep {
                entry.weight += std::mem::take(&mut carried);
            } else {
                carried = entry.weight;
            }
            keep
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use deepcfr_core::TableWeights;

    fn networks(inputs: usize) -> [Arc<Weights>; NUM_PLAYERS] {
        let weights = Arc::new(Weights::Table(TableWeights { inputs, ..TableWeights::default() }));
        [weights.clone(), weights]
    }

    #[test]
    fn a_full_archive_keeps_its_whole_weight_and_its_newest_entry() {
        let mut archive = Archive::new(4);
        (1..=11).for_each(|t| archive.add(f64::from(t), networks(t as usize)));
        let entries = archive.entries();
        assert!(entries.len() <= 4);
        assert_eq!(entries.iter().map(|entry| entry.weight).sum::<f64>(), 66.0);
        assert_eq!(entries.last().map(|entry| entry.networks[0].inputs()), Some(11));
    }

    #[test]
    fn equal_networks_become_one_entry() {
        let mut archive = Archive::new(4);
        archive.add(1.0, networks(1));
        archive.add(2.0, networks(1));
        assert_eq!(archive.entries().len(), 1);
        assert_eq!(archive.entries()[0].weight, 3.0);
    }
}
