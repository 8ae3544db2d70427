//! `deepcfr eval`: evaluates a run's checkpoint.

use deepcfr_train::config::{ConfigError, Problem};
use deepcfr_train::evaluate;

use super::{config_of, find_run};
use crate::arguments::EvalArguments;
use crate::error::CommandError;
use crate::figures;
use crate::output::print;

pub(crate) fn run(arguments: &EvalArguments) -> Result<(), CommandError> {
    only_evaluation(&arguments.set)?;
    let run = find_run(&arguments.run)?;
    let config = config_of(&run, &arguments.set)?;
    let (iteration, metrics) = evaluate(&config, &run)?;
    let lines = figures::evaluation(&metrics).into_iter().map(|line| format!("  {line}\n"));
    let seconds = figures::duration(metrics.seconds);
    let title = format!("{}, iteration {iteration} ({seconds}):\n", config.game_line());
    Ok(print(&(title + &lines.collect::<String>()))?)
}

/// Other keys would have no effect here.
fn only_evaluation(assignments: &[String]) -> Result<(), ConfigError> {
    let others = assignments.iter().filter(|set| !set.trim_start().starts_with("evaluation."));
    let problems: Vec<_> = others
        .map(|set| Problem::new("--set", set, "only keys of [evaluation] can be set for eval"))
        .collect();
    if problems.is_empty() { Ok(()) } else { Err(ConfigError { problems }) }
}
