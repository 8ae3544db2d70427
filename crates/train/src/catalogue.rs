//! The games that can be configured, with their parameters and sizes, for people.
//!
//! Not here: building a game for a run (see `registry`).

use deepcfr_cfr::tabular::{GameTree, TreeError, TreeLimits};
use deepcfr_core::{Encoder, Game, GameSpec};

use crate::config::{Base, GameConfig, GameName, LostCitiesConfig, LostCitiesEncoder, resolve};
use crate::error::TrainError;
use crate::registry::{Setup, Visitor, with_game};

/// Infosets are counted in games of at most this many nodes.
pub const COUNTED_NODES: usize = 1_000_000;

/// A game under its default parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct GameFacts {
    /// Its name in a configuration.
    pub name: &'static str,
    /// Parameters with their defaults, `ranks=3`.
    pub parameters: Vec<String>,
    /// The ways to show it to a network, the default one first.
    pub encoders: Vec<EncoderFacts>,
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
pub struct EncoderFacts {
    /// Its name in a configuration.
    pub name: &'static str,
    /// Length of a feature row.
    pub num_features: usize,
    /// Number of actions.
    pub num_actions: usize,
}

/// Every game under its default parameters. Takes about a second.
///
/// # Errors
/// If a game's tree breaks a rule of its own.
pub fn games() -> Result<Vec<GameFacts>, TrainError> {
    GameName::ALL.iter().map(|&name| facts(name)).collect()
}

fn facts(name: GameName) -> Result<GameFacts, TrainError> {
    let assignment = format!("game.name={name}");
    let config = resolve(&Base::Default, &[assignment], None).expect("a test resolves every game");
    let variants: Vec<(&str, GameConfig)> = match config.game {
        GameConfig::LostCities(table) => {
            [LostCitiesEncoder::Cards, LostCitiesEncoder::Sorted, LostCitiesEncoder::Slots]
                .map(|encoder| {
                    (encoder.word(), GameConfig::LostCities(LostCitiesConfig { encoder, ..table }))
                })
                .to_vec()
        }
        game => vec![("default", game)],
    };
    let sizes = variants.iter().map(|(_, game)| with_game(game, Measure)).collect::<Result<Vec<_>, _>>()?;
    let encoders = variants.iter().zip(&sizes).map(|((name, _), sizes)| EncoderFacts {
        name,
        num_features: sizes.num_features,
        num_actions: sizes.spec.num_actions,
    });
    let line = config.game_line();
    Ok(GameFacts {
        name: name.word(),
        parameters: line.split(' ').skip(1).map(str::to_owned).collect(),
        encoders: encoders.collect(),
        infosets: sizes[0].infosets,
        max_depth: sizes[0].spec.max_depth,
        utility_range: sizes[0].spec.utility_range,
        opponents: opponents(&config.game),
    })
}

/// Names of a game's rule-based opponents; none where its rules are impossible.
pub(crate) fn opponents(game: &GameConfig) -> Vec<&'static str> {
    with_game(game, OpponentNames).unwrap_or_default()
}

struct OpponentNames;

impl Visitor for OpponentNames {
    type Output = Vec<&'static str>;

    fn visit<G: Game + 'static, E: Encoder<G> + 'static>(
        self,
        setup: Setup<G, E>,
    ) -> Result<Self::Output, TrainError> {
        Ok(setup.opponents.iter().map(|(name, _)| *name).collect())
    }
}

struct Sizes {
    spec: GameSpec,
    num_features: usize,
    infosets: Option<usize>,
}

struct Measure;

impl Visitor for Measure {
    type Output = Sizes;

    fn visit<G: Game + 'static, E: Encoder<G> + 'static>(
        self,
        setup: Setup<G, E>,
    ) -> Result<Sizes, TrainError> {
        let limits = TreeLimits { max_nodes: COUNTED_NODES, ..TreeLimits::default() };
        let infosets = match GameTree::build(&setup.game, limits) {
            Ok(tree) => Some(tree.num_infosets()),
            Err(
                TreeError::TooManyNodes { .. }
                | TreeError::TooManyInfosets { .. }
                | TreeError::ImperfectRecall { .. },
            ) => None,
            Err(error) => return Err(error.into()),
        };
        Ok(Sizes { spec: setup.game.spec(), num_features: setup.encoder.num_features(), infosets })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_game_is_listed_with_its_sizes() {
        let games = games().unwrap();
        let names: Vec<_> = games.iter().map(|game| game.name).collect();
        assert_eq!(names, ["kuhn", "leduc", "liars_dice", "goofspiel", "lost_cities"]);
        let (kuhn, leduc, lost_cities) = (&games[0], &games[1], &games[4]);
        assert_eq!((kuhn.infosets, kuhn.encoders[0].num_actions), (Some(12), 2));
        assert_eq!((leduc.infosets, leduc.parameters.clone()), (Some(288), vec!["ranks=3".to_owned()]));
        assert_eq!(lost_cities.infosets, None);
        let encoders: Vec<_> = lost_cities.encoders.iter().map(|e| (e.name, e.num_features)).collect();
        assert_eq!((encoders[0].0, encoders[1], encoders[2]), ("cards", ("sorted", 530), ("slots", 365)));
    }
}
