//! Why matches could not be played.

use deepcfr_core::{Action, EvaluatorError, GameError, Player};

use super::estimate::FEWEST_VALUES;

/// Why matches could not be played to their end.
#[derive(Debug, thiserror::Error)]
pub enum MatchError {
    /// No evaluator was given.
    #[error("matches need at least one worker")]
    NoWorkers,
    /// No lanes.
    #[error("a worker needs at least one lane")]
    NoLanes,
    /// A number of lane groups that does not exist.
    #[error("lanes form 1 or 2 groups, not {got}")]
    Groups {
        /// The number asked for.
        got: usize,
    },
    /// None, or more than the games' numbers hold.
    #[error("a match has 1 to {max} deals, not {got}", max = Self::MAX_DEALS)]
    Deals {
        /// The number asked for.
        got: u32,
    },
    /// A precision that no number of games can be computed from.
    #[error(
        "a precision is a half-width above 0 after a pilot of at least {} deals, not {half_width} after {pilot}",
        FEWEST_VALUES
    )]
    Precision {
        /// The half-width asked for, in points.
        half_width: f64,
        /// Deals of the pilot.
        pilot: u32,
    },
    /// A strategy that samples from no network, or by weights that are no weights.
    #[error("player {seat} needs networks with positive, finite weights to sample from")]
    Archive {
        /// The seat whose networks these are.
        seat: Player,
    },
    /// A bot broke the rules.
    #[error("the bot in seat {seat} chose action {action}, which is not legal")]
    IllegalAction {
        /// The bot's seat in that game.
        seat: Player,
        /// What it chose.
        action: Action,
    },
    /// Not a game for two players who take turns.
    #[error(transparent)]
    Game(#[from] GameError),
    /// An evaluator failed.
    #[error(transparent)]
    Evaluator(#[from] EvaluatorError),
}

impl MatchError {
    /// The most deals of a pairing: its games are numbered with 32 bits.
    pub const MAX_DEALS: u32 = u32::MAX / 2;
}
