//! Speed of forward passes, training steps and batch assembly: `cargo bench --workspace --bench
//! networks`. One thread; a fifth of the inputs is set, as in Lost Cities by slot.
//!
//! Fractions of the machine's limits: `deepcfr bench cpu`. Not here: whether results are right.

use std::hint::black_box;
use std::sync::Arc;
use std::time::Duration;

use criterion::Criterion;
use deepcfr_benches::{Target, measure, measure_part};
use deepcfr_core::{
    ActionSet, FitContext, FitReport, Learner, ModelFactory, NetId, Purpose, SampleMeta, SampleShape,
    SampleSource, Stream, Weights,
};
use deepcfr_nn::{BurnFactory, Initialisation, LearnerConfig, MlpLearner, NativeFactory, StepRule};

const SHAPE: SampleShape = SampleShape { num_features: 365, num_actions: 22 };
const ROWS: usize = 1024;
/// Steps of a timed fit.
const STEPS: usize = 4;
const CONTEXT: FitContext = FitContext { seed: 1, iteration: 10 };

fn main() {
    let criterion = Criterion::default().warm_up_time(Duration::from_millis(500)).sample_size(10);
    let mut criterion = criterion.measurement_time(Duration::from_secs(2)).configure_from_args();
    let memory = Memory::new(4 * ROWS);
    for (hidden, layers) in [(512, 3), (1024, 6)] {
        let weights = learner((hidden, layers), 1, Initialisation::Reinitialise)
            .fit(&memory, CONTEXT)
            .expect("a finite loss")
            .0;
        let native = NativeFactory::new(SHAPE.num_features, SHAPE.num_actions, 1);
        let burn = BurnFactory::new(SHAPE.num_features, SHAPE.num_actions, 1);
        forwards(&mut criterion, &format!("native {hidden}x{layers}"), &native, &weights, &memory);
        forwards(&mut criterion, &format!("burn {hidden}x{layers}"), &burn, &weights, &memory);
        let label = format!("training step {hidden}x{layers}, row of {ROWS}");
        fits(&mut criterion, &label, (hidden, layers), &memory, |report| {
            report.total - report.batch_assembly
        });
    }
    // A network of one unit costs little but its batches.
    let label = format!("batch assembly, row of {ROWS}");
    fits(&mut criterion, &label, (1, 1), &memory, |report| report.batch_assembly);
    criterion.final_summary();
}

/// Rows in batches of each size.
fn forwards(
    criterion: &mut Criterion,
    name: &str,
    factory: &dyn ModelFactory,
    weights: &Arc<Weights>,
    memory: &Memory,
) {
    let mut model = factory.open().expect("the processor is there");
    model.load(NetId(0), weights).expect("the shapes fit");
    for batch in [1, 4, 16, 64, 256] {
        let mut out = vec![0.0; batch * SHAPE.num_actions];
        let rows = &memory.rows[..batch * SHAPE.num_features];
        measure(criterion, &format!("{name} forward, row of {batch}"), Target::None, |count| {
            for _ in 0..count.div_ceil(batch as u64) {
                model.forward(NetId(0), black_box(rows), &mut out).expect("the lengths fit");
                black_box(&out);
            }
        });
    }
}

/// Rows of training steps. A learner's threads and weights are there before the clock starts: it goes on from
/// fit to fit, and only what `part` tells of a fit is measured.
fn fits(
    criterion: &mut Criterion,
    name: &str,
    size: (usize, usize),
    memory: &Memory,
    part: fn(&FitReport) -> Duration,
) {
    let mut learner = learner(size, STEPS, Initialisation::WarmStart);
    measure_part(criterion, name, Target::None, |count| {
        let rows = (STEPS * ROWS) as u64;
        let fits = count.div_ceil(rows);
        let fit = |_| part(&learner.fit(memory, CONTEXT).expect("a finite loss").1);
        let took: Duration = (0..fits).map(fit).sum();
        // Criterion counts rows; a fit is whole.
        took.mul_f64(count as f64 / (fits * rows) as f64)
    });
}

fn learner(
    (hidden_size, num_layers): (usize, usize),
    steps: usize,
    initialisation: Initialisation,
) -> MlpLearner {
    let plain = LearnerConfig::plain(SHAPE, hidden_size, num_layers);
    MlpLearner::new(LearnerConfig {
        batch_size: ROWS,
        steps: StepRule::Fixed(steps),
        initialisation,
        ..plain
    })
    .expect("a thread can be started")
}

/// Samples whose rows have a fifth of their numbers set; all actions legal.
struct Memory {
    rows: Vec<f32>,
}

impl Memory {
    fn new(samples: usize) -> Self {
        let mut stream = Stream::new(2, Purpose::Test, 0, 0, 0);
        let mut value = || if stream.uniform() < 0.2 { stream.uniform() as f32 } else { 0.0 };
        Self { rows: (0..samples * SHAPE.num_features).map(|_| value()).collect() }
    }
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
        targets.fill((index % 7) as f32);
        SampleMeta { legal: ActionSet::first(targets.len()), iteration: 1 + index as u32 % 10 }
    }
}
