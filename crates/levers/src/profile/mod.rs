//! A measured profile: everything that the calculus knows of a machine and a run, as one JSON document.
//!
//! A profile holds measurements and facts only, with units in the names of fields; whatever follows
//! from them (fits, shares, projections) is computed from the profile and its seed, so that a stored
//! profile can be judged again later. Not here: taking the measurements.
//!
//! # JSON schema, version 1
//!
//! One object of [`Profile`]'s fields; each type documents its own. Unknown fields are refused, optional
//! ones may be left out. In short:
//!
//! | field | content |
//! |---|---|
//! | `schema` | 1 |
//! | `machine` | name, processor, logical cores, memory bytes, accelerator |
//! | `build` | commit, hash and text of the configuration, seed |
//! | `workload` | `game`, `network` (shape), `traversal`, `training`, `evaluation`, `memory` |
//! | `iterations` | one entry a measured iteration: exclusive phase seconds, rows, calls, forward seconds |
//! | `calls` | timed forward passes and training steps by engine, variant, device and network shape |
//! | `ceilings`, `ceilings_of_all_threads` | measured FLOP/s and bytes/s of one thread, of all |
//! | `utilisation` | busy shares of workers and device |
//! | `effects` | ratios that single levers need and no timing of calls tells |
//!
//! Earlier programs wrote three more facts of the workload, which nothing reads now: [`Profile::read`] passes
//! over them.
//!
//! `testdata/levers/example-profile.json` is a complete document, read by this crate's tests.

mod phases;
mod workload;

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;

pub(crate) use phases::weights;
pub use phases::{IterationSample, PhaseSeconds, average_iterations};
pub use workload::{
    Device, EvaluationLoad, MemoryLoad, TrainingLoad, TraversalLoad, Workload, evaluation_seconds_each,
};

use crate::fit::{Ceilings, NetworkShape, Timing};

/// The version of the JSON schema that this crate reads and writes.
pub const SCHEMA: u32 = 1;

/// A measured profile.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Profile {
    /// Always [`SCHEMA`].
    pub schema: u32,
    /// Where it was measured.
    pub machine: Machine,
    /// What was measured.
    pub build: Build,
    /// What a run of it does.
    pub workload: Workload,
    /// Measured iterations, warm-up left out.
    pub iterations: Vec<IterationSample>,
    /// Timed calls of networks.
    pub calls: Vec<CallTimings>,
    /// What one thread of the device can do at most: the engines of a CPU compute a call on one.
    #[serde(default)]
    pub ceilings: Option<Ceilings>,
    /// What all threads can do at once.
    #[serde(default)]
    pub ceilings_of_all_threads: Option<Ceilings>,
    /// How busy workers and device were.
    #[serde(default)]
    pub utilisation: Option<Utilisation>,
    /// Ratios that single levers need and that no timing of calls tells.
    #[serde(default)]
    pub effects: Vec<MeasuredEffect>,
}

/// Where a profile was measured.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Machine {
    /// A short name for tables.
    pub name: String,
    /// The processor.
    #[serde(default)]
    pub cpu: Option<String>,
    /// Threads that can run at once.
    pub logical_cores: u32,
    /// Memory that a run may use.
    #[serde(default)]
    pub memory_bytes: Option<u64>,
    /// The accelerator, where there is one that this build can use.
    #[serde(default)]
    pub accelerator: Option<String>,
}

/// What was measured.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Build {
    /// The commit.
    #[serde(default)]
    pub commit: Option<String>,
    /// Hash of the resolved configuration.
    pub config_hash: String,
    /// The resolved configuration, TOML, so that levers can be tried from the profile alone.
    #[serde(default)]
    pub config: Option<String>,
    /// Seed of the run, and of all resampling from this profile.
    pub seed: u64,
}

/// Which call was timed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Call {
    /// A forward pass.
    Forward,
    /// An optimiser step: forward, backward, update.
    TrainingStep,
}

impl Call {
    /// The call in words.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Forward => "forward pass",
            Self::TrainingStep => "training step",
        }
    }
}

/// How an engine was told to compute.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Variant {
    /// As runs do it.
    Plain,
    /// In mixed precision.
    MixedPrecision,
}

impl Variant {
    /// The variant in words.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::MixedPrecision => "mixed precision",
        }
    }
}

/// Timed calls of one kind.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CallTimings {
    /// Which call.
    pub call: Call,
    /// The engine, by its name in configurations.
    pub engine: String,
    /// How it computed.
    pub variant: Variant,
    /// Where it computed.
    pub device: Device,
    /// The network.
    pub network: NetworkShape,
    /// The timings, in blocks.
    pub timings: Vec<Timing>,
}

/// How busy workers and device were, as shares from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Utilisation {
    /// The share of the traversal phase in which a worker did something other than wait.
    pub worker_busy_share: f64,
    /// The share of the traversal phase in which the device computed.
    #[serde(default)]
    pub device_busy_share: Option<f64>,
    /// Traversal phases that this was measured over.
    pub samples: u32,
}

