//! A device by itself: forward passes with dispatch and computation apart, and training steps.
//!
//! Networks and rows are of a long game's size, 365 features of which a fifth are set and 22 actions,
//! so that figures of machines can be compared. Not here: whole iterations, and engines other than
//! burn's.

use std::time::Duration;

use deepcfr_core::{
    ActionSet, FitContext, Learner, MlpWeights, Purpose, SampleMeta, SampleShape, SampleSource, Stream,
};
use deepcfr_nn::{
    CallTimes, ForwardProbe, LearnerConfig, MlpLearner, Placement, Precision, StepRule, check_device,
};
use deepcfr_timing::median;
use serde::Serialize;

use crate::error::BenchError;
use deepcfr_train::devices::{DeviceName, UnusableDevice};

const SHAPE: SampleShape = SampleShape { num_features: 365, num_actions: 22 };
/// The share of features that are set.
const SET: f64 = 0.2;
/// Rows of the memory that training steps draw from.
const MEMORY: usize = 4096;
/// Steps of the fit that warms up, whose time is told apart.
const WARM_UP_STEPS: usize = 3;

/// What to time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceBench {
    /// The device.
    pub device: DeviceName,
    /// Networks, as hidden size and hidden layers.
    pub models: Vec<(usize, usize)>,
    /// Rows of forward passes.
    pub batches: Vec<usize>,
    /// Types of the factors of matrix products; those that the device lacks are left out.
    pub precisions: Vec<Precision>,
    /// Calls of a timing; the median of [`DeviceBench::WINDOWS`] timings counts.
    pub calls: u32,
    /// Rows of a training step; none for no steps.
    pub step_batch: Option<usize>,
    /// Steps of a timed fit.
    pub steps: usize,
}

/// One timing, times in microseconds of one call.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DeviceTiming {
    /// `forward` or `training step`.
    pub call: &'static str,
    /// The network, as `512x3`.
    pub model: String,
    /// Type of the factors of matrix products.
    pub precision: &'static str,
    /// Rows.
    pub batch: usize,
    /// The first call of the size, compilation and tuning included; of a step, of the first few.
    pub first_us: f64,
    /// Until the host could go on; steps read their loss back, so theirs is not told.
    pub enqueue_us: Option<f64>,
    /// That the device was busy.
    pub device_us: Option<f64>,
    /// What measured that: `events` of the device or the `host`'s clock.
    pub clock: Option<&'static str>,
    /// Until everything was done.
    pub synchronised_us: f64,
    /// From host to host, rows and outputs copied.
    pub round_trip_us: Option<f64>,
    /// Share of a synchronised call that is dispatch.
    pub dispatch_share: Option<f64>,
    /// Multiplications and additions of matrix products over the synchronised time, in 10⁹ a second.
    pub gflops: f64,
}

impl DeviceBench {
    /// Timings of each call, of which the median counts.
    pub const WINDOWS: usize = 3;

    /// Times everything, telling `report` each timing as it comes.
    ///
    /// # Errors
    /// If the device cannot be used or fails.
    pub fn run(&self, mut report: impl FnMut(DeviceTiming)) -> Result<(), BenchError> {
        self.check(Precision::F32)?;
        for &precision in &self.precisions {
            if self.check(precision).is_err() {
                continue;
            }
            for &model in &self.models {
                self.forwards(model, precision, &mut report)?;
                if let Some(batch) = self.step_batch {
                    report(self.step(model, precision, batch)?);
                }
            }
        }
        Ok(())
    }

    fn check(&self, precision: Precision) -> Result<(), UnusableDevice> {
        let placement = Placement { device: self.device, precision };
        check_device(placement).map_err(|error| UnusableDevice { key: "--device", error })
    }

