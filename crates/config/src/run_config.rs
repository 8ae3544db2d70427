//! The validated configuration of a run, and its text form and hashes.
//!
//! Not here: how it is put together from layers (see `layers`) and checked (see `validate`).

use toml::{Table, Value};

use super::dotted::value_at;
use super::game::{GameChoice, RawGame};
use super::older::remove_older;
use super::problem::{ConfigError, Problem};
use super::raw::RawConfig;
use super::sections::{
    AverageSection, CheckpointSection, EvaluationSection, InferenceSection, MemorySection, NetworkSection,
    RegretMatchingSection, RunSection, ServerSection, TrainingSection, TraversalSection,
};

/// Settings that may change between stopping a run and resuming it: they decide when it ends,
/// how fast it goes and what is reported, but not what is learned; devices and precisions, only by how
/// numbers are rounded.
pub(super) const RESUMABLE: [&str; 16] = [
    "run.iterations",
    "run.threads",
    "run.device",
    "run.folder",
    "run.name",
    "traversal.scheduler",
    "traversal.workers",
    "traversal.lanes",
    "traversal.max_batch",
    "server",
    "inference.onnxruntime_library",
    "training.precision",
    "inference.device",
    "inference.precision",
    "evaluation",
    "checkpoint",
];

/// Everything that a run needs to know, checked.
///
/// The values come from `resolve`; whoever changes them afterwards answers for their ranges.
#[derive(Clone, Debug, PartialEq)]
pub struct RunConfig {
    /// What to run, for how long, and where results go.
    pub run: RunSection,
    /// The game.
    pub game: GameChoice,
    /// Shape of the networks.
    pub network: NetworkSection,
    /// How samples are drawn.
    pub traversal: TraversalSection,
    /// The batching server.
    pub server: ServerSection,
    /// From advantages to a strategy.
    pub regret_matching: RegretMatchingSection,
    /// Reservoirs.
    pub memory: MemorySection,
    /// Fitting the networks.
    pub training: TrainingSection,
    /// Average strategies.
    pub average: AverageSection,
    /// Forward passes.
    pub inference: InferenceSection,
    /// Measuring the strategy.
    pub evaluation: EvaluationSection,
    /// Saved state.
    pub checkpoint: CheckpointSection,
}

impl RunConfig {
    /// The complete configuration as TOML; resolving that text gives an equal configuration.
    pub fn to_toml(&self) -> String {
        toml::to_string(&RawConfig::from(self.clone())).expect("sections of plain values become TOML")
    }

    /// The game and the seed alone as TOML; resolving that text gives the same game and seed.
    pub fn game_toml(&self) -> String {
        let mut table: Table = self.to_toml().parse().expect("sections of plain values become TOML");
        let seed = table["run"]["seed"].clone();
        table.retain(|section, _| section == "game");
        let run = Table::from_iter([("seed".to_owned(), seed)]);
        table.insert("run".to_owned(), Value::Table(run));
        table.to_string()
    }

    /// Hash of the whole configuration, 16 hexadecimal digits, the same on every machine.
    pub fn hash(&self) -> String {
        fnv1a(self.to_toml().as_bytes())
    }

    /// Hash of the settings that must not change between stopping a run and resuming it.
    pub fn learning_hash(&self) -> String {
        let mut table = self.learning_table();
        remove_older(&mut table);
        fnv1a(table.to_string().as_bytes())
    }

    /// Checks that a run `started` under that configuration can go on under this one.
    ///
    /// # Errors
    /// Names every key that differs and must not.
    pub fn check_resumes(&self, started: &Self) -> Result<(), ConfigError> {
        let mut problems = Vec::new();
        different(&self.learning_table(), &started.learning_table(), "", &mut problems);
        if problems.is_empty() { Ok(()) } else { Err(ConfigError { problems }) }
    }

    fn learning_table(&self) -> Table {
        let mut table: Table = self.to_toml().parse().expect("sections of plain values become TOML");
        RESUMABLE.iter().for_each(|path| remove(&mut table, path));
        table
    }

    /// The chosen game and its parameters in one line: differs when the rules do.
    pub fn game_line(&self) -> String {
        self.game.line()
    }
}

impl From<RawConfig> for RunConfig {
    /// The same values with the chosen game alone. Values are taken as they are.
    fn from(raw: RawConfig) -> Self {
        Self {
            game: raw.game.chosen(),
            run: raw.run,
            network: raw.network,
            traversal: raw.traversal,
            server: raw.server,
            regret_matching: raw.regret_matching,
            memory: raw.memory,
            training: raw.training,
            average: raw.average,
            inference: raw.inference,
            evaluation: raw.evaluation,
            checkpoint: raw.checkpoint,
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

/// Reports the keys of `new` that have another value in `old`. Another game's own keys are left out:
/// its name is reported.
fn different(new: &Table, old: &Table, prefix: &str, problems: &mut Vec<Problem>) {
    for (key, value) in new {
        match (value, value_at(old, key)) {
            (Value::Table(new), Some(Value::Table(old))) => {
                different(new, old, &format!("{prefix}{key}."), problems);
            }
            (new, Some(old)) if new != old => {
                let remedy =
                    format!("the run was started with {old}, which cannot change; start another run");
                problems.push(Problem::new(format!("{prefix}{key}"), new, remedy));
            }
            _ => {}
        }
    }
}

fn remove(table: &mut Table, path: &str) {
    match path.split_once('.') {
        None => _ = table.remove(path),
        Some((section, key)) => {
            if let Some(section) = table.get_mut(section).and_then(|section| section.as_table_mut()) {
                section.remove(key);
            }
        }
    }
}

/// FNV-1a, 64 bits: fixed for ever, unlike the standard library's hashers.
fn fnv1a(bytes: &[u8]) -> String {
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    format!("{:016x}", bytes.iter().fold(0xcbf2_9ce4_8422_2325, step))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_function_gives_the_known_answers() {
        assert_eq!(fnv1a(b""), "cbf29ce484222325");
        assert_eq!(fnv1a(b"foobar"), "85944171f73967e8");
    }
}