/// A ratio that was measured for one lever.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MeasuredEffect {
    /// What it is the ratio of.
    pub quantity: Quantity,
    /// After over before, one entry a repetition; at least three.
    pub ratios: Vec<f64>,
}

/// What a [`MeasuredEffect`] is the ratio of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Quantity {
    /// Seconds of a worker a row, one worker more over as many as now.
    WorkerContention,
}

/// A profile that cannot be read or used.
#[derive(Debug, thiserror::Error)]
pub enum ProfileError {
    /// The file cannot be read or written.
    #[error("{}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What happened.
        source: std::io::Error,
    },
    /// The document is not a profile.
    #[error("{}: {source}", path.display())]
    Json {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        source: serde_json::Error,
    },
    /// The document has another version.
    #[error("the profile has schema {got}, this program reads schema {expected}")]
    Schema {
        /// Its version.
        got: u32,
        /// The version that is read.
        expected: u32,
    },
    /// Too few iterations for an interval.
    #[error("the profile has {got} measured iterations where {expected} are needed for an interval")]
    Iterations {
        /// Iterations that are there.
        got: usize,
        /// Iterations that are needed.
        expected: usize,
    },
    /// A figure that cannot be.
    #[error("{field} is {got}, which cannot be")]
    Figure {
        /// The field.
        field: &'static str,
        /// Its value.
        got: f64,
    },
}

impl Profile {
    /// Reads and checks a profile.
    ///
    /// # Errors
    /// If the file cannot be read, is no profile of this schema, or holds figures that cannot be.
    pub fn read(path: &Path) -> Result<Self, ProfileError> {
        let text = std::fs::read_to_string(path)
            .map_err(|source| ProfileError::File { path: path.to_owned(), source })?;
        let profile = serde_json::from_str(&text).map(without_retired).and_then(serde_json::from_value);
        let profile: Self = profile.map_err(|source| ProfileError::Json { path: path.to_owned(), source })?;
        profile.check()?;
        Ok(profile)
    }

    /// Writes the profile as JSON.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write(&self, path: &Path) -> Result<(), ProfileError> {
        let text = serde_json::to_string_pretty(self).expect("a profile has string keys and plain values");
        std::fs::write(path, text + "\n")
            .map_err(|source| ProfileError::File { path: path.to_owned(), source })
    }

    /// Checks what the types do not: the version, and that figures are numbers that can be.
    ///
    /// # Errors
    /// [`ProfileError::Schema`], [`ProfileError::Iterations`] or [`ProfileError::Figure`].
    pub fn check(&self) -> Result<(), ProfileError> {
        const MIN_ITERATIONS: usize = 3;
        if self.schema != SCHEMA {
            return Err(ProfileError::Schema { got: self.schema, expected: SCHEMA });
        }
        let got = self.iterations.len();
        if got < MIN_ITERATIONS {
            return Err(ProfileError::Iterations { got, expected: MIN_ITERATIONS });
        }
        let traversal = &self.workload.traversal;
        positive("workload.traversal.workers", f64::from(traversal.workers))?;
        positive("workload.traversal.lanes", f64::from(traversal.lanes))?;
        positive("workload.traversal.max_batch", f64::from(traversal.max_batch))?;
        positive("workload.traversal.networks_per_sweep", traversal.networks_per_sweep)?;
        positive("machine.logical_cores", f64::from(self.machine.logical_cores))?;
        self.iterations.iter().try_for_each(IterationSample::check)?;
        let ratios = self.effects.iter().flat_map(|effect| &effect.ratios);
        ratios.copied().try_for_each(|ratio| positive("effects.ratios", ratio))
    }

    /// Timings of `call` by `engine` computing in `variant` for a network of `shape`.
    pub fn timings(
        &self,
        call: Call,
        engine: &str,
        variant: Variant,
        shape: &NetworkShape,
    ) -> Option<&CallTimings> {
        self.calls.iter().find(|timings| {
            timings.call == call
                && timings.engine == engine
                && timings.variant == variant
                && timings.network == *shape
        })
    }

    /// Ratios that were measured for `quantity`, if there are enough for an interval.
    pub fn effect(&self, quantity: Quantity) -> Option<&[f64]> {
        const MIN_RATIOS: usize = 3;
        let effect = self.effects.iter().find(|effect| effect.quantity == quantity)?;
        (effect.ratios.len() >= MIN_RATIOS).then_some(&effect.ratios)
    }
}

/// Facts of a workload that earlier programs wrote, whose value never changed.
const RETIRED: [(&str, &str); 3] =
    [("traversal", "static_shapes"), ("training", "memory_per_player"), ("memory", "compact")];

fn without_retired(mut document: Value) -> Value {
    for (part, field) in RETIRED {
        let part = document.get_mut("workload").and_then(|workload| workload.get_mut(part));
        if let Some(Value::Object(fields)) = part {
            fields.remove(field);
        }
    }
    document
}

fn positive(field: &'static str, got: f64) -> Result<(), ProfileError> {
    if got.is_finite() && got > 0.0 { Ok(()) } else { Err(ProfileError::Figure { field, got }) }
}
