//! What configurations may hold beside the sections that are always there: the games, the presets, and the
//! kinds of devices that the program was built for.
//!
//! Not here: reading a configuration (see `layers`) and checking it (see `validate`).

use std::sync::Arc;

use deepcfr_core::DeviceName;
use toml::Table;

use crate::game::{EncoderKey, GameChoice, GameFacts, GameKeys};
use crate::presets::Preset;
use crate::problem::Problem;
use crate::suggest;

/// The complete, commented default configuration, without the games' tables.
const SECTIONS: &str = include_str!("../configs/default.toml");
/// The game that those sections name.
const DEFAULT_GAME: &str = "leduc";

/// The games, presets and devices that configurations are resolved with.
#[derive(Clone)]
pub struct Schema {
    games: Vec<Arc<dyn GameKeys>>,
    presets: Vec<Preset>,
    default_game: Option<&'static str>,
    is_compiled: fn(DeviceName) -> bool,
}

impl Default for Schema {
    fn default() -> Self {
        Self { games: Vec::new(), presets: Vec::new(), default_game: None, is_compiled: |_| true }
    }
}

impl Schema {
    /// Adds a game; one of the same name is replaced.
    pub fn add_game(&mut self, game: Arc<dyn GameKeys>) {
        match self.games.iter_mut().find(|known| known.name() == game.name()) {
            Some(known) => *known = game,
            None => self.games.push(game),
        }
    }

    /// Has the default configuration play the game `name`: without this Leduc poker, and where there is no
    /// game of the name the first.
    pub fn set_default_game(&mut self, name: &'static str) {
        self.default_game = Some(name);
    }

    /// Adds a preset; one of the same name is replaced.
    pub fn add_preset(&mut self, preset: Preset) {
        match self.presets.iter_mut().find(|known| known.name == preset.name) {
            Some(known) => *known = preset,
            None => self.presets.push(preset),
        }
    }

    /// From now on, devices of kinds that `is_compiled` denies are refused with the feature that is missing.
    pub fn set_compiled(&mut self, is_compiled: fn(DeviceName) -> bool) {
        self.is_compiled = is_compiled;
    }

    /// The game that is played where nobody names one; the first if there is none of the default's name.
    pub fn default_game(&self) -> Option<&'static str> {
        let name = self.default_game.unwrap_or(DEFAULT_GAME);
        self.game(name).or(self.games.first().map(|game| &**game)).map(GameKeys::name)
    }

    /// The game that is meant where nothing says which: the program's own default, or the only one.
    pub fn meant_game(&self) -> Option<&'static str> {
        let only = || self.games.first().filter(|_| self.games.len() == 1).map(|game| game.name());
        self.default_game.and_then(|name| self.game(name)).map(GameKeys::name).or_else(only)
    }

    /// Names of the games, in the order of their addition.
    pub fn games(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.games.iter().map(|game| game.name())
    }

    /// The presets, in the order of their addition.
    pub fn presets(&self) -> &[Preset] {
        &self.presets
    }

    /// The preset called `name`.
    ///
    /// # Errors
    /// Names the nearest one, or all of them.
    pub fn preset(&self, name: &str) -> Result<&Preset, Problem> {
        self.presets.iter().find(|preset| preset.name == name).ok_or_else(|| {
            let names = || self.presets.iter().map(|preset| preset.name);
            let remedy = match suggest::nearest(name, names()) {
                Some(nearest) => format!("no such preset; did you mean {nearest}?"),
                None => format!("no such preset; there are {}", names().collect::<Vec<_>>().join(", ")),
            };
            Problem::new("--preset", name, remedy)
        })
    }

    /// What other sections may name of a game; nothing of one that there is not.
    ///
    /// # Errors
    /// What the game says of rules that it cannot set up.
    pub fn facts(&self, game: &GameChoice) -> Result<GameFacts, String> {
        self.game(game.name()).map_or_else(|| Ok(GameFacts::default()), |keys| keys.facts(game.table()))
    }

    /// The same of a game under its default rules; nothing where they are impossible.
    fn default_facts(&self, game: &dyn GameKeys) -> GameFacts {
        game.facts(&self.default_table(game)).unwrap_or_default()
    }

    /// The key that chooses what networks see of `game`, if there is more than one way.
    pub fn encoder_key(&self, game: &str) -> Option<EncoderKey> {
        self.game(game)?.encoder_key()
    }

    /// Whether `bot` is the name of a rule-based opponent in some game under its default rules.
    pub fn knows_bot(&self, bot: &str) -> bool {
        self.games.iter().any(|game| self.default_facts(&**game).bots.iter().any(|known| known == bot))
    }

    /// Names of the games that have a running score under their default rules.
    pub(crate) fn scored_games(&self) -> Vec<&'static str> {
        let scored = self.games.iter().filter(|game| self.default_facts(&***game).scored);
        scored.map(|game| game.name()).collect()
    }

    pub(crate) fn game(&self, name: &str) -> Option<&dyn GameKeys> {
        self.games.iter().find(|game| game.name() == name).map(|game| &**game)
    }

    pub(crate) fn is_compiled(&self, device: DeviceName) -> bool {
        (self.is_compiled)(device)
    }

    /// The whole default configuration with its comments: the games' tables stand behind `[game]`.
    pub fn default_text(&self) -> String {
        let (head, rest) = split_behind_game(SECTIONS);
        let named = format!("name = \"{}\"", self.default_game().unwrap_or_default());
        let mut text = head.replacen(&format!("name = \"{DEFAULT_GAME}\""), &named, 1);
        for game in &self.games {
            text += "\n";
            text += game.manual().trim();
            text += "\n";
        }
        text + rest
    }

    /// The default configuration as a table.
    pub fn defaults(&self) -> Table {
        self.default_text().parse().expect("a test reads the manuals of all games")
    }

    fn default_table(&self, game: &dyn GameKeys) -> Table {
        let manual: Table = game.manual().parse().expect("a test reads the manuals of all games");
        let table = manual.get("game").and_then(|games| games.get(game.name()));
        let written = table.and_then(|table| table.as_table()).cloned().unwrap_or_default();
        game.read(&written).unwrap_or(written)
    }
}

/// The text up to the end of the section `[game]`, and the rest with its leading empty line.
fn split_behind_game(text: &str) -> (&str, &str) {
    let game = text.find("\n[game]\n").expect("the default configuration has a section [game]");
    let end = text[game..].find("\n\n").map_or(text.len(), |length| game + length + 1);
    text.split_at(end)
}
