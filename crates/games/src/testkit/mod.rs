//! The conformance kit: does a game, with an encoder, keep the contracts of `Game` and `Encoder`?
//!
//! Walks the whole tree of a small game and plays random games of a large one; checks every
//! state by itself (`observation`), and all states of an infoset against each other (`infosets`).
//! What it cannot know is what a player *should* see: give [`Conformance::check_hidden`] a function
//! that re-deals the hidden part. Not here: anything about how well a game can be solved or learnt.

mod infosets;
mod observation;
mod violation;

use deepcfr_core::{Action, Encoder, Game, Player, Purpose, Stream, Turn};

use infosets::{Infosets, PastId};
use observation::Observation;

pub use violation::{Breach, Part, Violation};

/// How thorough a check is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Conformance {
    /// Games of uniformly random play. They follow the walk and keep its records.
    pub playouts: u32,
    /// The tree is walked, depth first, until this many histories have been seen.
    pub max_histories: usize,
    /// Whether a key must determine all that its owner knew and did before. Turn it off for games
    /// whose keys deliberately forget what no longer matters.
    pub perfect_recall: bool,
    /// Whether equal features must mean equal keys. Turn it off for encoders that deliberately leave
    /// out part of what the player knows; equal keys must have equal features in any case.
    pub features_identify: bool,
    /// Chooses the random games.
    pub seed: u64,
}

impl Default for Conformance {
    fn default() -> Self {
        Self {
            playouts: 1000,
            max_histories: 100_000,
            perfect_recall: true,
            features_identify: true,
            seed: 1,
        }
    }
}

/// What a check has seen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Coverage {
    /// States of the walk, chance and terminal ones included.
    pub histories: usize,
    /// Whether the walk saw the whole tree, so that nothing is left to sampling.
    pub whole_tree: bool,
    /// Infosets by player, from the walk and the random games.
    pub infosets: [usize; 2],
    /// Actions, chance included, of the longest history.
    pub longest: usize,
    /// The lowest and the highest utility of player 0.
    pub utilities: (f64, f64),
}

impl Conformance {
    /// Checks every contract that needs no knowledge of what is hidden from whom.
    ///
    /// # Errors
    /// The first [`Violation`], with the history that leads to it.
    pub fn check<G: Game, E: Encoder<G>>(&self, game: &G, encoder: &E) -> Result<Coverage, Violation> {
        let mut checker = Checker::new(self, game, encoder)?;
        checker.walk()?;
        for index in 0..self.playouts {
            checker.play(&mut self.stream(index))?;
        }
        Ok(checker.coverage())
    }

    /// Like [`Conformance::check`], for tests.
    ///
    /// # Panics
    /// With the violation's text.
    pub fn assert<G: Game, E: Encoder<G>>(&self, game: &G, encoder: &E) -> Coverage {
        self.check(game, encoder).unwrap_or_else(|violation| panic!("{violation}"))
    }

    /// Checks that hidden facts do not show: `redeal` returns a state that `player`, who is to
    /// move, cannot tell from the given one (other cards in the opponent's hand, say); turn, legal
    /// actions, key and features must stay the same. Returns the number of states compared.
    ///
    /// # Errors
    /// The first [`Violation`]: [`Breach::HiddenShows`], or whatever else random play runs into.
    pub fn check_hidden<G: Game, E: Encoder<G>>(
        &self,
        game: &G,
        encoder: &E,
        redeal: impl Fn(&G, &G::State, Player, &mut Stream) -> G::State,
    ) -> Result<usize, Violation> {
        let mut compared = 0;
        for index in 0..self.playouts {
            let mut stream = self.stream(index);
            let mut position = Position::root(game);
            loop {
                let seen = position.observe(game, encoder)?;
                if let Turn::Player(player) = seen.turn {
                    let state = redeal(game, &position.state, player, &mut stream);
                    let other = Observation::of(game, encoder, &state);
                    let other = other.map_err(|breach| position.violation(game, breach))?;
                    if let Some(part) = seen.difference(&other) {
                        return Err(position.violation(game, Breach::HiddenShows { part }));
                    }
                    compared += 1;
                }
                let Some(action) = seen.random_action(&mut stream) else { break };
                position.advance(game, action, [0; 2]);
            }
        }
        Ok(compared)
    }

    fn stream(&self, index: u32) -> Stream {
        Stream::new(self.seed, Purpose::Test, 0, 0, index)
    }
}

/// A state with what led to it.
struct Position<S> {
    state: S,
    history: Vec<Action>,
    pasts: [PastId; 2],
}

impl<S: Clone> Position<S> {
    fn root<G: Game<State = S>>(game: &G) -> Self {
        Self { state: game.root(), history: Vec::new(), pasts: [0; 2] }
    }

    fn advance<G: Game<State = S>>(&mut self, game: &G, action: Action, pasts: [PastId; 2]) {
        game.apply(&mut self.state, action);
        self.history.push(action);
        self.pasts = pasts;
    }

