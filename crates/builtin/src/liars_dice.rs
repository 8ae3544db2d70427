//! Liar's dice.

use deepcfr_board::{Board, BoxError, GameConfig, Setup};
use deepcfr_config::Refused;
use deepcfr_games::liars_dice::{LiarsDice, LiarsDiceEncoder, LiarsDiceRules};
use serde::{Deserialize, Serialize};

/// `[game.liars_dice]`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LiarsDiceConfig {
    /// Dice of each player.
    pub dice: u32,
    /// Faces of a die.
    pub sides: u32,
}

impl GameConfig for LiarsDiceConfig {
    const NAME: &'static str = "liars_dice";
    const MANUAL: &'static str = include_str!("../configs/games/liars_dice.toml");

    fn refused(&self) -> Vec<Refused> {
        let (dice, sides) = (self.dice as usize, self.sides as usize);
        let mut refused: Vec<Refused> =
            Refused::outside("dice", dice, 1..=LiarsDiceRules::MAX_DICE).into_iter().collect();
        let range = LiarsDiceRules::MIN_SIDES..=LiarsDiceRules::MAX_SIDES;
        refused.extend(Refused::outside("sides", sides, range));
        let bids = 2 * u64::from(self.dice) * u64::from(self.sides);
        if refused.is_empty() && bids > LiarsDiceRules::MAX_BIDS as u64 {
            let most = LiarsDiceRules::MAX_BIDS / 2;
            refused.push(Refused::new("dice", format!("give less: dice times sides may be at most {most}")));
        }
        refused
    }

    fn set_up(&self) -> Result<Box<dyn Board>, BoxError> {
        let rules = LiarsDiceRules { dice: self.dice as usize, sides: self.sides as usize };
        let game = LiarsDice::new(rules)?;
        let encoder = LiarsDiceEncoder::new(&game);
        Ok(Setup::new(game, encoder).board())
    }
}
