//! The games of a catalogue with their parameters and sizes, for people.
//!
//! Not here: text and tables.

use deepcfr_cfr::tabular::{TreeError, TreeLimits};
use deepcfr_config::{Base, ConfigError, GameChoice, Problem};

use crate::catalogue::{Catalogue, RulesError};
use crate::small_game::too_big;

/// Infosets are counted in games of at most this many nodes.
pub const COUNTED_NODES: usize = 1_000_000;

/// A game under its default parameters, or those that were set.
#[derive(Clone, Debug, PartialEq)]
pub struct GameListing {
    /// Its name in a configuration.
    pub name: String,
    /// Parameters with their defaults, `ranks=3`.
    pub parameters: Vec<String>,
    /// The ways to show it to a network, the default one first.
    pub encoders: Vec<EncoderListing>,
    /// Infosets of both players, where the game has at most [`COUNTED_NODES`] nodes and its infosets
    /// tell apart all histories of own moves.
    pub infosets: Option<usize>,
    /// The most actions from root to end, chance included.
    pub max_depth: usize,
    /// The lowest and highest utility, in points.
    pub utility_range: (f64, f64),
    /// Names of rule-based opponents.
    pub opponents: Vec<&'static str>,
}

/// One way to show a game to a network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EncoderListing {
    /// Its name in a configuration.
    pub name: &'static str,
    /// Length of a feature row.
    pub num_features: usize,
    /// Number of actions.
    pub num_actions: usize,
}

/// Why a game cannot be listed.
#[derive(Debug, thiserror::Error)]
pub enum ListingError {
    /// Its configuration is refused.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// Its rules are impossible.
    #[error(transparent)]
    Rules(#[from] RulesError),
    /// Its tree breaks a rule.
    #[error(transparent)]
    Tree(#[from] TreeError),
}

impl Catalogue {
    /// Every game, or only the one called `name`, under its default parameters and what `sets` says of them,
    /// `game.<game>.<parameter>=<value>` each. Takes about a second for all.
    ///
    /// # Errors
    /// If there is no such game or parameter, a value is refused, or a game's tree breaks a rule of its own.
    pub fn list(&self, name: Option<&str>, sets: &[String]) -> Result<Vec<GameListing>, ListingError> {
        let problems: Vec<Problem> = Problem::beside_game(sets).collect();
        if !problems.is_empty() {
            return Err(ConfigError { problems }.into());
        }
        match name {
            Some(name) => Ok(vec![self.listing(name, sets)?]),
            None => self.schema().games().map(|name| self.listing(name, sets)).collect(),
        }
    }

    fn listing(&self, name: &str, sets: &[String]) -> Result<GameListing, ListingError> {
        let choose = |more: &[String]| -> Result<GameChoice, ConfigError> {
            let sets = [sets, more].concat();
            Ok(self.schema().resolve(&Base::Default, &sets, None)?.game)
        };
        let named = format!("game.name={name}");
        let default = choose(std::slice::from_ref(&named))?;
        let mut encoders = Vec::new();
        match self.schema().encoder_key(name) {
            None => encoders.push(self.encoder("default", &default)?),
            Some(key) => {
                for word in key.words {
                    let chosen = choose(&[named.clone(), format!("game.{name}.{}={word}", key.key)])?;
                    encoders.push(self.encoder(word, &chosen)?);
                }
            }
        }
        let board = self.board(&default)?;
        let facts = board.facts();
        let limits = TreeLimits { max_nodes: COUNTED_NODES, ..TreeLimits::default() };
        let infosets = match board.tree(limits) {
            Ok(tree) => Some(tree.num_infosets()),
            Err(error) if too_big(&error) => None,
            Err(error) => return Err(error.into()),
        };
        Ok(GameListing {
            name: name.to_owned(),
            parameters: default.parameters(),
            encoders,
            infosets,
            max_depth: facts.spec.max_depth,
            utility_range: facts.spec.utility_range,
            opponents: facts.bots.clone(),
        })
    }

    fn encoder(&self, name: &'static str, game: &GameChoice) -> Result<EncoderListing, RulesError> {
        let board = self.board(game)?;
        let facts = board.facts();
        Ok(EncoderListing { name, num_features: facts.num_features, num_actions: facts.spec.num_actions })
    }
}
