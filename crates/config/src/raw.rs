//! A config file's sections as they are written.
//!
//! Not here: whether the values make sense (see `validate`).

use serde::{Deserialize, Serialize};

use super::game::RawGame;
use super::sections::{
    AverageSection, CheckpointSection, EvaluationSection, InferenceSection, MemorySection, NetworkSection,
    RegretMatchingSection, RunSection, ServerSection, TrainingSection, TraversalSection,
};

/// Every section, unvalidated.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawConfig {
    pub(super) run: RunSection,
    pub(super) game: RawGame,
    pub(super) network: NetworkSection,
    pub(super) traversal: TraversalSection,
    pub(super) server: ServerSection,
    pub(super) regret_matching: RegretMatchingSection,
    pub(super) memory: MemorySection,
    pub(super) training: TrainingSection,
    pub(super) average: AverageSection,
    pub(super) inference: InferenceSection,
    pub(super) evaluation: EvaluationSection,
    pub(super) checkpoint: CheckpointSection,
}
