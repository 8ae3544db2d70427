//! Goofspiel with hidden bids.

use deepcfr_board::{Board, BoxError, GameConfig, Setup};
use deepcfr_config::Refused;
use deepcfr_games::goofspiel::{Goofspiel, GoofspielEncoder, GoofspielRules, PrizeOrder};
use serde::{Deserialize, Serialize};

deepcfr_config::choices! {
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

/// `[game.goofspiel]`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GoofspielConfig {
    /// Cards of each hand and number of prizes.
    pub cards: u32,
    /// The order of the prizes.
    pub point_order: PointOrder,
}

impl GameConfig for GoofspielConfig {
    const NAME: &'static str = "goofspiel";
    const MANUAL: &'static str = include_str!("../configs/games/goofspiel.toml");

    fn refused(&self) -> Vec<Refused> {
        let cards = GoofspielRules::MIN_CARDS..=GoofspielRules::MAX_CARDS;
        Refused::outside("cards", self.cards as usize, cards).into_iter().collect()
    }

    fn set_up(&self) -> Result<Box<dyn Board>, BoxError> {
        let order = match self.point_order {
            PointOrder::Ascending => PrizeOrder::Ascending,
            PointOrder::Descending => PrizeOrder::Descending,
            PointOrder::Random => PrizeOrder::Random,
        };
        let rules = GoofspielRules { cards: self.cards as usize, order, ..GoofspielRules::default() };
        let game = Goofspiel::new(rules)?;
        let encoder = GoofspielEncoder::new(&game);
        Ok(Setup::new(game, encoder).board())
    }
}
