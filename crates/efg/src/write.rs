//! Any game small enough as a text that Gambit reads.
//!
//! Chance has integer weights in this system, so every probability is written as a fraction in lowest
//! terms, and they sum to exactly 1. Payoffs are written with as many digits as tell doubles apart. So the
//! text reads back as the same tree. Not here: reading (see `reader`).

use std::collections::HashMap;
use std::io::{self, Write};
use std::rc::Rc;

use deepcfr_core::{Action, Game, GameError, InfosetKey, NUM_PLAYERS, Player, Turn};

use crate::number::gcd;

/// How big a game may be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WriteLimits {
    /// The most nodes, some 40 bytes of text each.
    pub max_nodes: usize,
}

impl Default for WriteLimits {
    /// A million nodes: more than Gambit's solvers can do anything with.
    fn default() -> Self {
        Self { max_nodes: 1_000_000 }
    }
}

/// What was written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// All nodes.
    pub nodes: usize,
    /// The infosets of each player.
    pub infosets: [usize; NUM_PLAYERS],
    /// Different payoffs.
    pub outcomes: usize,
}

/// Why a game was not written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The game is of a kind that nothing here can take.
    #[error(transparent)]
    Game(#[from] GameError),
    /// More nodes than allowed; nothing was written.
    #[error(
        "{game} has more than {limit} nodes; raise the limit, or write a smaller configuration of the game"
    )]
    TooManyNodes {
        /// The game's name.
        game: &'static str,
        /// [`WriteLimits::max_nodes`].
        limit: usize,
    },
    /// A state that is not terminal and from which nothing follows; nothing was written.
    #[error("{game} has a state that is not terminal and from which nothing follows: its rules are broken")]
    DeadEnd {
        /// The game's name.
        game: &'static str,
    },
    /// A payoff that is no number; nothing was written.
    #[error("{game} pays {utility} at some end, which no file can hold: its rules are broken")]
    NotFinite {
        /// The game's name.
        game: &'static str,
        /// What it pays.
        utility: f64,
    },
    /// The text could not be written out; a part of it may have been.
    #[error("failed to write the game")]
    Io(#[from] io::Error),
}

/// Writes `game` as an .efg text.
///
/// Walks the tree twice, the first time only to see whether it can be written. Infosets are numbered in
/// the order of the tree, with the labels of `describe_infoset`; actions have those of `describe_action` at
/// the infoset's first history. Labels are made such that Gambit takes them: characters other than
/// printable ASCII become `?`, white space single spaces, and equal labels in a list are told apart.
///
/// ```
/// use deepcfr_efg::{WriteLimits, read, write_efg};
/// use deepcfr_games::kuhn::Kuhn;
///
/// let mut text = Vec::new();
/// let written = write_efg(&Kuhn, "Kuhn poker", &mut text, WriteLimits::default())?;
/// assert_eq!((written.nodes, written.infosets), (58, [6, 6]));
/// let game = read(&String::from_utf8(text)?)?;
/// assert_eq!(game.report().nodes, 58);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`WriteError`]; in all cases but [`WriteError::Io`] before anything is written.
pub fn write_efg<G: Game>(
    game: &G,
    title: &str,
    out: &mut impl Write,
    limits: WriteLimits,
) -> Result<Written, WriteError> {
    game.spec().check()?;
    let nodes = check(game, limits)?;
    writeln!(out, "EFG 2 R {} {{ \"Player 0\" \"Player 1\" }}\n\"\"\n", quoted(title))?;
    let mut writer = Writer::new(game, out);
    let mut stack = vec![(game.root(), 0)];
    while let Some((state, depth)) = stack.pop() {
        writer.node(&state, depth)?;
        let children = writer.moves.iter().rev().map(|&(action, _)| (child(game, &state, action), depth + 1));
        stack.extend(children);
    }
    Ok(Written { nodes, infosets: writer.counts, outcomes: writer.outcomes.len() })
}

fn child<G: Game>(game: &G, state: &G::State, action: Action) -> G::State {
    let mut state = state.clone();
    game.apply(&mut state, action);
    state
}

/// What can be played at a state, with chance's weights; nothing at the end.
fn moves<G: Game>(game: &G, state: &G::State, moves: &mut Vec<(Action, u32)>) {
    moves.clear();
    match game.turn(state) {
        Turn::Terminal => {}
        Turn::Chance => game.chance_outcomes(state, |outcome, weight| moves.push((outcome, weight))),
        Turn::Player(_) => moves.extend(game.legal_actions(state).iter().map(|action| (action, 0))),
    }
}

/// The number of nodes, if all can be written.
fn check<G: Game>(game: &G, limits: WriteLimits) -> Result<usize, WriteError> {
    let name = game.spec().name;
    let (mut stack, mut nodes, mut open) = (vec![game.root()], 0, Vec::new());
    while let Some(state) = stack.pop() {
        nodes += 1;
        if nodes > limits.max_nodes {
            return Err(WriteError::TooManyNodes { game: name, limit: limits.max_nodes });
        }
        moves(game, &state, &mut open);
        if game.turn(&state) == Turn::Terminal {
            let utility = game.utility(&state);
            if !utility.is_finite() {
                return Err(WriteError::NotFinite { game: name, utility });
            }
        } else if open.is_empty() {
            return Err(WriteError::DeadEnd { game: name });
        }
        stack.extend(open.iter().map(|&(action, _)| child(game, &state, action)));
    }
    Ok(nodes)
}

