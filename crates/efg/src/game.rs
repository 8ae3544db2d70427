//! A game that was read from a file, as a `Game` whose state is the number of a node.
//!
//! Not here: reading (see `reader`) and features (see `encoder`).

use deepcfr_core::{Action, ActionSet, Game, GameSpec, InfosetKey, NUM_PLAYERS, Player, Stream, Turn};

use crate::labels::Labels;
use crate::report::EfgReport;

/// How many different labels of an action a name lists.
const LISTED_LABELS: usize = 4;

/// A node; its children's numbers stand in an array of all edges.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Node {
    /// With what player 0 gets.
    Terminal(f64),
    Chance {
        draw: u32,
        first: u32,
    },
    Player {
        infoset: u32,
        first: u32,
    },
}

/// A player's last infoset and what it did there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Past {
    pub(crate) infoset: u32,
    pub(crate) action: Action,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Infoset {
    pub(crate) owner: u8,
    /// The number of actions.
    pub(crate) count: u8,
    /// The position among its owner's infosets.
    pub(crate) rank: u32,
    pub(crate) label: u32,
    pub(crate) list: u32,
    /// The number in the file.
    pub(crate) number: u64,
    pub(crate) past: Option<Past>,
}

/// What chance draws from: a chance infoset.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Draw {
    pub(crate) list: u32,
    /// Its first weight.
    pub(crate) first: u32,
    pub(crate) count: u32,
    pub(crate) total: u32,
}

