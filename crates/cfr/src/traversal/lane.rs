//! A lane: one traversal in flight, which pauses where a network must answer.
//!
//! At a node with a single legal action nothing is asked and nothing recorded, whoever moves: the
//! strategy there is certain and the advantage is 0. The node counts.

use deepcfr_core::{
    Encoder, Evaluator, EvaluatorError, Features, Game, InfosetKey, NetId, Player, Purpose, Query, Stream,
    Turn,
};

use super::context::Context;
use super::plan::StrategySource;
use super::recording::{Encoded, Recording, SampleBuffer};
use super::scheme::{Scheme, Walk};
use crate::lanes::{self, Step};
use crate::regret::{regret_matching, sample_action};

/// What walking takes: the run's context and how the traverser's nodes are walked.
pub(super) struct Course<'a, G, E, S> {
    pub(super) context: &'a Context<'a, G, E>,
    pub(super) scheme: &'a S,
}

/// The node that a lane is paused at.
#[derive(Clone, Copy)]
struct Pending {
    player: Player,
    slot: usize,
}

/// One traversal in flight under scheme `S`, then the next in the same buffers.
pub(super) struct Lane<G: Game, S: Scheme<G>> {
    index: u32,
    walk: Walk<G, S::Frame>,
    pending: Pending,
}

impl<G: Game, S: Scheme<G>> Lane<G, S> {
    /// An idle lane.
    pub(super) fn new<E: Encoder<G>>(context: &Context<'_, G, E>) -> Self {
        let walk = Walk {
            state: context.game.root(),
            depth: 0,
            rng: Stream::new(context.seed, Purpose::Traversal, 0, 0, 0),
            frames: Vec::new(),
            rows: Vec::new(),
            shape: context.shape,
            recording: Recording::default(),
        };
        Self { index: 0, walk, pending: Pending { player: 0, slot: 0 } }
    }

    /// Sets out on traversal `index`, recording into `recording` (cleared here).
    pub(super) fn begin<E: Encoder<G>>(
        &mut self,
        context: &Context<'_, G, E>,
        index: u32,
        recording: Recording<G::State>,
    ) {
        self.index = index;
        let (iteration, traverser) = (context.iteration, context.traverser as u32);
        self.walk.state = context.game.root();
        self.walk.depth = 0;
        self.walk.rng = Stream::new(context.seed, Purpose::Traversal, iteration, traverser, index);
        self.walk.frames.clear();
        self.walk.recording = recording;
        self.walk.recording.clear();
    }

    /// The finished traversal's number and recording.
    pub(super) fn finish(&mut self) -> (u32, Recording<G::State>) {
        (self.index, std::mem::take(&mut self.walk.recording))
    }

    fn advance<E: Encoder<G>>(&mut self, context: &Context<'_, G, E>, scheme: &S) -> Step {
        let game = context.game;
        loop {
            match game.turn(&self.walk.state) {
                Turn::Chance => {
                    let outcome = game.sample_chance(&self.walk.state, &mut self.walk.rng);
                    game.apply(&mut self.walk.state, outcome);
                    self.walk.depth += 1;
                }
                Turn::Terminal => {
                    if !self.count(context) || self.ascend(context, scheme) {
                        return Step::Finished;
                    }
                }
                Turn::Player(player) => {
                    if !self.count(context) {
                        return Step::Finished;
                    }
                    if self.enter(context, scheme, player) {
                        return Step::NeedsRow;
                    }
                }
            }
        }
    }

    #[inline]
    fn submit<E: Encoder<G>>(
        &mut self,
        context: &Context<'_, G, E>,
        number: usize,
        evaluator: &mut impl Evaluator,
    ) -> Result<(), EvaluatorError> {
        self.walk.recording.rows += 1;
        let player = self.pending.player;
        let node = Encoded { context, state: &self.walk.state, player };
        evaluator.submit(number, NetId::advantage(player), &NodeQuery(node))
    }

    #[inline]
    fn answer<E: Encoder<G>>(&mut self, context: &Context<'_, G, E>, scheme: &S, advantages: &[f32]) {
        let Pending { player, slot } = self.pending;
        let samples = samples_of(&mut self.walk.recording, player == context.traverser);
        let legal = samples.legal(slot);
        regret_matching(advantages, legal, context.all_negative, samples.targets_mut(context.shape, slot));
        self.play(context, scheme, player, slot);
    }

