//! Games built by hand, and an encoder whose only feature is the infoset's number.

use deepcfr_core::{Action, ActionSet, Encoder, Game, GameSpec, InfosetKey, Player, Turn};

/// A node of a [`HandTree`]; children are node numbers, one per action or outcome.
pub(crate) enum Node {
    End(f64),
    Deal(Vec<(u32, usize)>),
    Choice { player: Player, infoset: u128, children: Vec<usize> },
}

/// A game as a list of nodes; node 0 is the root.
pub(crate) struct HandTree(pub(crate) Vec<Node>);

impl Game for HandTree {
    type State = usize;

    fn spec(&self) -> GameSpec {
        GameSpec {
            name: "hand-tree",
            num_players: 2,
            simultaneous: false,
            num_actions: 2,
            utility_range: (-1e3, 1e3),
            max_depth: self.0.len(),
        }
    }

    fn root(&self) -> usize {
        0
    }

    fn turn(&self, &node: &usize) -> Turn {
        match self.0[node] {
            Node::End(_) => Turn::Terminal,
            Node::Deal(_) => Turn::Chance,
            Node::Choice { player, .. } => Turn::Player(player),
        }
    }

    fn legal_actions(&self, &node: &usize) -> ActionSet {
        match &self.0[node] {
            Node::Choice { children, .. } => ActionSet::first(children.len()),
            _ => ActionSet::EMPTY,
        }
    }

    fn chance_outcomes(&self, &node: &usize, mut visit: impl FnMut(Action, u32)) {
        let Node::Deal(outcomes) = &self.0[node] else { panic!("not a chance node") };
        outcomes.iter().enumerate().for_each(|(outcome, &(weight, _))| visit(outcome as Action, weight));
    }

    fn apply(&self, node: &mut usize, action: Action) {
        *node = match &self.0[*node] {
            Node::End(_) => panic!("the game is over"),
            Node::Deal(outcomes) => outcomes[usize::from(action)].1,
            Node::Choice { children, .. } => children[usize::from(action)],
        };
    }

    fn utility(&self, &node: &usize) -> f64 {
        let Node::End(utility) = self.0[node] else { panic!("the game is not over") };
        utility
    }

    fn infoset_key(&self, &node: &usize, _player: Player) -> InfosetKey {
        let Node::Choice { infoset, .. } = self.0[node] else { panic!("nobody moves") };
        InfosetKey(infoset)
    }
}

/// One feature: the infoset's key, for games whose keys are small numbers.
#[derive(Clone, Copy)]
pub(crate) struct KeyEncoder;

impl<G: Game> Encoder<G> for KeyEncoder {
    fn num_features(&self) -> usize {
        1
    }

    fn encode(&self, game: &G, state: &G::State, player: Player, row: &mut [f32]) {
        row[0] = game.infoset_key(state, player).0 as f32;
    }
}
