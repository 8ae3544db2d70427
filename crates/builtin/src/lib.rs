//! The games that come with the program as a catalogue: for each its keys in a configuration, its encoders
//! and its rule bots; and the presets.
//!
//! A user's own game joins them by [`Catalogue::game`]. Not here: rules, encoders and bots themselves
//! (`deepcfr-games`).
//!
//! ```
//! use deepcfr_config::Base;
//!
//! let catalogue = deepcfr_builtin::catalogue();
//! let config = catalogue.schema().resolve(&Base::Preset("leduc-13".to_owned()), &[], None)?;
//! let board = catalogue.board(&config.game)?;
//! assert_eq!(config.game_line(), "leduc ranks=13");
//! assert_eq!(board.facts().bots, ["random", "always-call"]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod goofspiel;
mod liars_dice;
mod lost_cities;
mod poker;

use deepcfr_board::Catalogue;

pub use goofspiel::{GoofspielConfig, PointOrder};
pub use liars_dice::LiarsDiceConfig;
pub use lost_cities::{LostCitiesConfig, LostCitiesEncoder};
pub use poker::{KuhnConfig, LeducConfig};

/// Every preset with its file, smallest game first.
const PRESETS: [(&str, &str); 7] = [
    ("kuhn", include_str!("../configs/presets/kuhn.toml")),
    ("leduc", include_str!("../configs/presets/leduc.toml")),
    ("leduc-paper", include_str!("../configs/presets/leduc-paper.toml")),
    ("leduc-13", include_str!("../configs/presets/leduc-13.toml")),
    ("lost-cities-quick", include_str!("../configs/presets/lost-cities-quick.toml")),
    ("lost-cities", include_str!("../configs/presets/lost-cities.toml")),
    ("lost-cities-seed", include_str!("../configs/presets/lost-cities-seed.toml")),
];

/// All built-in games and presets.
pub fn catalogue() -> Catalogue {
    let games = Catalogue::new()
        .game::<KuhnConfig>()
        .game::<LeducConfig>()
        .game::<LiarsDiceConfig>()
        .game::<GoofspielConfig>()
        .game::<LostCitiesConfig>();
    PRESETS.into_iter().fold(games, |catalogue, (name, text)| catalogue.preset(name, text))
}

#[cfg(test)]
mod tests;
