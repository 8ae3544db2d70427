//! Solves a game: iterations between log-spaced points, exact evaluation at each, results on disk.
//!
//! Not here: several algorithms side by side (see `compare`).

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use deepcfr_board::Catalogue;
use deepcfr_cfr::tabular::Algorithm;

use crate::curve::{Curve, CurvePoint, next_point};
use crate::error::SolveError;
use crate::folder::SolveFolder;
use crate::policy_file::{self, Origin, read_solver};
use crate::solver::{Ground, TableSolver};
use crate::task::{SolveLimits, Task};
use deepcfr_runs::checkpoint::CheckpointError;

/// The solver looks at the clock and at the stop flag about this often.
const SLICE: Duration = Duration::from_millis(50);
/// Results are written at the first point after this long, and at the end.
const SAVE_INTERVAL: Duration = Duration::from_secs(10);

/// Sees a solver at work.
pub trait SolveObserver {
    /// A solver is ready to go.
    fn started(&mut self, _start: &Started<'_>) {}

    /// A point of the curve was measured.
    fn point(&mut self, _point: &CurvePoint) {}
}

/// What an observer is told first.
#[derive(Debug)]
pub struct Started<'a> {
    /// Where everything is written.
    pub folder: &'a SolveFolder,
    /// The game and its rules.
    pub game: &'a str,
    /// The algorithm.
    pub algorithm: Algorithm,
    /// Seed of sampling algorithms.
    pub seed: u64,
    /// Infosets of both players; `None` where the game is too big to be laid out: then tables grow
    /// as infosets are met, and nothing can be evaluated exactly.
    pub infosets: Option<usize>,
    /// Iterations done before.
    pub iterations: u64,
}

/// How solving ended.
#[derive(Debug)]
pub struct Solved {
    /// Where everything is.
    pub folder: SolveFolder,
    /// The file with the strategy.
    pub policy: PathBuf,
    /// All points, those before resuming included.
    pub curve: Curve,
    /// The ante in points, for games whose exploitability is told in thousandths of it.
    pub ante: Option<f64>,
    /// Infosets that have a strategy.
    pub infosets: usize,
    /// Whether a limit ended it, and not the stop flag.
    pub complete: bool,
    /// Whether any iteration was done this time.
    pub advanced: bool,
}

/// Solves from the start, in a new folder. The stop flag is looked at many times a second.
///
/// # Errors
/// See [`SolveError`]; nothing is written for a task that is refused.
pub fn solve(
    catalogue: &Catalogue,
    task: &Task,
    observer: &mut dyn SolveObserver,
    stop: &AtomicBool,
) -> Result<Solved, SolveError> {
    go(catalogue, task, None, observer, stop)
}

/// Goes on in `folder`, whose task is `task` with new limits.
///
/// # Errors
/// See [`SolveError`]. Nothing is changed before the files have been read.
pub fn resume(
    catalogue: &Catalogue,
    task: &Task,
    folder: &SolveFolder,
    observer: &mut dyn SolveObserver,
    stop: &AtomicBool,
) -> Result<Solved, SolveError> {
    go(catalogue, task, Some(folder), observer, stop)
}

fn go(
    catalogue: &Catalogue,
    task: &Task,
    resumed: Option<&SolveFolder>,
    observer: &mut dyn SolveObserver,
    stop: &AtomicBool,
) -> Result<Solved, SolveError> {
    let algorithm = task.algorithms[0];
    let board = catalogue.board(&task.game)?;
    let ground = Ground::of(&*board, task.limits.tree, &task.algorithms)?;
    let mut solver = TableSolver::new(&*board, &ground, algorithm, task.seed)?;
    let (folder, curve) = match resumed {
        None => (SolveFolder::create(task, &algorithm.to_string())?, Curve::of(task, algorithm)),
        Some(folder) => (folder.clone(), restore(folder, task, &mut solver)?),
    };
    let _lock = folder.lock()?;
    folder.write_task(task)?;
    let before = solver.iterations();
    observer.started(&Started {
        folder: &folder,
        game: &task.game_line,
        algorithm,
        seed: task.seed,
        infosets: ground.num_infosets(),
        iterations: before,
    });
    let policy = folder.policy_path();
    let mut run = Run { solver, curve, limits: task.limits };
    let mut saved = Instant::now();
    let complete = run.advance(stop, |run| {
        observer.point(run.curve.points.last().expect("a point was just added"));
        if saved.elapsed() >= SAVE_INTERVAL {
            run.save(task, &folder, &policy)?;
            saved = Instant::now();
        }
        Ok(())
    })?;
    run.save(task, &folder, &policy)?;
    let advanced = run.solver.iterations() > before;
    let (infosets, ante) = (run.solver.num_infosets(), board.facts().ante);
    Ok(Solved { folder, policy, curve: run.curve, ante, infosets, complete, advanced })
}

