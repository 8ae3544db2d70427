//! Kuhn and Leduc poker.

use deepcfr_board::{Board, BoxError, GameConfig, Setup};
use deepcfr_config::Refused;
use deepcfr_core::{Encoder, Game, Policy};
use deepcfr_games::bots::AlwaysCall;
use deepcfr_games::kuhn::{Kuhn, KuhnEncoder};
use deepcfr_games::leduc::{Leduc, LeducEncoder, LeducRules};
use serde::{Deserialize, Serialize};

/// `[game.kuhn]`: no parameters.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KuhnConfig {}

impl GameConfig for KuhnConfig {
    const NAME: &'static str = "kuhn";
    const MANUAL: &'static str = include_str!("../configs/games/kuhn.toml");

    fn set_up(&self) -> Result<Box<dyn Board>, BoxError> {
        Ok(poker(Kuhn, KuhnEncoder))
    }
}

/// `[game.leduc]`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LeducConfig {
    /// Card ranks of each suit.
    pub ranks: u32,
}

impl GameConfig for LeducConfig {
    const NAME: &'static str = "leduc";
    const MANUAL: &'static str = include_str!("../configs/games/leduc.toml");

    fn refused(&self) -> Vec<Refused> {
        let ranks = LeducRules::MIN_RANKS..=LeducRules::MAX_RANKS;
        Refused::outside("ranks", self.ranks as usize, ranks).into_iter().collect()
    }

    fn set_up(&self) -> Result<Box<dyn Board>, BoxError> {
        // Suits mean nothing in Leduc: leaving them out is exact and makes tables and memories smaller.
        let game = Leduc::new(LeducRules { ranks: self.ranks as usize, suit_blind_keys: true })?;
        Ok(poker(game, LeducEncoder::new(&game)))
    }
}

fn poker<G: Game + 'static, E: Encoder<G> + 'static>(game: G, encoder: E) -> Box<dyn Board>
where
    AlwaysCall: Policy<G>,
{
    Setup::new(game, encoder).ante(1.0).policy_bot("always-call", AlwaysCall).board()
}
