//! What the games of a match say: means with confidence intervals.
//!
//! Not here: playing them.

use deepcfr_core::MAX_FACTS;

use super::estimate::{Estimate, mean_and_variance, wilson_interval};

/// One game, seen by the subject of the match.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct GameOutcome {
    /// The subject's utility, in points (in Lost Cities: own score minus the opponent's).
    pub points: f64,
    /// The subject's own score and the opponent's, in games that have scores.
    pub scores: Option<[f64; 2]>,
    /// What the game's end shows of how the subject played, see [`Game::facts`](deepcfr_core::Game::facts).
    pub facts: [f64; MAX_FACTS],
    /// Decisions of both players.
    pub plies: u32,
    /// Whether a cap on plies ended the game.
    pub truncated: bool,
}

impl GameOutcome {
    /// 1 for a win, ½ for a tie, 0 for a loss.
    pub fn win_share(&self) -> f64 {
        match self.points {
            points if points > 0.0 => 1.0,
            points if points < 0.0 => 0.0,
            _ => 0.5,
        }
    }
}

/// The two games of a deal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairOutcome {
    /// The subject in seat 0, then in seat 1.
    pub games: [GameOutcome; 2],
}

impl PairOutcome {
    /// The subject's mean utility a game.
    pub fn score(&self) -> f64 {
        (self.games[0].points + self.games[1].points) / 2.0
    }

    /// The subject's wins over games, ties counting half: 0 to 1.
    pub fn win_share(&self) -> f64 {
        self.games.iter().map(GameOutcome::win_share).sum::<f64>() / 2.0
    }

    /// Means over the two games of the subject's own score and the opponent's.
    fn own_scores(&self) -> Option<[f64; 2]> {
        let [first, second] = [self.games[0].scores?, self.games[1].scores?];
        Some([(first[0] + second[0]) / 2.0, (first[1] + second[1]) / 2.0])
    }
}

/// Statistics of a match; points and games are the subject's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MatchResult {
    /// Deals, each played twice.
    pub deals: u64,
    /// Games with positive points.
    pub wins: u64,
    /// Games with 0 points.
    pub ties: u64,
    /// Games with negative points.
    pub losses: u64,
    /// Mean points a game.
    pub mean_difference: f64,
    /// Half-width of the 95 % confidence interval of `mean_difference`: `z·s/√n`, where `s²` is the
    /// sample variance of the `n` pair scores (pairs are independent, the games of a pair are not).
    /// Infinite for a single deal.
    pub ci95: f64,
    /// `wins` over games; a tie is no win.
    pub win_rate: f64,
    /// Wilson's 95 % interval of the win rate, with games taken as independent: conservative where
    /// mirroring makes a pair's games negatively correlated.
    pub win_rate_ci95: (f64, f64),
    /// Games that a cap on plies ended.
    pub truncated: u64,
    /// The games that ended by the rules, where a cap ended others.
    pub finished: Option<Finished>,
    /// The subject's own score and the opponent's, in points a game, in games that have scores.
    pub scores: Option<[Estimate; 2]>,
    /// Means of the subject's facts a game.
    pub facts: [f64; MAX_FACTS],
    /// Mean decisions a game, both players together.
    pub mean_plies: f64,
    /// How many times the variance of the mean is lower than with independent deals for both
    /// seatings: `((s₀² + s₁²)/4) / s²`, where `s₀²` and `s₁²` are the variances of points in seat 0
    /// and 1. 1 for equal variances without correlation; infinite where luck cancels altogether.
    pub variance_reduction: f64,
}

/// Games that no cap ended. Which games those are depends on how they went, so that mirrored deals
/// no longer cancel luck: to be read beside the whole, not in its place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Finished {
    /// How many.
    pub games: u64,
    /// The subject's wins over them.
    pub win_rate: f64,
    /// Mean points a game.
    pub mean_difference: f64,
}

impl MatchResult {
    /// The statistics of `pairs`.
    ///
    /// # Panics
    /// If there is no pair.
    pub fn of(pairs: &[PairOutcome]) -> Self {
        assert!(!pairs.is_empty(), "a match has at least one deal");
        let games = || pairs.iter().flat_map(|pair| &pair.games);
        let count = |holds: fn(&GameOutcome) -> bool| games().filter(|game| holds(game)).count() as u64;
        let num_games = 2 * pairs.len() as u64;
        let wins = count(|game| game.points > 0.0);
        let losses = count(|game| game.points < 0.0);
        let truncated = count(|game| game.truncated);
        let (mean, variance) = mean_and_variance(pairs.iter().map(PairOutcome::score));
        Self {
            deals: pairs.len() as u64,
            wins,
            ties: num_games - wins - losses,
            losses,
            mean_difference: mean,
            ci95: Estimate::of_mean(mean, variance, pairs.len()).ci95,
            win_rate: wins as f64 / num_games as f64,
            win_rate_ci95: wilson_interval(wins, num_games),
            truncated,
            finished: (0 < truncated && truncated < num_games).then(|| Finished::of(pairs)),
            scores: scores(pairs),
            facts: std::array::from_fn(|fact| {
                games().map(|game| game.facts[fact]).sum::<f64>() / num_games as f64
            }),
            mean_plies: games().map(|game| f64::from(game.plies)).sum::<f64>() / num_games as f64,
            variance_reduction: variance_reduction(pairs, variance),
        }
    }
}

