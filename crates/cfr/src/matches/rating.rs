//! Bradley–Terry ratings of everybody in a round robin, with intervals.
//!
//! Not here: playing, and how ratings are shown.

use super::estimate::Z95;
use super::statistics::PairOutcome;

/// Points of Elo's scale for a unit of log-odds: 400 points are odds of 10 to 1.
const ELO: f64 = 400.0 / std::f64::consts::LN_10;
/// Games won and lost, each, against an average player, that every contestant is given before it plays.
const PRIOR: f64 = 1.0;
/// Newton's method ends when no rating moves by more than this, in log-odds.
const CONVERGED: f64 = 1e-12;
const MAX_STEPS: usize = 200;

/// The games of two contestants.
#[derive(Clone, Copy, Debug)]
pub struct Meeting<'a> {
    /// Numbers of the subject and its opponent, different from each other.
    pub contestants: (usize, usize),
    /// Their games, from deal 0 on, as the subject sees them. Meetings share their deals.
    pub pairs: &'a [PairOutcome],
}

/// A contestant's strength.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rating {
    /// On Elo's scale; the mean of all contestants is 0. A difference `d` means an expected share
    /// `1/(1 + 10^(−d/400))` of the games, ties counting half.
    pub elo: f64,
    /// Half-width of its 95 % interval, relative to the mean of all contestants.
    pub ci95: f64,
}

