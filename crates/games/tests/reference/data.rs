//! Reads reference trees and histories from `testdata/poker` and compares states with them.

use std::collections::HashMap;
use std::io::Read;
use std::path::Path;

use deepcfr_core::{Action, Game, InfosetKey, Player, Turn};
use serde::Deserialize;

/// A state as the reference describes it.
#[derive(Deserialize)]
pub(crate) struct Node {
    #[serde(rename = "type")]
    kind: Kind,
    #[serde(default)]
    pub(crate) history: Vec<Action>,
    player: Option<Player>,
    #[serde(default)]
    legal_actions: Vec<Action>,
    infostate: Option<String>,
    #[serde(default)]
    outcomes: Vec<(Action, f64)>,
    #[serde(default)]
    returns: Vec<f64>,
    /// What was played here (histories only).
    action: Option<Action>,
}

#[derive(Deserialize, PartialEq, Debug)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Chance,
    Decision,
    Terminal,
}

#[derive(Deserialize)]
struct Tree {
    nodes: Vec<Node>,
}

/// A game played to its end.
#[derive(Deserialize)]
pub(crate) struct Trajectory {
    steps: Vec<Node>,
    returns: Vec<f64>,
}

#[derive(Deserialize)]
struct Histories {
    trajectories: Vec<Trajectory>,
}

fn read<T: for<'de> Deserialize<'de>>(name: &str) -> T {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../testdata/poker/{name}.json.gz"));
    let file = std::fs::File::open(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut text = String::new();
    flate2::read::GzDecoder::new(file).read_to_string(&mut text).expect("valid gzip");
    serde_json::from_str(&text).expect("valid reference data")
}

pub(crate) fn tree(name: &str) -> Vec<Node> {
    read::<Tree>(name).nodes
}

pub(crate) fn histories(name: &str) -> Vec<Trajectory> {
    read::<Histories>(name).trajectories
}

/// How the reference's infoset names are compared with keys.
#[derive(Clone, Copy)]
pub(crate) enum Naming {
    /// As they are.
    Exact,
    /// After a mapping that merges some of them.
    Mapped(fn(&str) -> String),
}

/// Infosets seen so far, by key and by the reference's name; both maps must agree.
pub(crate) struct Partition {
    naming: Naming,
    by_key: HashMap<(Player, InfosetKey), String>,
    by_name: HashMap<(Player, String), InfosetKey>,
}

impl Partition {
    pub(crate) fn new(naming: Naming) -> Self {
        Self { naming, by_key: HashMap::new(), by_name: HashMap::new() }
    }

    fn visit(&mut self, player: Player, key: InfosetKey, name: &str) {
        let name = match self.naming {
            Naming::Exact => name.to_owned(),
            Naming::Mapped(map) => map(name),
        };
        let known = self.by_key.entry((player, key)).or_insert_with(|| name.clone());
        assert_eq!(*known, name, "one key for two infosets");
        let known = *self.by_name.entry((player, name)).or_insert(key);
        assert_eq!(known, key, "two keys for one infoset");
    }

    /// Infosets by player.
    pub(crate) fn counts(&self) -> [usize; 2] {
        [0, 1].map(|seat| self.by_key.keys().filter(|(player, _)| *player == seat).count())
    }
}

/// Compares a state with the reference's and returns what can be played, ascending.
pub(crate) fn check_state<G: Game>(
    game: &G,
    state: &G::State,
    node: &Node,
    partition: &mut Partition,
) -> Vec<Action> {
    match game.turn(state) {
        Turn::Terminal => {
            assert_eq!(node.kind, Kind::Terminal);
            assert_returns(game, state, &node.returns);
            Vec::new()
        }
        Turn::Chance => {
            assert_eq!(node.kind, Kind::Chance);
            chance(game, state, &node.outcomes)
        }
        Turn::Player(player) => {
            assert_eq!((&node.kind, node.player), (&Kind::Decision, Some(player)));
            let legal: Vec<_> = game.legal_actions(state).iter().collect();
            assert_eq!(legal, node.legal_actions);
            let name = node.infostate.as_deref().expect("decisions have infoset names");
            partition.visit(player, game.infoset_key(state, player), name);
            legal
        }
    }
}

fn assert_returns<G: Game>(game: &G, state: &G::State, returns: &[f64]) {
    let utility = game.utility(state);
    assert_eq!([utility, -utility], returns, "returns");
}

fn chance<G: Game>(game: &G, state: &G::State, expected: &[(Action, f64)]) -> Vec<Action> {
    let mut outcomes = Vec::new();
    game.chance_outcomes(state, |outcome, weight| outcomes.push((outcome, weight)));
    let total: u32 = outcomes.iter().map(|&(_, weight)| weight).sum();
    assert_eq!(outcomes.len(), expected.len());
    for (&(outcome, weight), &(wanted, probability)) in outcomes.iter().zip(expected) {
        assert_eq!(outcome, wanted);
        assert!((f64::from(weight) / f64::from(total) - probability).abs() < 1e-15);
    }
    outcomes.into_iter().map(|(outcome, _)| outcome).collect()
}

/// Replays histories and returns their number.
pub(crate) fn replay<G: Game>(game: &G, trajectories: &[Trajectory]) -> usize {
    let mut partition = Partition::new(Naming::Exact);
    for trajectory in trajectories {
        let mut state = game.root();
        for node in &trajectory.steps {
            let action = node.action.expect("histories name the action");
            let possible = check_state(game, &state, node, &mut partition);
            assert!(possible.contains(&action));
            game.apply(&mut state, action);
        }
        assert_eq!(game.turn(&state), Turn::Terminal);
        assert_returns(game, &state, &trajectory.returns);
    }
    trajectories.len()
}