    /// Counts a decision or terminal node. `false` if the budget does not have it: the traversal is
    /// cut.
    #[inline]
    fn count<E: Encoder<G>>(&mut self, context: &Context<'_, G, E>) -> bool {
        let recording = &mut self.walk.recording;
        if recording.nodes == context.max_nodes {
            recording.cut = true;
            recording.discard_samples();
            return false;
        }
        recording.nodes += 1;
        recording.max_depth = recording.max_depth.max(self.walk.depth);
        true
    }

    /// Opens a player's node; `true` if its strategy must be asked for.
    #[inline]
    fn enter<E: Encoder<G>>(&mut self, context: &Context<'_, G, E>, scheme: &S, player: Player) -> bool {
        let legal = context.game.legal_actions(&self.walk.state);
        if let Some(action) = legal.only() {
            context.game.apply(&mut self.walk.state, action);
            self.walk.depth += 1;
            return false;
        }
        let samples = samples_of(&mut self.walk.recording, player == context.traverser);
        let slot = samples.open(context.shape, &self.walk.state, legal);
        match context.strategy[player] {
            StrategySource::Networks => {
                self.pending = Pending { player, slot };
                true
            }
            StrategySource::Initial => {
                let Walk { state, rng, recording, .. } = &mut self.walk;
                let samples = samples_of(recording, player == context.traverser);
                scheme.initial(context.game, state, legal, rng, samples.targets_mut(context.shape, slot));
                self.play(context, scheme, player, slot);
                false
            }
        }
    }

    /// Moves on from a node whose strategy stands in its sample's target row.
    #[inline]
    fn play<E: Encoder<G>>(&mut self, context: &Context<'_, G, E>, scheme: &S, player: Player, slot: usize) {
        if player == context.traverser {
            return scheme.open(context.game, &mut self.walk, slot);
        }
        let samples = &mut self.walk.recording.strategy;
        let legal = samples.legal(slot);
        let action = sample_action(samples.targets_mut(context.shape, slot), legal, self.walk.rng.uniform());
        context.game.apply(&mut self.walk.state, action);
        self.walk.depth += 1;
    }

    /// Passes a terminal state's value up the stack; `true` at the root, `false` where another
    /// branch is to be walked.
    #[inline]
    fn ascend<E: Encoder<G>>(&mut self, context: &Context<'_, G, E>, scheme: &S) -> bool {
        let utility = context.game.utility(&self.walk.state);
        let mut value = if context.traverser == 0 { utility } else { -utility };
        while !self.walk.frames.is_empty() {
            match scheme.close(context.game, &mut self.walk, value) {
                Some(of_node) => value = of_node,
                None => return false,
            }
        }
        self.walk.recording.value = value;
        true
    }
}

impl<G: Game, E: Encoder<G>, S: Scheme<G>> lanes::Lane<Course<'_, G, E, S>> for Lane<G, S> {
    type Error = EvaluatorError;

    #[inline]
    fn advance(&mut self, course: &Course<'_, G, E, S>) -> Result<Step, EvaluatorError> {
        Ok(self.advance(course.context, course.scheme))
    }

    #[inline]
    fn submit(
        &mut self,
        course: &Course<'_, G, E, S>,
        number: usize,
        evaluator: &mut impl Evaluator,
    ) -> Result<(), EvaluatorError> {
        self.submit(course.context, number, evaluator)
    }

    #[inline]
    fn answer(&mut self, course: &Course<'_, G, E, S>, advantages: &[f32]) {
        self.answer(course.context, course.scheme, advantages);
    }
}

/// Where a node's sample goes: the traverser's are advantage samples, the opponent's strategy
/// samples.
#[inline]
fn samples_of<P>(recording: &mut Recording<P>, traverser_moves: bool) -> &mut SampleBuffer<P> {
    if traverser_moves { &mut recording.advantage } else { &mut recording.strategy }
}

/// A paused node.
struct NodeQuery<'a, G: Game, E>(Encoded<'a, G, E>);

impl<G: Game, E: Encoder<G>> Query for NodeQuery<'_, G, E> {
    #[inline]
    fn key(&self) -> InfosetKey {
        self.0.context.game.infoset_key(self.0.state, self.0.player)
    }

    #[inline]
    fn encode(&self, row: &mut [f32]) {
        self.0.write(row);
    }
}
