//! A game, its encoder and its rule-based players, put together into a board.
//!
//! The only place where a board meets the game's types: everything generic is compiled here, once for each
//! game. Not here: which games there are (see `catalogue`).

use std::ops::Range;
use std::sync::Arc;

use deepcfr_cfr::matches::{
    self, Bot, Contestant as Sits, MatchError, MatchPlan, PairOutcome, Pairing as Meets, PolicyBot, Settled,
    Stopping, Watch,
};
use deepcfr_cfr::response::{Against, Inner};
use deepcfr_cfr::tabular::{
    Algorithm, AlgorithmError, FeatureTable, GameTree, HashedSolver, TreeError, TreeLimits,
};
use deepcfr_cfr::traversal::{
    self, Baseline, Sampling as Guided, TraversalError, TraversalPlan, TraversalStats,
};
use deepcfr_core::{Encoder, Game, Policy, Purpose, RandomPolicy, SampleSink, Stream, Turn};

use crate::face::{Board, Contestant, Pairing, Sampling};
use crate::facts::BoardFacts;
use crate::fixed::{Fixed, FixedPlayer};
use crate::keyed_solver::KeyedSolver;
use crate::position::{Position, Stepped};
use crate::worker::Worker;

/// Writes, for each legal action, the lead of the player to move if the game ended after it, in points.
pub type LeadAfter<G> = fn(&G, &<G as Game>::State, &mut [f64]);

type Player<G> = Box<dyn Bot<G> + Send>;

/// A game with its encoder and players; [`Setup::board`] puts them together.
pub struct Setup<G: Game, E> {
    game: Arc<G>,
    encoder: Arc<E>,
    ante: Option<f64>,
    bots: Vec<(&'static str, Player<G>)>,
    lead: Option<ScoreLead<G>>,
}

impl<G: Game + 'static, E: Encoder<G> + 'static> Setup<G, E> {
    /// `game` as `encoder` shows it to networks, with the player `random`.
    pub fn new(game: G, encoder: E) -> Self {
        let random: Player<G> = Box::new(PolicyBot(RandomPolicy));
        Self {
            game: Arc::new(game),
            encoder: Arc::new(encoder),
            ante: None,
            bots: vec![("random", random)],
            lead: None,
        }
    }

    /// Has exploitability told in thousandths of the ante too, `points` of the game.
    #[must_use]
    pub fn ante(self, points: f64) -> Self {
        Self { ante: Some(points), ..self }
    }

    /// Adds a rule-based player; one of the same name is replaced.
    #[must_use]
    pub fn bot(mut self, name: &'static str, bot: impl Bot<G> + Send + 'static) -> Self {
        match self.bots.iter_mut().find(|(known, _)| *known == name) {
            Some((_, known)) => *known = Box::new(bot),
            None => self.bots.push((name, Box::new(bot))),
        }
        self
    }

    /// Adds a rule-based player by the probabilities of its actions.
    #[must_use]
    pub fn policy_bot(self, name: &'static str, policy: impl Policy<G> + Send + 'static) -> Self {
        self.bot(name, PolicyBot(policy))
    }

    /// Gives the game a running score, which outcome sampling can compare sampled values with.
    #[must_use]
    pub fn score_lead(self, lead: LeadAfter<G>) -> Self {
        Self { lead: Some(ScoreLead(lead)), ..self }
    }

    /// The board.
    pub fn board(self) -> Box<dyn Board> {
        let facts = BoardFacts {
            spec: self.game.spec(),
            num_features: self.encoder.num_features(),
            layout: self.encoder.layout(),
            action_names: self.game.action_names(),
            action_classes: self.game.action_classes(),
            fact_names: self.game.fact_names(),
            bots: self.bots.iter().map(|(name, _)| *name).collect(),
            ante: self.ante,
            scored: self.lead.is_some(),
        };
        Box::new(Typed { facts, setup: self })
    }
}

/// A board with its types.
struct Typed<G: Game, E> {
    facts: BoardFacts,
    setup: Setup<G, E>,
}

/// The lead in points as a baseline.
struct ScoreLead<G: Game>(LeadAfter<G>);

impl<G: Game> Baseline<G> for ScoreLead<G> {
    fn write(&self, game: &G, state: &G::State, values: &mut [f64]) {
        (self.0)(game, state, values);
    }
}

impl<G: Game, E> Typed<G, E> {
    fn bot(&self, place: usize) -> &(dyn Bot<G> + Send) {
        &*self.setup.bots.get(place).expect("places of bots come from the board's facts").1
    }

    /// `sampling` with this game's players and running score.
    fn guided(&self, sampling: &Sampling) -> Guided<'_, G> {
        match *sampling {
            Sampling::External => Guided::External,
            Sampling::Outcome { parameters, scored } => {
                let lead = self.setup.lead.as_ref().filter(|_| scored);
                Guided::Outcome { parameters, baseline: lead.map(|lead| lead as _) }
            }
            Sampling::Rollout { parameters, policy } => {
                Guided::Rollout { parameters, policy: self.bot(policy) }
            }
        }
    }

    fn pairing<'a>(&'a self, pairing: &Pairing<'a>, tables: &'a [Table<'a>]) -> Meets<'a, G> {
        let sits = |contestant: &Contestant<'a>| match contestant {
            Contestant::Bot(place) => Sits::Bot(self.bot(*place) as &dyn Bot<G>),
            Contestant::Networks(strategy) => Sits::Network(strategy),
            Contestant::Table(policy) => {
                let table = tables.iter().find(|table| std::ptr::eq(table.0, *policy));
                Sits::Bot(table.expect("every table has a bot"))
            }
        };
        Meets { subject: sits(&pairing.subject), opponent: sits(&pairing.opponent) }
    }
}

