//! The keys that choose and parametrise a game.
//!
//! Not here: the games, and building one from these keys (see `registry`).

use serde::{Deserialize, Serialize};

use super::choice::choices;

choices! {
    /// The games that a run can train on.
    GameName {
        /// Kuhn poker.
        Kuhn = "kuhn",
        /// Leduc poker.
        Leduc = "leduc",
        /// Liar's dice.
        LiarsDice = "liars_dice",
        /// Goofspiel with hidden bids.
        Goofspiel = "goofspiel",
        /// Lost Cities.
        LostCities = "lost_cities",
    }
}

choices! {
    /// The order in which Goofspiel's prizes come up.
    PointOrder {
        /// Lowest first.
        Ascending = "ascending",
        /// Highest first.
        Descending = "descending",
        /// Shuffled.
        Random = "random",
    }
}

choices! {
    /// What a Lost Cities network sees.
    LostCitiesEncoder {
        /// The recommended one, `Cards`.
        Default = "default",
        /// Cards, independent of their order in hand.
        Cards = "cards",
        /// Cards, the colours in the order of what they promise the player.
        Sorted = "sorted",
        /// Places in hand.
        Slots = "slots",
    }
}

/// `[game.kuhn]`: no parameters.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KuhnConfig {}

/// `[game.leduc]`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LeducConfig {
    /// Card ranks of each suit.
    pub ranks: u32,
}

/// `[game.liars_dice]`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LiarsDiceConfig {
    /// Dice of each player.
    pub dice: u32,
    /// Faces of a die.
    pub sides: u32,
}

/// `[game.goofspiel]`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GoofspielConfig {
    /// Cards of each hand and number of prizes.
    pub cards: u32,
    /// The order of the prizes.
    pub point_order: PointOrder,
}

/// `[game.lost_cities]`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LostCitiesConfig {
    /// Colours.
    pub colours: u32,
    /// Number cards of each colour.
    pub ranks: u32,
    /// Lowest printed number.
    pub min_rank: u32,
    /// Wager cards of each colour.
    pub wagers: u32,
    /// Cards in a hand.
    pub hand_size: u32,
    /// Points that an expedition starts with, 0 or less.
    pub expedition_penalty: i32,
    /// Cards from which an expedition earns the bonus.
    pub bonus_threshold: u32,
    /// The bonus in points.
    pub bonus_amount: i32,
    /// Plies after which a round ends.
    pub ply_cap: u32,
    /// What the networks see.
    pub encoder: LostCitiesEncoder,
}

/// The chosen game with its parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum GameConfig {
    /// Kuhn poker.
    Kuhn(KuhnConfig),
    /// Leduc poker.
    Leduc(LeducConfig),
    /// Liar's dice.
    LiarsDice(LiarsDiceConfig),
    /// Goofspiel.
    Goofspiel(GoofspielConfig),
    /// Lost Cities.
    LostCities(LostCitiesConfig),
}

impl GameConfig {
    /// Which game it is.
    pub const fn name(&self) -> GameName {
        match self {
            Self::Kuhn(_) => GameName::Kuhn,
            Self::Leduc(_) => GameName::Leduc,
            Self::LiarsDice(_) => GameName::LiarsDice,
            Self::Goofspiel(_) => GameName::Goofspiel,
            Self::LostCities(_) => GameName::LostCities,
        }
    }
}

/// `[game]` as it is written: a name, and a table for each game.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawGame {
    /// The chosen game.
    pub(super) name: GameName,
    /// Kuhn's table.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) kuhn: Option<KuhnConfig>,
    /// Leduc's table.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) leduc: Option<LeducConfig>,
    /// Liar's dice's table.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) liars_dice: Option<LiarsDiceConfig>,
    /// Goofspiel's table.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) goofspiel: Option<GoofspielConfig>,
    /// Lost Cities' table.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) lost_cities: Option<LostCitiesConfig>,
}

impl RawGame {
    /// The chosen game's table; `None` where it is missing.
    pub(super) fn chosen(&self) -> Option<GameConfig> {
        match self.name {
            GameName::Kuhn => self.kuhn.map(GameConfig::Kuhn),
            GameName::Leduc => self.leduc.map(GameConfig::Leduc),
            GameName::LiarsDice => self.liars_dice.map(GameConfig::LiarsDice),
            GameName::Goofspiel => self.goofspiel.map(GameConfig::Goofspiel),
            GameName::LostCities => self.lost_cities.map(GameConfig::LostCities),
        }
    }
}

impl From<GameConfig> for RawGame {
    fn from(game: GameConfig) -> Self {
        let mut raw = Self {
            name: game.name(),
            kuhn: None,
            leduc: None,
            liars_dice: None,
            goofspiel: None,
            lost_cities: None,
        };
        match game {
            GameConfig::Kuhn(table) => raw.kuhn = Some(table),
            GameConfig::Leduc(table) => raw.leduc = Some(table),
            GameConfig::LiarsDice(table) => raw.liars_dice = Some(table),
            GameConfig::Goofspiel(table) => raw.goofspiel = Some(table),
            GameConfig::LostCities(table) => raw.lost_cities = Some(table),
        }
        raw
    }
}
