//! Which rules the games allow.
//!
//! The games decide; this names their keys. Not here: building a game (see `registry`).

use std::ops::RangeInclusive;

use deepcfr_games::goofspiel::GoofspielRules;
use deepcfr_games::leduc::LeducRules;
use deepcfr_games::liars_dice::LiarsDiceRules;
use deepcfr_games::lost_cities::{self, Violation};

use super::game::{GameConfig, LiarsDiceConfig, LostCitiesConfig};

/// The keys of `game` that its rules refuse, each with what it may be.
pub(super) fn refused(game: &GameConfig) -> Vec<(String, String)> {
    match game {
        GameConfig::Kuhn(_) => Vec::new(),
        GameConfig::Leduc(leduc) => {
            outside("game.leduc.ranks", leduc.ranks, LeducRules::MIN_RANKS..=LeducRules::MAX_RANKS)
        }
        GameConfig::LiarsDice(dice) => liars_dice(*dice),
        GameConfig::Goofspiel(goofspiel) => {
            let cards = GoofspielRules::MIN_CARDS..=GoofspielRules::MAX_CARDS;
            outside("game.goofspiel.cards", goofspiel.cards, cards)
        }
        GameConfig::LostCities(table) => lost_cities(table),
    }
}

fn outside(key: &str, value: u32, range: RangeInclusive<usize>) -> Vec<(String, String)> {
    let remedy = || (key.to_owned(), format!("give {} to {}", range.start(), range.end()));
    if range.contains(&(value as usize)) { Vec::new() } else { vec![remedy()] }
}

fn liars_dice(game: LiarsDiceConfig) -> Vec<(String, String)> {
    let mut refused = outside("game.liars_dice.dice", game.dice, 1..=LiarsDiceRules::MAX_DICE);
    let sides = LiarsDiceRules::MIN_SIDES..=LiarsDiceRules::MAX_SIDES;
    refused.extend(outside("game.liars_dice.sides", game.sides, sides));
    let bids = 2 * u64::from(game.dice) * u64::from(game.sides);
    if refused.is_empty() && bids > LiarsDiceRules::MAX_BIDS as u64 {
        let remedy = format!("give less: dice times sides may be at most {}", LiarsDiceRules::MAX_BIDS / 2);
        refused.push(("game.liars_dice.dice".to_owned(), remedy));
    }
    refused
}

fn lost_cities(table: &LostCitiesConfig) -> Vec<(String, String)> {
    let violations = lost_cities::Rules::from(table).validate().err().map(|error| error.violations);
    let remedy = |Violation(setting): Violation| {
        let key = format!("game.lost_cities.{}", setting.name);
        (key, format!("give {} to {}", setting.min, setting.max))
    };
    violations.unwrap_or_default().into_iter().map(remedy).collect()
}

impl From<&LostCitiesConfig> for lost_cities::Rules {
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
