//! A small game and what is tabulated on it: the networks' outputs at every infoset, and its exact evaluation.
//!
//! Not here: traversals and best responses, which run on its tree (`cfr`).

use std::sync::Arc;

use deepcfr_board::{Board, SmallGame};
use deepcfr_cfr::regret::AllNegative;
use deepcfr_cfr::tabular::{TabularPolicy, TreeLimits};
use deepcfr_config::{Baseline, MemoryKind, NashConv, RunConfig, Sampling};
use deepcfr_core::{Game, Model, ModelFactory, NUM_PLAYERS, NetId, Weights};

use crate::error::TrainError;
use crate::exact::Exact;

/// Exact evaluation is offered up to this many nodes (kept apart from tabulation, which the
/// configuration limits): seconds per evaluation, a gigabyte of tree.
const EXACT_NODES: usize = 20_000_000;

/// A small game and what is tabulated on it.
pub(crate) struct Tabulated {
    pub(crate) game: SmallGame,
    pub(crate) exact: Exact,
    /// Whether traversals run on the tree, or the tree serves evaluation alone.
    pub(crate) traversed: bool,
    /// The advantage networks' outputs at every infoset, 0 where there is no network yet.
    outputs: Vec<f32>,
    /// Which players have a network.
    fitted: [bool; NUM_PLAYERS],
    /// Computes them.
    model: Box<dyn Model>,
}

impl Tabulated {
    /// Lays the game out if the configuration has a use for that and the game is small enough.
    pub(crate) fn of(
        config: &RunConfig,
        board: &dyn Board,
        factory: &dyn ModelFactory,
    ) -> Result<Option<Self>, TrainError> {
        let below = config.traversal.tabulate_below.unwrap_or(0);
        let exact = config.evaluation.nash_conv == NashConv::Auto;
        let default = TreeLimits::default();
        let max_infosets =
            if exact { default.max_infosets } else { usize::try_from(below).unwrap_or(usize::MAX) };
        if max_infosets == 0 {
            return Ok(None);
        }
        let limits = TreeLimits { max_nodes: EXACT_NODES, max_infosets };
        let Some(game) = SmallGame::lay_out(board, limits)? else { return Ok(None) };
        // Rollout policies play the game itself, not its tree, and a tree keeps no running score.
        let on_game =
            config.traversal.sampling == Sampling::Rollout || config.traversal.baseline == Baseline::Score;
        let traversed = game.tree.num_infosets() as u64 <= below && !on_game;
        let baseline = exact && config.evaluation.tabular_baseline;
        let exact = Exact::new(&game, baseline, config.run.seed, board.facts().ante);
        let outputs = vec![0.0; game.tree.num_infosets() * game.tree.spec().num_actions];
        let (fitted, model) = ([false; NUM_PLAYERS], factory.open()?);
        Ok(Some(Self { game, exact, traversed, outputs, fitted, model }))
    }

    /// How many infosets the game has where it is small enough for exact evaluation, whether or not that is
    /// wanted: what is learned must not hang on what is reported. Reservoirs do not ask, and the game is not
    /// laid out for them.
    pub(crate) fn infosets(
        small: Option<&Self>,
        config: &RunConfig,
        board: &dyn Board,
    ) -> Result<Option<usize>, TrainError> {
        if config.evaluation.nash_conv == NashConv::Auto || config.memory.kind == MemoryKind::Reservoir {
            return Ok(small.map(|small| small.game.tree.num_infosets()));
        }
        let limits = TreeLimits { max_nodes: EXACT_NODES, ..TreeLimits::default() };
        if let Some(small) = small {
            let infosets = small.game.tree.num_infosets();
            return Ok((infosets <= limits.max_infosets).then_some(infosets));
        }
        Ok(SmallGame::lay_out(board, limits)?.map(|game| game.tree.num_infosets()))
    }

    /// Takes over new advantage networks.
    pub(crate) fn publish(&mut self, nets: &[(NetId, Arc<Weights>)]) -> Result<(), TrainError> {
        let players = (0..NUM_PLAYERS).map(|player| (player, NetId::advantage(player)));
        for (player, net) in players {
            if let Some((_, weights)) = nets.iter().find(|(published, _)| *published == net) {
                self.model.load(net, weights)?;
                self.game.tabulate_player(&mut *self.model, player, net, &mut self.outputs)?;
                self.fitted[player] = true;
            }
        }
        Ok(())
    }

    /// The advantage networks' outputs at every infoset; zeros for a player without a network.
    pub(crate) fn outputs(&self) -> &[f32] {
        &self.outputs
    }

    /// The same, once both players have a network.
    pub(crate) fn advantages(&self) -> Option<&[f32]> {
        (self.fitted == [true; NUM_PLAYERS]).then_some(&*self.outputs)
    }

    /// The strategy of the networks in force, once there are networks.
    pub(crate) fn current(&self, rule: AllNegative) -> Option<TabularPolicy> {
        Some(self.game.strategy(self.advantages()?, rule))
    }

    /// Adds the strategy of the networks in force to SD-CFR's average.
    pub(crate) fn add_to_average(&mut self, rule: AllNegative, weight: f64) {
        if let Some(strategy) = self.current(rule) {
            self.exact.add(&self.game, &strategy, weight);
        }
    }
}
