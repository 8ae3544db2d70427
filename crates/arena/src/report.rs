//! The result of a round robin as plain data, the same for the same games.
//!
//! Not here: tables and pictures of it (see `text` and `heat_map`).

use deepcfr_cfr::matches::{Estimate, MatchResult, Meeting, Settled, Stopping, bradley_terry};
use serde::{Deserialize, Serialize};

use crate::frozen::Frozen;
use crate::request::ArenaTask;

/// Everything that a round robin found out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ArenaReport {
    /// The game and its rules.
    pub game: String,
    /// Seed of deals and players' choices.
    pub seed: u64,
    /// How the number of games was chosen, and what the intervals are.
    pub rule: String,
    /// Who played.
    pub contestants: Vec<ContestantReport>,
    /// Every pairing.
    pub pairs: Vec<PairReport>,
    /// The contestants by rating, the strongest first; empty for two contestants.
    pub ladder: Vec<LadderEntry>,
}

/// A contestant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContestantReport {
    /// What it is called, with the strategy that was chosen.
    pub name: String,
    /// What it is.
    pub kind: String,
}

/// A mean in points with the half-width of its 95 % interval, from pairs of games.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct MeanReport {
    /// The mean.
    pub mean: f64,
    /// Half-width of the interval.
    #[serde(with = "deepcfr_runs::metrics::finite_or_null")]
    pub ci95: f64,
}

/// One pairing. Games, wins and points are A's.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PairReport {
    /// The contestant whose results these are.
    pub a: String,
    /// The other one.
    pub b: String,
    /// Games: two for each deal.
    pub games: u64,
    /// Games won.
    pub wins: u64,
    /// Games tied.
    pub ties: u64,
    /// Games lost.
    pub losses: u64,
    /// Wins over games.
    pub win_rate: f64,
    /// Wilson interval of `win_rate` at 95 %.
    pub win_rate_ci95: [f64; 2],
    /// Mean of A's points minus B's, a game, with the interval of the report's rule.
    pub difference: MeanReport,
    /// Mean points of A and of B a game, in games that have scores.
    pub scores: Option<[MeanReport; 2]>,
    /// Games that a cap on plies ended.
    pub truncated: u64,
    /// Of the games that ended by the rules, where a cap ended others: their number, A's win rate and
    /// the mean difference.
    pub finished: Option<(u64, f64, f64)>,
    /// How many times lower the variance of the mean is than with independent deals; `None` where luck
    /// cancels altogether.
    #[serde(with = "deepcfr_runs::metrics::finite_or_null")]
    pub variance_reduction: f64,
    /// Mean decisions a game, both players together.
    pub mean_plies: f64,
}

/// A contestant's place.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LadderEntry {
    /// Who.
    pub name: String,
    /// Bradley–Terry rating on Elo's scale; the mean of all contestants is 0.
    pub elo: f64,
    /// Half-width of its 95 % interval.
    pub elo_ci95: f64,
    /// Games against others.
    pub games: u64,
    /// Games won over games played, ties counting half.
    pub win_share: f64,
    /// Mean of its own points minus the other's over these games: where points are what counts, as in
    /// poker, the better measure.
    pub mean_difference: f64,
}

impl ArenaReport {
    pub(crate) fn new(
        task: &ArenaTask,
        contestants: &[Frozen],
        schedule: &[(usize, usize)],
        settled: &[Settled],
    ) -> Self {
        let name = |index: usize| contestants[index].name.clone();
        let pairs = schedule.iter().zip(settled);
        Self {
            game: task.config.game_line(),
            seed: task.config.run.seed,
            rule: rule(&task.stopping),
            contestants: contestants
                .iter()
                .map(|one| ContestantReport { name: one.name.clone(), kind: one.kind.clone() })
                .collect(),
            pairs: pairs.map(|(&(a, b), settled)| PairReport::new([name(a), name(b)], settled)).collect(),
            ladder: if contestants.len() > 2 { ladder(contestants, schedule, settled) } else { Vec::new() },
        }
    }

    /// The report as JSON text.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).expect("plain fields become JSON") + "\n"
    }
}

fn rule(stopping: &Stopping) -> String {
    match stopping {
        Stopping::Deals(deals) => format!(
            "{} games a pairing, fixed beforehand; ± is the 95 % interval from pairs of games",
            2 * u64::from(*deals)
        ),
        Stopping::Precision(stein) => format!(
            "as many games as ± {} points take (Stein's two-stage procedure, pilot of {} games, at most {}); \
             ± is its 95 % interval",
            stein.half_width,
            2 * stein.pilot,
            2 * u64::from(stein.most)
        ),
        Stopping::Decided(sequence) => format!(
            "until the mean difference is decided, first look after {} games, at most {}; ± is an asymptotic \
             95 % confidence sequence, valid at all looks together",
            2 * sequence.first,
            2 * u64::from(sequence.most)
        ),
    }
}

impl PairReport {
    fn new([a, b]: [String; 2], settled: &Settled) -> Self {
        let result: &MatchResult = &settled.record.result;
        let (low, high) = result.win_rate_ci95;
        Self {
            a,
            b,
            games: 2 * result.deals,
            wins: result.wins,
            ties: result.ties,
            losses: result.losses,
            win_rate: result.win_rate,
            win_rate_ci95: [low, high],
            difference: MeanReport { mean: result.mean_difference, ci95: settled.half_width },
            scores: result.scores.map(|scores| scores.map(MeanReport::from)),
            truncated: result.truncated,
            finished: result.finished.map(|part| (part.games, part.win_rate, part.mean_difference)),
            variance_reduction: result.variance_reduction,
            mean_plies: result.mean_plies,
        }
    }

    /// Games won over games, ties counting half.
    pub fn win_share(&self) -> f64 {
        (self.wins as f64 + self.ties as f64 / 2.0) / self.games as f64
    }
}

impl From<Estimate> for MeanReport {
    fn from(estimate: Estimate) -> Self {
        Self { mean: estimate.mean, ci95: estimate.ci95 }
    }
}

fn ladder(contestants: &[Frozen], schedule: &[(usize, usize)], settled: &[Settled]) -> Vec<LadderEntry> {
    let others = || schedule.iter().zip(settled).filter(|((a, b), _)| a != b);
    let meetings: Vec<_> = others()
        .map(|(&contestants, settled)| Meeting { contestants, pairs: &settled.record.pairs })
        .collect();
    let ratings = bradley_terry(contestants.len(), &meetings);
    let mut ladder: Vec<_> = (contestants.iter().zip(ratings).enumerate())
        .map(|(index, (contestant, rating))| {
            let (mut games, mut won, mut points) = (0, 0.0, 0.0);
            for (&(a, _), settled) in others().filter(|((a, b), _)| [*a, *b].contains(&index)) {
                let result = &settled.record.result;
                let (own, sign) = if index == a { (result.wins, 1.0) } else { (result.losses, -1.0) };
                games += 2 * result.deals;
                points += sign * result.mean_difference * (2 * result.deals) as f64;
                won += own as f64 + result.ties as f64 / 2.0;
            }
            LadderEntry {
                name: contestant.name.clone(),
                elo: rating.elo,
                elo_ci95: rating.ci95,
                games,
                win_share: won / games.max(1) as f64,
                mean_difference: points / games.max(1) as f64,
            }
        })
        .collect();
    ladder.sort_by(|first, second| second.elo.total_cmp(&first.elo));
    ladder
}
