//! From a configuration's words to a game, its encoder and its facts.
//!
//! Not here: the games themselves, and checks of single keys (see `config`).

use deepcfr_cfr::matches::{Bot, PolicyBot};
use deepcfr_cfr::traversal::Baseline;
use deepcfr_core::{Action, Encoder, Game, Policy, Stream, Turn};
use deepcfr_games::bots::{AlwaysCall, RandomPolicy};
use deepcfr_games::goofspiel::{Goofspiel, GoofspielEncoder, GoofspielRules, PrizeOrder};
use deepcfr_games::kuhn::{Kuhn, KuhnEncoder};
use deepcfr_games::leduc::{Leduc, LeducEncoder, LeducRules};
use deepcfr_games::liars_dice::{LiarsDice, LiarsDiceEncoder, LiarsDiceRules};
use deepcfr_games::lost_cities::Bot as LostCitiesBot;
use deepcfr_games::lost_cities::{
    ActionSpace, Cards, CardsEncoder, LostCities, Rules, Slots, SlotsEncoder, Sorted,
    State as LostCitiesState,
};

use crate::config::{GameConfig, GoofspielConfig, LostCitiesConfig, LostCitiesEncoder, PointOrder};
use crate::error::TrainError;

/// What is done with a game whose types are known only here.
pub(crate) trait Visitor {
    /// What comes back.
    type Output;

    /// Receives the game.
    fn visit<G: Game + 'static, E: Encoder<G> + 'static>(
        self,
        setup: Setup<G, E>,
    ) -> Result<Self::Output, TrainError>;
}

/// A rule-based opponent and its name.
pub(crate) type Opponent<G> = (&'static str, Box<dyn Bot<G>>);

/// A configured game with what the trainer needs to know of it.
pub(crate) struct Setup<G: Game, E> {
    pub(crate) game: G,
    pub(crate) encoder: E,
    /// The ante in points, for games whose exploitability is told in thousandths of it.
    pub(crate) ante: Option<f64>,
    /// Rule-based opponents.
    pub(crate) opponents: Vec<Opponent<G>>,
    /// For games with a running score.
    pub(crate) score_lead: Option<LeadAfter<G>>,
}

impl<G: Game, E> Setup<G, E> {
    /// The rule-based opponent of that name.
    pub(crate) fn opponent(&self, name: &str) -> Option<&dyn Bot<G>> {
        opponent_named(&self.opponents, name).map(|(_, bot)| bot)
    }
}

/// The one of `opponents` that is called `name`.
pub(crate) fn opponent_named<'s, G: Game>(
    opponents: &'s [Opponent<G>],
    name: &str,
) -> Option<(&'static str, &'s dyn Bot<G>)> {
    opponents.iter().find(|(known, _)| *known == name).map(|(known, bot)| (*known, &**bot))
}

/// Writes, for each legal action, the lead of the player to move if the game ended after it, in points.
pub(crate) type LeadAfter<G> = fn(&G, &<G as Game>::State, &mut [f64]);

/// The lead in points as a baseline.
pub(crate) struct ScoreLead<G: Game>(pub(crate) LeadAfter<G>);

impl<G: Game> Baseline<G> for ScoreLead<G> {
    fn write(&self, game: &G, state: &G::State, values: &mut [f64]) {
        (self.0)(game, state, values);
    }
}

/// Builds the game of `config` and hands it to `visitor`.
///
/// # Errors
/// If the rules are impossible, or what the visitor returns.
pub(crate) fn with_game<V: Visitor>(config: &GameConfig, visitor: V) -> Result<V::Output, TrainError> {
    match config {
        GameConfig::Kuhn(_) => visitor.visit(poker(Kuhn, KuhnEncoder)),
        GameConfig::Leduc(table) => {
            // Suits mean nothing in Leduc: leaving them out is exact and makes tables and memories smaller.
            let rules = LeducRules { ranks: table.ranks as usize, suit_blind_keys: true };
            let game = Leduc::new(rules).map_err(rules_error)?;
            visitor.visit(poker(game, LeducEncoder::new(&game)))
        }
        GameConfig::LiarsDice(table) => {
            let rules = LiarsDiceRules { dice: table.dice as usize, sides: table.sides as usize };
            let game = LiarsDice::new(rules).map_err(rules_error)?;
            let encoder = LiarsDiceEncoder::new(&game);
            visitor.visit(Setup { game, encoder, ante: None, opponents: vec![random()], score_lead: None })
        }
        GameConfig::Goofspiel(table) => {
            let game = Goofspiel::new(goofspiel_rules(table)).map_err(rules_error)?;
            let encoder = GoofspielEncoder::new(&game);
            visitor.visit(Setup { game, encoder, ante: None, opponents: vec![random()], score_lead: None })
        }
        GameConfig::LostCities(table) => with_lost_cities(table, visitor),
    }
}