/// Rates `contestants` players by maximum likelihood in the model of Bradley and Terry (1952), a tie
/// counting as half a win and half a loss.
///
/// Prior: each contestant starts with one game won and one lost against a player of rating 0, which
/// keeps perfect scores finite and is forgotten after some dozens of games.
///
/// Intervals take the larger of two variances: that of the model, with games independent (it stays
/// honest where a score is perfect), and that of the scores summed deal by deal (White 1980; it knows
/// that the games of a deal, and meetings on the same deals, belong together).
///
/// # Panics
/// If a meeting names a contestant that there is not, or one against itself.
pub fn bradley_terry(contestants: usize, meetings: &[Meeting<'_>]) -> Vec<Rating> {
    for Meeting { contestants: (subject, opponent), .. } in meetings {
        assert!(subject != opponent && *subject.max(opponent) < contestants, "two of the contestants meet");
    }
    if contestants == 0 {
        return Vec::new();
    }
    let strengths = most_likely(contestants, meetings);
    let information = information(&strengths, meetings);
    let inverse = inverse(&information);
    let model = centred_diagonal(&inverse);
    let by_deal = scores_by_deal(&strengths, meetings);
    let robust = centred_diagonal(&product(&product(&inverse, &by_deal), &inverse));
    let mean = strengths.iter().sum::<f64>() / contestants as f64;
    let rating = |index: usize| Rating {
        elo: ELO * (strengths[index] - mean),
        ci95: ELO * Z95 * model[index].max(robust[index]).max(0.0).sqrt(),
    };
    (0..contestants).map(rating).collect()
}

type Matrix = Vec<Vec<f64>>;

fn logistic(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// Newton's method from equal strengths; the prior makes the likelihood strictly concave.
fn most_likely(contestants: usize, meetings: &[Meeting<'_>]) -> Vec<f64> {
    let mut strengths = vec![0.0; contestants];
    for _ in 0..MAX_STEPS {
        let gradient = gradient(&strengths, meetings);
        let inverse = inverse(&information(&strengths, meetings));
        let step: Vec<f64> =
            inverse.iter().map(|row| row.iter().zip(&gradient).map(|(a, b)| a * b).sum()).collect();
        let longest = step.iter().fold(0.0, |longest: f64, part| longest.max(part.abs()));
        // A step of more than a unit of log-odds leaves the region where the quadratic is good.
        let scale = if longest > 1.0 { 1.0 / longest } else { 1.0 };
        strengths.iter_mut().zip(&step).for_each(|(strength, step)| *strength += scale * step);
        if longest < CONVERGED {
            break;
        }
    }
    strengths
}

fn gradient(strengths: &[f64], meetings: &[Meeting<'_>]) -> Vec<f64> {
    let mut gradient: Vec<f64> =
        strengths.iter().map(|&strength| PRIOR * (1.0 - 2.0 * logistic(strength))).collect();
    for Meeting { contestants: (subject, opponent), pairs } in meetings {
        let expected = logistic(strengths[*subject] - strengths[*opponent]);
        let won: f64 = pairs.iter().map(PairOutcome::win_share).sum();
        let surplus = 2.0 * (won - pairs.len() as f64 * expected);
        gradient[*subject] += surplus;
        gradient[*opponent] -= surplus;
    }
    gradient
}

/// The negative second derivatives of the log-likelihood.
fn information(strengths: &[f64], meetings: &[Meeting<'_>]) -> Matrix {
    let mut information = vec![vec![0.0; strengths.len()]; strengths.len()];
    for (index, &strength) in strengths.iter().enumerate() {
        information[index][index] = 2.0 * PRIOR * logistic(strength) * logistic(-strength);
    }
    for Meeting { contestants: (subject, opponent), pairs } in meetings {
        let expected = logistic(strengths[*subject] - strengths[*opponent]);
        let weight = 2.0 * pairs.len() as f64 * expected * (1.0 - expected);
        for (row, column, sign) in [
            (subject, subject, 1.0),
            (opponent, opponent, 1.0),
            (subject, opponent, -1.0),
            (opponent, subject, -1.0),
        ] {
            information[*row][*column] += sign * weight;
        }
    }
    information
}

/// `Σ_deals g·gᵀ`, where `g` is a deal's part of the gradient.
fn scores_by_deal(strengths: &[f64], meetings: &[Meeting<'_>]) -> Matrix {
    let deals = meetings.iter().map(|meeting| meeting.pairs.len()).max().unwrap_or(0);
    let mut sum = vec![vec![0.0; strengths.len()]; strengths.len()];
    let mut score = vec![0.0; strengths.len()];
    for deal in 0..deals {
        score.fill(0.0);
        for Meeting { contestants: (subject, opponent), pairs } in meetings {
            let Some(pair) = pairs.get(deal) else { continue };
            let expected = logistic(strengths[*subject] - strengths[*opponent]);
            let surplus = 2.0 * (pair.win_share() - expected);
            score[*subject] += surplus;
            score[*opponent] -= surplus;
        }
        for (row, first) in sum.iter_mut().zip(&score) {
            row.iter_mut().zip(&score).for_each(|(entry, second)| *entry += first * second);
        }
    }
    sum
}

/// The variances of strengths less their mean, from the covariances of strengths.
fn centred_diagonal(covariance: &Matrix) -> Vec<f64> {
    let n = covariance.len() as f64;
    let row_mean = |row: &Vec<f64>| row.iter().sum::<f64>() / n;
    let all = covariance.iter().map(row_mean).sum::<f64>() / n;
    covariance.iter().enumerate().map(|(i, row)| row[i] - 2.0 * row_mean(row) + all).collect()
}

fn product(a: &Matrix, b: &Matrix) -> Matrix {
    let entry = |row: &Vec<f64>, column: usize| row.iter().zip(b).map(|(x, row)| x * row[column]).sum();
    a.iter().map(|row| (0..b.len()).map(|column| entry(row, column)).collect()).collect()
}

/// The inverse of a symmetric positive definite matrix, by Gauss–Jordan elimination, which needs no
/// pivoting there.
fn inverse(matrix: &Matrix) -> Matrix {
    let n = matrix.len();
    let mut left = matrix.clone();
    let mut right: Matrix = (0..n).map(|i| (0..n).map(|j| f64::from(u8::from(i == j))).collect()).collect();
    for pivot in 0..n {
        let scale = 1.0 / left[pivot][pivot];
        for side in [&mut left, &mut right] {
            side[pivot].iter_mut().for_each(|entry| *entry *= scale);
        }
        let (pivot_left, pivot_right) = (left[pivot].clone(), right[pivot].clone());
        for row in (0..n).filter(|&row| row != pivot) {
            let factor = left[row][pivot];
            left[row].iter_mut().zip(&pivot_left).for_each(|(entry, with)| *entry -= factor * with);
            right[row].iter_mut().zip(&pivot_right).for_each(|(entry, with)| *entry -= factor * with);
        }
    }
    right
}

#[cfg(test)]
mod tests {
    use deepcfr_core::{Purpose, Stream};

    use super::super::GameOutcome;
    use super::*;

    fn pair(points: [f64; 2]) -> PairOutcome {
        PairOutcome { games: points.map(|points| GameOutcome { points, ..GameOutcome::default() }) }
    }

    #[test]
    fn two_players_are_apart_by_the_log_odds_of_their_share() {
        // 1,500 of 2,000 games: odds 3 to 1, 190.85 points.
        let pairs: Vec<_> = (0..1000).map(|i| pair([1.0, if i % 2 == 0 { 1.0 } else { -1.0 }])).collect();
        let ratings = bradley_terry(2, &[Meeting { contestants: (0, 1), pairs: &pairs }]);
        assert!((ratings[0].elo - ratings[1].elo - 190.85).abs() < 0.5, "{ratings:?}");
        assert!((ratings[0].elo + ratings[1].elo).abs() < 1e-9);
        // Half of ELO·z/√(2000·¾·¼): each is measured from the mean of the two.
        assert!((ratings[0].ci95 - 0.5 * ELO * Z95 / 375f64.sqrt()).abs() < 0.1, "{ratings:?}");
    }

    #[test]
    fn perfect_scores_and_ties_stay_finite() {
        let (won, tied) = (vec![pair([5.0, 5.0]); 500], vec![pair([0.0, 0.0]); 500]);
        let meetings = [
            Meeting { contestants: (0, 1), pairs: &won },
            Meeting { contestants: (0, 2), pairs: &won },
            Meeting { contestants: (1, 2), pairs: &tied },
        ];
        let ratings = bradley_terry(3, &meetings);
        assert!((ratings[1].elo - ratings[2].elo).abs() < 1e-6, "{ratings:?}");
        assert!(ratings[0].elo - ratings[1].elo > 800.0, "{ratings:?}");
        assert!(ratings.iter().all(|r| r.elo.is_finite() && r.ci95 > 1.0 && r.ci95 < 1000.0), "{ratings:?}");
        assert!(bradley_terry(0, &[]).is_empty());
        let idle = bradley_terry(2, &[]);
        assert!(idle[0].elo == 0.0 && idle[0].ci95 > 300.0, "{idle:?}");
    }

    /// 1,000 round robins of four players of known strength: the interval holds the truth in 93 to 97
    /// of 100, games independent; and at least as often where the games of a deal hang together.
    #[test]
    fn intervals_cover_the_strengths_that_games_were_drawn_from() {
        for (hang_together, within) in [(false, 0.93..0.97), (true, 0.93..1.0)] {
            let covered = (0..1000).map(|repeat| covered(repeat, hang_together)).sum::<usize>();
            let share = covered as f64 / 4000.0;
            assert!(within.contains(&share), "{hang_together}: {share}");
        }
    }

    fn covered(repeat: u32, hang_together: bool) -> usize {
        let truth: [f64; 4] = [-0.6, -0.2, 0.1, 0.7];
        let mut stream = Stream::new(8, Purpose::Test, 0, u32::from(hang_together), repeat);
        let mut drawn: Vec<((usize, usize), Vec<PairOutcome>)> = Vec::new();
        for (a, b) in super::super::round_robin(4, false) {
            let expected = logistic(truth[a] - truth[b]);
            let game = |draw: f64| if draw < expected { 1.0 } else { -1.0 };
            let pairs = (0..60).map(|_| {
                let first = stream.uniform();
                let second = if hang_together { first } else { stream.uniform() };
                pair([game(first), game(second)])
            });
            drawn.push(((a, b), pairs.collect()));
        }
        let meetings: Vec<_> =
            drawn.iter().map(|(contestants, pairs)| Meeting { contestants: *contestants, pairs }).collect();
        let ratings = bradley_terry(4, &meetings);
        let inside = ratings.iter().zip(truth).filter(|(r, truth)| (r.elo - ELO * truth).abs() < r.ci95);
        inside.count()
    }
}
