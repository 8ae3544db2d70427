//! `deepcfr bench device`: a device by itself.
//!
//! Not here: the measuring (see `deepcfr-bench`).

use deepcfr_bench::{DeviceBench, DeviceTiming};
use deepcfr_config::Problem;
use deepcfr_core::Precision;

use crate::arguments::BenchDeviceArguments;
use crate::error::CommandError;
use crate::output::print;

pub(crate) fn run(arguments: &BenchDeviceArguments) -> Result<(), CommandError> {
    let bench = bench(arguments)?;
    // Told as they come; the header with the first, once the device is known to work.
    let mut header = Some(if arguments.csv { DeviceTiming::CSV_HEADER.to_owned() } else { header() });
    let mut written = Ok(());
    bench.run(|timing| {
        let line = if arguments.csv { timing.to_csv() } else { line(&timing) };
        let lines: Vec<String> = header.take().into_iter().chain([line]).collect();
        if written.is_ok() {
            written = print(&(lines.join("\n") + "\n"));
        }
    })?;
    Ok(written?)
}

fn bench(arguments: &BenchDeviceArguments) -> Result<DeviceBench, CommandError> {
    let device = arguments.device.parse();
    let device = device.map_err(|unknown| refuse("--device", &arguments.device, &format!("{unknown}")))?;
    let positive = |key: &str, figure: usize| match figure {
        0 => Err(refuse(key, "0", "give 1 or more")),
        figure => Ok(figure),
    };
    let batches = arguments.batches.iter().map(|&batch| positive("--batches", batch));
    Ok(DeviceBench {
        device,
        models: arguments.models.iter().map(|model| size(model)).collect::<Result<_, _>>()?,
        batches: batches.collect::<Result<_, _>>()?,
        precisions: arguments.precisions.iter().map(|word| precision(word)).collect::<Result<_, _>>()?,
        calls: arguments.calls,
        step_batch: (arguments.step_batch > 0).then_some(arguments.step_batch),
        steps: positive("--steps", arguments.steps)?,
    })
}

fn refuse(key: &str, value: &str, remedy: &str) -> CommandError {
    CommandError::Config(Problem::new(key, value, remedy).into())
}

fn size(text: &str) -> Result<(usize, usize), CommandError> {
    let parsed =
        text.split_once('x').and_then(|(size, layers)| Some((size.parse().ok()?, layers.parse().ok()?)));
    parsed
        .filter(|(size, layers)| (1..=16_384).contains(size) && (1..=64).contains(layers))
        .ok_or_else(|| refuse("--models", text, "give hidden size x hidden layers, for example 512x3"))
}

fn precision(word: &str) -> Result<Precision, CommandError> {
    let known = Precision::ALL.into_iter().find(|precision| precision.word() == word);
    known.ok_or_else(|| refuse("--precisions", word, "give \"f32\", \"bf16\" or \"f16\""))
}

fn header() -> String {
    "call           model   type  rows    first us  enqueue us   device us  clock   synchronised us  round trip us  dispatch  GFLOP/s"
        .to_owned()
}

fn line(timing: &DeviceTiming) -> String {
    let figure = |figure: Option<f64>| figure.map_or_else(|| "-".to_owned(), |figure| format!("{figure:.1}"));
    let share =
        timing.dispatch_share.map_or_else(|| "-".to_owned(), |share| format!("{:.0} %", 100.0 * share));
    format!(
        "{:<13}  {:<6}  {:<4}  {:>4}  {:>10.1}  {:>10}  {:>10}  {:<6}  {:>15.1}  {:>13}  {share:>8}  {:>7.1}",
        timing.call,
        timing.model,
        timing.precision,
        timing.batch,
        timing.first_us,
        figure(timing.enqueue_us),
        figure(timing.device_us),
        timing.clock.unwrap_or("-"),
        timing.synchronised_us,
        figure(timing.round_trip_us),
        timing.gflops,
    )
}
