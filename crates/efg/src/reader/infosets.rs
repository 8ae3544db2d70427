//! The infosets of players and chance, defined where a file first names them.
//!
//! Not here: reading their lists of actions (see `node`).

use std::collections::HashMap;

use deepcfr_core::{NUM_PLAYERS, Player};

use crate::chance::Weights;
use crate::game::{Draw, Infoset, InfosetTables, Past};
use crate::report::ChanceReport;

/// What a node says of its infoset's actions.
pub(super) struct Listed {
    /// Which list of labels.
    pub(super) list: u32,
    pub(super) count: usize,
}

/// Why a node does not fit the infoset that it names.
pub(super) enum Misfit {
    /// The infoset is new and has no list of actions.
    Undefined,
    /// The list differs from the one at the byte given.
    Changes(usize),
    /// The owner's past differs from that at the byte given.
    Forgets(usize),
}

/// A node of a player, as far as its infoset is concerned.
pub(super) struct Named {
    pub(super) player: Player,
    pub(super) number: u64,
    pub(super) label: u32,
    pub(super) listed: Option<Listed>,
    pub(super) past: Option<Past>,
    /// Where the node begins.
    pub(super) at: usize,
}

#[derive(Default)]
pub(super) struct Infosets {
    index: HashMap<(Player, u64), u32>,
    /// Where each infoset was first named.
    places: Vec<usize>,
    infosets: Vec<Infoset>,
    pub(super) counts: [usize; NUM_PLAYERS],
    draw_index: HashMap<u64, u32>,
    draw_places: Vec<usize>,
    draws: Vec<Draw>,
    weights: Vec<u32>,
    pub(super) chance: ChanceReport,
}

impl Infosets {
    /// The infoset of a player's node and how many actions it has.
    pub(super) fn player(&mut self, node: &Named) -> Result<(u32, usize), Misfit> {
        let Some(&known) = self.index.get(&(node.player, node.number)) else {
            return self.define(node).ok_or(Misfit::Undefined);
        };
        let (infoset, first) = (self.infosets[known as usize], self.places[known as usize]);
        if node.listed.as_ref().is_some_and(|listed| listed.list != infoset.list) {
            return Err(Misfit::Changes(first));
        }
        if node.past != infoset.past {
            return Err(Misfit::Forgets(first));
        }
        Ok((known, usize::from(infoset.count)))
    }

    fn define(&mut self, node: &Named) -> Option<(u32, usize)> {
        let Listed { list, count } = *node.listed.as_ref()?;
        // There are at most as many as nodes, which are counted; lists are checked for their length.
        let number = self.infosets.len() as u32;
        self.index.insert((node.player, node.number), number);
        self.places.push(node.at);
        self.infosets.push(Infoset {
            owner: node.player as u8,
            count: count as u8,
            rank: self.counts[node.player] as u32,
            label: node.label,
            list,
            number: node.number,
            past: node.past,
        });
        self.counts[node.player] += 1;
        Some((number, count))
    }

    /// The chance infoset of a node and how many outcomes it has.
    pub(super) fn chance(
        &mut self,
        number: u64,
        listed: Option<(Listed, Weights)>,
        at: usize,
    ) -> Result<(u32, usize), Misfit> {
        match (self.draw_index.get(&number).copied(), listed) {
            (None, None) => Err(Misfit::Undefined),
            (None, Some((listed, weights))) => Ok(self.define_draw(number, &listed, &weights, at)),
            (Some(known), None) => Ok((known, self.draws[known as usize].count as usize)),
            (Some(known), Some((listed, weights))) => {
                let draw = self.draws[known as usize];
                if draw.list != listed.list || self.weights[draw.range()] != weights.weights {
                    return Err(Misfit::Changes(self.draw_places[known as usize]));
                }
                Ok((known, listed.count))
            }
        }
    }

    fn define_draw(&mut self, number: u64, listed: &Listed, weights: &Weights, at: usize) -> (u32, usize) {
        let draw = self.draws.len() as u32;
        self.draw_index.insert(number, draw);
        self.draw_places.push(at);
        self.draws.push(Draw {
            list: listed.list,
            first: self.weights.len() as u32,
            count: listed.count as u32,
            total: weights.weights.iter().sum(),
        });
        self.weights.extend_from_slice(&weights.weights);
        self.chance.add(weights);
        (draw, listed.count)
    }

    /// Whether chance ever takes an outcome.
    pub(super) fn is_possible(&self, draw: u32, outcome: usize) -> bool {
        self.weights[self.draws[draw as usize].range()][outcome] > 0
    }

    pub(super) fn into_tables(self) -> InfosetTables {
        InfosetTables { infosets: self.infosets, draws: self.draws, weights: self.weights }
    }
}
