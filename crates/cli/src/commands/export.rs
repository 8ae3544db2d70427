//! `deepcfr export`: writes a run's networks in other programs' formats, with a card.
//!
//! Not here: writing them (see `deepcfr-arena`).

use deepcfr_arena::export::{ExportPlan, export};
use deepcfr_levers::text::bytes;

use super::{config_of, find_run};
use crate::arguments::ExportArguments;
use crate::context::Context;
use crate::error::CommandError;
use crate::output::print;

pub(crate) fn run(context: &Context, arguments: &ExportArguments) -> Result<(), CommandError> {
    let run = find_run(context, &arguments.run)?;
    let plan = ExportPlan {
        config: config_of(context, &run, &[])?,
        run,
        format: arguments.format.into(),
        network: arguments.network.into(),
        out: arguments.out.clone(),
    };
    let exported = export(&context.catalogue, &plan)?;
    let card = &exported.card;
    let mut text = format!("{}, iteration {}, as {}:\n", card.run, card.iteration, card.format);
    let written = card.networks.iter().filter(|network| exported.files.contains(&network.file));
    for network in written {
        let bytes = bytes(network.bytes as f64);
        text.push_str(&format!("  {:<24} {bytes:>10}  {}\n", network.file, network.outputs));
    }
    Ok(print(&format!("{text}in {}, with card.md and card.json\n", exported.folder.display()))?)
}
