//! Which games there are: who meets whom, on which deals, in which order.
//!
//! Not here: playing them.

use std::ops::Range;

use deepcfr_core::Player;

/// The games of a call by number: pairing by pairing, deal by deal, the subject in seat 0 first.
pub(super) struct Timetable {
    first_deals: Vec<u32>,
    /// Games of the pairings up to and with each.
    ends: Vec<u64>,
}

/// One game's place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Slot {
    pub(super) pairing: usize,
    pub(super) deal: u32,
    pub(super) subject_seat: Player,
}

impl Timetable {
    pub(super) fn new(deals: &[Range<u32>]) -> Self {
        let mut end = 0;
        let mut ends = Vec::with_capacity(deals.len());
        for range in deals {
            end += 2 * range.len() as u64;
            ends.push(end);
        }
        Self { first_deals: deals.iter().map(|range| range.start).collect(), ends }
    }

    pub(super) fn num_games(&self) -> u64 {
        self.ends.last().copied().unwrap_or(0)
    }

    /// The place of game `index`, which is below [`Timetable::num_games`].
    pub(super) fn slot(&self, index: u64) -> Slot {
        let pairing = self.ends.partition_point(|&end| end <= index);
        let before = if pairing == 0 { 0 } else { self.ends[pairing - 1] };
        let game = index - before;
        Slot {
            pairing,
            deal: self.first_deals[pairing] + (game / 2) as u32,
            subject_seat: (game % 2) as Player,
        }
    }
}

/// Every pair of `contestants` once, the lower number as subject; with `mirrors`, each also against
/// itself, before its other pairs.
pub fn round_robin(contestants: usize, mirrors: bool) -> Vec<(usize, usize)> {
    let first = |subject| if mirrors { subject } else { subject + 1 };
    (0..contestants)
        .flat_map(|subject| (first(subject)..contestants).map(move |other| (subject, other)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_are_numbered_through_ranges_of_any_length() {
        let timetable = Timetable::new(&[3..5, 7..7, 0..1]);
        assert_eq!(timetable.num_games(), 6);
        let slots: Vec<_> = (0..6).map(|index| timetable.slot(index)).collect();
        let listed = slots.iter().map(|slot| (slot.pairing, slot.deal, slot.subject_seat));
        assert!(listed.eq([(0, 3, 0), (0, 3, 1), (0, 4, 0), (0, 4, 1), (2, 0, 0), (2, 0, 1)]));
        assert_eq!(Timetable::new(&[]).num_games(), 0);
    }

    #[test]
    fn everybody_meets_everybody_once() {
        assert_eq!(round_robin(3, false), [(0, 1), (0, 2), (1, 2)]);
        assert_eq!(round_robin(2, true), [(0, 0), (0, 1), (1, 1)]);
        assert!(round_robin(1, false).is_empty());
    }
}
