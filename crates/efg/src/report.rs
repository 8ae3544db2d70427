//! What reading a file found: names, counts, and every way in which the game differs from the file.
//!
//! Not here: why a file was refused (see `fault`).

use deepcfr_core::NUM_PLAYERS;

use crate::chance::{SUM_TOLERANCE, Weights};

/// What a file holds, what was checked, and what was changed. `Display` tells it in a few lines.
#[derive(Clone, Debug, PartialEq)]
pub struct EfgReport {
    /// The game's title; may be blank.
    pub title: String,
    /// The comment below it; may be blank.
    pub comment: String,
    /// The players' names; may be blank.
    pub players: [String; NUM_PLAYERS],
    /// All nodes of the file.
    pub nodes: usize,
    /// Its chance nodes.
    pub chance_nodes: usize,
    /// Its nodes at which each player moves.
    pub decision_nodes: [usize; NUM_PLAYERS],
    /// Its ends.
    pub terminal_nodes: usize,
    /// The infosets of each player.
    pub infosets: [usize; NUM_PLAYERS],
    /// The outcomes that have payoffs.
    pub outcomes: usize,
    /// The most moves from the root to an end that can be reached.
    pub depth: usize,
    /// Nodes that only chance outcomes of probability 0 lead to: no play, and no walk, meets them.
    pub unreachable_nodes: usize,
    /// What was subtracted from each player's payoffs so that they sum to 0: half of their sum. A value
    /// of the game read is less than the file's own by this much, for either player.
    pub shift: f64,
    /// What became of chance's probabilities.
    pub chance: ChanceReport,
}

/// What became of chance's probabilities.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ChanceReport {
    /// Chance infosets whose probabilities did not sum to exactly 1 and were divided by their sum.
    pub rescaled: usize,
    /// The most by which such a sum missed 1, at most [`SUM_TOLERANCE`].
    pub largest_sum_error: f64,
    /// Chance infosets whose probabilities 32-bit weights do not hold exactly: decimals that are simple
    /// fractions but for rounding were taken for these, others were rounded to multiples of about 2⁻³².
    pub rounded: usize,
    /// The most by which a probability changed in this.
    pub largest_change: f64,
    /// Outcomes of probability 0, which the game leaves out.
    pub impossible_outcomes: usize,
}

impl ChanceReport {
    pub(crate) fn add(&mut self, weights: &Weights) {
        self.rescaled += usize::from(weights.sum_error > 0.0);
        self.largest_sum_error = self.largest_sum_error.max(weights.sum_error);
        self.rounded += usize::from(weights.change > 0.0);
        self.largest_change = self.largest_change.max(weights.change);
        self.impossible_outcomes += weights.weights.iter().filter(|&&weight| weight == 0).count();
    }
}

impl EfgReport {
    /// Every way in which the game differs from the file, a sentence each; empty if in none.
    pub fn changes(&self) -> Vec<String> {
        let chance = &self.chance;
        let shift = (self.shift != 0.0).then(|| {
            let (sum, shift) = (2.0 * self.shift, self.shift);
            format!("payoffs sum to {sum}, so {shift} was subtracted from each: add it to the values")
        });
        let rescaled = (chance.rescaled > 0).then(|| {
            let (count, most) = (chance.rescaled, chance.largest_sum_error);
            format!("the probabilities of {count} chance infosets summed to 1 only within {most:.1e} and were divided by their sum (up to {SUM_TOLERANCE:.0e} is taken for rounding)")
        });
        let rounded = (chance.rounded > 0).then(|| {
            let (count, most) = (chance.rounded, chance.largest_change);
            format!("the probabilities of {count} chance infosets were rounded to 32-bit weights, by at most {most:.1e}")
        });
        let impossible = (chance.impossible_outcomes > 0).then(|| {
            let (outcomes, nodes) = (chance.impossible_outcomes, self.unreachable_nodes);
            format!("{outcomes} chance outcomes of probability 0 were left out, and with them {nodes} nodes")
        });
        [shift, rescaled, rounded, impossible].into_iter().flatten().collect()
    }

    fn titled(&self) -> &str {
        if self.title.trim().is_empty() { "untitled" } else { &self.title }
    }
}

impl std::fmt::Display for EfgReport {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [first, second] = &self.players;
        writeln!(f, "{}: {first:?} against {second:?}", self.titled())?;
        let Self { nodes, chance_nodes, decision_nodes: [one, two], terminal_nodes, .. } = self;
        writeln!(
            f,
            "{nodes} nodes: {chance_nodes} of chance, {one} and {two} of the players, {terminal_nodes} ends"
        )?;
        let [one, two] = self.infosets;
        writeln!(f, "{one} and {two} infosets; at most {} moves deep", self.depth)?;
        write!(
            f,
            "checked: two players, constant sum, perfect recall, equal actions within infosets, chance sums to 1"
        )?;
        self.changes().iter().try_for_each(|change| write!(f, "\n{change}"))
    }
}
