//! What holds on every device: the same outputs and fits as on the processor, whatever the batch, and
//! the batching server on top.
//!
//! The device is the one that `DEEPCFR_TEST_DEVICE` names, the processor without it; a device that is
//! not there fails. `cargo xtask soft-gpu` runs this file on a software GPU. Not here: speed.

mod support;

use std::sync::Arc;
use std::thread;

use deepcfr_core::{
    Activation, Evaluator, FitContext, InfosetKey, Learner, Model, ModelError, ModelFactory, NetId, Query,
    Weights,
};
use deepcfr_nn::{
    BurnFactory, DeviceName, Initialisation, LearnerConfig, Loss, MlpLearner, NativeFactory, OptimizerKind,
    Placement, Precision, StepRule, check_device, warm_up_so_far,
};
use deepcfr_serve::{Client, Server, ServerConfig};
use support::{mlp, noisy_memory, random_mlp, small_config, sparse_rows};

/// Of the largest output or parameter: 32-bit sums in another order, of a few hundred products.
const OUTPUTS: f64 = 1e-4;
const LOSSES: f64 = 1e-3;

const CONTEXT: FitContext = FitContext { seed: 11, iteration: 10 };

fn device() -> DeviceName {
    match std::env::var("DEEPCFR_TEST_DEVICE") {
        Ok(name) => name.parse().expect("DEEPCFR_TEST_DEVICE names a device"),
        Err(_) => DeviceName::Cpu,
    }
}

fn placed(precision: Precision) -> Placement {
    Placement { device: device(), precision }
}

fn forward(model: &mut dyn Model, net: NetId, rows: &[f32]) -> Vec<f32> {
    let spec = model.spec();
    let mut out = vec![f32::NAN; rows.len() / spec.num_features * spec.num_outputs];
    model.forward(net, rows, &mut out).expect("runs");
    out
}

/// The largest distance over the largest value expected.
fn distance(expected: &[f32], got: &[f32]) -> f64 {
    assert_eq!(expected.len(), got.len());
    let most = expected.iter().fold(0.0, |most: f64, value| most.max(f64::from(value.abs())));
    let apart = expected.iter().zip(got).map(|(a, b)| f64::from((a - b).abs()));
    // NaN must not vanish in a maximum.
    apart.fold(0.0, |far: f64, apart| if apart <= far { far } else { apart }) / most
}

#[test]
fn outputs_are_those_of_the_native_engine_whatever_the_batch() {
    for (widths, activation) in [
        (&[31, 32, 32, 3][..], Activation::Relu),
        (&[365, 128, 128, 22], Activation::Relu),
        (&[36, 64, 3], Activation::Gelu),
    ] {
        let (features, outputs) = (widths[0], widths[widths.len() - 1]);
        let nets = [5.0, 0.25].map(|scale| Arc::new(Weights::Mlp(random_mlp(widths, activation, scale))));
        let factory = BurnFactory::new(features, outputs, 2).placed(placed(Precision::F32)).batches(64);
        let mut native = NativeFactory::new(features, outputs, 2).open().expect("opens");
        let mut model = factory.warmed_up_for(widths[1], widths.len() - 2, activation).open().expect("opens");
        for (net, weights) in nets.iter().enumerate() {
            native.load(NetId(net as u16), weights).expect("loads");
            model.load(NetId(net as u16), weights).expect("loads");
        }
        // Alone, within a class, exactly a class, several calls and a rest.
        for count in [1, 2, 8, 13, 64, 150] {
            for net in [NetId(0), NetId(1)] {
                let rows = sparse_rows(count, features);
                let expected = forward(&mut *native, net, &rows);
                let apart = distance(&expected, &forward(&mut *model, net, &rows));
                assert!(apart <= OUTPUTS, "{widths:?}, {count} rows, {net:?}: {apart}");
            }
        }
        assert!(model.forward(NetId(0), &[], &mut []).is_ok());
    }
}

