//! `deepcfr eval`: evaluates a run's checkpoint.

use deepcfr_config::{ConfigError, Problem};
use deepcfr_train::evaluate;

use super::{config_of, find_run};
use crate::arguments::EvalArguments;
use crate::context::Context;
use crate::error::CommandError;
use crate::figures;
use crate::output::print;

pub(crate) fn run(context: &Context, arguments: &EvalArguments) -> Result<(), CommandError> {
    only_evaluation(&arguments.set)?;
    let run = find_run(context, &arguments.run)?;
    let config = config_of(context, &run, &arguments.set)?;
    let (iteration, metrics) = evaluate(&context.catalogue, &config, &run)?;
    let lines = figures::evaluation(&metrics).into_iter().map(|line| format!("  {line}\n"));
    let seconds = figures::duration(metrics.seconds);
    let title = format!("{}, iteration {iteration} ({seconds}):\n", config.game_line());
    Ok(print(&(title + &lines.collect::<String>()))?)
}

/// Keys that matter here.
const SETTABLE: [&str; 7] = [
    "evaluation.",
    "server.",
    "inference.onnxruntime_library",
    "run.threads",
    "traversal.scheduler",
    "traversal.workers",
    "traversal.max_batch",
];

/// Other keys would have no effect here.
fn only_evaluation(assignments: &[String]) -> Result<(), ConfigError> {
    let allowed = |set: &&String| SETTABLE.iter().any(|prefix| set.trim_start().starts_with(prefix));
    let others = assignments.iter().filter(|set| !allowed(set));
    let remedy = "only keys of [evaluation], and those that change speed only, can be set for eval";
    let problems: Vec<_> = others.map(|set| Problem::new("--set", set, remedy)).collect();
    if problems.is_empty() { Ok(()) } else { Err(ConfigError { problems }) }
}
