//! `deepcfr solve`: solves a game, or compares algorithms on it; prints curves as they grow.

use std::sync::atomic::AtomicBool;

use deepcfr_solve::{
    Compared, Contender, CurvePoint, SolveFolder, SolveObserver, SolveRequest, Solved, Started, Task,
    compare, resume, solve,
};

use super::default_folder;
use crate::arguments::SolveArguments;
use crate::context::Context;
use crate::error::CommandError;
use crate::figures::{count, duration, precise};
use crate::interrupt;
use crate::output::print;

pub(crate) fn run(context: &Context, arguments: &SolveArguments) -> Result<(), CommandError> {
    let request = request(arguments);
    let mut table = Table { quiet: arguments.quiet };
    if let Some(word) = &arguments.resume {
        let folder = SolveFolder::find(&default_folder(context)?, word)?;
        let task = request.resumed(context.schema(), &folder)?;
        let solved = resume(&context.catalogue, &task, &folder, &mut table, &*watch()?)?;
        return Ok(print(&closing(context, &solved))?);
    }
    let task = request.task(context.schema())?;
    if request.compared {
        run_compare(context, &task, &mut table)
    } else {
        run_solve(context, &task, &mut table)
    }
}

fn run_solve(context: &Context, task: &Task, table: &mut Table) -> Result<(), CommandError> {
    let solved = solve(&context.catalogue, task, table, &*watch()?)?;
    Ok(print(&closing(context, &solved))?)
}

fn run_compare(context: &Context, task: &Task, table: &mut Table) -> Result<(), CommandError> {
    let compared = compare(&context.catalogue, task, table, &*watch()?)?;
    Ok(print(&comparison(&compared))?)
}

fn watch() -> Result<std::sync::Arc<AtomicBool>, ctrlc::Error> {
    interrupt::watch("stopping now, with all results; Ctrl-C again to end at once")
}

fn request(arguments: &SolveArguments) -> SolveRequest {
    let compared = !arguments.compare.is_empty();
    SolveRequest {
        game: arguments.game.clone(),
        set: arguments.set.clone(),
        algorithms: if compared { arguments.compare.clone() } else { vec![arguments.algorithm.clone()] },
        compared,
        iterations: arguments.iterations,
        seconds: arguments.seconds,
        seed: arguments.seed,
        out: arguments.out.clone(),
        max_nodes: arguments.max_nodes,
    }
}

/// Prints points as they come. A reader that has gone away does not end the run.
struct Table {
    quiet: bool,
}

impl Table {
    fn say(&self, text: &str) {
        if !self.quiet {
            // The last lines are printed again through `print`, which reports what it cannot write.
            let _ = print(text);
        }
    }
}

impl SolveObserver for Table {
    fn started(&mut self, start: &Started<'_>) {
        let size = start.infosets.map_or_else(
            || "too big to be laid out: tables grow, exploitability is not measured".to_owned(),
            |infosets| format!("{infosets} infosets"),
        );
        let from = match start.iterations {
            0 => String::new(),
            done => format!(", from iteration {done}"),
        };
        self.say(&format!("{}, {}: {size}, seed {}{from}\n{HEAD}", start.game, start.algorithm, start.seed));
    }

    fn point(&mut self, point: &CurvePoint) {
        self.say(&line(point));
    }
}

const HEAD: &str = "  iterations       nodes     seconds  exploitability        NashConv           value\n";

fn line(point: &CurvePoint) -> String {
    let costs = format!("{:>12} {:>11} {:>11.4}", point.iterations, count(point.nodes as f64), point.seconds);
    match point.exact {
        None => format!("{costs}\n"),
        Some(exact) => format!(
            "{costs} {:>15} {:>15} {:>15.9}\n",
            precise(exact.exploitability_points),
            precise(exact.nash_conv_points),
            exact.value_points,
        ),
    }
}

fn closing(context: &Context, solved: &Solved) -> String {
    let path = solved.folder.path().display();
    let Some(last) = solved.curve.points.last() else {
        return format!("stopped before the first point: {path}\n");
    };
    let mut text = if solved.advanced {
        let verb = if solved.complete { "finished" } else { "stopped" };
        format!("{verb} after {} iterations, {}", last.iterations, duration(last.seconds))
    } else {
        format!(
            "nothing to do: {} iterations are done; more with --iterations N or --seconds S",
            last.iterations
        )
    };
    if let Some(exact) = last.exact {
        let ante = solved.ante.map(|ante| 1000.0 * exact.exploitability_points / ante);
        let ante = ante.map_or_else(String::new, |value| format!(", {} mA/g", precise(value)));
        text += &format!(
            "\nexploitability {} points{ante} (NashConv {} points), value {:+.9}",
            precise(exact.exploitability_points),
            precise(exact.nash_conv_points),
            exact.value_points,
        );
    }
    text += &format!(
        "\npolicy: {} ({} infosets)\ncurve and plots: {path}\n",
        solved.policy.display(),
        solved.infosets
    );
    if !solved.complete {
        text += &format!("to go on: {} solve --resume {path}\n", context.program);
    }
    text
}

/// One table: what each algorithm reached, and what all reached at equal costs.
fn comparison(compared: &Compared) -> String {
    let [iterations, nodes, seconds] = compared.common;
    let mut text = format!(
        "\nexploitability in points, at the end and at equal costs\n{:<16} {:>11} {:>9} {:>9} {:>13} {:>13} {:>13} {:>13}\n",
        "algorithm",
        "iterations",
        "nodes",
        "seconds",
        "at the end",
        format!("{} it.", count(iterations)),
        format!("{} nodes", count(nodes)),
        format!("{seconds:.3} s"),
    );
    compared.contenders.iter().for_each(|contender| text += &row(contender));
    if !compared.complete {
        text += "stopped before the limits\n";
    }
    text + &format!("curves, plots and policies: {}\n", compared.folder.path().display())
}

fn row(contender: &Contender) -> String {
    let Some(last) = contender.curve.points.last() else {
        return format!("{:<16} stopped before its first point\n", contender.algorithm.to_string());
    };
    let shown = |figure: Option<f64>| figure.map_or_else(|| "-".to_owned(), precise);
    let [iterations, nodes, seconds] = contender.at_common.map(shown);
    format!(
        "{:<16} {:>11} {:>9} {:>9.3} {:>13} {iterations:>13} {nodes:>13} {seconds:>13}\n",
        contender.algorithm.to_string(),
        last.iterations,
        count(last.nodes as f64),
        last.seconds,
        shown(last.exact.map(|exact| exact.exploitability_points)),
    )
}
