//! Prints how fast forward passes and training steps are, beside the machine's multiply-add peak.
//!
//! `cargo run --release -p deepcfr-nn --example forward_speed`. Rows have a fifth of their values
//! set. FLOPs are counted densely: skipped zeros can carry an engine past the peak. Every figure is
//! the fastest of several rounds in which the engines take turns. Not here: whole iterations.

use std::error::Error;
use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use deepcfr_core::{
    ActionSet, FitContext, Learner, Model, ModelFactory, NetId, Purpose, SampleMeta, SampleShape,
    SampleSource, Stream, Weights,
};
use deepcfr_nn::{BurnFactory, LearnerConfig, MlpLearner, NativeFactory, StepRule};
use pulp::{Arch, Simd, WithSimd};

const FEATURES: usize = 365;
const ACTIONS: usize = 22;
const ROUNDS: usize = 7;

fn main() -> Result<(), Box<dyn Error>> {
    let peak = (0..ROUNDS).map(|_| peak_gflops()).fold(0.0, f64::max);
    println!("multiply-add peak of one thread: {peak:.1} GFLOP/s");
    println!(
        "{:>8} {:>6} | {:>10} {:>8} {:>6} | {:>10} {:>8} {:>6}",
        "net", "batch", "native us", "GFLOP/s", "peak", "burn us", "GFLOP/s", "peak"
    );
    for (hidden, layers) in [(512, 3), (1024, 6), (64, 3)] {
        forward_table(hidden, layers, peak)?;
    }
    step_time(
        "64x3, 288 distinct rows",
        LearnerConfig { batch_size: 2048, merge_duplicates: true, ..config(36, 3, 64) },
        288,
        200,
    )?;
    step_time(
        "512x3, batch 1024",
        LearnerConfig { batch_size: 1024, ..config(FEATURES, ACTIONS, 512) },
        4096,
        8,
    )?;
    Ok(())
}

/// Twelve independent chains of fused multiply-adds in registers.
struct Chains(u64);

impl WithSimd for Chains {
    type Output = (f32, usize);

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> (f32, usize) {
        let factor = simd.splat_f32s(black_box(0.999));
        let mut sums = [simd.splat_f32s(1.0); 12];
        for _ in 0..self.0 {
            for sum in &mut sums {
                *sum = simd.mul_add_e_f32s(factor, *sum, factor);
            }
        }
        (sums.into_iter().map(|sum| simd.reduce_sum_f32s(sum)).sum(), sums.len() * S::F32_LANES)
    }
}

fn peak_gflops() -> f64 {
    let repeats = 2_000_000;
    let begin = Instant::now();
    let (sum, width) = Arch::new().dispatch(Chains(repeats));
    black_box(sum);
    2.0 * repeats as f64 * width as f64 / begin.elapsed().as_secs_f64() / 1e9
}

fn sparse_rows(count: usize, features: usize) -> Vec<f32> {
    let mut stream = Stream::new(2, Purpose::Test, 0, 0, 0);
    let mut value = || if stream.uniform() < 0.2 { stream.uniform() as f32 } else { 0.0 };
    (0..count * features).map(|_| value()).collect()
}

fn forward_table(hidden: usize, layers: usize, peak: f64) -> Result<(), Box<dyn Error>> {
    let shape = SampleShape { num_features: FEATURES, num_actions: ACTIONS };
    let mlp = LearnerConfig::plain(shape, hidden, layers).fresh_network(1);
    let flops = 2.0 * mlp.layers.iter().map(|dense| (dense.inputs * dense.outputs) as f64).sum::<f64>();
    let weights = Arc::new(Weights::Mlp(mlp));
    let mut native = NativeFactory::new(FEATURES, ACTIONS, 1).open()?;
    let mut burn = BurnFactory::new(FEATURES, ACTIONS, 1).open()?;
    native.load(NetId(0), &weights)?;
    burn.load(NetId(0), &weights)?;
    for batch in [1, 4, 16, 64, 256, 1024] {
        let rows = sparse_rows(batch, FEATURES);
        let repeats = (2e8 / flops / batch as f64).ceil() as usize;
        let mut best = [f64::INFINITY; 2];
        for _ in 0..ROUNDS {
            best[0] = best[0].min(seconds(&mut *native, &rows, repeats)?);
            best[1] = best[1].min(seconds(&mut *burn, &rows, repeats)?);
        }
        let column = |seconds: f64| {
            let gflops = flops * batch as f64 / seconds / 1e9;
            format!("{:10.1} {gflops:8.1} {:5.0}%", seconds * 1e6, 100.0 * gflops / peak)
        };
        println!("{:>8} {batch:6} | {} | {}", format!("{hidden}x{layers}"), column(best[0]), column(best[1]));
    }
    Ok(())
}

fn seconds(model: &mut dyn Model, rows: &[f32], repeats: usize) -> Result<f64, Box<dyn Error>> {
    let mut out = vec![0.0; rows.len() / FEATURES * ACTIONS];
    let begin = Instant::now();
    for _ in 0..repeats {
        model.forward(NetId(0), black_box(rows), &mut out)?;
        black_box(&out);
    }
    Ok(begin.elapsed().as_secs_f64() / repeats as f64)
}

/// A memory of ten samples for each of some rows, all actions legal.
struct Memory {
    shape: SampleShape,
    rows: Vec<f32>,
}

impl SampleSource for Memory {
    fn shape(&self) -> SampleShape {
        self.shape
    }

    fn len(&self) -> usize {
        10 * self.rows.len() / self.shape.num_features
    }

    fn read(&self, index: usize, features: &mut [f32], targets: &mut [f32]) -> SampleMeta {
        features.copy_from_slice(&self.rows[index / 10 * features.len()..][..features.len()]);
        targets.fill((index % 7) as f32);
        SampleMeta { legal: ActionSet::first(targets.len()), iteration: 1 + index as u32 % 10 }
    }
}

fn config(num_features: usize, num_actions: usize, hidden_size: usize) -> LearnerConfig {
    LearnerConfig::plain(SampleShape { num_features, num_actions }, hidden_size, 3)
}

fn step_time(name: &str, config: LearnerConfig, rows: usize, steps: usize) -> Result<(), Box<dyn Error>> {
    let memory = Memory { shape: config.shape, rows: sparse_rows(rows, config.shape.num_features) };
    let mut learner = MlpLearner::new(LearnerConfig { steps: StepRule::Fixed(steps), ..config })?;
    let mut best = [f64::INFINITY; 2];
    for _ in 0..ROUNDS {
        let (_, report) = learner.fit(&memory, FitContext { seed: 1, iteration: 10 })?;
        let assembly = report.batch_assembly.as_secs_f64();
        best[0] = best[0].min((report.total.as_secs_f64() - assembly) / steps as f64);
        best[1] = best[1].min(assembly / steps as f64);
    }
    println!("training step, {name}: {:.3} ms, batch assembly {:.3} ms a step", best[0] * 1e3, best[1] * 1e3);
    Ok(())
}
