//! Configuration: the defaults, what is put over them, and the checked result.
//!
//! Layers, later ones winning: `configs/default.toml` (embedded, and the manual), a preset or a
//! file, `section.key=value` assignments, a seed. All problems are reported together. Not here:
//! what the values do, and the command line's options.

mod choice;
mod device;
mod game;
mod layers;
mod manual;
mod presets;
mod problem;
mod raw;
mod rules;
mod run_config;
mod sections;
mod suggest;
mod validate;
mod words;
mod zero;

use std::path::PathBuf;

pub use game::{
    GameConfig, GameName, GoofspielConfig, KuhnConfig, LeducConfig, LiarsDiceConfig, LostCitiesConfig,
    LostCitiesEncoder, PointOrder,
};
pub use manual::manual;
pub use presets::{PRESETS, Preset};
pub use problem::{ConfigError, Problem};
pub use run_config::RunConfig;
pub use sections::{
    AverageSection, CheckpointSection, EvaluationSection, InferenceSection, MemorySection, NetworkSection,
    RegretMatchingSection, RunSection, ServerSection, TrainingSection, TraversalSection,
};
pub use words::{
    Activation, AllNegative, Baseline, Continuation, Engine, EvaluatedPolicy, Initialisation, NashConv,
    Optimizer, Precision, Provider, Sampling, Scheduler, Steps, StrategyLoss, Weighting,
};

pub(crate) use suggest::nearest;

use layers::Layers;

/// What lies directly over the defaults.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Base {
    /// Nothing.
    Default,
    /// The preset of this name.
    Preset(String),
    /// The file at this path.
    File(PathBuf),
    /// This TOML text, for example the resolved configuration of an earlier run.
    Text {
        /// What to call it in messages.
        source: String,
        /// The text.
        text: String,
    },
}

/// Puts `assignments` (`section.key=value`) and then `seed` over `base` over the defaults, and
/// checks the result.
///
/// # Errors
/// Everything that is wrong, with a remedy each.
pub fn resolve(base: &Base, assignments: &[String], seed: Option<u64>) -> Result<RunConfig, ConfigError> {
    let mut layers = Layers::new();
    let preset_name = add_base(&mut layers, base);
    assignments.iter().for_each(|assignment| layers.add_assignment(assignment));
    if let Some(seed) = seed {
        layers.add_assignment(&format!("run.seed={seed}"));
    }
    let (raw, values, problems) = layers.read();
    let mut config = raw.into_run_config();
    if config.run.name.is_empty() {
        config.run.name = preset_name.unwrap_or_else(|| config.game.name().word().replace('_', "-"));
    }
    validate::validate(config, &values, problems)
}

/// Adds the layer, and gives the name that a run gets from it.
fn add_base(layers: &mut Layers, base: &Base) -> Option<String> {
    match base {
        Base::Default => {}
        Base::Text { source, text } => layers.add_text(source, text),
        Base::Preset(name) => match Preset::find(name) {
            Ok(preset) => {
                layers.add_text(name, preset.text);
                return Some(name.clone());
            }
            Err(problem) => layers.report(problem),
        },
        Base::File(path) => match std::fs::read_to_string(path) {
            Ok(text) => layers.add_text(&path.display().to_string(), &text),
            Err(error) => {
                layers.report(Problem::new("--config", path.display(), format!("cannot be read: {error}")));
            }
        },
    }
    None
}

#[cfg(test)]
mod tests;
