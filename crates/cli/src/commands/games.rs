//! `deepcfr games`: the games with their parameters and sizes.

use deepcfr_board::{COUNTED_NODES, GameListing};

use crate::arguments::GamesArguments;
use crate::context::Context;
use crate::error::CommandError;
use crate::figures::count;
use crate::output::print;

pub(crate) fn run(context: &Context, arguments: &GamesArguments) -> Result<(), CommandError> {
    let listed = context.catalogue.list(arguments.name.as_deref(), &arguments.set)?;
    let listed: Vec<String> = listed.iter().map(describe).collect();
    Ok(print(&(listed.join("\n") + "\nset a parameter with --set game.<game>.<parameter>=<value>\n"))?)
}

fn describe(game: &GameListing) -> String {
    let parameters = if game.parameters.is_empty() { "none".to_owned() } else { game.parameters.join(", ") };
    let encoders = game.encoders.iter().map(|encoder| {
        format!(
            "\n  encoder {}: {} features, {} actions",
            encoder.name, encoder.num_features, encoder.num_actions
        )
    });
    let infosets = match game.infosets {
        Some(infosets) => infosets.to_string(),
        None => format!("too many to count (over {} nodes)", count(COUNTED_NODES as f64)),
    };
    let (low, high) = game.utility_range;
    format!(
        "{}\n  parameters: {parameters}{}\n  infosets: {infosets}; at most {} moves; utilities {low} to {high} points\n  opponents: {}\n",
        game.name,
        encoders.collect::<String>(),
        game.max_depth,
        game.opponents.join(", "),
    )
}
