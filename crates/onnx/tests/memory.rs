//! Swapping weights holds no memory: alone in its process, so that nothing else moves the figure.

use std::sync::Arc;
use std::time::{Duration, Instant};

use deepcfr_core::{Activation, NetId, Weights};

use support::{factory, random_mlp, runtime, skipped, sparse_rows};

mod support;

const SWAPS: u32 = 200;
/// Swaps until allocators have their pages.
const WARM_UP: u32 = 20;
const WIDTHS: [usize; 5] = [365, 512, 512, 512, 22];

/// KiB of this process in memory, by the kernel's account.
fn resident_kib() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

#[test]
fn two_hundred_swaps_leave_memory_flat() {
    let Some(runtime) = runtime() else { return };
    if resident_kib().is_none() {
        return skipped(&"there is no /proc/self/status here");
    }
    let mut model = deepcfr_core::ModelFactory::open(&factory(&runtime, 365, 22, 1)).unwrap();
    let rows = sparse_rows(64, 365);
    let mut out = vec![0.0; 64 * 22];
    let mut loading = Duration::ZERO;
    let mut swap = |swap: u32| {
        let weights = Arc::new(Weights::Mlp(random_mlp(&WIDTHS, Activation::Relu, 1.0, swap)));
        let begin = Instant::now();
        model.load(NetId(0), &weights).unwrap();
        loading += begin.elapsed();
        model.forward(NetId(0), &rows, &mut out).unwrap();
    };
    (0..WARM_UP).for_each(&mut swap);
    let before = resident_kib().unwrap();
    (WARM_UP..WARM_UP + SWAPS).for_each(&mut swap);
    let after = resident_kib().unwrap();
    let network = 4 * WIDTHS.windows(2).map(|width| width[0] * width[1]).sum::<usize>() as u64 / 1024;
    println!("{:.1} ms a swap", 1e3 * loading.as_secs_f64() / f64::from(WARM_UP + SWAPS));
    println!(
        "{before} KiB after {WARM_UP} swaps, {after} KiB after {SWAPS} more; a network is {network} KiB"
    );
    // A leak of one network in twelve swaps shows.
    assert!(after < before + 16 * network, "{before} KiB, then {after} KiB");
}
