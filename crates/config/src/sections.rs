//! The sections of a config file, as plain data with one type for each key.
//!
//! Not here: what the keys mean to a user (`configs/default.toml` is the manual), which values are
//! allowed (see `validate`), and the game's keys (see `game`).

use std::path::PathBuf;

use deepcfr_core::DeviceName;
use serde::{Deserialize, Serialize};

use super::words::{
    Activation, AllNegative, Baseline, Continuation, Engine, EvaluatedPolicy, Initialisation, MemoryKind,
    NashConv, Optimizer, Precision, Provider, Sampling, Scheduler, Steps, StrategyLoss, Updates, Weighting,
};
use super::{device, zero};

/// `[run]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunSection {
    /// Seed of every random draw.
    pub seed: u64,
    /// Iterations to train.
    pub iterations: u32,
    /// Threads for training and evaluation; `None` for one a core.
    #[serde(with = "zero")]
    pub threads: Option<usize>,
    /// Device that networks are trained on.
    #[serde(with = "device")]
    pub device: DeviceName,
    /// Folder that run folders are created in.
    pub folder: PathBuf,
    /// Short name, part of the run folder's; never empty once validated.
    pub name: String,
}

/// `[network]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NetworkSection {
    /// Neurons in a hidden layer.
    pub hidden_size: usize,
    /// Hidden layers.
    pub num_layers: usize,
    /// Non-linearity after a hidden layer.
    pub activation: Activation,
}

/// `[traversal]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TraversalSection {
    /// The sampling scheme.
    pub sampling: Sampling,
    /// Traversals for each player in an iteration.
    pub traversals_per_player: u32,
    /// Uniform share of the sampling policy of outcome and rollout sampling.
    pub epsilon: f64,
    /// Whose later decisions outcome sampling's values assume.
    pub continuation: Continuation,
    /// What outcome sampling compares sampled values with.
    pub baseline: Baseline,
    /// Who plays out the games of rollout sampling; valid for the game once validated.
    pub rollout_policy: String,
    /// Games for each action of rollout sampling.
    pub rollouts: u32,
    /// How lanes and networks are brought together.
    pub scheduler: Scheduler,
    /// Worker threads; `None` for the number of threads.
    #[serde(with = "zero")]
    pub workers: Option<usize>,
    /// Lanes a worker; `None` for the scheduler's own choice.
    #[serde(with = "zero")]
    pub lanes: Option<usize>,
    /// Most rows in one call of a network.
    pub max_batch: usize,
    /// Nodes after which a traversal is cut off.
    #[serde(with = "zero")]
    pub max_nodes_per_traversal: Option<u64>,
    /// Nodes after which an iteration starts no further traversal.
    #[serde(with = "zero")]
    pub max_nodes_per_iteration: Option<u64>,
    /// Most infosets of a game whose strategy is tabulated; `None` for never.
    #[serde(with = "zero")]
    pub tabulate_below: Option<u64>,
    /// Bound on the size of a sampled value, in points.
    #[serde(with = "zero")]
    pub value_clip: Option<f64>,
}

/// `[server]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ServerSection {
    /// Longest wait for more rows, in microseconds.
    pub batch_window_us: u64,
    /// Rows from which an idle device is given a batch.
    pub min_batch: usize,
    /// Devices that serve batches, each entry with models of its own; empty for the one of traversals.
    #[serde(with = "device::list")]
    pub devices: Vec<DeviceName>,
    /// Threads of each device; `None` to share out the run's own.
    #[serde(with = "zero")]
    pub server_threads: Option<usize>,
}

/// `[regret_matching]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RegretMatchingSection {
    /// What to play when no advantage is positive.
    pub all_negative: AllNegative,
}

/// `[memory]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MemorySection {
    /// What the memories keep.
    pub kind: MemoryKind,
    /// Samples kept for each player's advantages, or distinct rows.
    pub advantage_capacity: usize,
    /// Samples kept for the average strategy, or distinct rows.
    pub strategy_capacity: usize,
}

/// `[training]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrainingSection {
    /// Whether players are updated one after the other.
    pub updates: Updates,
    /// Weight of a sample by its iteration.
    pub weighting: Weighting,
    /// What an advantage fit starts from.
    pub initialisation: Initialisation,
    /// The optimiser.
    pub optimizer: Optimizer,
    /// Learning rate at the first step of a fit.
    pub learning_rate: f64,
    /// Learning rate at the last step over that at the first.
    pub final_learning_rate_fraction: f64,
    /// Decoupled weight decay.
    pub weight_decay: f64,
    /// Longest gradient (L2).
    #[serde(with = "zero")]
    pub gradient_clip: Option<f64>,
    /// Samples in a training batch.
    pub batch_size: usize,
    /// Steps of an advantage fit, the most where steps are scaled.
    pub advantage_steps: usize,
    /// Steps of a policy-network fit, the most where steps are scaled.
    pub strategy_steps: usize,
    /// Whether the number of steps follows the memory.
    pub steps: Steps,
    /// Mean number of times that a scaled fit sees each sample.
    pub passes: f64,
    /// Fewest steps of a scaled fit.
    pub min_steps: usize,
    /// Whether samples with equal features become one row.
    pub merge_duplicates: bool,
    /// Loss of the policy network.
    pub strategy_loss: StrategyLoss,
    /// Type of the factors of matrix products while fitting.
    pub precision: Precision,
}

/// `[average]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AverageSection {
    /// Whether a policy network is fitted.
    pub policy_network: bool,
    /// Whether advantage networks are archived for SD-CFR.
    pub sd_cfr: bool,
    /// Advantage networks kept for each player.
    pub archive_capacity: usize,
}

/// `[inference]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InferenceSection {
    /// What computes forward passes.
    pub engine: Engine,
    /// Where ONNX Runtime computes.
    pub provider: Provider,
    /// ONNX Runtime's library or its folder; empty for what the environment names.
    pub onnxruntime_library: PathBuf,
    /// Device that networks answer traversals on; `None` follows the engine and `run.device`.
    #[serde(with = "device::or_empty")]
    pub device: Option<DeviceName>,
    /// Type of the factors of matrix products in forward passes.
    pub precision: Precision,
}

/// `[evaluation]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EvaluationSection {
    /// Iterations between evaluations.
    pub every: u32,
    /// Device that networks answer evaluation on; `None` for that of traversals.
    #[serde(with = "device::or_empty")]
    pub device: Option<DeviceName>,
    /// Whether NashConv is computed.
    pub nash_conv: NashConv,
    /// Whether a tabular curve stands beside NashConv.
    pub tabular_baseline: bool,
    /// Deals of a match, each played twice; 0 for no matches.
    pub deals: u32,
    /// Names of rule-based opponents, valid for the game once validated.
    pub opponents: Vec<String>,
    /// Iterations between evaluations by the extended set, a multiple of `every`; `None` for never.
    #[serde(with = "zero")]
    pub extended_every: Option<u32>,
    /// Deals of a match of the extended set.
    pub extended_deals: u32,
    /// Opponents of the extended set.
    pub extended_opponents: Vec<String>,
    /// Strategies to evaluate.
    pub policies: Vec<EvaluatedPolicy>,
}

/// `[checkpoint]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CheckpointSection {
    /// Iterations between checkpoints.
    pub every: u32,
    /// Iterations between checkpoints that stay for good; `None` for none but the newest.
    #[serde(with = "zero")]
    pub keep: Option<u32>,
}
