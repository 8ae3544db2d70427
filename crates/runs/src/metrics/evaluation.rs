//! The figures of one evaluation: exact ones for small games, matches for all.
//!
//! Not here: computing them.

use serde::{Deserialize, Deserializer, Serialize};

use super::Diagnostics;

/// How good the strategies of one iteration are.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EvaluationMetrics {
    /// What the evaluation took.
    pub seconds: f64,
    /// Exact figures, one per strategy.
    pub exact: Vec<ExactMetrics>,
    /// Tabular solvers after the same number of nodes.
    #[serde(default, deserialize_with = "one_or_many")]
    pub tabular: Vec<TabularMetrics>,
    /// Matches, one per strategy and opponent.
    pub matches: Vec<MatchMetrics>,
    /// Those of the extended set, where its turn was.
    #[serde(default)]
    pub extended: Vec<MatchMetrics>,
    /// What the fits of this iteration learned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diagnostics: Option<Diagnostics>,
    /// What the matches of the first set cost, where there were any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub play: Option<PlayMetrics>,
}

/// What an evaluation's matches cost. How rows fall into calls depends on workers and lanes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlayMetrics {
    /// Seconds of all matches together.
    pub seconds: f64,
    /// Rows that networks answered.
    pub rows: u64,
    /// Forward passes.
    pub batches: u64,
}

impl EvaluationMetrics {
    /// The same figures without times.
    #[must_use]
    pub fn without_times(&self) -> Self {
        let without = |tabular: &TabularMetrics| TabularMetrics { seconds: 0.0, ..tabular.clone() };
        let tabular = self.tabular.iter().map(without).collect();
        Self { seconds: 0.0, tabular, play: None, ..self.clone() }
    }
}

/// Lines of programs that had one solver hold it, or `null`, where a list now is.
fn one_or_many<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<TabularMetrics>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Written {
        Many(Vec<TabularMetrics>),
        One(Option<Box<TabularMetrics>>),
    }
    Ok(match Written::deserialize(deserializer)? {
        Written::Many(many) => many,
        Written::One(one) => one.map(|one| *one).into_iter().collect(),
    })
}

/// Exact figures of one strategy profile.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExactMetrics {
    /// Which strategy: for example `current`, `policy network`, `SD-CFR average`.
    pub policy: String,
    /// Sum over both players of what a best response gains, in points.
    pub nash_conv_points: f64,
    /// NashConv over the number of players, in points.
    pub exploitability_points: f64,
    /// The same in thousandths of the ante, for games that have one.
    pub exploitability_ma_per_g: Option<f64>,
    /// What player 0 gets when both play this strategy, in points.
    pub value_points: f64,
}

/// A tabular baseline beside the networks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TabularMetrics {
    /// The solver, for example `ES-MCCFR`.
    pub solver: String,
    /// Nodes that it had visited, counted as for the networks.
    pub nodes: u64,
    /// Seconds that it had run for them, evaluation excluded.
    pub seconds: f64,
    /// Sum over both players of what a best response gains, in points.
    pub nash_conv_points: f64,
    /// NashConv over the number of players, in points.
    pub exploitability_points: f64,
    /// The same in thousandths of the ante, for games that have one.
    pub exploitability_ma_per_g: Option<f64>,
    /// What player 0 gets when both play the average strategy, in points.
    pub value_points: f64,
}

/// One strategy against one opponent over mirrored deals.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MatchMetrics {
    /// Which strategy.
    pub policy: String,
    /// Against whom.
    pub opponent: String,
    /// Deals; each is played twice, with seats swapped.
    pub deals: u64,
    /// Games won.
    pub wins: u64,
    /// Games tied.
    pub ties: u64,
    /// Games lost.
    pub losses: u64,
    /// Mean of own points minus the opponent's, a game.
    pub mean_difference: f64,
    /// Half-width of the 95 % confidence interval of `mean_difference`, from pairs of games; not
    /// finite for a single deal.
    #[serde(with = "super::finite_or_null")]
    pub ci95: f64,
    /// Wilson interval of the win rate at 95 %.
    pub win_rate_ci95: [f64; 2],
    /// Games ended by the ply cap.
    pub truncated: u64,
    /// Mean number of player decisions a game.
    pub mean_plies: f64,
    /// What the games' ends show of how the strategy played: names and means a game.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub facts: Vec<(String, f64)>,
    /// The strategy's own mean score a game, in games with scores.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub own_score: Option<f64>,
    /// How many times lower the variance of `mean_difference` is than with independent deals; not
    /// finite where luck cancels altogether.
    #[serde(with = "super::finite_or_null", default = "unknown")]
    pub variance_reduction: f64,
}

/// What lines have that were written before a figure was.
const fn unknown() -> f64 {
    f64::NAN
}

impl MatchMetrics {
    /// Games won over games played.
    pub fn win_rate(&self) -> f64 {
        self.wins as f64 / (self.wins + self.ties + self.losses) as f64
    }
}