    fn forwards(
        &self,
        model: (usize, usize),
        precision: Precision,
        report: &mut impl FnMut(DeviceTiming),
    ) -> Result<(), BenchError> {
        let network = perceptron(model);
        let failed = |error| UnusableDevice { key: "--device", error };
        let probe =
            ForwardProbe::open(&network, Placement { device: self.device, precision }).map_err(failed)?;
        for &batch in &self.batches {
            let rows = sparse_rows(batch);
            let first = probe.call(&rows).map_err(failed)?.1;
            // The second call of a size may still tune what was compiled in the first.
            probe.time(&rows, 2).map_err(failed)?;
            let windows = (0..Self::WINDOWS).map(|_| probe.time(&rows, self.calls).map_err(failed));
            let times = medians(&windows.collect::<Result<Vec<_>, _>>()?);
            let seconds = times.synchronised.as_secs_f64();
            report(DeviceTiming {
                call: "forward",
                model: name(model),
                precision: precision.word(),
                batch,
                first_us: first.as_secs_f64() * 1e6,
                enqueue_us: Some(times.enqueue.as_secs_f64() * 1e6),
                device_us: times.device.map(|device| device.as_secs_f64() * 1e6),
                clock: Some(times.clock.word()),
                synchronised_us: seconds * 1e6,
                round_trip_us: Some(times.round_trip.as_secs_f64() * 1e6),
                dispatch_share: Some(times.dispatch_share()),
                gflops: batch as f64 * flops(&network) / seconds / 1e9,
            });
        }
        Ok(())
    }

    /// A step's forward pass, two products a layer on the way back, clipping and Adam.
    fn step(
        &self,
        model: (usize, usize),
        precision: Precision,
        batch: usize,
    ) -> Result<DeviceTiming, BenchError> {
        let memory = Memory { rows: sparse_rows(MEMORY) };
        let placement = Placement { device: self.device, precision };
        let seconds_of = |steps: usize| -> Result<f64, BenchError> {
            let mut learner = MlpLearner::placed(learner(model, batch, steps), placement)?;
            let (_, report) = learner.fit(&memory, FitContext { seed: 1, iteration: 1 })?;
            Ok((report.total - report.batch_assembly).as_secs_f64() / steps as f64)
        };
        let first = seconds_of(WARM_UP_STEPS)?;
        let windows = (0..Self::WINDOWS).map(|_| seconds_of(self.steps));
        let seconds = median(windows.collect::<Result<Vec<_>, _>>()?);
        Ok(DeviceTiming {
            call: "training step",
            model: name(model),
            precision: precision.word(),
            batch,
            first_us: first * 1e6,
            enqueue_us: None,
            device_us: None,
            clock: None,
            synchronised_us: seconds * 1e6,
            round_trip_us: None,
            dispatch_share: None,
            gflops: 3.0 * batch as f64 * flops(&perceptron(model)) / seconds / 1e9,
        })
    }
}

impl DeviceTiming {
    /// The columns of [`DeviceTiming::to_csv`].
    pub const CSV_HEADER: &str = "call,model,precision,batch,first_us,enqueue_us,device_us,clock,\
         synchronised_us,round_trip_us,dispatch_share,gflops";

    /// A line for spreadsheets; empty where a figure is not told.
    pub fn to_csv(&self) -> String {
        let figure = |figure: Option<f64>| figure.map_or_else(String::new, |figure| format!("{figure:.3}"));
        [
            self.call.to_owned(),
            self.model.clone(),
            self.precision.to_owned(),
            self.batch.to_string(),
            figure(Some(self.first_us)),
            figure(self.enqueue_us),
            figure(self.device_us),
            self.clock.unwrap_or_default().to_owned(),
            figure(Some(self.synchronised_us)),
            figure(self.round_trip_us),
            figure(self.dispatch_share),
            figure(Some(self.gflops)),
        ]
        .join(",")
    }
}

