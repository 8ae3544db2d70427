//! Why a game cannot be laid out as a tree, and how big it would have been.

use deepcfr_core::{Action, Game, GameError, InfosetKey, Player, Purpose, Stream, Turn};

/// What a node takes, with the solvers' tables.
const BYTES_PER_NODE: f64 = 40.0;

/// How big a tree may become.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TreeLimits {
    /// The most nodes, about 40 bytes each with what the solvers add.
    pub max_nodes: usize,
    /// The most infosets of both players.
    pub max_infosets: usize,
}

impl Default for TreeLimits {
    /// 20 million nodes, 4 million infosets: about a gigabyte.
    fn default() -> Self {
        Self { max_nodes: 20_000_000, max_infosets: 4_000_000 }
    }
}

/// Why a game cannot be laid out as a tree.
#[derive(Debug, thiserror::Error, PartialEq)]
pub enum TreeError {
    /// The game is of a kind that nothing here can take.
    #[error(transparent)]
    Game(#[from] GameError),
    /// More nodes than allowed.
    #[error(
        "{game} has more than {limit} nodes (about {estimated_nodes:.1e}, for which tables would take \
         {}): too big to be solved or evaluated exactly; use es-mccfr or os-mccfr with hashed storage to solve it and matches \
         against other policies to evaluate, or raise the limit",
        gigabytes(*estimated_nodes)
    )]
    TooManyNodes {
        /// The game's name.
        game: &'static str,
        /// [`TreeLimits::max_nodes`].
        limit: usize,
        /// An unbiased estimate of the number of nodes.
        estimated_nodes: f64,
    },
    /// More infosets than allowed.
    #[error(
        "{game} has more than {limit} infosets (found in {visited_nodes} of about \
         {estimated_nodes:.1e} nodes): too big for tables; use a network, or matches against other \
         policies to evaluate, or raise the limit"
    )]
    TooManyInfosets {
        /// The game's name.
        game: &'static str,
        /// [`TreeLimits::max_infosets`].
        limit: usize,
        /// Nodes walked until then.
        visited_nodes: usize,
        /// An unbiased estimate of the number of nodes.
        estimated_nodes: f64,
    },
    /// A player without legal actions, or a chance state without outcomes.
    #[error("{game} has a state that is not terminal and from which nothing follows, {depth} moves deep")]
    DeadEnd {
        /// The game's name.
        game: &'static str,
        /// How many actions and outcomes lead to it.
        depth: usize,
    },
    /// A chance state's outcomes are not in ascending order, or one has weight 0.
    #[error("{game} lists chance outcome {outcome} out of order or with weight 0")]
    Chance {
        /// The game's name.
        game: &'static str,
        /// The outcome.
        outcome: Action,
    },
    /// Two histories of an infoset differ in what is legal.
    #[error("infoset {:x} of player {player} has different legal actions at different histories", key.0)]
    LegalActions {
        /// The owner.
        player: Player,
        /// The infoset.
        key: InfosetKey,
    },
    /// Two histories of an infoset differ in what its owner did before.
    #[error(
        "player {player} forgets: infoset {:x} is reached by different own moves; exact values and tabular \
         solvers need perfect recall: train networks, and evaluate by matches",
        key.0
    )]
    ImperfectRecall {
        /// The owner.
        player: Player,
        /// The infoset.
        key: InfosetKey,
    },
}

/// The memory of so many nodes: see [`TreeLimits::max_nodes`].
fn gigabytes(nodes: f64) -> String {
    let gigabytes = nodes * BYTES_PER_NODE / 1e9;
    if gigabytes < 1e4 { format!("{gigabytes:.1} GB") } else { format!("{gigabytes:.1e} GB") }
}

/// Knuth's estimate of the number of nodes: along a random path, the sum of the products of the
/// branching factors is unbiased (Knuth 1975, "Estimating the efficiency of backtrack programs").
pub(super) fn estimate_nodes<G: Game>(game: &G) -> f64 {
    const PROBES: u32 = 1_000;
    let total: f64 = (0..PROBES).map(|probe| probe_once(game, probe)).sum();
    total / f64::from(PROBES)
}

fn probe_once<G: Game>(game: &G, probe: u32) -> f64 {
    let mut rng = Stream::new(0, Purpose::Statistics, 0, 0, probe);
    let mut state = game.root();
    let mut moves = Vec::new();
    let (mut width, mut nodes) = (1.0, 1.0);
    loop {
        moves.clear();
        match game.turn(&state) {
            Turn::Terminal => return nodes,
            Turn::Chance => game.chance_outcomes(&state, |outcome, _| moves.push(outcome)),
            Turn::Player(_) => moves.extend(game.legal_actions(&state)),
        }
        if moves.is_empty() {
            return nodes;
        }
        width *= moves.len() as f64;
        nodes += width;
        game.apply(&mut state, moves[rng.below(moves.len() as u32) as usize]);
    }
}
