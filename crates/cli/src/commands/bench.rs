//! `deepcfr bench`: measurements of the system's parts.
//!
//! Not here: the measuring (see `deepcfr-bench`).

mod inference;

use std::fmt::Write;

use deepcfr_bench::{
    CpuReport, SchedulerTiming, SizeCost, SizeModel, StageSpeed, bench_cpu, bench_schedulers, fingerprint,
};

use crate::arguments::{BenchCommand, BenchCpuArguments, BenchSchedulersArguments};
use crate::context::Context;
use crate::error::CommandError;
use crate::figures;
use crate::output::print;

pub(crate) fn run(context: &Context, command: &BenchCommand) -> Result<(), CommandError> {
    match command {
        BenchCommand::Schedulers(arguments) => schedulers(context, arguments),
        BenchCommand::Inference(arguments) => inference::run(context, arguments),
        BenchCommand::Cpu(arguments) if arguments.fingerprint => {
            Ok(print(&format!("fingerprint {}\n", fingerprint()?))?)
        }
        BenchCommand::Cpu(arguments) => cpu(arguments),
        BenchCommand::Device(arguments) => super::bench_device::run(arguments),
    }
}

fn cpu(arguments: &BenchCpuArguments) -> Result<(), CommandError> {
    let report = bench_cpu(arguments.turns, &mut |what| eprintln!("measuring: {what}"))?;
    let (json, text) = (report.to_json(), cpu_text(&report));
    if let Some(folder) = &arguments.out {
        std::fs::create_dir_all(folder)?;
        std::fs::write(folder.join("cpu.json"), &json)?;
        std::fs::write(folder.join("cpu.txt"), &text)?;
        report.plot(folder)?;
    }
    Ok(print(if arguments.json { &json } else { &text })?)
}

fn cpu_text(report: &CpuReport) -> String {
    let (machine, limits) = (&report.machine, &report.limits);
    let giga = |value: f64| format!("{:.1}", value / 1e9);
    let mut text = format!(
        "{}, {} threads, {}\n\nlimit                                      one thread   all threads\n",
        machine.cpu.as_deref().unwrap_or(&machine.arch),
        limits.threads,
        machine.git_commit.as_deref().unwrap_or("unknown commit"),
    );
    let [one, all] = [&limits.one, &limits.all];
    let read = |place: usize| [one.read_bytes_per_second[place], all.read_bytes_per_second[place]];
    for (what, [one, all]) in [
        ("multiply-adds, GFLOP/s", [one.flops_per_second, all.flops_per_second]),
        ("matrix product 512 (sgemm), GFLOP/s", [one.product_flops_per_second, all.product_flops_per_second]),
        ("reading 256 KiB, GB/s", read(0)),
        ("reading 4 MiB, GB/s", read(1)),
        ("reading 64 MiB, GB/s", read(2)),
        ("copying 64 MiB, GB/s read or written", [one.copy_bytes_per_second, all.copy_bytes_per_second]),
    ] {
        writeln!(text, "{what:<40} {:>12} {:>13}", giga(one), giga(all)).expect("a string takes all text");
    }
    text.push_str(
        "\nstage                                        items/s        ns each  fastest ns  of its limit\n",
    );
    report.stages.iter().for_each(|stage| text.push_str(&stage_line(stage)));
    size_lines(&mut text, &report.sizes);
    text.push_str(
        "\nitems/s, ns each: the median stretch; the fastest is held against limits, which are the fastest of theirs. \
         Zeros that are skipped can carry a stage past its limit.\n",
    );
    text
}

/// Costs against the size of the network, and the model fitted to them.
fn size_lines(text: &mut String, costs: &[SizeCost]) {
    text.push_str("\nnative forward, batch 64   multiply-adds     us a row\n");
    for cost in costs {
        let name = format!("{} x {}", cost.hidden_size, cost.num_layers);
        let (adds, us) = (figures::count(cost.multiply_adds), cost.seconds * 1e6);
        writeln!(text, "{name:<26} {adds:>13} {us:>12.2}").expect("a string takes all text");
    }
    if let Some(model) = SizeModel::fit(costs) {
        writeln!(
            text,
            "fit: {:.2} us + {:.2} us a million multiply-adds; at most {:.0} % off",
            model.constant * 1e6,
            model.slope * 1e12,
            100.0 * model.largest_error,
        )
        .expect("a string takes all text");
    }
}

fn stage_line(stage: &StageSpeed) -> String {
    let fraction = |limit| format!("{:.0} % of {}", 100.0 * stage.fraction_of(limit), limit.what);
    let limits = stage.limits.iter().map(fraction).collect::<Vec<_>>().join(", ");
    let limits = if limits.is_empty() { "-" } else { &limits };
    format!(
        "{:<42} {:>9} {:<9} {:>8.1}  {:>9.1}   {limits}\n",
        stage.name,
        figures::count(stage.per_second),
        format!("{}s", stage.item),
        stage.nanoseconds(),
        1e9 / stage.fastest_per_second,
    )
}

fn schedulers(context: &Context, arguments: &BenchSchedulersArguments) -> Result<(), CommandError> {
    let source = &arguments.source;
    let config = context.schema().resolve(&source.base(), &source.set, source.seed)?;
    let timings = bench_schedulers(&context.catalogue, &config, arguments.turns)?;
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
