//! `deepcfr inspect`: what a run did, and which checkpoints it has.

use std::path::Path;

use deepcfr_runs::checkpoint::{CheckpointError, CheckpointReader, CheckpointStore, Keep};
use deepcfr_runs::machine::MachineInfo;
use deepcfr_runs::metrics::{IterationMetrics, PhaseSeconds, read_metrics};

use super::{config_of, find_run};
use crate::arguments::InspectArguments;
use crate::context::Context;
use crate::error::CommandError;
use crate::figures;
use crate::output::print;

pub(crate) fn run(context: &Context, arguments: &InspectArguments) -> Result<(), CommandError> {
    let run = find_run(context, &arguments.run)?;
    let config = config_of(context, &run, &[])?;
    let metrics = read_metrics(run.folder.path())?;
    let mut lines = vec![
        run.folder.path().display().to_string(),
        format!("game: {}, seed {}", config.game_line(), config.run.seed),
        format!("configuration: {}", config.hash()),
    ];
    lines.extend(run.folder.read_machine().as_ref().map(machine));
    lines.extend(progress(&metrics, config.run.iterations));
    lines.extend(checkpoints(&run.folder.checkpoints())?);
    Ok(print(&(lines.join("\n") + "\n"))?)
}

fn machine(machine: &MachineInfo) -> String {
    let unknown = || "unknown".to_owned();
    let memory =
        machine.memory_bytes.map_or_else(unknown, |bytes| format!("{}B", figures::count(bytes as f64)));
    format!(
        "machine: {}, {} cores, {memory} memory, {}; deepcfr {} at commit {}",
        machine.cpu.as_deref().unwrap_or("unknown processor"),
        machine.logical_cores.map_or_else(unknown, |cores| cores.to_string()),
        machine.os,
        machine.crate_version,
        machine.git_commit.as_deref().unwrap_or("unknown"),
    )
}

fn progress(metrics: &[IterationMetrics], iterations: u32) -> Vec<String> {
    let Some(last) = metrics.last() else { return vec!["no iteration is finished".to_owned()] };
    let mut phases = PhaseSeconds::default();
    metrics.iter().for_each(|line| phases.add(&line.phases));
    let mut lines = vec![
        format!(
            "finished {} of {iterations} iterations: {} nodes, {} (of which evaluation {})",
            last.iteration,
            figures::count(last.nodes_total as f64),
            figures::duration(last.clock.wall_seconds),
            figures::duration(last.clock.evaluation_seconds),
        ),
        "phases:".to_owned(),
    ];
    lines.extend(indented(figures::phases(&phases)));
    if let Some(evaluated) = metrics.iter().rev().find(|line| line.evaluation.is_some()) {
        lines.push(format!("evaluation of iteration {}:", evaluated.iteration));
        lines.extend(indented(evaluated.evaluation.iter().flat_map(figures::evaluation)));
    }
    lines
}

fn checkpoints(folder: &Path) -> Result<Vec<String>, CheckpointError> {
    let store = CheckpointStore::open(folder, Keep { every: 0 })?;
    let iterations = store.iterations()?;
    if iterations.is_empty() {
        return Ok(vec!["no checkpoints".to_owned()]);
    }
    let listed = iterations.iter().map(|&iteration| checkpoint(&store.path_of(iteration)));
    Ok(std::iter::once("checkpoints:".to_owned()).chain(indented(listed)).collect())
}

fn checkpoint(path: &Path) -> String {
    match CheckpointReader::open(path) {
        Ok(reader) => {
            let bytes: u64 = reader.sections().map(|(_, len)| len).sum();
            let (iteration, size) = (reader.header().iteration, figures::count(bytes as f64));
            format!("iteration {iteration}: {size}B, {}", path.display())
        }
        Err(error) => error.to_string(),
    }
}

fn indented(lines: impl IntoIterator<Item = String>) -> impl Iterator<Item = String> {
    lines.into_iter().map(|line| format!("  {line}"))
}