struct Writer<'a, G, W> {
    game: &'a G,
    out: &'a mut W,
    /// Everything of an infoset's nodes but their name and outcome.
    infosets: HashMap<(Player, InfosetKey), Rc<str>>,
    counts: [usize; NUM_PLAYERS],
    draws: usize,
    /// Numbers by the bits of the payoff.
    outcomes: HashMap<u64, usize>,
    /// What can be played at the node written last.
    moves: Vec<(Action, u32)>,
}

impl<'a, G: Game, W: Write> Writer<'a, G, W> {
    fn new(game: &'a G, out: &'a mut W) -> Self {
        Self {
            game,
            out,
            infosets: HashMap::new(),
            counts: [0; NUM_PLAYERS],
            draws: 0,
            outcomes: HashMap::new(),
            moves: Vec::new(),
        }
    }

    fn node(&mut self, state: &G::State, depth: usize) -> io::Result<()> {
        moves(self.game, state, &mut self.moves);
        // Indented as far as people still read it.
        write!(self.out, "{:1$}", "", depth.min(20))?;
        match self.game.turn(state) {
            Turn::Terminal => self.terminal(state),
            Turn::Chance => self.chance(state),
            Turn::Player(player) => self.decision(state, player),
        }
    }

    fn terminal(&mut self, state: &G::State) -> io::Result<()> {
        // Adding 0 turns -0 into 0.
        let utility = self.game.utility(state) + 0.0;
        let next = self.outcomes.len() + 1;
        let outcome = *self.outcomes.entry(utility.to_bits()).or_insert(next);
        writeln!(self.out, "t \"\" {outcome} \"\" {{ {utility} {} }}", 0.0 - utility)
    }

    fn chance(&mut self, state: &G::State) -> io::Result<()> {
        self.draws += 1;
        let labels = self.labels(state);
        let total = self.moves.iter().map(|&(_, weight)| u64::from(weight)).sum();
        write!(self.out, "c \"\" {} \"\" {{ ", self.draws)?;
        for (label, &(_, weight)) in labels.iter().zip(&self.moves) {
            write!(self.out, "{label} {} ", fraction(weight.into(), total))?;
        }
        writeln!(self.out, "}} 0")
    }

    fn decision(&mut self, state: &G::State, player: Player) -> io::Result<()> {
        let key = (player, self.game.infoset_key(state, player));
        let known = self.infosets.get(&key).cloned();
        let infoset = known.unwrap_or_else(|| {
            self.counts[player] += 1;
            let infoset: Rc<str> = self.infoset(state, player).into();
            self.infosets.insert(key, Rc::clone(&infoset));
            infoset
        });
        writeln!(self.out, "p \"\" {infoset} 0")
    }

    fn infoset(&self, state: &G::State, player: Player) -> String {
        let label = quoted(&self.game.describe_infoset(state, player));
        let actions = self.labels(state).join(" ");
        format!("{} {} {label} {{ {actions} }}", player + 1, self.counts[player])
    }

    /// What can be played in words, all different.
    fn labels(&self, state: &G::State) -> Vec<String> {
        let mut labels: Vec<String> = Vec::with_capacity(self.moves.len());
        let mut used = std::collections::HashSet::with_capacity(self.moves.len());
        for &(action, _) in &self.moves {
            let mut label = quoted(&self.game.describe_action(state, action));
            if label == "\"\"" || !used.insert(label.clone()) {
                label = quoted(&format!("{} ({action})", self.game.describe_action(state, action)));
                used.insert(label.clone());
            }
            labels.push(label);
        }
        labels
    }
}

/// `weight / total` in lowest terms.
fn fraction(weight: u64, total: u64) -> String {
    let divisor = gcd(weight.into(), total.into()) as u64;
    match total / divisor {
        1 => (weight / divisor).to_string(),
        denominator => format!("{}/{denominator}", weight / divisor),
    }
}

/// A label between quotation marks, of single-spaced printable ASCII, so that Gambit takes it.
fn quoted(label: &str) -> String {
    let printable = |c: char| if c.is_ascii_graphic() { c } else { '?' };
    let words: Vec<String> =
        label.split_whitespace().map(|word| word.chars().map(printable).collect()).collect();
    // A backslash can stand before a quotation mark only as its escape.
    let text = words.join(" ").replace('\\', "/").replace('"', "\\\"");
    format!("\"{text}\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fractions_are_in_lowest_terms() {
        assert_eq!(
            [fraction(2, 60), fraction(3, 3), fraction(4_294_967_295, 8_589_934_590)],
            ["1/30", "1", "1/2"]
        );
    }

    #[test]
    fn labels_are_what_gambit_takes() {
        assert_eq!(quoted(" say  \"\u{fc}\"\n\\ "), r#""say \"?\" /""#);
    }
}