    /// The position after an action, made from a copy of this one's state.
    fn child<G: Game<State = S>>(&self, game: &G, action: Action, pasts: [PastId; 2]) -> Self {
        let mut history = Vec::with_capacity(self.history.len() + 1);
        history.extend_from_slice(&self.history);
        let mut child = Self { state: self.state.clone(), history, pasts: self.pasts };
        child.advance(game, action, pasts);
        child
    }

    /// Looks at the state twice; an answer that changes is a breach as well.
    fn observe<G, E>(&self, game: &G, encoder: &E) -> Result<Observation, Violation>
    where
        G: Game<State = S>,
        E: Encoder<G>,
    {
        let look = || Observation::of(game, encoder, &self.state).map_err(|b| self.violation(game, b));
        let (first, second) = (look()?, look()?);
        match first.difference(&second) {
            None => Ok(first),
            Some(part) => Err(self.violation(game, Breach::AnswerChanges { part })),
        }
    }

    fn violation<G: Game<State = S>>(&self, game: &G, breach: Breach) -> Violation {
        Violation { game: game.spec().name, history: self.history.clone(), breach }
    }
}

struct Checker<'a, G: Game, E> {
    game: &'a G,
    encoder: &'a E,
    config: &'a Conformance,
    max_depth: usize,
    infosets: Infosets,
    seen: Coverage,
}

impl<'a, G: Game, E: Encoder<G>> Checker<'a, G, E> {
    fn new(config: &'a Conformance, game: &'a G, encoder: &'a E) -> Result<Self, Violation> {
        let spec = game.spec();
        let root = Position::root(game);
        spec.check().map_err(|error| root.violation(game, Breach::Refused(error)))?;
        let (low, high) = spec.utility_range;
        if !(low.is_finite() && high.is_finite() && low <= high) {
            return Err(root.violation(game, Breach::UtilityRange { low, high }));
        }
        let (named, num_actions) = (game.action_names().len(), spec.num_actions);
        if named != num_actions {
            return Err(root.violation(game, Breach::ActionNames { named, num_actions }));
        }
        let described = encoder.layout().iter().map(|block| block.len).sum();
        let num_features = encoder.num_features();
        if described != num_features {
            return Err(root.violation(game, Breach::Layout { described, num_features }));
        }
        let seen = Coverage {
            histories: 0,
            whole_tree: true,
            infosets: [0; 2],
            longest: 0,
            utilities: (f64::INFINITY, f64::NEG_INFINITY),
        };
        let infosets = Infosets::new(config);
        Ok(Self { game, encoder, config, max_depth: spec.max_depth, infosets, seen })
    }

    fn coverage(&self) -> Coverage {
        Coverage { infosets: self.infosets.counts(), ..self.seen }
    }

    /// Walks the tree from the root, depth first, as far as the limit allows.
    fn walk(&mut self) -> Result<(), Violation> {
        let mut stack = vec![Position::root(self.game)];
        while let Some(position) = stack.pop() {
            if self.seen.histories == self.config.max_histories {
                self.seen.whole_tree = false;
                return Ok(());
            }
            self.seen.histories += 1;
            let seen = self.visit(&position)?;
            for action in seen.actions() {
                let pasts = self.infosets.pasts_after(position.pasts, &seen, action);
                stack.push(position.child(self.game, action, pasts));
            }
            // Applying actions to copies must have left the original alone.
            let again = position.observe(self.game, self.encoder)?;
            if let Some(part) = seen.difference(&again) {
                return Err(position.violation(self.game, Breach::CopyShared { part }));
            }
        }
        Ok(())
    }

    /// Plays one random game twice in step: on copies, and on one state changed in place.
    fn play(&mut self, stream: &mut Stream) -> Result<(), Violation> {
        let mut position = Position::root(self.game);
        let mut in_place = Position::root(self.game);
        loop {
            let seen = self.visit(&position)?;
            let other = in_place.observe(self.game, self.encoder)?;
            if let Some(part) = seen.difference(&other) {
                return Err(position.violation(self.game, Breach::ReplayDiffers { part }));
            }
            let Some(action) = seen.random_action(stream) else { return Ok(()) };
            let pasts = self.infosets.pasts_after(position.pasts, &seen, action);
            position = position.child(self.game, action, pasts);
            in_place.advance(self.game, action, pasts);
        }
    }

    /// All checks of one position.
    fn visit(&mut self, position: &Position<G::State>) -> Result<Observation, Violation> {
        let seen = position.observe(self.game, self.encoder)?;
        let length = position.history.len();
        self.seen.longest = self.seen.longest.max(length);
        let checked = match seen.turn {
            Turn::Terminal => {
                let (low, high) = self.seen.utilities;
                self.seen.utilities = (low.min(seen.utility), high.max(seen.utility));
                Ok(())
            }
            _ if length >= self.max_depth => Err(Breach::TooDeep { max_depth: self.max_depth }),
            Turn::Chance => observation::check_sampling(self.game, &position.state, &seen, length),
            Turn::Player(player) => {
                self.infosets.visit(player, position.pasts[player], &seen, &position.history)
            }
        };
        checked.map_err(|breach| position.violation(self.game, breach))?;
        Ok(seen)
    }
}
