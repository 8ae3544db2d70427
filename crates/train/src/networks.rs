//! The networks of a run: learners, the weights in force, and the archive of past ones.
//!
//! Not here: what they are fitted to, and when.

use std::sync::Arc;

use deepcfr_cfr::reservoir::Memories;
use deepcfr_core::{
    FitContext, FitReport, LearnError, Learner, ModelFactory, NUM_PLAYERS, NetId, SampleShape, SampleSource,
    Weights,
};
use deepcfr_nn::{
    BurnFactory, Initialisation, LearnerConfig, Loss, MlpLearner, NativeFactory, OptimizerKind, Placement,
    StepRule, Weighting,
};

use crate::archive::Archive;
use crate::config::{self, RunConfig};

/// Networks that a model holds for a run: both players' advantages and the average strategy.
pub(crate) const NUM_NETS: usize = NUM_PLAYERS + 1;

/// The learners and what they have learnt.
pub(crate) struct Networks {
    /// By [`NetId::index`]: advantages of players 0 and 1, average strategy.
    pub(crate) learners: [Box<dyn Learner>; NUM_NETS],
    /// The weights in force, by the same index.
    pub(crate) weights: [Option<Arc<Weights>>; NUM_NETS],
    /// Past advantage networks.
    pub(crate) archive: Archive,
}

/// Which networks to fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Due {
    pub(crate) advantage: bool,
    pub(crate) strategy: bool,
}

/// What a round of fits did, by network.
pub(crate) type Reports = [Option<FitReport>; NUM_NETS];

impl Networks {
    pub(crate) fn new(config: &RunConfig, shape: SampleShape, threads: usize) -> Result<Self, LearnError> {
        let learner = |net: usize| -> Result<Box<dyn Learner>, LearnError> {
            let learner = learner_config(config, shape, net, threads);
            Ok(Box::new(MlpLearner::placed(learner, config.training_placement())?))
        };
        Ok(Self {
            learners: [learner(0)?, learner(1)?, learner(2)?],
            weights: [None, None, None],
            archive: Archive::new(config.average.archive_capacity),
        })
    }

    /// Fits the networks that are due, side by side, and puts their weights in force. A network
    /// whose memory is still empty keeps its weights.
    pub(crate) fn fit(
        &mut self,
        memories: &Memories,
        due: Due,
        context: FitContext,
    ) -> Result<Reports, LearnError> {
        let sources = [&memories.advantage[0], &memories.advantage[1], &memories.strategy];
        let wanted = [due.advantage, due.advantage, due.strategy];
        let fitted = std::thread::scope(|scope| {
            let fits: Vec<_> = (self.learners.iter_mut().zip(sources).zip(wanted))
                .map(|((learner, source), wanted)| {
                    (wanted && !source.is_empty()).then(|| scope.spawn(move || learner.fit(source, context)))
                })
                .collect();
            fits.into_iter()
                .map(|fit| fit.map(|fit| fit.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))))
                .collect::<Vec<_>>()
        });
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
    pub(crate) fn advantage(&self) -> Option<[Arc<Weights>; NUM_PLAYERS]> {
        Some([self.weights[0].clone()?, self.weights[1].clone()?])
    }
}

/// The inference engine that the configuration names, for `num_nets` networks, where traversals are
/// answered.
pub(crate) fn factory(config: &RunConfig, shape: SampleShape, num_nets: usize) -> Box<dyn ModelFactory> {
    placed_factory(config, config.inference_placement(), shape, num_nets)
}

/// The same where evaluation is answered.
pub(crate) fn evaluation_factory(
    config: &RunConfig,
    shape: SampleShape,
    num_nets: usize,
) -> Box<dyn ModelFactory> {
    placed_factory(config, config.evaluation_placement(), shape, num_nets)
}

fn placed_factory(
    config: &RunConfig,
    placement: Placement,
    shape: SampleShape,
    num_nets: usize,
) -> Box<dyn ModelFactory> {
    let network = &config.network;
    match config.inference.engine {
        config::Engine::Burn => {
            let factory = BurnFactory::new(shape.num_features, shape.num_actions, num_nets);
            let factory = factory.placed(placement).batches(config.traversal.max_batch);
            let activation = activation(network.activation);
            Box::new(factory.warmed_up_for(network.hidden_size, network.num_layers, activation))
        }
        engine => factory_of(engine, shape, num_nets),
    }
}

/// Any engine, on the processor.
pub(crate) fn factory_of(
    engine: config::Engine,
    shape: SampleShape,
    num_nets: usize,
) -> Box<dyn ModelFactory> {
    match engine {
        config::Engine::Native => {
            Box::new(NativeFactory::new(shape.num_features, shape.num_actions, num_nets))
        }
        config::Engine::Burn => Box::new(BurnFactory::new(shape.num_features, shape.num_actions, num_nets)),
    }
}

fn activation(word: config::Activation) -> deepcfr_core::Activation {
    match word {
        config::Activation::Relu => deepcfr_core::Activation::Relu,
        config::Activation::Gelu => deepcfr_core::Activation::Gelu,
    }
}

/// How network `net` is fitted.
pub(crate) fn learner_config(
    config: &RunConfig,
    shape: SampleShape,
    net: usize,
    threads: usize,
) -> LearnerConfig {
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
        weighting: match training.weighting {
            config::Weighting::Linear => Weighting::Linear,
            config::Weighting::None => Weighting::Uniform,
        },
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
        threads: (threads / NUM_PLAYERS).max(1),
    }
}