#[test]
fn new_weights_replace_the_old_ones() {
    let factory = BurnFactory::new(10, 2, 1).placed(placed(Precision::F32));
    let (mut one, mut two) = (factory.open().expect("opens"), factory.open().expect("opens"));
    let rows = sparse_rows(5, 10);
    let weights = |scale| Arc::new(Weights::Mlp(random_mlp(&[10, 16, 2], Activation::Relu, scale)));
    one.load(NetId(0), &weights(1.0)).expect("loads");
    two.load(NetId(0), &weights(1.0)).expect("loads");
    let before = forward(&mut *one, NetId(0), &rows);
    two.load(NetId(0), &weights(3.0)).expect("loads");
    assert_eq!(before, forward(&mut *one, NetId(0), &rows));
    let tripled: Vec<f32> = before.iter().map(|value| value * 3.0).collect();
    assert!(distance(&tripled, &forward(&mut *two, NetId(0), &rows)) < 1e-6);
}

#[test]
fn an_accelerator_is_warmed_up_once_for_every_class() {
    let factory = BurnFactory::new(12, 3, 1).placed(placed(Precision::F32)).batches(32);
    assert_eq!(factory.batch_classes(), [1, 8, 16, 32]);
    let factory = factory.warmed_up_for(24, 1, Activation::Relu);
    // Other tests of this process warm up too: only this shape's classes are waited for.
    let before = warm_up_so_far();
    factory.open().expect("opens");
    let first = warm_up_so_far();
    if device().is_cpu() {
        assert_eq!(first.classes, before.classes);
    } else {
        assert!(first.classes >= before.classes + 4 && first.time > before.time, "{first:?}");
    }
}

fn config(steps: usize) -> LearnerConfig {
    LearnerConfig { steps: StepRule::Fixed(steps), ..small_config(noisy_memory(1, 1).shape) }
}

#[test]
fn fifty_training_steps_lose_what_they_lose_on_the_processor() {
    let memory = noisy_memory(600, 40);
    for (loss, optimizer, merge_duplicates) in [
        (Loss::AdvantageMse, OptimizerKind::Adam, false),
        (Loss::AdvantageMse, OptimizerKind::AdamW { weight_decay: 0.01 }, true),
        (Loss::StrategyCrossEntropy, OptimizerKind::Adam, false),
    ] {
        // The loss that a fit reports is that of its last tenth: fits of 1 to 50 steps give the curve.
        for steps in [1, 2, 5, 10, 20, 35, 50] {
            let config = LearnerConfig { loss, optimizer, merge_duplicates, ..config(steps) };
            let fit = |placement| {
                let mut learner = MlpLearner::placed(config.clone(), placement).expect("starts");
                learner.fit(&memory, CONTEXT).expect("fits")
            };
            let (expected, got) = (fit(Placement::default()), fit(placed(Precision::F32)));
            let (expected_loss, loss_here) = (expected.1.loss, got.1.loss);
            let apart = ((loss_here - expected_loss) / expected_loss).abs();
            assert!(apart <= LOSSES, "{loss:?}, {steps} steps: {loss_here}, {expected_loss}");
            assert!((got.1.grad_norm / expected.1.grad_norm - 1.0).abs() <= LOSSES, "{got:?}");
            for (here, there) in mlp(&got.0).layers.iter().zip(&mlp(&expected.0).layers) {
                let apart = distance(&there.weight, &here.weight);
                assert!(apart <= LOSSES, "{loss:?}, {steps} steps: weights {apart} apart");
            }
        }
    }
}

#[test]
fn a_fit_goes_on_where_another_device_stopped() {
    let memory = noisy_memory(500, 50);
    let config = LearnerConfig { initialisation: Initialisation::WarmStart, ..config(20) };
    let here = placed(Precision::F32);
    for (first, second) in [(Placement::default(), here), (here, Placement::default())] {
        let mut whole = MlpLearner::new(config.clone()).expect("starts");
        whole.fit(&memory, CONTEXT).expect("fits");
        let mut begun = MlpLearner::placed(config.clone(), first).expect("starts");
        begun.fit(&memory, CONTEXT).expect("fits");
        let mut resumed = MlpLearner::placed(config.clone(), second).expect("starts");
        resumed.restore(&begun.save().expect("saves")).expect("restores");
        let next = FitContext { iteration: 11, ..CONTEXT };
        let (expected, got) =
            (whole.fit(&memory, next).expect("fits"), resumed.fit(&memory, next).expect("fits"));
        assert!((got.1.loss / expected.1.loss - 1.0).abs() <= LOSSES, "{} {}", got.1.loss, expected.1.loss);
    }
}

