//! Robust least squares on relative errors for the two shapes, and the choice between them.
//!
//! Residuals are relative, r = (t − t̂)/t̂, because a call of 80 µs and one of 80 ms are equally well
//! measured. Weights are re-derived from the fit until they settle, each also reduced after Huber
//! (1964; k = 1.345, 95 % efficient on normal noise), so that a call that was interrupted counts little.
//! Not here: intervals (`fit`).

use super::curve::Curve;
use crate::statistics::median;

/// One timed call: rows and seconds.
pub(super) type Point = (f64, f64);

/// Huber's constant, in robust standard deviations.
const HUBER: f64 = 1.345;
/// From the median absolute residual to a standard deviation, on normal noise.
const MAD_TO_SIGMA: f64 = 1.4826;
const ROUNDS: usize = 12;
/// Relative change of a coefficient that ends the rounds.
const SETTLED: f64 = 1e-6;
/// By how much the hinge's BIC must be lower before it replaces the line: "strong" evidence after
/// Kass and Raftery (1995).
const HINGE_EVIDENCE: f64 = 6.0;
/// Distinct batches that each side of a bend needs.
const BATCHES_A_SIDE: usize = 2;

/// The shape that fits `points` better, by the Bayesian information criterion.
pub(super) fn choose(points: &[Point]) -> Curve {
    let line = linear(points);
    let scale = robust_scale(&residuals(&line, points));
    let (line_bic, best) = (bic(&line, points, 2, scale), best_hinge(points));
    match best {
        Some(hinge) if line_bic - bic(&hinge, points, 3, scale) > HINGE_EVIDENCE => hinge,
        _ => line,
    }
}

/// The line a + b·B with a ≥ 0 and b ≥ 0.
pub(super) fn linear(points: &[Point]) -> Curve {
    let (a, b) = robust_line(points, true);
    Curve::Linear { a_seconds: a, b_seconds_per_row: b }
}

fn best_hinge(points: &[Point]) -> Option<Curve> {
    let mut batches: Vec<f64> = points.iter().map(|&(rows, _)| rows).collect();
    batches.sort_by(f64::total_cmp);
    batches.dedup();
    let bends = BATCHES_A_SIDE..(batches.len() + 1).saturating_sub(BATCHES_A_SIDE);
    let hinges = bends.filter_map(|bend| hinge_at(points, batches[bend]));
    hinges.min_by(|x, y| loss(x, points, f64::INFINITY).total_cmp(&loss(y, points, f64::INFINITY)))
}

/// The hinge whose line starts at batch `first`.
fn hinge_at(points: &[Point], first: f64) -> Option<Curve> {
    let (flat, sloped): (Vec<Point>, Vec<Point>) = points.iter().partition(|&&(rows, _)| rows < first);
    let floor = median(&flat.iter().map(|&(_, seconds)| seconds).collect::<Vec<_>>());
    let (c, b) = robust_line(&sloped, false);
    (b > 0.0).then_some(Curve::Hinge { a_seconds: floor, c_seconds: c, b_seconds_per_row: b })
}

/// Intercept and slope; both kept from going below 0 where `physical`.
fn robust_line(points: &[Point], physical: bool) -> (f64, f64) {
    // Relative errors need the true seconds, which the fit itself tells best: weights from the measured ones
    // would trust a call the more the shorter it happened to come out. So they serve the first round only.
    let mut weights: Vec<f64> = points.iter().map(|&(_, seconds)| seconds.powi(-2)).collect();
    let mut line = (0.0, 0.0);
    for _ in 0..ROUNDS {
        let next = weighted_line(points, &weights, physical);
        let settled = (next.0 - line.0).abs() <= SETTLED * next.0.abs()
            && (next.1 - line.1).abs() <= SETTLED * next.1.abs();
        line = next;
        if settled {
            break;
        }
        weights = reweighted(points, line);
    }
    line
}

fn reweighted(points: &[Point], (a, b): (f64, f64)) -> Vec<f64> {
    let fitted: Vec<f64> = points.iter().map(|&(rows, seconds)| (a + b * rows).max(0.01 * seconds)).collect();
    let residuals: Vec<f64> = points.iter().zip(&fitted).map(|(point, fit)| point.1 / fit - 1.0).collect();
    let limit = HUBER * robust_scale(&residuals);
    let huber = |residual: f64| if residual.abs() <= limit { 1.0 } else { limit / residual.abs() };
    residuals.iter().zip(&fitted).map(|(&residual, fit)| huber(residual) * fit.powi(-2)).collect()
}

