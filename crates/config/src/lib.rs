//! Configuration: the defaults, what is put over them, and the checked result.
//!
//! Layers, later ones winning: the default configuration (embedded, and the manual), a preset or a file,
//! `section.key=value` assignments, a seed. All problems are reported together. Which games and presets
//! there are is said by a [`Schema`]; `deepcfr-builtin` makes one of all that come with the program. Not
//! here: what the values do, and the command line's options.
//!
//! ```
//! use deepcfr_config::{Base, Schema};
//!
//! let schema = Schema::default();
//! assert!(schema.manual().contains("| `iterations` | `100` |"), "every key, its default and its meaning");
//! // Without any game every key of the other sections can be read, and what is wrong is told.
//! let error = schema.resolve(&Base::Default, &["run.iterations=0".to_owned()], None).unwrap_err();
//! assert!(error.to_string().contains("run.iterations = 0"));
//! ```

mod choice;
mod device;
mod dotted;
mod game;
mod layers;
mod manual;
mod older;
mod placement;
mod presets;
mod problem;
mod raw;
mod run_config;
mod schema;
mod sections;
mod suggest;
mod validate;
mod words;
mod zero;

use std::path::PathBuf;

pub use choice::WordVisitor;
pub use game::{EncoderKey, GameChoice, GameFacts, GameKeys, Refused, WrongType};
pub use presets::Preset;
pub use problem::{ConfigError, Problem};
pub use run_config::RunConfig;
pub use schema::Schema;
pub use sections::{
    AverageSection, CheckpointSection, EvaluationSection, InferenceSection, MemorySection, NetworkSection,
    RegretMatchingSection, RunSection, ServerSection, TrainingSection, TraversalSection,
};
pub use suggest::nearest;
pub use words::{
    Activation, AllNegative, Baseline, Continuation, Engine, EvaluatedPolicy, Initialisation, MemoryKind,
    NashConv, Optimizer, Precision, Provider, Sampling, Scheduler, Steps, StrategyLoss, Updates, Weighting,
};

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
    /// The configuration that a run wrote down, whole or in part. Keys that did not exist when it did have the
    /// values that mean what was done then.
    Text {
        /// What to call it in messages.
        source: String,
        /// The text.
        text: String,
    },
}

impl Schema {
    /// Puts `assignments` (`section.key=value`) and then `seed` over `base` over the defaults, and
    /// checks the result.
    ///
    /// # Errors
    /// Everything that is wrong, with a remedy each.
    pub fn resolve(
        &self,
        base: &Base,
        assignments: &[String],
        seed: Option<u64>,
    ) -> Result<RunConfig, ConfigError> {
        let mut layers = Layers::new(self);
        let preset_name = add_base(&mut layers, base);
        assignments.iter().for_each(|assignment| layers.add_assignment(assignment));
        if let Some(seed) = seed {
            layers.add_assignment(&format!("run.seed={seed}"));
        }
        let (raw, values, problems) = layers.read();
        let mut config = RunConfig::from(raw);
        if config.run.name.is_empty() {
            config.run.name = preset_name.unwrap_or_else(|| config.game.name().replace('_', "-"));
        }
        validate::validate(self, config, &values, problems)
    }

    /// The configuration that `text` writes down, for example that of an earlier run; `source` is what
    /// messages call it.
    ///
    /// # Errors
    /// Everything that is wrong, with a remedy each.
    pub fn resolve_text(&self, source: impl Into<String>, text: &str) -> Result<RunConfig, ConfigError> {
        let base = Base::Text { source: source.into(), text: text.to_owned() };
        self.resolve(&base, &[], None)
    }

    /// The manual of all keys as Markdown: a section each, with a table of keys, defaults and meanings.
    pub fn manual(&self) -> String {
        manual::manual(self)
    }
}

/// Adds the layer, and gives the name that a run gets from it.
fn add_base(layers: &mut Layers<'_>, base: &Base) -> Option<String> {
    match base {
        Base::Default => {}
        Base::Text { source, text } => {
            layers.add_text("keys that came later", older::OLDER);
            layers.add_text(source, text);
        }
        Base::Preset(name) => match layers.schema().preset(name) {
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
