//! Lost Cities, with its three encoders and its rule bots.

use deepcfr_board::{Board, BoxError, GameConfig, Setup};
use deepcfr_cfr::matches::Bot as Player;
use deepcfr_config::{EncoderKey, Refused};
use deepcfr_core::{Action, Encoder, Game, Stream, Turn};
use deepcfr_games::lost_cities::{
    ActionSpace, Bot, Cards, CardsEncoder, LostCities, Rules, Slots, SlotsEncoder, Sorted, State, Violation,
};
use serde::{Deserialize, Serialize};

deepcfr_config::choices! {
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

impl GameConfig for LostCitiesConfig {
    const NAME: &'static str = "lost_cities";
    const MANUAL: &'static str = include_str!("../configs/games/lost_cities.toml");
    const ENCODERS: Option<EncoderKey> =
        Some(EncoderKey { key: "encoder", words: &["cards", "sorted", "slots"], alias: "default" });

    fn refused(&self) -> Vec<Refused> {
        let violations = Rules::from(self).validate().err().map(|error| error.violations);
        let refused = |Violation(setting): Violation| {
            Refused::new(setting.name, format!("give {} to {}", setting.min, setting.max))
        };
        violations.unwrap_or_default().into_iter().map(refused).collect()
    }

    fn set_up(&self) -> Result<Box<dyn Board>, BoxError> {
        let rules = Rules::from(self);
        match self.encoder {
            LostCitiesEncoder::Default | LostCitiesEncoder::Cards => {
                board::<Cards, _>(rules, CardsEncoder::new)
            }
            LostCitiesEncoder::Sorted => board::<Sorted, _>(rules, CardsEncoder::new),
            LostCitiesEncoder::Slots => board::<Slots, _>(rules, SlotsEncoder::new),
        }
    }
}

impl From<&LostCitiesConfig> for Rules {
    fn from(table: &LostCitiesConfig) -> Self {
        Self {
            colours: table.colours,
            ranks: table.ranks,
            min_rank: table.min_rank,
            wagers: table.wagers,
            hand_size: table.hand_size,
            expedition_penalty: table.expedition_penalty,
            bonus_threshold: table.bonus_threshold,
            bonus_amount: table.bonus_amount,
            ply_cap: table.ply_cap,
        }
    }
}

fn board<A: ActionSpace, E: Encoder<LostCities<A>> + 'static>(
    rules: Rules,
    encoder: impl FnOnce(&Rules) -> E,
) -> Result<Box<dyn Board>, BoxError> {
    let setup = Setup::new(LostCities::<A>::new(rules)?, encoder(&rules)).score_lead(lead);
    Ok(Bot::ALL.into_iter().fold(setup, |setup, bot| setup.bot(bot.name(), Seated(bot))).board())
}

fn lead<A: ActionSpace>(game: &LostCities<A>, state: &State, values: &mut [f64]) {
    let Turn::Player(player) = game.turn(state) else { return };
    for action in game.legal_actions(state) {
        let mut after = *state;
        game.apply(&mut after, action);
        let lead = game.score(&after, player) - game.score(&after, 1 - player);
        values[usize::from(action)] = f64::from(lead);
    }
}

/// A bot of Lost Cities, in either action space.
struct Seated(Bot);

impl<A: ActionSpace> Player<LostCities<A>> for Seated {
    fn act(&self, game: &LostCities<A>, state: &State, rng: &mut Stream) -> Action {
        game.to_action(state, self.0.decide(game, state, rng))
    }

    fn play_out(&self, game: &LostCities<A>, state: &mut State, rng: &mut Stream) -> u64 {
        self.0.play_out(game, state, rng)
    }
}
