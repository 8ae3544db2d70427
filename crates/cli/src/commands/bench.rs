//! `deepcfr bench`: measurements of the system's parts.
//!
//! Not here: the measuring (see `deepcfr-train`).

use std::fmt::Write;

use deepcfr_train::config::resolve;
use deepcfr_train::{SchedulerTiming, bench_schedulers};

use crate::arguments::{BenchCommand, BenchSchedulersArguments};
use crate::error::CommandError;
use crate::figures;
use crate::output::print;

pub(crate) fn run(command: &BenchCommand) -> Result<(), CommandError> {
    match command {
        BenchCommand::Schedulers(arguments) => schedulers(arguments),
        BenchCommand::Device(arguments) => super::bench_device::run(arguments),
    }
}

fn schedulers(arguments: &BenchSchedulersArguments) -> Result<(), CommandError> {
    let source = &arguments.source;
    let config = resolve(&source.base(), &source.set, source.seed)?;
    let timings = bench_schedulers(&config, arguments.turns)?;
    if arguments.json {
        let lines: Vec<String> = timings.iter().map(SchedulerTiming::to_json).collect();
        return Ok(print(&(lines.join("\n") + "\n"))?);
    }
    let network = &config.network;
    let mut text = format!(
        "{}: {} traversals a player, networks {} x {}, {} turns of {} nodes each\n\n",
        config.game_line(),
        config.traversal.traversals_per_player,
        network.num_layers,
        network.hidden_size,
        timings[0].seconds.len(),
        figures::count(timings[0].nodes as f64),
    );
    text.push_str(
        "scheduler           workers x lanes   nodes/s   rows a pass: mean of at most   device busy   times recursive (low..high)\n",
    );
    for timing in &timings {
        let batches = &timing.batches;
        let busy = batches
            .device_busy_share
            .map_or_else(|| "-".to_owned(), |share| format!("{:.0} %", 100.0 * share));
        let [low, median, high] = timing.against_recursive;
        writeln!(
            text,
            "{:<18}  {:>15}  {:>8}   {:>28}   {busy:>11}   {median:.2} ({low:.2}..{high:.2})",
            timing.scheduler,
            format!("{} x {}", batches.workers, batches.lanes),
            figures::count(timing.nodes_per_second),
            format!("{:.1} of {:.1}", batches.mean_rows, batches.in_flight_bound),
        )
        .expect("a string takes all text");
    }
    text.push_str("\nThe samples are the same under every scheduler. nodes/s: median over the turns.\n");
    Ok(print(&text)?)
}
