//! Records of the infosets seen so far, and the checks between states that share one.

use std::collections::HashMap;

use deepcfr_core::{Action, ActionSet, InfosetKey, NUM_PLAYERS, Player, RowKey, Turn};

use super::Breach;
use super::observation::Observation;

/// Names a sequence of (infoset, action) pairs of one player; 0 is the empty one.
pub(super) type PastId = u32;

/// What the first state of an infoset looked like.
struct Record {
    legal: ActionSet,
    past: PastId,
    history: Vec<Action>,
}

/// All infosets seen, by player.
pub(super) struct Infosets {
    perfect_recall: bool,
    records: [HashMap<InfosetKey, Record>; NUM_PLAYERS],
    keys_by_row: [HashMap<RowKey, InfosetKey>; NUM_PLAYERS],
    pasts: HashMap<(Player, PastId, InfosetKey, Action), PastId>,
}

impl Infosets {
    pub(super) fn new(perfect_recall: bool) -> Self {
        Self {
            perfect_recall,
            records: Default::default(),
            keys_by_row: Default::default(),
            pasts: HashMap::new(),
        }
    }

    pub(super) fn counts(&self) -> [usize; NUM_PLAYERS] {
        [0, 1].map(|player| self.records[player].len())
    }

    /// Compares a state with the ones of the same key and with the ones of the same features.
    pub(super) fn visit(
        &mut self,
        player: Player,
        past: PastId,
        seen: &Observation,
        history: &[Action],
    ) -> Result<(), Breach> {
        let key_of_row = self.keys_by_row[player].get(&seen.row).copied();
        if let Some(key) = key_of_row.filter(|&key| key != seen.key) {
            return Err(Breach::FeaturesCollide { other: self.records[player][&key].history.clone() });
        }
        if let Some(record) = self.records[player].get(&seen.key) {
            let other = || record.history.clone();
            if record.legal != seen.legal {
                let other_legal = record.legal;
                return Err(Breach::LegalActionsDiffer { legal: seen.legal, other_legal, other: other() });
            }
            if key_of_row.is_none() {
                return Err(Breach::FeaturesDiffer { other: other() });
            }
            if self.perfect_recall && record.past != past {
                return Err(Breach::ImperfectRecall { other: other() });
            }
            return Ok(());
        }
        self.keys_by_row[player].insert(seen.row.clone(), seen.key);
        let record = Record { legal: seen.legal, past, history: history.to_vec() };
        self.records[player].insert(seen.key, record);
        Ok(())
    }

    /// Both players' pasts after an action: the mover's grows, the other's stays.
    pub(super) fn pasts_after(
        &mut self,
        mut pasts: [PastId; NUM_PLAYERS],
        seen: &Observation,
        action: Action,
    ) -> [PastId; NUM_PLAYERS] {
        if let Turn::Player(player) = seen.turn
            && self.perfect_recall
        {
            let next = self.pasts.len() as PastId + 1;
            pasts[player] = *self.pasts.entry((player, pasts[player], seen.key, action)).or_insert(next);
        }
        pasts
    }
}
