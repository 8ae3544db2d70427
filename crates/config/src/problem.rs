//! What is wrong with a configuration, all of it at once, in words that say what to do.
//!
//! Not here: finding the problems.

use std::fmt;

/// The most problems that a message lists, so that it fits on a screen.
const MAX_LISTED: usize = 8;

/// The longest value that a message shows.
const MAX_VALUE_CHARS: usize = 60;

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The key's path, for example `traversal.epsilon`, or the command-line option at fault.
    pub key: String,
    /// The value as it was given.
    pub value: String,
    /// What to write instead.
    pub remedy: String,
}

impl Problem {
    /// A problem with `key`, whose `value` is shown as it prints.
    pub fn new(key: impl Into<String>, value: impl fmt::Display, remedy: impl Into<String>) -> Self {
        Self { key: key.into(), value: shortened(&value.to_string()), remedy: remedy.into() }
    }

    /// Those among the assignments `sets` of a `--set` that are no keys of `[game]`, where only those can be set.
    pub fn beside_game(sets: &[String]) -> impl Iterator<Item = Self> {
        let foreign = sets.iter().filter(|set| !set.trim_start().starts_with("game."));
        foreign.map(|set| Self::new("--set", set, "only keys of [game] can be set here"))
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} = {}\n      {}", self.key, self.value, self.remedy)
    }
}

/// Everything that is wrong with a configuration.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct ConfigError {
    /// At least one problem.
    pub problems: Vec<Problem>,
}

impl From<Problem> for ConfigError {
    fn from(problem: Problem) -> Self {
        Self { problems: vec![problem] }
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.problems.len() {
            1 => write!(f, "the configuration has a problem:")?,
            count => write!(f, "the configuration has {count} problems:")?,
        }
        for problem in self.problems.iter().take(MAX_LISTED) {
            write!(f, "\n  {problem}")?;
        }
        match self.problems.len().saturating_sub(MAX_LISTED) {
            0 => Ok(()),
            more => write!(f, "\n  and {more} more"),
        }
    }
}

fn shortened(value: &str) -> String {
    let line = value.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(MAX_VALUE_CHARS) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_fits_on_a_screen_whatever_is_wrong() {
        let problems = (0..50).map(|i| Problem::new(format!("a.b{i}"), "x".repeat(500), "give 1")).collect();
        let message = ConfigError { problems }.to_string();
        assert!(message.lines().count() <= 20, "{message}");
        assert!(message.lines().all(|line| line.chars().count() <= 80), "{message}");
        assert!(message.ends_with("and 42 more"), "{message}");
    }
}
