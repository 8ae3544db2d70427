//! Records of the infosets seen so far, and the checks between states that share one.

use std::collections::HashMap;

use deepcfr_core::{Action, ActionSet, InfosetKey, NUM_PLAYERS, Player, RowKey, Turn};

use super::observation::Observation;
use super::{Breach, Conformance};

/// Names a sequence of (infoset, action) pairs of one player; 0 is the empty one.
pub(super) type PastId = u32;

/// What the first state of an infoset looked like.
struct Record {
    legal: ActionSet,
    past: PastId,
    row: RowId,
    history: Vec<Action>,
}

/// Names a feature row of a player.
type RowId = u32;

/// All infosets seen, by player.
pub(super) struct Infosets {
    perfect_recall: bool,
    features_identify: bool,
    records: [HashMap<InfosetKey, Record>; NUM_PLAYERS],
    /// Each row with the key that it was first seen at.
    rows: [HashMap<RowKey, (RowId, InfosetKey)>; NUM_PLAYERS],
    pasts: HashMap<(Player, PastId, InfosetKey, Action), PastId>,
}

impl Infosets {
    pub(super) fn new(config: &Conformance) -> Self {
        Self {
            perfect_recall: config.perfect_recall,
            features_identify: config.features_identify,
            records: Default::default(),
            rows: Default::default(),
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
        let rows = &mut self.rows[player];
        let next = rows.len() as RowId;
        let (row, key_of_row) = *rows.entry(seen.row.clone()).or_insert((next, seen.key));
        let records = &mut self.records[player];
        if self.features_identify && key_of_row != seen.key {
            return Err(Breach::FeaturesCollide { other: records[&key_of_row].history.clone() });
        }
        let Some(record) = records.get(&seen.key) else {
            records.insert(seen.key, Record { legal: seen.legal, past, row, history: history.to_vec() });
            return Ok(());
        };
        let other = || record.history.clone();
        if record.legal != seen.legal {
            let other_legal = record.legal;
            Err(Breach::LegalActionsDiffer { legal: seen.legal, other_legal, other: other() })
        } else if record.row != row {
            Err(Breach::FeaturesDiffer { other: other() })
        } else if self.perfect_recall && record.past != past {
            Err(Breach::ImperfectRecall { other: other() })
        } else {
            Ok(())
        }
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
