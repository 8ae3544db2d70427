//! `deepcfr sweep`: runs a configuration over sizes of the model or values of a key.
//!
//! Not here: running (see `deepcfr-bench`) and deciding (see `deepcfr-levers`).

use deepcfr_bench::sweep::{Axis, SweepPlan, Swept, create, find, run as run_sweep};
use deepcfr_levers::catalogue::MODEL_SIZES;

use super::profile::parse_size;
use super::{Steps, default_folder};
use crate::arguments::{SweepArguments, SweepOver};
use crate::context::Context;
use crate::error::CommandError;
use crate::interrupt;
use crate::output::print;

const STOPPING: &str = "stopping after this iteration, with a checkpoint; Ctrl-C again to end at once";

pub(crate) fn run(context: &Context, arguments: &SweepArguments) -> Result<(), CommandError> {
    let (folder, plan) = match &arguments.resume {
        Some(word) => find(&default_folder(context)?, word)?,
        None => {
            let plan = plan(context, arguments)?;
            (create(&plan, &default_folder(context)?, arguments.out.as_deref())?, plan)
        }
    };
    let stop = interrupt::watch(STOPPING)?;
    let program = &context.program;
    eprintln!("sweep in {}; after a kill: {program} sweep --resume {0}", folder.display());
    let Swept { folder, findings } = run_sweep(&context.catalogue, &plan, &folder, &mut Steps, &stop)?;
    let folder = folder.display();
    Ok(print(&match findings {
        Some(findings) => format!("{}\nreport: {folder}/report.md\n", findings.text()),
        None => format!("stopped; to go on: {program} sweep --resume {folder}\n"),
    })?)
}

fn plan(context: &Context, arguments: &SweepArguments) -> Result<SweepPlan, CommandError> {
    let axis = match (&arguments.what, &arguments.over) {
        (Some(SweepOver::ModelSize), None) => {
            let sizes = arguments.grid.iter().map(|size| parse_size(size)).collect::<Result<Vec<_>, _>>()?;
            let standard =
                || MODEL_SIZES.iter().map(|size| (size.hidden_size as usize, size.num_layers as usize));
            Axis::ModelSize(if sizes.is_empty() { standard().collect() } else { sizes })
        }
        (None, Some(over)) => parse_over(over)?,
        _ => {
            let message = "say what to sweep: `model-size`, or --over section.key=value,value,...";
            return Err(CommandError::Advise(message.to_owned()));
        }
    };
    let source = &arguments.source;
    let mut sets = source.set.clone();
    sets.extend(arguments.iterations.map(|iterations| format!("run.iterations={iterations}")));
    let config = context.schema().resolve(&source.base(), &sets, source.seed)?;
    let plan = SweepPlan::new(context.schema(), &config, axis, arguments.seeds);
    Ok(plan?)
}

/// `traversal.lanes=16,64,256`.
fn parse_over(over: &str) -> Result<Axis, CommandError> {
    let parsed = over.split_once('=').map(|(key, values)| {
        let values = values.split(',').map(|value| value.trim().to_owned());
        Axis::Key { key: key.trim().to_owned(), values: values.collect() }
    });
    parsed.ok_or_else(|| {
        let remedy = "write section.key=value,value,..., for example traversal.lanes=16,64,256";
        CommandError::Advise(format!("--over {over}: {remedy}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_and_its_values_are_read() {
        let axis = parse_over("traversal.lanes = 16, 64").unwrap();
        let values = vec!["16".to_owned(), "64".to_owned()];
        assert_eq!(axis, Axis::Key { key: "traversal.lanes".to_owned(), values });
        assert!(parse_over("traversal.lanes").unwrap_err().to_string().contains("16,64,256"));
    }
}
