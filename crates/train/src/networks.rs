//! The networks of a run: learners, the weights in force, and the archive of past ones.
//!
//! Not here: what they are fitted to, and when.

use std::sync::Arc;

use deepcfr_cfr::memory::Memories;
use deepcfr_config::{self as config, InferenceSection, RunConfig};
use deepcfr_core::{
    FitContext, FitReport, LearnError, Learner, ModelFactory, NUM_PLAYERS, NetId, SampleShape, SampleSource,
    Weights,
};
use deepcfr_nn::{
    BurnFactory, Initialisation, LearnerConfig, Loss, MlpLearner, NativeFactory, OptimizerKind, Placement,
    StepRule,
};
use deepcfr_onnx::{OnnxFactory, Provider, Runtime};

pub use crate::nets::NUM_NETS;
pub use crate::words::{activation, weighting};

use crate::archive::Archive;
use crate::error::TrainError;

/// The learners and what they have learnt.
pub struct Networks {
    /// By [`NetId::index`]: advantages of players 0 and 1, average strategy.
    pub learners: [Box<dyn Learner>; NUM_NETS],
    /// The weights in force, by the same index.
    pub weights: [Option<Arc<Weights>>; NUM_NETS],
    /// Past advantage networks.
    pub archive: Archive,
    /// Threads that fits may use.
    threads: usize,
}

/// Which networks to fit, by [`NetId::index`].
pub type Due = [bool; NUM_NETS];

/// What a round of fits did, by network.
pub type Reports = [Option<FitReport>; NUM_NETS];

impl Networks {
    /// Learners before their first fit.
    ///
    /// # Errors
    /// If a device cannot be used.
    pub fn new(config: &RunConfig, shape: SampleShape, threads: usize) -> Result<Self, LearnError> {
        let learner = |net: usize| -> Result<Box<dyn Learner>, LearnError> {
            let learner = learner_config(config, shape, net, threads);
            Ok(Box::new(MlpLearner::placed(learner, config.training_placement())?))
        };
        Ok(Self {
            learners: [learner(0)?, learner(1)?, learner(2)?],
            weights: [None, None, None],
            archive: Archive::new(config.average.archive_capacity),
            threads,
        })
    }

    /// Fits the networks that are due and puts their weights in force: side by side, or on one thread one
    /// after the other. A network whose memory is still empty keeps its weights.
    ///
    /// Three fits on two threads share them by turns of the operating system, which leaves no thread
    /// idle while the last one ends.
    pub fn fit(&mut self, memories: &Memories, due: Due, context: FitContext) -> Result<Reports, LearnError> {
        let sources = [&memories.advantage[0], &memories.advantage[1], &memories.strategy];
        let fits = self.learners.iter_mut().zip(sources).zip(due);
        let fits = fits.map(|((learner, source), wanted)| {
            (wanted && !source.is_empty()).then_some(move || learner.fit(source, context))
        });
        let fitted = if self.threads == 1 {
            fits.map(|fit| fit.map(|mut fit| fit())).collect()
        } else {
            side_by_side(fits)
        };
        let mut reports: Reports = [None, None, None];
        for (net, outcome) in fitted.into_iter().enumerate() {
            if let Some(outcome) = outcome {
                let (weights, report) = outcome?;
                self.weights[net] = Some(weights);
                reports[net] = Some(report);
            }
        }
        Ok(reports)
    }

    /// Both players' advantage networks, once there are any.
    pub fn advantage(&self) -> Option<[Arc<Weights>; NUM_PLAYERS]> {
        Some([self.weights[0].clone()?, self.weights[1].clone()?])
    }
}

/// What each fit returns, run on a thread each.
fn side_by_side<T: Send>(fits: impl Iterator<Item = Option<impl FnOnce() -> T + Send>>) -> Vec<Option<T>> {
    std::thread::scope(|scope| {
        let running: Vec<_> = fits.map(|fit| fit.map(|fit| scope.spawn(fit))).collect();
        let join = |fit: std::thread::ScopedJoinHandle<'_, T>| {
            fit.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        };
        running.into_iter().map(|fit| fit.map(join)).collect()
    })
}

/// An engine at each of some places, at least one.
pub type Factories = Vec<Box<dyn ModelFactory>>;

/// The inference engine that the configuration names, for `num_nets` networks, where traversals are
/// answered.
///
/// # Errors
/// If it cannot be used on this machine.
pub fn factory(
    config: &RunConfig,
    shape: SampleShape,
    num_nets: usize,
) -> Result<Box<dyn ModelFactory>, TrainError> {
    placed_factory(config, config.inference_placement(), shape, num_nets)
}

