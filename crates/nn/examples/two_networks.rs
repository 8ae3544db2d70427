//! One call for both players' networks, or one each: is a fused forward pass worth having?
//!
//! `cargo run --release -p deepcfr-cli -p deepcfr-nn --example two_networks`. The rows of a sweep belong to two
//! networks. Either each network gets its half in a call of its own, or one pass multiplies both halves at
//! a time, `[2, B, in] × [2, in, out]` (burn's batched matrix product, one thread). Figures are the
//! fastest of several rounds in which the two take turns. Not here: the native engine, whose calls cost
//! less than a microsecond to start.

use std::error::Error;
use std::hint::black_box;
use std::time::Instant;

use burn::tensor::{Device, Tensor, TensorData, activation};
use deepcfr_core::{Purpose, Stream};

const FEATURES: usize = 365;
const ACTIONS: usize = 22;
const ROUNDS: usize = 9;

/// A weight and a bias for each layer, of one network (`[1, ..]`) or of two (`[2, ..]`).
type Layers = Vec<(Tensor<3>, Tensor<3>)>;

fn main() -> Result<(), Box<dyn Error>> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    pool.install(|| {
        println!("network   rows a network   two calls   one fused   ratio");
        for (hidden, layers) in [(64, 3), (512, 3), (1024, 6)] {
            table(hidden, layers);
        }
    });
    Ok(())
}

fn table(hidden: usize, layers: usize) {
    let device = Device::flex();
    let (one, other) = (network(hidden, layers, 0, &device), network(hidden, layers, 1, &device));
    let pair = one.iter().zip(&other);
    let fused: Layers = pair
        .map(|((w0, b0), (w1, b1))| {
            (Tensor::cat(vec![w0.clone(), w1.clone()], 0), Tensor::cat(vec![b0.clone(), b1.clone()], 0))
        })
        .collect();
    for rows in [1, 4, 16, 64, 256] {
        let halves = [0, 1].map(|seed| values(rows * FEATURES, seed));
        let both = halves.concat();
        let separate = || {
            for (network, half) in [&one, &other].into_iter().zip(&halves) {
                black_box(forward(network, half.clone(), [1, rows, FEATURES], &device));
            }
        };
        let together = || {
            black_box(forward(&fused, both.clone(), [2, rows, FEATURES], &device));
        };
        let flops = 4.0 * (layers * hidden * hidden) as f64 * rows as f64;
        let repeats = (3e8 / flops).ceil() as usize;
        let mut best = [f64::INFINITY; 2];
        for _ in 0..ROUNDS {
            best[0] = best[0].min(seconds(separate, repeats));
            best[1] = best[1].min(seconds(together, repeats));
        }
        println!(
            "{:>8}  {rows:>14}  {:>8.1} µs  {:>8.1} µs  {:>6.2}",
            format!("{hidden}x{layers}"),
            1e6 * best[0],
            1e6 * best[1],
            best[0] / best[1]
        );
    }
}

fn network(hidden: usize, layers: usize, seed: u32, device: &Device) -> Layers {
    let mut widths = vec![hidden; layers + 2];
    (widths[0], widths[layers + 1]) = (FEATURES, ACTIONS);
    let tensor = |count: usize, shape: [usize; 3], seed| {
        Tensor::from_data(TensorData::new(values(count, seed), shape), device)
    };
    let layers = widths.windows(2).enumerate().map(|(index, width)| {
        let seed = 100 * (seed + 1) + index as u32;
        (tensor(width[0] * width[1], [1, width[0], width[1]], seed), tensor(width[1], [1, 1, width[1]], seed))
    });
    layers.collect()
}

fn values(count: usize, seed: u32) -> Vec<f32> {
    let mut stream = Stream::new(3, Purpose::Test, seed, 0, 0);
    (0..count).map(|_| 0.1 * (stream.uniform() as f32 - 0.5)).collect()
}

fn forward(layers: &Layers, rows: Vec<f32>, shape: [usize; 3], device: &Device) -> Vec<f32> {
    let rows = Tensor::<3>::from_data(TensorData::new(rows, shape), device);
    let last = layers.len() - 1;
    let outputs = layers.iter().enumerate().fold(rows, |rows, (index, (weight, bias))| {
        let sums = rows.matmul(weight.clone()) + bias.clone();
        if index == last { sums } else { activation::relu(sums) }
    });
    outputs.into_data().try_into_vec().expect("networks compute in f32")
}

fn seconds(run: impl Fn(), repeats: usize) -> f64 {
    let begin = Instant::now();
    (0..repeats).for_each(|_| run());
    begin.elapsed().as_secs_f64() / repeats as f64
}
