//! Simulated devices with known dispatch and kernel.

use deepcfr_core::{Purpose, Stream};

use super::*;

const BATCHES: [u32; 6] = [1, 4, 16, 64, 256, 1024];

/// Timings of `truth` with relative normal noise, in interleaved blocks.
fn simulate(truth: &Curve, noise: f64, blocks: u32, trial: u32) -> Vec<Timing> {
    let mut stream = Stream::new(5, Purpose::Test, trial, 0, 0);
    let mut timings = Vec::new();
    for block in 0..blocks {
        for rows in BATCHES {
            let seconds = truth.seconds(f64::from(rows)) * (1.0 + noise * stream.normal());
            timings.push(Timing { block, rows, seconds, enqueue_seconds: None });
        }
    }
    timings
}

const LINE: Curve = Curve::Linear { a_seconds: 90e-6, b_seconds_per_row: 0.9e-6 };

/// 20 blocks of 6 calls put the standard error of a and b near 5 %/√40 = 0.8 %.
#[test]
fn known_dispatch_and_kernel_are_recovered_within_5_percent() {
    for trial in 0..20 {
        let fit = Fit::of(&simulate(&LINE, 0.05, 20, trial), 1).unwrap();
        let ratios = [
            fit.dispatch_seconds.value / 90e-6,
            fit.kernel_seconds_per_row.value / 0.9e-6,
            fit.half_rate_rows.value / 100.0,
        ];
        assert!(ratios.iter().all(|ratio| (ratio - 1.0).abs() < 0.05), "trial {trial}: {ratios:?}");
        assert!((0.03..0.07).contains(&fit.scatter), "{}", fit.scatter);
    }
}

/// 90 % intervals over 100 independent trials: 82 is 2.7 standard deviations below.
#[test]
fn intervals_hold_the_truth_as_often_as_they_say() {
    for blocks in [5, 20] {
        let mut covered = [0; 3];
        for trial in 0..100 {
            let fit = Fit::of(&simulate(&LINE, 0.05, blocks, 1000 + trial), 1).unwrap();
            covered[0] += u32::from(fit.dispatch_seconds.contains(90e-6));
            covered[1] += u32::from(fit.kernel_seconds_per_row.contains(0.9e-6));
            covered[2] += u32::from(fit.half_rate_rows.contains(100.0));
        }
        assert!(covered.iter().all(|&count| count >= 82), "{blocks} blocks: {covered:?}");
    }
}

/// On a line ρ = 1.25 at n½/3, 1.5 at n½ and 1.75 at 3·n½; n½ is 100 rows.
#[test]
fn the_class_flips_where_half_rate_batch_says() {
    let fit = Fit::of(&simulate(&LINE, 0.05, 20, 7), 1).unwrap();
    let class = |rows: f64| fit.classify(rows).class;
    assert_eq!([class(1.0), class(28.0)], [CallClass::DispatchBound; 2]);
    assert_eq!([class(39.0), class(100.0), class(260.0)], [CallClass::Mixed; 3]);
    assert_eq!([class(350.0), class(4000.0)], [CallClass::KernelBound; 2]);
    let [below, at, above] = [80.0, 100.0, 125.0].map(|rows| fit.classify(rows).dispatch_share());
    assert!(below.value > 0.5 && at.contains(0.5) && above.value < 0.5);
    assert!(fit.classify(1.0).certain() && !fit.classify(100.0 / 3.0).certain());
    assert_eq!(fit.classify(1.0).to_string(), "dispatch-bound");
}

#[test]
fn a_hidden_kernel_is_recognised_and_a_plain_one_is_left_alone() {
    let hinge = Curve::Hinge { a_seconds: 85e-6, c_seconds: 10e-6, b_seconds_per_row: 0.15e-6 };
    let mut wrong = 0;
    for trial in 0..20 {
        let found = Fit::of(&simulate(&hinge, 0.05, 20, 2000 + trial), 1).unwrap();
        assert!(matches!(found.cost.curve, Curve::Hinge { .. }), "trial {trial}");
        let plain = Fit::of(&simulate(&LINE, 0.05, 20, 3000 + trial), 1).unwrap();
        wrong += u32::from(matches!(plain.cost.curve, Curve::Hinge { .. }));
    }
    assert!(wrong <= 1, "{wrong} of 20 lines taken for hinges");
}

/// Forward passes that the program before this one timed on a 2-core CPU bend the other way: neither shape
/// meets every point, the corrected cost does.
#[test]
fn predictions_pass_through_what_was_measured() {
    let per_row_us = [(1, 308.0), (16, 102.0), (64, 58.0), (256, 47.0), (1024, 45.0)];
    let timing = |block, (rows, us): (u32, f64)| Timing {
        block,
        rows,
        seconds: us * f64::from(rows) * 1e-6 * (1.0 + 0.01 * f64::from(block)),
        enqueue_seconds: None,
    };
    let timings: Vec<Timing> =
        (0..5).flat_map(|block| per_row_us.map(|point| timing(block, point))).collect();
    let fit = Fit::of(&timings, 1).unwrap();
    assert!(fit.misfit > 0.1);
    for (rows, us) in per_row_us {
        let predicted = fit.predict(f64::from(rows)).value / f64::from(rows) * 1e6;
        assert!((predicted / us - 1.02).abs() < 1e-9, "{rows}: {predicted}");
    }
    let between = fit.predict(32.0).value / 32.0 * 1e6;
    assert!((58.0..104.1).contains(&between), "{between}");
}

#[test]
fn the_same_seed_gives_the_same_fit() {
    let timings = simulate(&LINE, 0.05, 5, 1);
    let fit = |seed| Fit::of(&timings, seed).unwrap().dispatch_seconds;
    assert_eq!(fit(1), fit(1));
    assert_ne!(fit(1), fit(2));
}

#[test]
fn what_cannot_be_fitted_is_refused_with_the_reason() {
    let timings = simulate(&LINE, 0.05, 2, 1);
    assert_eq!(Fit::of(&timings, 1).unwrap_err(), FitError::Blocks { got: 2, expected: 3 });
    let narrow: Vec<Timing> =
        simulate(&LINE, 0.05, 4, 1).into_iter().filter(|timing| timing.rows < 16).collect();
    assert_eq!(Fit::of(&narrow, 1).unwrap_err(), FitError::Batches { got: 2, expected: 3 });
    let mut broken = simulate(&LINE, 0.05, 4, 1);
    broken[3].seconds = 0.0;
    let error = Fit::of(&broken, 1).unwrap_err();
    assert_eq!(error, FitError::Timing { block: 0, rows: 64, seconds: 0.0 });
    assert_eq!(error.to_string(), "block 0 times a call of 64 rows at 0 s, which cannot be");
}