/// The same at every place where traversals are answered: several where the server has a list of devices.
///
/// # Errors
/// If one of them cannot be used on this machine.
pub fn factories(config: &RunConfig, shape: SampleShape, num_nets: usize) -> Result<Factories, TrainError> {
    placed_factories(config, config.inference_placements(), shape, num_nets)
}

/// The engine where evaluation is answered.
///
/// # Errors
/// If it cannot be used on this machine.
pub fn evaluation_factory(
    config: &RunConfig,
    shape: SampleShape,
    num_nets: usize,
) -> Result<Box<dyn ModelFactory>, TrainError> {
    placed_factory(config, config.evaluation_placement(), shape, num_nets)
}

/// The same at every place where evaluation is answered.
///
/// # Errors
/// If one of them cannot be used on this machine.
pub fn evaluation_factories(
    config: &RunConfig,
    shape: SampleShape,
    num_nets: usize,
) -> Result<Factories, TrainError> {
    placed_factories(config, config.evaluation_placements(), shape, num_nets)
}

fn placed_factories(
    config: &RunConfig,
    placements: Vec<Placement>,
    shape: SampleShape,
    num_nets: usize,
) -> Result<Factories, TrainError> {
    let factory = |placement| placed_factory(config, placement, shape, num_nets);
    placements.into_iter().map(factory).collect()
}

fn placed_factory(
    config: &RunConfig,
    placement: Placement,
    shape: SampleShape,
    num_nets: usize,
) -> Result<Box<dyn ModelFactory>, TrainError> {
    let network = &config.network;
    match config.inference.engine {
        config::Engine::Burn => {
            let factory = BurnFactory::new(shape.num_features, shape.num_actions, num_nets);
            let factory = factory.placed(placement).batches(config.traversal.max_batch);
            let activation = activation(network.activation);
            Ok(Box::new(factory.warmed_up_for(network.hidden_size, network.num_layers, activation)))
        }
        engine => factory_of(engine, &config.inference, shape, num_nets),
    }
}

/// Any engine; burn's and the native one on the processor, ONNX Runtime where `inference` says.
pub fn factory_of(
    engine: config::Engine,
    inference: &InferenceSection,
    shape: SampleShape,
    num_nets: usize,
) -> Result<Box<dyn ModelFactory>, TrainError> {
    let SampleShape { num_features, num_actions } = shape;
    Ok(match engine {
        config::Engine::Native => Box::new(NativeFactory::new(num_features, num_actions, num_nets)),
        config::Engine::Burn => Box::new(BurnFactory::new(num_features, num_actions, num_nets)),
        config::Engine::OnnxRuntime => {
            let library = &inference.onnxruntime_library;
            let library = (!library.as_os_str().is_empty()).then_some(library.as_path());
            let provider = match inference.provider {
                config::Provider::Cpu => Provider::Cpu,
                config::Provider::Cuda => Provider::Cuda,
                config::Provider::TensorRt => Provider::TensorRt,
            };
            let sizes = [num_features, num_actions, num_nets];
            Box::new(OnnxFactory::new(Runtime::load(library)?, provider, sizes)?)
        }
    })
}

/// The engines that can be used on this machine as `config` says; `say` hears why the others cannot.
pub fn usable_engines(config: &RunConfig, say: &mut dyn FnMut(&str)) -> Vec<config::Engine> {
    let shape = SampleShape { num_features: 1, num_actions: 1 };
    let mut usable = |engine: config::Engine| match factory_of(engine, &config.inference, shape, 1) {
        Ok(_) => true,
        Err(error) => {
            say(&format!("not timed: {error}"));
            false
        }
    };
    config::Engine::ALL.iter().copied().filter(|&engine| usable(engine)).collect()
}

