//! `deepcfr bench inference`: the inference engines against each other.
//!
//! Not here: the measuring (see `deepcfr-bench`).

use std::fmt::Write;
use std::path::Path;

use deepcfr_bench::{InferenceBench, InferencePlan, InferenceTiming, bench_inference};
use deepcfr_config::{Base, ConfigError, Engine, Problem, RunConfig};
use deepcfr_levers::fit::Achieved;
use deepcfr_levers::text::{Table, count};
use deepcfr_train::networks::usable_engines;

use crate::arguments::BenchInferenceArguments;
use crate::commands::profile::parse_size;
use crate::context::Context;
use crate::error::CommandError;
use crate::output::print;

/// Whose rows are encoded where nobody says otherwise.
const PRESET: &str = "lost-cities";

pub(crate) fn run(context: &Context, arguments: &BenchInferenceArguments) -> Result<(), CommandError> {
    let source = &arguments.source;
    let base = match source.base() {
        Base::Default => Base::Preset(PRESET.to_owned()),
        named => named,
    };
    let config = context.schema().resolve(&base, &source.set, source.seed)?;
    let board = context.catalogue.board(&config.game)?;
    let batches = batches(&arguments.batches)?;
    let sizes = arguments.models.iter().map(|size| parse_size(size)).collect::<Result<_, _>>()?;
    if let Some(path) = arguments.out.as_deref().filter(|path| path.exists()) {
        let message = format!("--out {}: it is there already; name another", path.display());
        return Err(CommandError::Advise(message));
    }
    let engines = engines(&arguments.engines, &config)?;
    let plan = InferencePlan { engines, batches, sizes, blocks: arguments.turns.max(1) };
    let bench = bench_inference(&config, &*board, &plan)?;
    if let Some(path) = &arguments.out {
        write_csv(path, &bench)?;
    }
    Ok(print(&report(&config, &plan, &bench))?)
}

/// The engines of these names; all that can be used if there are none, saying why others cannot.
fn engines(names: &[String], config: &RunConfig) -> Result<Vec<Engine>, ConfigError> {
    if names.is_empty() {
        return Ok(usable_engines(config, &mut |words| eprintln!("{words}")));
    }
    let known = || Engine::ALL.iter().map(|engine| engine.word()).collect::<Vec<_>>().join(", ");
    let named = |name: &String| {
        let found = Engine::ALL.iter().find(|engine| engine.word() == name.trim());
        found.copied().ok_or_else(|| Problem::new("--engines", name, format!("give some of {}", known())))
    };
    let engines: Result<Vec<_>, _> = names.iter().map(named).collect();
    engines.map_err(|problem| ConfigError { problems: vec![problem] })
}

fn batches(batches: &[usize]) -> Result<Vec<usize>, ConfigError> {
    let remedy = "give rows of a call, 1 to 65536";
    let wrong = batches.iter().filter(|rows| !(1..=65_536).contains(*rows));
    let problems: Vec<_> = wrong.map(|rows| Problem::new("--batches", rows, remedy)).collect();
    let mut batches = batches.to_vec();
    batches.sort_unstable();
    batches.dedup();
    if problems.is_empty() { Ok(batches) } else { Err(ConfigError { problems }) }
}

fn report(config: &RunConfig, plan: &InferencePlan, bench: &InferenceBench) -> String {
    let features = bench.timings.first().map_or(0, |timing| timing.network.features);
    let mut text = format!(
        "{}: {features} features, {:.0} % of them not 0; {} turns, one thread\n\n",
        config.game_line(),
        100.0 * bench.density,
        plan.blocks,
    );
    let first = plan.engines.first().map_or("", |engine| engine.word());
    let against = format!("times {first}");
    let heading = [
        "network",
        "engine",
        "rows",
        "us a call",
        "fastest",
        "us a state",
        "GFLOP/s",
        "dispatch",
        against.as_str(),
    ];
    let mut table = Table::new(&heading);
    for timings in bench.timings.chunks(plan.engines.len().max(1)) {
        for timing in timings {
            lines(timing, &timings[0], &plan.batches).into_iter().for_each(|line| table.push(line));
        }
    }
    text.push_str(&table.text());
    text.push_str(
        "\nMedians over the turns; fastest: us a call in the fastest. GFLOP/s: dense, 2 a weight. dispatch: the \
         share of a call that is a of the fit a + b·B.\n",
    );
    let varying: Vec<&str> = plan
        .engines
        .iter()
        .filter(|engine| !invariant(bench, **engine))
        .map(|engine| engine.word())
        .collect();
    if !varying.is_empty() {
        writeln!(text, "Rows may depend on their batch, by rounding, with {}.", varying.join(" and "))
            .expect("a string takes all text");
    }
    text
}

fn invariant(bench: &InferenceBench, engine: Engine) -> bool {
    bench.timings.iter().all(|timing| timing.engine != engine || timing.row_invariant)
}

fn lines(timing: &InferenceTiming, first: &InferenceTiming, batches: &[usize]) -> Vec<[String; 9]> {
    let network = &timing.network;
    let line = |&rows: &usize| {
        let seconds = median(seconds_at(timing, rows).collect());
        let fastest = seconds_at(timing, rows).fold(f64::INFINITY, f64::min);
        let share = timing.fit.as_ref().map(|fit| fit.cost.curve.dispatch_share(rows as f64));
        let ratios = seconds_at(first, rows).zip(seconds_at(timing, rows)).map(|(first, own)| own / first);
        [
            format!("{}x{}", network.hidden_size, network.num_layers),
            timing.engine.to_string(),
            count(rows as f64),
            format!("{:.1}", 1e6 * seconds),
            format!("{:.1}", 1e6 * fastest),
            format!("{:.2}", 1e6 * seconds / rows as f64),
            format!("{:.1}", 1e-9 * Achieved::forward(network, rows as f64, seconds).flops_per_second),
            share.map_or_else(|| "-".to_owned(), |share| format!("{:.0} %", 100.0 * share)),
            format!("{:.2}", median(ratios.collect())),
        ]
    };
    batches.iter().map(line).collect()
}

/// Seconds of calls of so many rows, block by block.
fn seconds_at(timing: &InferenceTiming, rows: usize) -> impl Iterator<Item = f64> {
    timing.timings.iter().filter(move |timing| timing.rows as usize == rows).map(|timing| timing.seconds)
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

fn write_csv(path: &Path, bench: &InferenceBench) -> Result<(), CommandError> {
    let mut text = String::from("engine,features,hidden_size,num_layers,actions,turn,rows,seconds\n");
    for InferenceTiming { engine, network, timings, .. } in &bench.timings {
        for timing in timings {
            writeln!(
                text,
                "{engine},{},{},{},{},{},{},{:e}",
                network.features,
                network.hidden_size,
                network.num_layers,
                network.actions,
                timing.block,
                timing.rows,
                timing.seconds
            )
            .expect("a string takes all text");
        }
    }
    std::fs::write(path, text).map_err(|source| CommandError::File { path: path.to_owned(), source })
}