/// The median of each time over some windows, at least one. A device that tells its own time does so in all.
fn medians(windows: &[CallTimes]) -> CallTimes {
    let of = |time: fn(&CallTimes) -> Duration| {
        Duration::from_secs_f64(median(windows.iter().map(|window| time(window).as_secs_f64())))
    };
    CallTimes {
        enqueue: of(|window| window.enqueue),
        device: windows[0].device.map(|_| of(|window| window.device.unwrap_or_default())),
        clock: windows[0].clock,
        synchronised: of(|window| window.synchronised),
        round_trip: of(|window| window.round_trip),
    }
}

fn name((hidden, layers): (usize, usize)) -> String {
    format!("{hidden}x{layers}")
}

/// Of a row, in multiplications and additions of matrix products.
fn flops(network: &MlpWeights) -> f64 {
    network.layers.iter().map(|dense| 2.0 * (dense.inputs * dense.outputs) as f64).sum()
}

fn perceptron((hidden, layers): (usize, usize)) -> MlpWeights {
    LearnerConfig::plain(SHAPE, hidden, layers).fresh_network(1)
}

fn sparse_rows(count: usize) -> Vec<f32> {
    let mut stream = Stream::new(2, Purpose::Statistics, 0, 0, 0);
    let mut value = || if stream.uniform() < SET { stream.uniform() as f32 } else { 0.0 };
    (0..count * SHAPE.num_features).map(|_| value()).collect()
}

fn learner((hidden_size, num_layers): (usize, usize), batch_size: usize, steps: usize) -> LearnerConfig {
    LearnerConfig {
        batch_size,
        steps: StepRule::Fixed(steps),
        threads: std::thread::available_parallelism().map_or(1, usize::from),
        assemble_ahead: true,
        ..LearnerConfig::plain(SHAPE, hidden_size, num_layers)
    }
}

/// Rows with targets that depend on their place, all actions legal.
struct Memory {
    rows: Vec<f32>,
}

impl SampleSource for Memory {
    fn shape(&self) -> SampleShape {
        SHAPE
    }

    fn len(&self) -> usize {
        self.rows.len() / SHAPE.num_features
    }

    fn read(&self, index: usize, features: &mut [f32], targets: &mut [f32]) -> SampleMeta {
        features.copy_from_slice(&self.rows[index * features.len()..][..features.len()]);
        targets
            .iter_mut()
            .enumerate()
            .for_each(|(action, target)| *target = ((index + action) % 7) as f32 - 3.0);
        SampleMeta { legal: ActionSet::first(targets.len()), iteration: 1 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_that_was_asked_for_is_timed() {
        let bench = DeviceBench {
            device: DeviceName::Cpu,
            models: vec![(16, 1)],
            batches: vec![1, 8],
            precisions: vec![Precision::F32, Precision::F16],
            calls: 2,
            step_batch: Some(32),
            steps: 2,
        };
        let mut timings = Vec::new();
        bench.run(|timing| timings.push(timing)).expect("the processor is there");
        let calls: Vec<_> =
            timings.iter().map(|timing| (timing.call, timing.precision, timing.batch)).collect();
        let of = |precision| {
            [("forward", precision, 1), ("forward", precision, 8), ("training step", precision, 32)]
        };
        assert_eq!(calls, [of("f32"), of("f16")].concat());
        let columns = DeviceTiming::CSV_HEADER.split(',').count();
        for timing in &timings {
            assert!(
                timing.synchronised_us > 0.0 && timing.gflops > 0.0 && timing.first_us > 0.0,
                "{timing:?}"
            );
            assert_eq!(timing.to_csv().split(',').count(), columns);
        }
    }

    #[test]
    fn a_device_that_is_not_there_is_refused() {
        let bench = DeviceBench {
            device: DeviceName::Cuda(99),
            models: Vec::new(),
            batches: Vec::new(),
            precisions: Vec::new(),
            calls: 1,
            step_batch: None,
            steps: 1,
        };
        let error = bench.run(|_| {}).unwrap_err();
        assert!(error.is_bad_input() && error.to_string().starts_with("--device = \"cuda:99\": "), "{error}");
    }
}
