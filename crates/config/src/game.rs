//! What a configuration may say of a game: its name, its table of keys, and whom it knows.
//!
//! Games are not listed here: whoever resolves configurations gives them as [`GameKeys`], the built-in ones
//! and a user's alike (see `deepcfr-board`, which implements it for every game). Not here: rules of games.

use serde::{Deserialize, Serialize};
use toml::{Table, Value};

/// A game's part of a configuration: the table `[game.<name>]`.
pub trait GameKeys: Send + Sync {
    /// The game's name in a configuration: lower-case letters, digits and underscores.
    fn name(&self) -> &'static str;

    /// The game's table as TOML: a comment, `[game.<name>]`, and every key with its default below a comment
    /// that says what it means. It is the source of defaults and of the manual.
    fn manual(&self) -> &'static str;

    /// The table with every key in the game's own order and form.
    ///
    /// # Errors
    /// The first key whose value has the wrong type.
    fn read(&self, table: &Table) -> Result<Table, WrongType>;

    /// The keys of a table in its own form that the rules refuse.
    fn refused(&self, table: &Table) -> Vec<Refused>;

    /// What other sections may name of the game that `table`, in its own form, sets up.
    ///
    /// # Errors
    /// What the game says where no key is refused and its rules are impossible all the same.
    fn facts(&self, table: &Table) -> Result<GameFacts, String>;

    /// The key that chooses what networks see, if there is more than one way.
    fn encoder_key(&self) -> Option<EncoderKey>;
}

/// A key of a game's table whose value cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrongType {
    /// The key within the table.
    pub key: String,
    /// What the reader says, ending in `expected …`.
    pub message: String,
}

/// A key of a game's table whose value the rules refuse.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// The key within the table.
    pub key: String,
    /// What to write instead, for example `give 2 to 64`.
    pub remedy: String,
}

impl Refused {
    /// A key that is refused.
    pub fn new(key: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { key: key.into(), remedy: remedy.into() }
    }

    /// Refuses `value` of `key` unless it is within `range`.
    pub fn outside<T: PartialOrd + std::fmt::Display>(
        key: &str,
        value: T,
        range: std::ops::RangeInclusive<T>,
    ) -> Option<Self> {
        let remedy = || format!("give {} to {}", range.start(), range.end());
        (!range.contains(&value)).then(|| Self::new(key, remedy()))
    }
}

/// What other sections may name of a game.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GameFacts {
    /// Rule-based opponents.
    pub bots: Vec<String>,
    /// Whether there is a running score, which outcome sampling can take as a baseline.
    pub scored: bool,
}

/// The key of a game's table that chooses what networks see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EncoderKey {
    /// The key within the table.
    pub key: &'static str,
    /// Its words, the recommended one first.
    pub words: &'static [&'static str],
    /// A word that stands for the recommended one.
    pub alias: &'static str,
}

impl EncoderKey {
    /// The word that `table` chooses.
    pub fn chosen(&self, table: &Table) -> &'static str {
        let written = table.get(self.key).and_then(Value::as_str).unwrap_or(self.alias);
        self.words.iter().find(|word| **word == written).unwrap_or(&self.words[0])
    }
}

/// The chosen game: its name and its table, in the game's own form.
#[derive(Clone, Debug, PartialEq)]
pub struct GameChoice {
    name: String,
    table: Table,
}

impl GameChoice {
    /// The choice of the game `name` with `table`, which must be in the game's own form.
    pub(crate) fn new(name: impl Into<String>, table: Table) -> Self {
        Self { name: name.into(), table }
    }

    /// The game's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its table.
    pub fn table(&self) -> &Table {
        &self.table
    }

    /// The game and its rules in one line: `leduc ranks=3`. Differs when the rules do.
    pub fn line(&self) -> String {
        let listed = self.table.iter().map(|(key, value)| format!(" {key}={value}"));
        self.name.clone() + &listed.collect::<String>()
    }

    /// The parameters, `ranks=3`.
    pub fn parameters(&self) -> Vec<String> {
        self.table.iter().map(|(key, value)| format!("{key}={value}")).collect()
    }
}

/// `[game]` as it is written: a name, and tables of games by their names.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct RawGame(pub(crate) Table);

impl RawGame {
    /// The key of the name.
    const NAME: &'static str = "name";

    /// The chosen game with its table.
    pub(crate) fn chosen(&self) -> GameChoice {
        let name = self.0.get(Self::NAME).and_then(Value::as_str).unwrap_or_default();
        let table = self.0.get(name).and_then(Value::as_table).cloned().unwrap_or_default();
        GameChoice::new(name, table)
    }
}

impl From<GameChoice> for RawGame {
    fn from(choice: GameChoice) -> Self {
        let mut table = Table::new();
        table.insert(Self::NAME.to_owned(), Value::String(choice.name.clone()));
        table.insert(choice.name, Value::Table(choice.table));
        Self(table)
    }
}