impl Draw {
    pub(crate) fn range(&self) -> std::ops::Range<usize> {
        self.first as usize..self.first as usize + self.count as usize
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct TreeArrays {
    pub(crate) nodes: Vec<Node>,
    pub(crate) children: Vec<u32>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct InfosetTables {
    pub(crate) infosets: Vec<Infoset>,
    pub(crate) draws: Vec<Draw>,
    pub(crate) weights: Vec<u32>,
}

/// A game read from a file. Its states are node numbers in the order of the file, the root being 0.
///
/// A move's action is its position in the infoset's list of actions, from 0; the file's player 1 is
/// player 0. An infoset's key is its number in the file. Payoffs along a path are summed at its end, and
/// shifted so that they sum to 0 ([`EfgReport::shift`]).
#[derive(Clone, Debug, PartialEq)]
pub struct EfgGame {
    report: EfgReport,
    spec: GameSpec,
    tree: TreeArrays,
    tables: InfosetTables,
    labels: Labels,
}

impl EfgGame {
    pub(crate) fn new(
        report: EfgReport,
        tree: TreeArrays,
        tables: InfosetTables,
        labels: Labels,
        largest_utility: f64,
    ) -> Self {
        let most = tables.infosets.iter().map(|infoset| usize::from(infoset.count)).max();
        let spec = GameSpec {
            name: "efg",
            num_players: NUM_PLAYERS,
            simultaneous: false,
            num_actions: most.unwrap_or(1),
            utility_range: (-largest_utility, largest_utility),
            max_depth: report.depth,
        };
        Self { report, spec, tree, tables, labels }
    }

    /// What the file holds, and how the game differs from it.
    pub fn report(&self) -> &EfgReport {
        &self.report
    }

    /// The label of an infoset's action; blank if the file gives none.
    pub(crate) fn action_label(&self, infoset: &Infoset, action: Action) -> &str {
        self.labels.action(infoset.list, usize::from(action))
    }

    /// The label of an infoset; blank if the file gives none.
    pub(crate) fn infoset_label(&self, infoset: &Infoset) -> &str {
        self.labels.text(infoset.label)
    }

    pub(crate) fn infosets(&self) -> &[Infoset] {
        &self.tables.infosets
    }

    /// The infoset of a node at which somebody moves.
    pub(crate) fn infoset(&self, node: u32) -> Option<&Infoset> {
        match self.tree.nodes[node as usize] {
            Node::Player { infoset, .. } => Some(&self.tables.infosets[infoset as usize]),
            _ => None,
        }
    }

    /// What the owner of an infoset did before it, the last first.
    pub(crate) fn own_moves(&self, infoset: &Infoset) -> impl Iterator<Item = (&Infoset, Action)> {
        let before = |past: &Past| self.tables.infosets[past.infoset as usize].past;
        let pasts = std::iter::successors(infoset.past, before);
        pasts.map(|past| (&self.tables.infosets[past.infoset as usize], past.action))
    }

    fn draw(&self, node: u32) -> Option<&Draw> {
        match self.tree.nodes[node as usize] {
            Node::Chance { draw, .. } => Some(&self.tables.draws[draw as usize]),
            _ => None,
        }
    }

    /// What chance may draw, with weights.
    fn outcomes(&self, node: u32) -> impl Iterator<Item = (Action, u32)> {
        let weights = self.draw(node).map_or(&[][..], |draw| &self.tables.weights[draw.range()]);
        let numbered = weights.iter().enumerate().map(|(outcome, &weight)| (outcome as Action, weight));
        numbered.filter(|&(_, weight)| weight > 0)
    }

    /// The different labels of an action at all infosets, in the order of the file.
    fn labels_of(&self, action: usize) -> Vec<&str> {
        let mut names = Vec::new();
        for infoset in self.infosets() {
            let label = self.labels.action(infoset.list, action);
            if names.len() <= LISTED_LABELS && !label.trim().is_empty() && !names.contains(&label) {
                names.push(label);
            }
        }
        names
    }
}

/// A label, or where it is blank `kind` and a number.
fn named(label: &str, kind: &str, number: Action) -> String {
    if label.trim().is_empty() { format!("{kind} {number}") } else { label.to_owned() }
}

impl Game for EfgGame {
    type State = u32;

    fn spec(&self) -> GameSpec {
        self.spec.clone()
    }

    fn root(&self) -> u32 {
        0
    }

    #[inline]
    fn turn(&self, &node: &u32) -> Turn {
        match self.tree.nodes[node as usize] {
            Node::Terminal(_) => Turn::Terminal,
            Node::Chance { .. } => Turn::Chance,
            Node::Player { infoset, .. } => Turn::Player(self.tables.infosets[infoset as usize].owner.into()),
        }
    }

    #[inline]
    fn legal_actions(&self, &node: &u32) -> ActionSet {
        self.infoset(node).map_or(ActionSet::EMPTY, |infoset| ActionSet::first(infoset.count.into()))
    }

    fn chance_outcomes(&self, &node: &u32, mut visit: impl FnMut(Action, u32)) {
        self.outcomes(node).for_each(|(outcome, weight)| visit(outcome, weight));
    }

    #[inline]
    fn apply(&self, node: &mut u32, action: Action) {
        if let Node::Chance { first, .. } | Node::Player { first, .. } = self.tree.nodes[*node as usize] {
            *node = self.tree.children[first as usize + usize::from(action)];
        }
    }

    /// 0 where the game is not over.
    #[inline]
    fn utility(&self, &node: &u32) -> f64 {
        match self.tree.nodes[node as usize] {
            Node::Terminal(utility) => utility,
            _ => 0.0,
        }
    }

    #[inline]
    fn infoset_key(&self, &node: &u32, _player: Player) -> InfosetKey {
        InfosetKey(self.infoset(node).map_or(0, |infoset| infoset.number.into()))
    }

    fn sample_chance(&self, &node: &u32, rng: &mut Stream) -> Action {
        let mut left = rng.below(self.draw(node).map_or(1, |draw| draw.total));
        let drawn = self.outcomes(node).find(|&(_, weight)| {
            let found = left < weight;
            left = left.wrapping_sub(weight);
            found
        });
        drawn.expect("the draw is below the total weight").0
    }

    /// The label that the file gives.
    fn describe_action(&self, &node: &u32, action: Action) -> String {
        if let Some(draw) = self.draw(node) {
            return named(self.labels.action(draw.list, action.into()), "outcome", action);
        }
        let label = self.infoset(node).map_or("", |infoset| self.action_label(infoset, action));
        named(label, "action", action)
    }

    /// The labels that an action has at the infosets where it exists, the first few.
    fn action_names(&self) -> Vec<String> {
        let name = |action: usize| match self.labels_of(action) {
            labels if labels.is_empty() => format!("action {action}"),
            labels if labels.len() > LISTED_LABELS => labels[..LISTED_LABELS].join(" / ") + " / ...",
            labels => labels.join(" / "),
        };
        (0..self.spec.num_actions).map(name).collect()
    }

    /// The infoset's label, or its number and what its owner did before.
    fn describe_infoset(&self, &node: &u32, _player: Player) -> String {
        let Some(infoset) = self.infoset(node) else { return String::new() };
        let label = self.infoset_label(infoset);
        if !label.trim().is_empty() {
            return label.to_owned();
        }
        let moves = self
            .own_moves(infoset)
            .map(|(at, action)| named(self.action_label(at, action), "action", action));
        let mut moves: Vec<String> = moves.collect();
        moves.reverse();
        let after = if moves.is_empty() { String::new() } else { format!(" after {}", moves.join(", ")) };
        format!("infoset {}{after}", infoset.number)
    }
}
