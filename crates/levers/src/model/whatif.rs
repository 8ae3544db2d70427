//! Configurations that were not run: `network.hidden_size=1024,evaluation.every=5`.
//!
//! Keys are those of the configuration as far as the cost model knows what they cost; any other is
//! refused rather than ignored. Not here: reading configuration files.

use std::fmt;

use super::change::Change;
use super::ensemble::Ensemble;
use crate::law::Scheduler;
use crate::profile::Workload;

/// A configuration that differs from the profile's.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WhatIf {
    assignments: Vec<(Key, Value)>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Value {
    Number(f64),
    Scheduler(Scheduler),
}

macro_rules! keys {
    ($($key:ident $name:literal),+ $(,)?) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        enum Key { $($key),+ }

        impl Key {
            const ALL: &'static [(Self, &'static str)] = &[$((Self::$key, $name)),+];
        }
    };
}

keys! {
    HiddenSize "network.hidden_size",
    NumLayers "network.num_layers",
    Traversals "traversal.traversals_per_player",
    Scheduler "traversal.scheduler",
    Workers "traversal.workers",
    Lanes "traversal.lanes",
    MaxBatch "traversal.max_batch",
    BatchSize "training.batch_size",
    Steps "training.steps_factor",
    Every "evaluation.every",
    Games "evaluation.games",
}

/// A what-if that cannot be understood or answered.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum WhatIfError {
    /// A part that is not `key=value`.
    #[error("`{got}` is not key=value")]
    Form {
        /// The part.
        got: String,
    },
    /// A key whose cost is not modelled.
    #[error("the cost model does not know `{got}`; it knows {}", known.join(", "))]
    Key {
        /// The key.
        got: String,
        /// The keys that it knows.
        known: Vec<&'static str>,
    },
    /// A value that the key cannot have.
    #[error("{key} = `{got}` is not {expected}")]
    Value {
        /// The key.
        key: &'static str,
        /// The value.
        got: String,
        /// What it must be.
        expected: &'static str,
    },
    /// What the answer needs was not timed.
    #[error("{key} needs {measure}, which the profile does not hold; take a new one with `deepcfr profile`")]
    Unmeasured {
        /// The key.
        key: &'static str,
        /// What to measure.
        measure: &'static str,
    },
}

impl Key {
    fn name(self) -> &'static str {
        Self::ALL.iter().find(|(key, _)| *key == self).expect("every key is listed").1
    }
}

impl WhatIf {
    /// Reads comma-separated `key=value` pairs.
    ///
    /// # Errors
    /// [`WhatIfError`] naming the part that is wrong.
    pub fn parse(text: &str) -> Result<Self, WhatIfError> {
        let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
        Ok(Self { assignments: parts.map(assignment).collect::<Result<_, _>>()? })
    }

    /// Whether nothing differs.
    pub fn is_empty(&self) -> bool {
        self.assignments.is_empty()
    }

    /// The ensemble of the configuration, and what its runs do.
    ///
    /// # Errors
    /// [`WhatIfError::Unmeasured`] if a key's cost rests on timings that the profile lacks.
    pub fn apply(&self, base: &Ensemble, load: &Workload) -> Result<(Ensemble, Workload), WhatIfError> {
        let mut load = load.clone();
        let mut changes: Vec<(Key, Change)> = Vec::new();
        for &(key, value) in &self.assignments {
            let change = changed(key, value, &mut load);
            // Width and depth are one change: the size between the two need not have been timed.
            if matches!(change, Change::Network(_)) {
                changes.retain(|(_, change)| !matches!(change, Change::Network(_)));
            }
            changes.push((key, change));
        }
        let mut ensemble = base.clone();
        for (key, change) in changes {
            ensemble = ensemble
                .after(&[change])
                .ok_or(WhatIfError::Unmeasured { key: key.name(), measure: measure(key) })?;
        }
        Ok((ensemble, load))
    }
}

impl fmt::Display for WhatIf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (key, value)) in self.assignments.iter().enumerate() {
            let comma = if index == 0 { "" } else { ", " };
            match value {
                Value::Number(number) => write!(f, "{comma}{} = {number}", key.name())?,
                Value::Scheduler(scheduler) => write!(f, "{comma}{} = {scheduler}", key.name())?,
            }
        }
        Ok(())
    }
}

fn assignment(part: &str) -> Result<(Key, Value), WhatIfError> {
    let (name, value) = part.split_once('=').ok_or_else(|| WhatIfError::Form { got: part.to_owned() })?;
    let (name, value) = (name.trim(), value.trim().trim_matches('"'));
    let known = || Key::ALL.iter().map(|&(_, name)| name).collect();
    let &(key, name) = Key::ALL
        .iter()
        .find(|(_, known)| *known == name)
        .ok_or_else(|| WhatIfError::Key { got: name.to_owned(), known: known() })?;
    let wrong = |expected| WhatIfError::Value { key: name, got: value.to_owned(), expected };
    let value = match key {
        Key::Scheduler => {
            let found = Scheduler::ALL.into_iter().find(|scheduler| scheduler.name() == value);
            Value::Scheduler(found.ok_or_else(|| wrong("a scheduler"))?)
        }
        Key::Steps => match value.parse() {
            Ok(factor) if f64::is_finite(factor) && factor > 0.0 => Value::Number(factor),
            _ => return Err(wrong("a factor above 0")),
        },
        _ => match value.parse::<u32>() {
            Ok(count) if count > 0 => Value::Number(f64::from(count)),
            _ => return Err(wrong("a whole number above 0")),
        },
    };
    Ok((key, value))
}

fn measure(key: Key) -> &'static str {
    match key {
        Key::HiddenSize | Key::NumLayers => "timed forward passes and training steps",
        Key::BatchSize => "timed training steps",
        Key::Lanes => "timed forward passes and a scheduler that interleaves",
        _ => "timed forward passes",
    }
}

/// The change of the cost model; `load` becomes what the configuration's runs do.
fn changed(key: Key, value: Value, load: &mut Workload) -> Change {
    let number = match value {
        Value::Number(number) => number,
        Value::Scheduler(scheduler) => {
            load.traversal.scheduler = scheduler;
            return Change::Schedule(scheduler, f64::from(load.traversal.lanes));
        }
    };
    let count = number as u32;
    match key {
        Key::HiddenSize => {
            load.network.hidden_size = count;
            Change::Network(load.network)
        }
        Key::NumLayers => {
            load.network.num_layers = count;
            Change::Network(load.network)
        }
        Key::Traversals => {
            let before = f64::from(std::mem::replace(&mut load.traversal.traversals_per_player, count));
            load.memory.rows_per_iteration *= number / before;
            Change::Rows(number / before)
        }
        Key::Scheduler => unreachable!("a scheduler is no number"),
        Key::Workers => {
            load.traversal.workers = count;
            Change::Workers(number)
        }
        Key::Lanes => {
            load.traversal.lanes = count;
            Change::Lanes(number)
        }
        Key::MaxBatch => {
            load.traversal.max_batch = count;
            Change::MaxBatch(number)
        }
        Key::BatchSize => {
            load.training.batch = count;
            Change::TrainingBatch(load.training.rows_of(number))
        }
        Key::Steps => {
            load.training.advantage_steps *= number;
            load.training.strategy_steps *= number;
            Change::TrainingSteps(number)
        }
        Key::Every => {
            load.evaluation.every_iterations = count;
            Change::EvaluationEvery(number)
        }
        Key::Games => {
            load.evaluation.games = count;
            Change::EvaluationGames(number)
        }
    }
}
