//! Strategies by the game's own infoset keys: no tree needed, and infosets may be missing.
//!
//! Not here: strategies on a tree (see `policy`).

use std::collections::HashMap;

use deepcfr_core::{ActionSet, Game, InfosetKey, Player, Policy};

use super::algorithm::Algorithm;
use super::policy::{TabularPolicy, distribute};
use super::saved::{Reader, SavedError, Writer};
use super::tree::GameTree;

/// A strategy of both players by infoset key. Infosets that are missing play uniformly.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct KeyedPolicy {
    infosets: HashMap<(Player, InfosetKey), Known>,
}

/// What is legal, and the probability of each of it.
type Known = (ActionSet, Box<[f64]>);

/// How many of a game's infosets a [`KeyedPolicy`] knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Coverage {
    /// Infosets of the game, both players.
    pub infosets: usize,
    /// Those that the policy lacks, or knows with other legal actions; they play uniformly.
    pub missing: usize,
}

impl KeyedPolicy {
    /// The same strategy without its tree.
    pub fn from_tree(tree: &GameTree, policy: &TabularPolicy) -> Self {
        let mut keyed = Self::default();
        for (index, infoset) in tree.infosets().iter().enumerate() {
            keyed.insert(infoset.owner, infoset.key, infoset.legal, policy.at(tree, index));
        }
        keyed
    }

    /// Sets an infoset, from one weight per legal action in ascending order; uniform if all are 0.
    ///
    /// # Panics
    /// If there is not one weight per legal action, or one is negative or not finite.
    pub fn insert(&mut self, player: Player, key: InfosetKey, legal: ActionSet, weights: &[f64]) {
        assert_eq!(weights.len(), legal.len(), "one weight per legal action");
        assert!(weights.iter().all(|w| w.is_finite() && *w >= 0.0), "weights are finite and not negative");
        let mut probabilities: Box<[f64]> = weights.into();
        distribute(&mut probabilities);
        self.infosets.insert((player, key), (legal, probabilities));
    }

    /// The probabilities at an infoset, in ascending order of its legal actions; `None` if it is
    /// missing or has other legal actions.
    pub fn at(&self, player: Player, key: InfosetKey, legal: ActionSet) -> Option<&[f64]> {
        let (known, probabilities) = self.infosets.get(&(player, key))?;
        (*known == legal).then_some(probabilities)
    }

    /// The number of infosets known.
    pub fn len(&self) -> usize {
        self.infosets.len()
    }

    /// Whether no infoset is known.
    pub fn is_empty(&self) -> bool {
        self.infosets.is_empty()
    }

    /// The strategy on a tree of the same game, and how much of it was known.
    pub fn on_tree(&self, tree: &GameTree) -> (TabularPolicy, Coverage) {
        let mut slots = vec![0.0; tree.num_slots()];
        let mut missing = 0;
        for infoset in tree.infosets() {
            match self.at(infoset.owner, infoset.key, infoset.legal) {
                Some(probabilities) => slots[infoset.slots()].copy_from_slice(probabilities),
                None => {
                    slots[infoset.slots()].fill(1.0 / infoset.legal.len() as f64);
                    missing += 1;
                }
            }
        }
        let coverage = Coverage { infosets: tree.num_infosets(), missing };
        (TabularPolicy::from_slots(slots), coverage)
    }

    /// The strategy as bytes, the same for equal strategies. `algorithm` says where it comes from.
    pub fn to_bytes(&self, algorithm: Algorithm) -> Vec<u8> {
        let mut writer = Writer::new(algorithm);
        let mut entries: Vec<_> = self.infosets.iter().collect();
        entries.sort_by_key(|(name, _)| **name);
        writer.words(&[entries.len() as u64]);
        for ((player, key), (legal, probabilities)) in entries {
            writer.words(&[*player as u64]);
            writer.wide(key.0);
            writer.wide(legal.bits());
            writer.numbers(probabilities);
        }
        writer.finish()
    }

    /// Reads what [`KeyedPolicy::to_bytes`] returned.
    ///
    /// # Errors
    /// If the bytes are damaged.
    pub fn from_bytes(bytes: &[u8]) -> Result<(Self, Algorithm), SavedError> {
        let (mut reader, algorithm) = Reader::any(bytes)?;
        let [count] = reader.words()?;
        let mut policy = Self::default();
        for _ in 0..count {
            let [player] = reader.words()?;
            let (key, legal) = (InfosetKey(reader.wide()?), ActionSet::from_bits(reader.wide()?));
            let probabilities = reader.numbers(legal.len())?;
            if player > 1 || probabilities.iter().any(|p| !(0.0..=1.0 + 1e-9).contains(p)) {
                return Err(SavedError::Damaged);
            }
            policy.infosets.insert((player as Player, key), (legal, probabilities.into()));
        }
        reader.end()?;
        Ok((policy, algorithm))
    }
}

impl<G: Game> Policy<G> for KeyedPolicy {
    fn probabilities(&self, game: &G, state: &G::State, probabilities: &mut [f64]) {
        let legal = game.legal_actions(state);
        probabilities.fill(0.0);
        let deepcfr_core::Turn::Player(player) = game.turn(state) else { return };
        match self.at(player, game.infoset_key(state, player), legal) {
            Some(known) => {
                legal.iter().zip(known).for_each(|(action, &p)| probabilities[usize::from(action)] = p);
            }
            None => {
                let share = 1.0 / legal.len() as f64;
                legal.iter().for_each(|action| probabilities[usize::from(action)] = share);
            }
        }
    }
}