fn with_lost_cities<V: Visitor>(table: &LostCitiesConfig, visitor: V) -> Result<V::Output, TrainError> {
    let rules = Rules::from(table);
    match table.encoder {
        LostCitiesEncoder::Default | LostCitiesEncoder::Cards => {
            visitor.visit(lost_cities::<Cards, _>(rules, CardsEncoder::new)?)
        }
        LostCitiesEncoder::Sorted => visitor.visit(lost_cities::<Sorted, _>(rules, CardsEncoder::new)?),
        LostCitiesEncoder::Slots => visitor.visit(lost_cities::<Slots, _>(rules, SlotsEncoder::new)?),
    }
}

fn poker<G: Game, E>(game: G, encoder: E) -> Setup<G, E>
where
    AlwaysCall: Policy<G>,
{
    let opponents = vec![random(), ("always-call", Box::new(PolicyBot(AlwaysCall)) as Box<dyn Bot<G>>)];
    Setup { game, encoder, ante: Some(1.0), opponents, score_lead: None }
}

fn random<G: Game>() -> Opponent<G> {
    ("random", Box::new(PolicyBot(RandomPolicy)))
}

fn lost_cities<A: ActionSpace, E>(
    rules: Rules,
    encoder: impl FnOnce(&Rules) -> E,
) -> Result<Setup<LostCities<A>, E>, TrainError> {
    let game = LostCities::<A>::new(rules).map_err(rules_error)?;
    let opponents = LostCitiesBot::ALL
        .map(|bot| (bot.name(), Box::new(LostCitiesOpponent(bot)) as Box<dyn Bot<LostCities<A>>>));
    let score_lead: Option<LeadAfter<_>> = Some(lost_cities_lead);
    Ok(Setup { encoder: encoder(&rules), game, ante: None, opponents: opponents.into(), score_lead })
}

fn lost_cities_lead<A: ActionSpace>(game: &LostCities<A>, state: &LostCitiesState, values: &mut [f64]) {
    let Turn::Player(player) = game.turn(state) else { return };
    for action in game.legal_actions(state) {
        let mut after = *state;
        game.apply(&mut after, action);
        let lead = game.score(&after, player) - game.score(&after, 1 - player);
        values[usize::from(action)] = f64::from(lead);
    }
}

/// A bot of Lost Cities, in either action space.
struct LostCitiesOpponent(LostCitiesBot);

impl<A: ActionSpace> Bot<LostCities<A>> for LostCitiesOpponent {
    fn act(&self, game: &LostCities<A>, state: &LostCitiesState, rng: &mut Stream) -> Action {
        game.to_action(state, self.0.decide(game, state, rng))
    }

    fn play_out(&self, game: &LostCities<A>, state: &mut LostCitiesState, rng: &mut Stream) -> u64 {
        self.0.play_out(game, state, rng)
    }
}

fn goofspiel_rules(table: &GoofspielConfig) -> GoofspielRules {
    GoofspielRules {
        cards: table.cards as usize,
        order: match table.point_order {
            PointOrder::Ascending => PrizeOrder::Ascending,
            PointOrder::Descending => PrizeOrder::Descending,
            PointOrder::Random => PrizeOrder::Random,
        },
        ..GoofspielRules::default()
    }
}

fn rules_error(error: impl std::error::Error) -> TrainError {
    TrainError::Rules { reason: error.to_string() }
}