/// How network `net` is fitted.
pub fn learner_config(config: &RunConfig, shape: SampleShape, net: usize, threads: usize) -> LearnerConfig {
    let training = &config.training;
    let net = NetId(net as u16);
    let is_strategy = net == NetId::STRATEGY;
    let max = if is_strategy { training.strategy_steps } else { training.advantage_steps };
    LearnerConfig {
        net,
        shape,
        hidden_size: config.network.hidden_size,
        num_layers: config.network.num_layers,
        activation: activation(config.network.activation),
        loss: match (is_strategy, training.strategy_loss) {
            (false, _) => Loss::AdvantageMse,
            (true, config::StrategyLoss::CrossEntropy) => Loss::StrategyCrossEntropy,
            (true, config::StrategyLoss::SquaredError) => Loss::StrategyMse,
        },
        weighting: weighting(config),
        optimizer: match training.optimizer {
            config::Optimizer::Adam => OptimizerKind::Adam,
            config::Optimizer::AdamW => OptimizerKind::AdamW { weight_decay: training.weight_decay as f32 },
        },
        learning_rate: training.learning_rate,
        final_learning_rate: training.final_learning_rate_fraction,
        gradient_clip: training.gradient_clip.map(|clip| clip as f32),
        batch_size: training.batch_size,
        steps: match training.steps {
            config::Steps::Fixed => StepRule::Fixed(max),
            config::Steps::Scaled => {
                StepRule::Scaled { passes: training.passes, min: training.min_steps, max }
            }
        },
        initialisation: match training.initialisation {
            config::Initialisation::Reinitialise => Initialisation::Reinitialise,
            config::Initialisation::WarmStart => Initialisation::WarmStart,
        },
        merge_duplicates: training.merge_duplicates,
        threads: match config.training.updates {
            config::Updates::Together => (threads / NUM_PLAYERS).max(1),
            // One fit at a time, but for the policy network's, which is beside another.
            config::Updates::InTurn if is_strategy => (threads / 2).max(1),
            config::Updates::InTurn => threads,
        },
        assemble_ahead: threads > 1,
    }
}

#[cfg(test)]
mod tests {
    use deepcfr_cfr::memory::Reservoir;
    use deepcfr_core::{ActionSet, Purpose, SampleMeta, Stream};
    use deepcfr_nn::encode_weights;

    use super::*;
    use crate::testing::resolve;

    const SHAPE: SampleShape = SampleShape { num_features: 365, num_actions: 22 };

    /// Samples in plain arrays, in the order in which they were offered.
    struct Plain(Vec<(SampleMeta, Vec<f32>, Vec<f32>)>);

    impl SampleSource for Plain {
        fn shape(&self) -> SampleShape {
            SHAPE
        }

        fn len(&self) -> usize {
            self.0.len()
        }

        fn read(&self, index: usize, features: &mut [f32], targets: &mut [f32]) -> SampleMeta {
            let (meta, all_features, all_targets) = &self.0[index];
            features.copy_from_slice(all_features);
            targets.copy_from_slice(all_targets);
            *meta
        }
    }

    fn sample(ordinal: u32) -> (SampleMeta, Vec<f32>, Vec<f32>) {
        let mut stream = Stream::new(4, Purpose::Test, 0, 0, ordinal);
        let mut feature = || match stream.below(10) {
            0 => stream.uniform() as f32,
            1..4 => stream.below(40) as f32 / 8.0,
            4..6 => 1.0,
            _ => 0.0,
        };
        let features = (0..SHAPE.num_features).map(|_| feature()).collect();
        let legal = ActionSet::first(1 + stream.below(22) as usize);
        let target = |action: u16| if legal.contains(action) { stream.normal() as f32 } else { 0.0 };
        let meta = SampleMeta { legal, iteration: 1 + ordinal % 5 };
        (meta, features, (0..22).map(target).collect())
    }

    /// Packing is exact, so what is learnt from packed samples is what is learnt from plain ones, bit
    /// for bit, for every loss and however batches are assembled.
    #[test]
    fn packed_memories_teach_what_plain_ones_teach() {
        let plain = Plain((0..600).map(sample).collect());
        let mut packed = Reservoir::new(SHAPE, 1000, 1, 0);
        plain.0.iter().for_each(|(meta, features, targets)| packed.offer(*meta, features, targets));
        assert!(packed.bytes_allocated() < 600 * (365 + 22) * 4, "the samples are packed");
        let sets = ["network.hidden_size=24", "training.batch_size=64", "training.advantage_steps=5"];
        let mut sets = sets.map(str::to_owned).to_vec();
        sets.extend([
            "training.strategy_steps=5".to_owned(),
            "training.strategy_loss=\"squared_error\"".to_owned(),
        ]);
        let config = resolve(None, &sets);
        for net in 0..NUM_NETS {
            let fit = |source: &dyn SampleSource, threads| {
                let mut learner =
                    MlpLearner::new(learner_config(&config, SHAPE, net, threads)).expect("starts");
                let context = FitContext { seed: 3, iteration: 5 };
                encode_weights(&learner.fit(source, context).expect("fits").0)
            };
            let expected = fit(&plain, 1);
            assert_eq!(fit(&packed, 1), expected, "network {net}");
            assert_eq!(fit(&packed, 2), expected, "network {net}");
        }
    }
}
