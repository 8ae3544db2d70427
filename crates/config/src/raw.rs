//! A config file's sections as they are written.
//!
//! Not here: whether the values make sense (see `validate`).

use serde::{Deserialize, Serialize};

use super::game::RawGame;
use super::run_config::RunConfig;
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

impl RawConfig {
    /// The same values with the chosen game alone. Values are taken as they are.
    pub(super) fn into_run_config(self) -> RunConfig {
        RunConfig {
            game: self.game.chosen(),
            run: self.run,
            network: self.network,
            traversal: self.traversal,
            server: self.server,
            regret_matching: self.regret_matching,
            memory: self.memory,
            training: self.training,
            average: self.average,
            inference: self.inference,
            evaluation: self.evaluation,
            checkpoint: self.checkpoint,
        }
    }
}

impl From<RunConfig> for RawConfig {
    fn from(config: RunConfig) -> Self {
        Self {
            run: config.run,
            game: RawGame::from(config.game),
            network: config.network,
            traversal: config.traversal,
            server: config.server,
            regret_matching: config.regret_matching,
            memory: config.memory,
            training: config.training,
            average: config.average,
            inference: config.inference,
            evaluation: config.evaluation,
            checkpoint: config.checkpoint,
        }
    }
}
