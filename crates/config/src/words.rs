//! The choices that sections offer, one word each in a config file.
//!
//! Not here: a game's own choices, which stand with its keys.

use super::choice::choices;

choices! {
    /// The non-linearity after a hidden layer.
    Activation {
        /// `max(x, 0)`.
        Relu = "relu",
        /// `x·Φ(x)`.
        Gelu = "gelu",
    }
}

choices! {
    /// How a traversal samples the tree.
    Sampling {
        /// Every action of the traverser, one of everybody else.
        External = "external",
        /// One path.
        Outcome = "outcome",
        /// One path, every action of the traverser on it played out by a fixed policy.
        Rollout = "rollout",
    }
}

choices! {
    /// Whose later decisions outcome sampling's values assume.
    Continuation {
        /// The strategy's.
        Strategy = "strategy",
        /// Those of the sampling policy.
        Sampling = "sampling",
    }
}

choices! {
    /// What outcome sampling compares sampled values with.
    Baseline {
        /// Nothing.
        None = "none",
        /// The points on the table after the action.
        Score = "score",
    }
}

choices! {
    /// How lanes and networks are brought together.
    Scheduler {
        /// One lane a worker, one row a call.
        Recursive = "recursive",
        /// Many lanes a worker over a local batch.
        Interleaved = "interleaved",
        /// One lane a worker over a shared batch.
        Server = "server",
        /// Many lanes a worker over a shared batch.
        InterleavedServer = "interleaved+server",
    }
}

choices! {
    /// What regret matching plays when no legal action has a positive advantage.
    AllNegative {
        /// The largest, exact ties shared.
        Argmax = "argmax",
        /// All legal actions alike.
        Uniform = "uniform",
    }
}

choices! {
    /// What the memories of a run keep.
    MemoryKind {
        /// Distinct rows where the game has few, otherwise samples.
        Auto = "auto",
        /// Every distinct row with the sums over its samples.
        Merged = "merged",
        /// Samples, a uniform choice of them once there are too many.
        Reservoir = "reservoir",
    }
}

choices! {
    /// Whether players are updated one after the other.
    Updates {
        /// Player 1's traversals meet player 0's new network.
        InTurn = "in_turn",
        /// Both players' traversals meet the networks of the iteration before.
        Together = "together",
    }
}

choices! {
    /// Weight of a sample drawn in iteration `t`.
    Weighting {
        /// Proportional to `t`.
        Linear = "linear",
        /// 1.
        None = "none",
    }
}

choices! {
    /// What an advantage fit starts from.
    Initialisation {
        /// Fresh random weights.
        Reinitialise = "reinitialise",
        /// The weights of the fit before.
        WarmStart = "warm_start",
    }
}

choices! {
    /// The optimiser of a fit.
    Optimizer {
        /// Adam.
        Adam = "adam",
        /// Adam with decoupled weight decay.
        AdamW = "adamw",
    }
}

choices! {
    /// Whether the number of steps follows the memory.
    Steps {
        /// Always the same number.
        Fixed = "fixed",
        /// `clamp(passes · samples / batch, min, max)`.
        Scaled = "scaled",
    }
}

choices! {
    /// Loss of the policy network over legal actions.
    StrategyLoss {
        /// Masked cross-entropy.
        CrossEntropy = "cross_entropy",
        /// Masked squared error.
        SquaredError = "squared_error",
    }
}

choices! {
    /// What computes forward passes.
    Engine {
        /// The specialised CPU engine.
        Native = "native",
        /// The training framework.
        Burn = "burn",
        /// ONNX Runtime, a library that is loaded at run time.
        OnnxRuntime = "onnxruntime",
    }
}

choices! {
    /// Where ONNX Runtime computes.
    Provider {
        /// The processor.
        Cpu = "cpu",
        /// An NVIDIA GPU.
        Cuda = "cuda",
        /// An NVIDIA GPU, through TensorRT.
        TensorRt = "tensorrt",
    }
}

choices! {
    /// Type of the factors of networks' matrix products.
    Precision {
        /// 32-bit floats.
        F32 = "f32",
        /// Brain floats.
        Bf16 = "bf16",
        /// Half floats.
        F16 = "f16",
    }
}

choices! {
    /// Whether NashConv is computed.
    NashConv {
        /// Where the game is small enough.
        Auto = "auto",
        /// Never.
        Off = "off",
    }
}

choices! {
    /// A strategy that a run can evaluate.
    EvaluatedPolicy {
        /// The policy network's average strategy.
        PolicyNetwork = "policy_network",
        /// The average over the archive of advantage networks.
        SdCfr = "sd_cfr",
        /// The current iteration's strategy.
        Current = "current",
    }
}

impl Scheduler {
    /// Whether the rows of several workers meet at the batching server.
    pub const fn is_served(self) -> bool {
        matches!(self, Self::Server | Self::InterleavedServer)
    }

    /// Whether a worker has a single lane.
    pub const fn is_one_lane(self) -> bool {
        matches!(self, Self::Recursive | Self::Server)
    }

    /// Groups of lanes in a worker: with two, one advances while the other's rows are under way.
    pub const fn groups(self) -> usize {
        match self {
            Self::InterleavedServer => 2,
            _ => 1,
        }
    }
}