fn weighted_line(points: &[Point], weights: &[f64], physical: bool) -> (f64, f64) {
    let (mut w, mut x, mut y, mut xx, mut xy) = (0.0, 0.0, 0.0, 0.0, 0.0);
    for (&(rows, seconds), &weight) in points.iter().zip(weights) {
        w += weight;
        x += weight * rows;
        y += weight * seconds;
        xx += weight * rows * rows;
        xy += weight * rows * seconds;
    }
    let determinant = w * xx - x * x;
    if determinant <= 1e-12 * w * xx {
        return (y / w, 0.0);
    }
    let b = (w * xy - x * y) / determinant;
    let a = (y - b * x) / w;
    match (physical, a < 0.0, b < 0.0) {
        (true, true, _) => (0.0, xy / xx),
        (true, _, true) => (y / w, 0.0),
        _ => (a, b),
    }
}

/// Relative residuals of `curve`.
pub(super) fn residuals(curve: &Curve, points: &[Point]) -> Vec<f64> {
    points.iter().map(|&(rows, seconds)| seconds / curve.seconds(rows) - 1.0).collect()
}

/// A standard deviation that outliers do not move.
pub(super) fn robust_scale(residuals: &[f64]) -> f64 {
    let sizes: Vec<f64> = residuals.iter().map(|residual| residual.abs()).collect();
    (MAD_TO_SIGMA * median(&sizes)).max(1e-9)
}

/// n·ln(loss/n) + parameters·ln n, residuals cut at 3 robust deviations of the line's fit.
fn bic(curve: &Curve, points: &[Point], parameters: usize, scale: f64) -> f64 {
    let n = points.len() as f64;
    n * (loss(curve, points, 3.0 * scale) / n).max(1e-24).ln() + parameters as f64 * n.ln()
}

fn loss(curve: &Curve, points: &[Point], limit: f64) -> f64 {
    residuals(curve, points).iter().map(|residual| residual.abs().min(limit).powi(2)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    const BATCHES: [f64; 6] = [1.0, 4.0, 16.0, 64.0, 256.0, 1024.0];

    fn exact(curve: &Curve) -> Vec<Point> {
        BATCHES.iter().map(|&rows| (rows, curve.seconds(rows))).collect()
    }

    #[test]
    fn exact_points_give_back_their_curve() {
        let line = Curve::Linear { a_seconds: 80e-6, b_seconds_per_row: 0.3e-6 };
        let hinge = Curve::Hinge { a_seconds: 80e-6, c_seconds: 20e-6, b_seconds_per_row: 1e-6 };
        for truth in [line, hinge] {
            let fit = choose(&exact(&truth));
            for rows in BATCHES {
                assert!((fit.seconds(rows) / truth.seconds(rows) - 1.0).abs() < 1e-6, "{truth:?}: {fit:?}");
            }
        }
    }

    #[test]
    fn interrupted_calls_hardly_move_the_fit() {
        let truth = Curve::Linear { a_seconds: 1e-4, b_seconds_per_row: 1e-6 };
        let mut points: Vec<Point> = (0..5).flat_map(|_| exact(&truth)).collect();
        for (index, point) in points.iter_mut().enumerate() {
            point.1 *= 1.0 + 0.01 * (index % 3) as f64;
        }
        points[3].1 *= 10.0;
        points[10].1 *= 4.0;
        let fit = choose(&points);
        let errors = [fit.dispatch_seconds() / 1e-4, fit.kernel_seconds_per_row() / 1e-6];
        assert!(errors.iter().all(|ratio| (ratio - 1.01).abs() < 0.02), "{errors:?}");
    }

    #[test]
    fn neither_dispatch_nor_kernel_is_negative() {
        let falling: Vec<Point> = vec![(1.0, 3.0), (2.0, 2.0), (4.0, 1.0)];
        assert_eq!(linear(&falling).kernel_seconds_per_row(), 0.0);
        let steep: Vec<Point> = vec![(1.0, 0.5), (2.0, 2.0), (4.0, 5.0)];
        assert_eq!(linear(&steep).dispatch_seconds(), 0.0);
        assert_eq!(linear(&[(8.0, 2.0), (8.0, 2.0)]).seconds(8.0), 2.0);
    }
}