/// Takes over the curve and the solver's state.
fn restore(folder: &SolveFolder, task: &Task, solver: &mut TableSolver) -> Result<Curve, SolveError> {
    let path = folder.policy_path();
    let state = read_solver(&path, &task.game_line)?;
    solver.restore(&state).map_err(|error| CheckpointError::Content {
        path,
        section: "solver".to_owned(),
        reason: error.to_string(),
    })?;
    let mut curve = Curve::of(task, task.algorithms[0]);
    curve.points = folder.read_points()?;
    // The curve is written after the solver's state, so after a crash it may lack the last points.
    curve.points.retain(|point| point.iterations <= solver.iterations());
    Ok(curve)
}

impl Curve {
    pub(crate) fn of(task: &Task, algorithm: Algorithm) -> Self {
        let game = task.game_line.clone();
        Self { game, algorithm: algorithm.to_string(), seed: task.seed, points: Vec::new() }
    }
}

/// A solver with its curve.
pub(crate) struct Run {
    pub(crate) solver: TableSolver,
    pub(crate) curve: Curve,
    pub(crate) limits: SolveLimits,
}

impl Run {
    /// Goes on to a limit, measuring at every log-spaced number of iterations and at the end; calls
    /// `measured` after each. Returns whether a limit was reached, or else the flag was raised.
    pub(crate) fn advance(
        &mut self,
        stop: &AtomicBool,
        mut measured: impl FnMut(&Self) -> Result<(), SolveError>,
    ) -> Result<bool, SolveError> {
        let before = self.curve.points.last().map_or(0.0, |point| point.seconds);
        let (mut spent, mut slice) = (Duration::ZERO, 1);
        while self.solver.iterations() < self.limits.iterations && spent < self.limits.time {
            if stop.load(Ordering::Relaxed) {
                return Ok(false);
            }
            let target = next_point(self.solver.iterations()).min(self.limits.iterations);
            self.approach(target, &mut spent, &mut slice, stop);
            let point = CurvePoint {
                iterations: self.solver.iterations(),
                nodes: self.solver.nodes(),
                seconds: before + spent.as_secs_f64(),
                exact: self.solver.evaluate(),
            };
            self.curve.points.push(point);
            measured(self)?;
        }
        Ok(true)
    }

    /// Iterates up to `target`, or until the time is spent or the flag raised.
    fn approach(&mut self, target: u64, spent: &mut Duration, slice: &mut u64, stop: &AtomicBool) {
        loop {
            let left = target - self.solver.iterations();
            let begin = Instant::now();
            self.solver.step(left.min(*slice));
            let took = begin.elapsed();
            *spent += took;
            if left <= *slice || *spent >= self.limits.time || stop.load(Ordering::Relaxed) {
                return;
            }
            *slice = if took < SLICE / 2 { *slice * 2 } else { *slice };
        }
    }

    fn save(&self, task: &Task, folder: &SolveFolder, policy: &std::path::Path) -> Result<(), SolveError> {
        self.save_policy(task, policy)?;
        folder.write_curves(std::slice::from_ref(&self.curve))
    }

    pub(crate) fn save_policy(&self, task: &Task, path: &std::path::Path) -> Result<(), SolveError> {
        let origin = Origin {
            game: &task.game_line,
            config: &task.config,
            algorithm: self.curve.algorithm.parse().expect("the curve was made with a named algorithm"),
            iterations: self.solver.iterations(),
        };
        policy_file::write(path, &origin, &self.solver.average_policy(), &self.solver.save())?;
        Ok(())
    }
}
