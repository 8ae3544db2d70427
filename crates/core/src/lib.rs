//! The seams of deepcfr: traits and plain data that the other crates meet at.
//!
//! Deliberately absent: any algorithm, any loop over a game tree, any I/O, any dependency on a
//! machine-learning stack. A user who only brings a game compiles this crate alone.
//!
//! Units: utilities and advantages are in the game's own points (chips in poker); probabilities
//! are in `[0, 1]`; rows that cross a seam are row-major `f32` slices.

mod action;
mod batch_sizes;
mod device;
mod encoder;
mod evaluator;
mod game;
mod learner;
mod model;
mod policy;
mod rng;
mod row_hash;
mod sample;
mod select;
mod weighting;
mod weights;

pub use action::{Action, ActionSet, Actions, MAX_ACTIONS};
pub use batch_sizes::BatchSizes;
pub use device::{DeviceName, Placement, Precision, UnknownDevice};
pub use encoder::{Encoder, FeatureBlock};
pub use evaluator::{Evaluator, EvaluatorError, Query};
pub use game::{Game, GameError, GameSpec, InfosetKey, MAX_FACTS, NUM_PLAYERS, Player, Turn};
pub use learner::{FitContext, FitReport, LearnError, Learner};
pub use model::{Model, ModelError, ModelFactory, ModelSpec, NetId};
pub use policy::{Policy, RandomPolicy};
pub use rng::{Purpose, Stream};
pub use row_hash::row_hash;
pub use sample::{Edition, Features, MergedSamples, SampleMeta, SampleShape, SampleSink, SampleSource};
pub use select::select_bit;
pub use weighting::Weighting;
pub use weights::{Activation, Dense, MlpWeights, RowKey, TableWeights, Weights};
