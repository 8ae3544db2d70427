//! Several algorithms on one game, each under the same limits.
//!
//! Not here: words for people (the command line).

use std::sync::atomic::{AtomicBool, Ordering};

use deepcfr_board::Catalogue;
use deepcfr_cfr::tabular::Algorithm;

use crate::curve::{Curve, CurvePoint};
use crate::error::SolveError;
use crate::folder::SolveFolder;
use crate::report::Cost;
use crate::run::{Run, SolveObserver, Started};
use crate::solver::{Ground, TableSolver};
use crate::task::Task;

/// How a comparison ended.
#[derive(Debug)]
pub struct Compared {
    /// Where everything is.
    pub folder: SolveFolder,
    /// In the order asked for; those not started before the stop flag was raised are missing.
    pub contenders: Vec<Contender>,
    /// What all contenders have spent at least: iterations, nodes, seconds.
    pub common: [f64; 3],
    /// Whether limits ended it, and not the stop flag.
    pub complete: bool,
}

/// One algorithm's part.
#[derive(Clone, Debug, PartialEq)]
pub struct Contender {
    /// The algorithm.
    pub algorithm: Algorithm,
    /// All points.
    pub curve: Curve,
    /// Exploitability in points at [`Compared::common`] iterations, nodes and seconds, between
    /// measured points by a straight line through their logarithms; `None` before the first point
    /// and where nothing can be evaluated.
    pub at_common: [Option<f64>; 3],
}

/// Runs every algorithm of `task`, one after another.
///
/// # Errors
/// See [`SolveError`]; nothing is written if one of the algorithms is refused.
pub fn compare(
    catalogue: &Catalogue,
    task: &Task,
    observer: &mut dyn SolveObserver,
    stop: &AtomicBool,
) -> Result<Compared, SolveError> {
    let board = catalogue.board(&task.game)?;
    let ground = Ground::of(&*board, task.limits.tree, &task.algorithms)?;
    let solver = |algorithm| TableSolver::new(&*board, &ground, algorithm, task.seed);
    let folder = SolveFolder::create(task, "compare")?;
    let _lock = folder.lock()?;
    let mut curves = Vec::new();
    let mut complete = true;
    for &algorithm in &task.algorithms {
        if stop.load(Ordering::Relaxed) {
            complete = false;
            break;
        }
        let mut run =
            Run { solver: solver(algorithm)?, curve: Curve::of(task, algorithm), limits: task.limits };
        observer.started(&Started {
            folder: &folder,
            game: &task.game_line,
            algorithm,
            seed: task.seed,
            infosets: ground.num_infosets(),
            iterations: 0,
        });
        complete &= run.advance(stop, |run| {
            observer.point(run.curve.points.last().expect("a point was just added"));
            Ok(())
        })?;
        run.save_policy(task, &folder.policy_path_of(algorithm))?;
        curves.push(run.curve);
        folder.write_curves(&curves)?;
    }
    Ok(compared(folder, &task.algorithms, curves, complete))
}

fn compared(folder: SolveFolder, algorithms: &[Algorithm], curves: Vec<Curve>, complete: bool) -> Compared {
    let common = Cost::ALL.map(|cost| {
        let spent = curves.iter().filter_map(|curve| curve.points.last()).map(|point| cost.of(point));
        spent.fold(f64::INFINITY, f64::min)
    });
    let contender = |(&algorithm, curve): (&Algorithm, Curve)| {
        let mut costs = Cost::ALL.into_iter().zip(common);
        let at_common = std::array::from_fn(|_| {
            costs.next().and_then(|(cost, budget)| exploitability_at(&curve.points, cost, budget))
        });
        Contender { algorithm, curve, at_common }
    };
    let contenders = algorithms.iter().zip(curves).map(contender).collect();
    Compared { folder, contenders, common, complete }
}

fn exploitability_at(points: &[CurvePoint], cost: Cost, budget: f64) -> Option<f64> {
    let after = points.iter().position(|point| cost.of(point) >= budget)?;
    let figures = |point: &CurvePoint| Some((cost.of(point), point.exact?.exploitability_points));
    let (x, y) = figures(&points[after])?;
    if x == budget {
        return Some(y);
    }
    let (x0, y0) = figures(&points[after.checked_sub(1)?])?;
    if y0 <= 0.0 || y <= 0.0 {
        return Some(y0.max(0.0));
    }
    let share = (budget / x0).ln() / (x / x0).ln();
    Some((y0.ln() + share * (y / y0).ln()).exp())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::curve::ExactPoint;

    #[test]
    fn between_points_the_curve_is_a_line_through_logarithms() {
        let point = |iterations: u64, exploitability_points| {
            let exact = ExactPoint { exploitability_points, nash_conv_points: 0.0, value_points: 0.0 };
            CurvePoint { iterations, nodes: 100 * iterations, seconds: 0.0, exact: Some(exact) }
        };
        let points = [point(1, 1.0), point(100, 0.01), point(1_000, 0.002)];
        let at = |cost, budget| exploitability_at(&points, cost, budget);
        assert!((at(Cost::Iterations, 10.0).unwrap() - 0.1).abs() < 1e-12);
        assert!((at(Cost::Nodes, 1_000.0).unwrap() - 0.1).abs() < 1e-12);
        assert_eq!(at(Cost::Iterations, 1_000.0), Some(0.002));
        assert_eq!(at(Cost::Iterations, 0.5), None);
        assert_eq!(at(Cost::Iterations, 2_000.0), None);
    }
}
