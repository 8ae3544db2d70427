//! `deepcfr train`: starts or resumes a run, shows it, and states the result.

use std::fmt::Write;

use deepcfr_runs::metrics::PhaseSeconds;
use deepcfr_train::{RunEnd, resume, train};

use super::{config_of, find_run};
use crate::arguments::TrainArguments;
use crate::context::Context;
use crate::error::CommandError;
use crate::output::print;
use crate::progress::Progress;
use crate::{figures, interrupt};

const STOPPING: &str = "stopping after this iteration, with a checkpoint; Ctrl-C again to end at once";

pub(crate) fn run(context: &Context, arguments: &TrainArguments) -> Result<(), CommandError> {
    let source = &arguments.source;
    let mut progress = Progress::new(arguments.quiet);
    let outcome = match &arguments.resume {
        None => {
            let config = context.schema().resolve(&source.base(), &source.set, source.seed)?;
            train(&context.catalogue, &config, &mut progress, &*interrupt::watch(STOPPING)?)?
        }
        Some(run) => {
            let run = find_run(context, run)?;
            let config = config_of(context, &run, &source.set)?;
            resume(&context.catalogue, &config, &run, &mut progress, &*interrupt::watch(STOPPING)?)?
        }
    };
    let phases = *progress.phases();
    drop(progress);
    let title = if arguments.resume.is_some() { "phases since resuming:" } else { "phases:" };
    Ok(print(&closing(context, &outcome, title, &phases))?)
}

fn closing(context: &Context, outcome: &RunEnd, title: &str, phases: &PhaseSeconds) -> String {
    let mut text = String::new();
    let mut line = |line: &str| writeln!(text, "{line}").expect("a string takes all text");
    let folder = outcome.folder.path().display();
    if let Some(last) = &outcome.last {
        let clock = &last.clock;
        line(&format!(
            "{} iteration {}: {} nodes, {} (of which evaluation {})",
            if outcome.complete { "finished" } else { "stopped after" },
            last.iteration,
            figures::count(last.nodes_total as f64),
            figures::duration(clock.wall_seconds),
            figures::duration(clock.evaluation_seconds),
        ));
        line(title);
        figures::phases(phases).iter().for_each(|phase| line(&format!("  {phase}")));
    } else {
        line("nothing to do: all iterations are done; more with --set run.iterations=N");
    }
    if let Some(evaluated) = &outcome.last_evaluated {
        line(&format!("evaluation of iteration {}:", evaluated.iteration));
        let figures = evaluated.evaluation.iter().flat_map(figures::evaluation);
        figures.for_each(|figure| line(&format!("  {figure}")));
    }
    line(&format!("report: {folder}/summary.md"));
    if !outcome.complete {
        line(&format!("to go on: {} train --resume {folder}", context.program));
    }
    text
}