/// Types with 8 and 11 significant bits: their outputs differ by about a unit in the last.
#[test]
fn lower_precisions_run_where_the_device_has_them() {
    let widths = [31, 32, 32, 3];
    let weights = Arc::new(Weights::Mlp(random_mlp(&widths, Activation::Relu, 1.0)));
    let rows = sparse_rows(40, 31);
    let with = |placement| {
        let mut model = BurnFactory::new(31, 3, 1).placed(placement).open()?;
        model.load(NetId(0), &weights)?;
        Ok::<_, ModelError>(forward(&mut *model, NetId(0), &rows))
    };
    let exact = with(Placement::default()).expect("runs");
    for (precision, most) in [(Precision::Bf16, 4.0 / 256.0), (Precision::F16, 4.0 / 2048.0)] {
        if check_device(placed(precision)).is_err() {
            println!("{} does not compute in {}: skipped", device(), precision.word());
            continue;
        }
        let apart = distance(&exact, &with(placed(precision)).expect("runs"));
        assert!(apart > 1e-5 && apart < most, "{precision:?}: {apart}");
    }
}

/// One row, all its features equal.
struct Row(f32);

impl Query for Row {
    fn key(&self) -> InfosetKey {
        InfosetKey(0)
    }

    fn encode(&self, row: &mut [f32]) {
        row.fill(self.0);
    }
}

/// What a worker was answered: network, input, outputs.
type Answer = (NetId, f32, Vec<f32>);

const ROUNDS: usize = 20;

/// Sweeps of every size up to 12, so that batches of many sizes meet.
fn lanes(worker: usize, round: usize) -> usize {
    1 + (round * 5 + worker) % 12
}

fn ask(worker: usize, mut client: Client) -> Vec<Answer> {
    let mut answers = Vec::new();
    for round in 0..ROUNDS {
        let value = |lane: usize| ((worker * 31 + round * 7 + lane) % 17) as f32 / 4.0 - 2.0;
        let net = |lane: usize| NetId(((lane + round) % 2) as u16);
        for lane in 0..lanes(worker, round) {
            client.submit(lane, net(lane), &Row(value(lane))).expect("takes rows");
        }
        client.flush().expect("goes out");
        client.wait().expect("is answered");
        while let Some(lane) = client.next_ready() {
            answers.push((net(lane), value(lane), client.output(lane).to_vec()));
        }
    }
    answers
}

#[test]
fn the_batching_server_answers_every_row_with_its_own_outputs() {
    const WORKERS: usize = 3;
    let nets =
        [1.0, -2.0].map(|scale| Arc::new(Weights::Mlp(random_mlp(&[8, 32, 4], Activation::Relu, scale))));
    let mut native = NativeFactory::new(8, 4, 2).open().expect("opens");
    for (net, weights) in nets.iter().enumerate() {
        native.load(NetId(net as u16), weights).expect("loads");
    }
    let factory = BurnFactory::new(8, 4, 2).placed(placed(Precision::F32)).batches(32);
    let factory = factory.warmed_up_for(32, 1, Activation::Relu);
    let config = ServerConfig { max_batch: 32, ..ServerConfig::default() };
    let server = Server::start(&[&factory], config).expect("starts");
    let published: Vec<_> = (0..2).map(|net| (NetId(net as u16), nets[net].clone())).collect();
    server.publish(1, &published).expect("takes weights");
    let clients: Vec<Client> = (0..WORKERS).map(|_| server.client(1).expect("has room")).collect();
    let answers: Vec<Answer> = thread::scope(|scope| {
        let workers = clients.into_iter().enumerate();
        let asked: Vec<_> =
            workers.map(|(worker, client)| scope.spawn(move || ask(worker, client))).collect();
        asked.into_iter().flat_map(|asked| asked.join().expect("every row is answered")).collect()
    });
    let sweeps = (0..WORKERS).flat_map(|worker| (0..ROUNDS).map(move |round| lanes(worker, round)));
    assert_eq!(answers.len(), sweeps.sum::<usize>());
    for (net, value, answer) in answers {
        let apart = distance(&forward(&mut *native, net, &[value; 8]), &answer);
        assert!(apart <= OUTPUTS, "{net:?}, {value}: {apart}");
    }
}
