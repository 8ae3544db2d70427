//! The games that a program knows, by their names in a configuration.
//!
//! Not here: which ones come with the program (`deepcfr-builtin`).

use std::error::Error;
use std::marker::PhantomData;
use std::sync::Arc;

use deepcfr_config::{EncoderKey, GameChoice, GameFacts, GameKeys, Preset, Refused, Schema, WrongType};
use serde::de::IntoDeserializer;
use serde::{Serialize, de::DeserializeOwned};
use toml::{Table, Value};

use crate::face::Board;

/// Any error.
pub type BoxError = Box<dyn Error + Send + Sync>;

/// What a configuration says of one game, the table `[game.<NAME>]`, and how the game is set up from it.
///
/// The type itself holds the keys, one field each; serde reads and writes it. Give it
/// `#[serde(deny_unknown_fields)]` if it is read elsewhere too.
pub trait GameConfig: Serialize + DeserializeOwned + Send + Sync + 'static {
    /// The game's name: lower-case letters, digits and underscores.
    const NAME: &'static str;

    /// The table as TOML: a comment on the game, `[game.<NAME>]`, and every key with its default below a
    /// comment that says what it means and what it may be. Defaults and the manual come from it.
    const MANUAL: &'static str;

    /// The key that chooses what networks see, if there is more than one way.
    const ENCODERS: Option<EncoderKey> = None;

    /// The keys whose values the rules refuse, each with what it may be.
    fn refused(&self) -> Vec<Refused> {
        Vec::new()
    }

    /// Sets the game up. Called often: it should take no longer than a few milliseconds.
    ///
    /// # Errors
    /// If the rules are impossible although no key is refused.
    fn set_up(&self) -> Result<Box<dyn Board>, BoxError>;
}

/// The rules of a game are impossible.
#[derive(Debug, thiserror::Error)]
#[error("game: {reason}")]
pub struct RulesError {
    /// What the game says.
    pub reason: String,
}

/// Games and presets by their names. Cheap to clone.
#[derive(Clone, Default)]
pub struct Catalogue {
    schema: Schema,
    games: Vec<Arc<dyn Entry>>,
}

/// A game of a catalogue, its configuration's type hidden.
trait Entry: GameKeys {
    fn set_up(&self, table: &Table) -> Result<Box<dyn Board>, BoxError>;
}

impl Catalogue {
    /// A catalogue without games.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a game; one of the same name is replaced.
    ///
    /// # Panics
    /// If the game's manual is not a table of its configuration, which says what to mend.
    #[must_use]
    pub fn game<C: GameConfig>(mut self) -> Self {
        let entry = Arc::new(Registered::<C>(PhantomData));
        check_manual(&*entry);
        self.schema.add_game(Arc::clone(&entry) as Arc<dyn GameKeys>);
        self.games.retain(|known| known.name() != C::NAME);
        self.games.push(entry);
        self
    }

    /// Adds a preset: a TOML text of the keys that differ from the defaults, whose first line is a comment
    /// that says what it is for. One of the same name is replaced.
    #[must_use]
    pub fn preset(mut self, name: &'static str, text: &'static str) -> Self {
        self.schema.add_preset(Preset { name, text });
        self
    }

    /// What configurations are resolved with.
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// The same, to be changed.
    pub fn schema_mut(&mut self) -> &mut Schema {
        &mut self.schema
    }

    /// Sets the chosen game up.
    ///
    /// # Errors
    /// If its rules are impossible, or the catalogue has no such game.
    pub fn board(&self, game: &GameChoice) -> Result<Arc<dyn Board>, RulesError> {
        let Some(entry) = self.games.iter().find(|entry| entry.name() == game.name()) else {
            return Err(RulesError { reason: format!("there is no game {:?} here", game.name()) });
        };
        match entry.set_up(game.table()) {
            Ok(board) => Ok(Arc::from(board)),
            Err(error) => Err(RulesError { reason: error.to_string() }),
        }
    }
}

/// A mistake in a game's manual would show as a panic at some later call: it is told at once.
fn check_manual(game: &dyn GameKeys) {
    let name = game.name();
    let manual: Table = match game.manual().parse() {
        Ok(manual) => manual,
        Err(error) => panic!("the manual of the game {name} is not TOML: {error}"),
    };
    let table = manual.get("game").and_then(|games| games.get(name)).and_then(Value::as_table);
    let table = table.unwrap_or_else(|| panic!("the manual of the game {name} has no table [game.{name}]"));
    let read = match game.read(table) {
        Ok(read) => read,
        Err(WrongType { key, message }) => panic!("the manual of the game {name}, key {key}: {message}"),
    };
    let keys = |table: &Table| {
        let mut keys: Vec<String> = table.keys().cloned().collect();
        keys.sort();
        keys
    };
    assert_eq!(keys(table), keys(&read), "the manual of the game {name} lists the keys of its configuration");
}

struct Registered<C>(PhantomData<fn() -> C>);

impl<C: GameConfig> Registered<C> {
    fn config(table: &Table) -> Result<C, WrongType> {
        let deserializer = Value::Table(table.clone()).into_deserializer();
        serde_path_to_error::deserialize(deserializer).map_err(|error| WrongType {
            key: error.path().to_string(),
            message: error.inner().message().to_owned(),
        })
    }
}

impl<C: GameConfig> GameKeys for Registered<C> {
    fn name(&self) -> &'static str {
        C::NAME
    }

    fn manual(&self) -> &'static str {
        C::MANUAL
    }

    fn read(&self, table: &Table) -> Result<Table, WrongType> {
        let config = Self::config(table)?;
        let written = Table::try_from(config);
        written.map_err(|error| WrongType { key: String::new(), message: error.to_string() })
    }

    fn refused(&self, table: &Table) -> Vec<Refused> {
        Self::config(table).map(|config| config.refused()).unwrap_or_default()
    }

    fn facts(&self, table: &Table) -> Result<GameFacts, String> {
        let board = self.set_up(table).map_err(|error| error.to_string())?;
        let facts = board.facts();
        let bots = facts.bots.iter().map(|name| (*name).to_owned()).collect();
        Ok(GameFacts { bots, scored: facts.scored })
    }

    fn encoder_key(&self) -> Option<EncoderKey> {
        C::ENCODERS
    }
}

impl<C: GameConfig> Entry for Registered<C> {
    fn set_up(&self, table: &Table) -> Result<Box<dyn Board>, BoxError> {
        let config = Self::config(table).map_err(|wrong| format!("{}: {}", wrong.key, wrong.message))?;
        config.set_up()
    }
}