/// A table as a bot, where it can be pointed to.
type Table<'a> = PolicyBot<&'a deepcfr_cfr::tabular::KeyedPolicy>;

/// The tables among the contestants.
fn tables<'a>(pairings: &[Pairing<'a>]) -> Vec<Table<'a>> {
    let contestants = pairings.iter().flat_map(|pairing| [pairing.subject, pairing.opponent]);
    let tables = contestants.filter_map(|contestant| match contestant {
        Contestant::Table(policy) => Some(PolicyBot(policy)),
        _ => None,
    });
    tables.collect()
}

impl<G: Game + 'static, E: Encoder<G> + 'static> Board for Typed<G, E> {
    fn facts(&self) -> &BoardFacts {
        &self.facts
    }

    fn traverse(
        &self,
        plan: &TraversalPlan,
        sampling: &Sampling,
        workers: &mut [Worker],
        sink: &mut dyn SampleSink,
    ) -> Result<TraversalStats, TraversalError> {
        let Setup { game, encoder, .. } = &self.setup;
        traversal::run(&**game, &**encoder, self.guided(sampling), plan, workers, sink)
    }

    fn traverse_against(
        &self,
        opponent: &FixedPlayer<'_>,
        plan: &TraversalPlan,
        sampling: &Sampling,
        workers: &mut [Worker],
        sink: &mut dyn SampleSink,
    ) -> Result<TraversalStats, TraversalError> {
        let fixed = Fixed { player: opponent, encoder: &*self.setup.encoder };
        let game = Against::new(&*self.setup.game, &fixed, plan.traverser);
        let encoder = Inner(&*self.setup.encoder);
        let (lead, bot);
        let sampling = match self.guided(sampling) {
            Guided::External => Guided::External,
            Guided::Outcome { parameters, baseline } => {
                lead = baseline.map(Inner);
                Guided::Outcome { parameters, baseline: lead.as_ref().map(|lead| lead as _) }
            }
            Guided::Rollout { parameters, policy } => {
                bot = Inner(policy);
                Guided::Rollout { parameters, policy: &bot }
            }
        };
        traversal::run(&game, &encoder, sampling, plan, workers, sink)
    }

    fn play(
        &self,
        plan: &MatchPlan,
        pairings: &[Pairing<'_>],
        deals: &[Range<u32>],
        workers: &mut [Worker],
        watch: &dyn Watch,
    ) -> Result<Vec<Vec<PairOutcome>>, MatchError> {
        let tables = tables(pairings);
        let meetings: Vec<_> = pairings.iter().map(|pairing| self.pairing(pairing, &tables)).collect();
        let Setup { game, encoder, .. } = &self.setup;
        matches::play_deals(&**game, &**encoder, plan, &meetings, deals, workers, watch)
    }

    fn tournament(
        &self,
        plan: &MatchPlan,
        pairings: &[Pairing<'_>],
        stopping: &Stopping,
        workers: &mut [Worker],
        watch: &dyn Watch,
    ) -> Result<Vec<Settled>, MatchError> {
        let tables = tables(pairings);
        let meetings: Vec<_> = pairings.iter().map(|pairing| self.pairing(pairing, &tables)).collect();
        let Setup { game, encoder, .. } = &self.setup;
        matches::tournament(&**game, &**encoder, plan, &meetings, stopping, workers, watch)
    }

    fn tree(&self, limits: TreeLimits) -> Result<Arc<GameTree>, TreeError> {
        GameTree::build(&*self.setup.game, limits).map(Arc::new)
    }

    fn features(&self, tree: &GameTree) -> FeatureTable {
        tree.encode_infosets(&*self.setup.game, &*self.setup.encoder)
    }

    fn keyed_solver(&self, algorithm: Algorithm, seed: u64) -> Result<Box<dyn KeyedSolver>, AlgorithmError> {
        Ok(Box::new(HashedSolver::shared(Arc::clone(&self.setup.game), algorithm, seed)?))
    }

    fn root(&self) -> Box<dyn Position> {
        Box::new(Stepped::root(&self.setup.game, &self.setup.encoder))
    }

    fn rows(&self, count: usize, seed: u64) -> Vec<f32> {
        let mut rows = vec![0.0; count * self.facts.num_features];
        let mut places = rows.chunks_exact_mut(self.facts.num_features);
        let mut number = 0;
        while places.len() > 0 {
            self.random_game(&mut Stream::new(seed, Purpose::Statistics, 0x7137, 0, number), &mut places);
            number += 1;
        }
        rows
    }
}

impl<G: Game, E: Encoder<G>> Typed<G, E> {
    /// Plays at random and writes the row of each decision into the next of `places`, until one of them ends.
    fn random_game<'r>(&self, rng: &mut Stream, places: &mut impl Iterator<Item = &'r mut [f32]>) {
        let Setup { game, encoder, .. } = &self.setup;
        let mut state = game.root();
        loop {
            let action = match game.turn(&state) {
                Turn::Terminal => return,
                Turn::Chance => game.sample_chance(&state, rng),
                Turn::Player(player) => {
                    let Some(row) = places.next() else { return };
                    encoder.encode(game, &state, player, row);
                    let legal = game.legal_actions(&state);
                    legal.choose(|count| rng.below(count)).expect("a player to move has a legal action")
                }
            };
            game.apply(&mut state, action);
        }
    }
}