impl Finished {
    fn of(pairs: &[PairOutcome]) -> Self {
        let finished = || pairs.iter().flat_map(|pair| &pair.games).filter(|game| !game.truncated);
        let games = finished().count() as u64;
        Self {
            games,
            win_rate: finished().filter(|game| game.points > 0.0).count() as f64 / games as f64,
            mean_difference: finished().map(|game| game.points).sum::<f64>() / games as f64,
        }
    }
}

fn scores(pairs: &[PairOutcome]) -> Option<[Estimate; 2]> {
    let scores: Vec<[f64; 2]> = pairs.iter().map(PairOutcome::own_scores).collect::<Option<_>>()?;
    Some([0, 1].map(|side: usize| Estimate::of_values(scores.iter().map(|score| score[side]))))
}

fn variance_reduction(pairs: &[PairOutcome], pair_variance: f64) -> f64 {
    let in_seat = |seat: usize| mean_and_variance(pairs.iter().map(|pair| pair.games[seat].points)).1;
    let independent = (in_seat(0) + in_seat(1)) / 4.0;
    let same = pair_variance == independent || pairs.len() < 2;
    if same { 1.0 } else { independent / pair_variance }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(first: f64, second: f64) -> PairOutcome {
        let game = |points| GameOutcome {
            points,
            scores: Some([points + 7.0, 7.0]),
            facts: [points, 1.0, 0.0, 0.0],
            plies: 4,
            truncated: points > 2.0,
        };
        PairOutcome { games: [game(first), game(second)] }
    }

    #[test]
    fn a_small_match_by_hand() {
        let result = MatchResult::of(&[pair(3.0, -1.0), pair(0.0, -2.0), pair(1.0, 2.0)]);
        assert_eq!((result.deals, result.wins, result.ties, result.losses), (3, 3, 1, 2));
        assert_eq!((result.truncated, result.mean_plies, result.win_rate), (1, 4.0, 0.5));
        assert_eq!(result.facts, [0.5, 1.0, 0.0, 0.0]);
        // Pair scores 1, -1, 1.5: mean 0.5, sample variance (0.25 + 2.25 + 1)/2.
        assert!((result.mean_difference - 0.5).abs() < 1e-12);
        assert!((result.ci95 - 1.959_963_984_540_054 * (1.75f64 / 3.0).sqrt()).abs() < 1e-12);
        let scores = result.scores.unwrap();
        assert!((scores[0].mean - 7.5).abs() < 1e-12 && (scores[0].ci95 - result.ci95).abs() < 1e-12);
        assert_eq!(scores[1], Estimate { mean: 7.0, ci95: 0.0 });
        // Without the one truncated game, which was won.
        let finished = Finished { games: 5, win_rate: 0.4, mean_difference: 0.0 };
        assert_eq!(result.finished, Some(finished));
        assert_eq!([pair(3.0, -1.0), pair(0.0, -2.0)].map(|pair| pair.win_share()), [0.5, 0.25]);
        // Seat 0: 3, 0, 1 has variance 7/3; seat 1: -1, -2, 2 has variance 13/3.
        assert!((result.variance_reduction - (20.0 / 3.0 / 4.0) / 1.75).abs() < 1e-12);
    }

    #[test]
    fn luck_that_cancels_altogether_and_single_deals_are_total() {
        let luck = MatchResult::of(&[pair(5.0, -5.0), pair(-3.0, 3.0)]);
        assert_eq!((luck.mean_difference, luck.ci95, luck.variance_reduction), (0.0, 0.0, f64::INFINITY));
        let same = MatchResult::of(&[pair(0.0, 0.0), pair(0.0, 0.0)]);
        assert_eq!((same.ties, same.ci95, same.variance_reduction), (4, 0.0, 1.0));
        let single = MatchResult::of(&[pair(1.0, 2.0)]);
        assert_eq!((single.mean_difference, single.ci95), (1.5, f64::INFINITY));
    }
}
