//! What the games of a match say: means with confidence intervals.
//!
//! Not here: playing them.

/// The 0.975 quantile of the standard normal distribution.
const Z95: f64 = 1.959_963_984_540_054;

/// One game, seen by the subject of the match.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct GameOutcome {
    /// The subject's utility, in points (in Lost Cities: own score minus the opponent's).
    pub points: f64,
    /// Decisions of both players.
    pub plies: u32,
    /// Whether a cap on plies ended the game.
    pub truncated: bool,
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
    /// Mean decisions a game, both players together.
    pub mean_plies: f64,
    /// How many times the variance of the mean is lower than with independent deals for both
    /// seatings: `((s₀² + s₁²)/4) / s²`, where `s₀²` and `s₁²` are the variances of points in seat 0
    /// and 1. 1 for equal variances without correlation; infinite where luck cancels altogether.
    pub variance_reduction: f64,
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
        let (mean, variance) = mean_and_variance(pairs.iter().map(PairOutcome::score));
        Self {
            deals: pairs.len() as u64,
            wins,
            ties: num_games - wins - losses,
            losses,
            mean_difference: mean,
            ci95: Z95 * (variance / pairs.len() as f64).sqrt(),
            win_rate: wins as f64 / num_games as f64,
            win_rate_ci95: wilson_interval(wins, num_games),
            truncated: count(|game| game.truncated),
            mean_plies: games().map(|game| f64::from(game.plies)).sum::<f64>() / num_games as f64,
            variance_reduction: variance_reduction(pairs, variance),
        }
    }
}

fn variance_reduction(pairs: &[PairOutcome], pair_variance: f64) -> f64 {
    let in_seat = |seat: usize| mean_and_variance(pairs.iter().map(|pair| pair.games[seat].points)).1;
    let independent = (in_seat(0) + in_seat(1)) / 4.0;
    let same = pair_variance == independent || pairs.len() < 2;
    if same { 1.0 } else { independent / pair_variance }
}

/// Mean and unbiased sample variance, in two passes; the variance of one value is infinite.
fn mean_and_variance(values: impl ExactSizeIterator<Item = f64> + Clone) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.clone().sum::<f64>() / n;
    let squares: f64 = values.map(|value| (value - mean).powi(2)).sum();
    (mean, if n > 1.0 { squares / (n - 1.0) } else { f64::INFINITY })
}

/// The 95 % score interval of a proportion of `successes` among `trials` (Wilson 1927):
/// `(p + z²/2n ± z·√(p(1−p)/n + z²/4n²)) / (1 + z²/n)`.
///
/// # Panics
/// If there are no trials, or fewer than successes.
pub fn wilson_interval(successes: u64, trials: u64) -> (f64, f64) {
    assert!(trials > 0 && successes <= trials, "successes are among the trials");
    let (n, z2) = (trials as f64, Z95 * Z95);
    let p = successes as f64 / n;
    let centre = p + z2 / (2.0 * n);
    let spread = Z95 * (p * (1.0 - p) / n + z2 / (4.0 * n * n)).sqrt();
    let scale = 1.0 + z2 / n;
    (((centre - spread) / scale).max(0.0), ((centre + spread) / scale).min(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(first: f64, second: f64) -> PairOutcome {
        let game = |points| GameOutcome { points, plies: 4, truncated: points > 2.0 };
        PairOutcome { games: [game(first), game(second)] }
    }

    /// The reference match table's intervals (reference data, 2026-11-30), to its three digits.
    #[test]
    fn wilson_agrees_with_the_reference_table() {
        for (wins, low, high) in [
            (498, 0.467, 0.529),
            (2, 0.001, 0.007),
            (0, 0.0, 0.004),
            (171, 0.149, 0.196),
            (711, 0.682, 0.738),
        ] {
            let (got_low, got_high) = wilson_interval(wins, 1000);
            assert!((got_low - low).abs() < 5.1e-4 && (got_high - high).abs() < 5.1e-4, "{wins}");
        }
        assert_eq!(wilson_interval(5, 5).1, 1.0);
    }

    #[test]
    fn a_small_match_by_hand() {
        let result = MatchResult::of(&[pair(3.0, -1.0), pair(0.0, -2.0), pair(1.0, 2.0)]);
        assert_eq!((result.deals, result.wins, result.ties, result.losses), (3, 3, 1, 2));
        assert_eq!((result.truncated, result.mean_plies, result.win_rate), (1, 4.0, 0.5));
        // Pair scores 1, -1, 1.5: mean 0.5, sample variance (0.25 + 2.25 + 1)/2.
        assert!((result.mean_difference - 0.5).abs() < 1e-12);
        assert!((result.ci95 - Z95 * (1.75f64 / 3.0).sqrt()).abs() < 1e-12);
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
