//! A lane: one game in flight, which pauses where a network must answer.
//!
//! Not here: how many lanes there are, and who answers.

use deepcfr_core::{
    Encoder, Evaluator, EvaluatorError, Game, InfosetKey, MAX_ACTIONS, NUM_PLAYERS, NetId, Player, Purpose,
    Query, Stream, Turn,
};

use super::contestant::OutputRule;
use super::schedule::{Slot, Timetable};
use super::{Contestant, GameOutcome, MatchError, MatchPlan, Pairing};
use crate::lanes::{self, Step};
use crate::regret::sample_action;

/// What all lanes of a call share.
pub(super) struct Context<'a, G: Game, E> {
    pub(super) game: &'a G,
    pub(super) encoder: &'a E,
    pub(super) plan: &'a MatchPlan,
    num_actions: usize,
    pairings: &'a [Pairing<'a, G>],
    timetable: Timetable,
}

impl<'a, G: Game, E> Context<'a, G, E> {
    pub(super) fn new(
        game: &'a G,
        encoder: &'a E,
        plan: &'a MatchPlan,
        pairings: &'a [Pairing<'a, G>],
        timetable: Timetable,
    ) -> Self {
        Self { game, encoder, num_actions: game.spec().num_actions, plan, pairings, timetable }
    }

    /// The games of all pairings together.
    pub(super) fn num_games(&self) -> u64 {
        self.timetable.num_games()
    }
}

/// One game in flight, then the next in the same place.
pub(super) struct Lane<'a, G: Game> {
    /// The game's number among those of the call.
    index: u64,
    state: G::State,
    plies: u32,
    /// The seat to move when the lane is paused.
    mover: Player,
    subject_seat: Player,
    chance: Stream,
    seats: [Seat<'a, G>; NUM_PLAYERS],
}

/// A contestant in a seat of a lane's game.
struct Seat<'a, G: Game> {
    contestant: Contestant<'a, G>,
    rng: Stream,
    /// The network for this game; unused by bots.
    net: NetId,
}

impl<'a, G: Game> Seat<'a, G> {
    fn new(contestant: Contestant<'a, G>, seat: Player, mut rng: Stream) -> Self {
        let net = match contestant {
            Contestant::Bot(_) => NetId(0),
            Contestant::Network(strategy) => strategy.draw(seat, &mut rng),
        };
        Self { contestant, rng, net }
    }
}

impl<'a, G: Game> Lane<'a, G> {
    /// Sets out on game `index`: pairing by pairing, deal by deal, the subject in seat 0 first.
    pub(super) fn begin<E>(context: &Context<'a, G, E>, index: u64) -> Self {
        let (plan, Slot { pairing, deal, subject_seat }) = (context.plan, context.timetable.slot(index));
        let (pairing, game) = (&context.pairings[pairing], 2 * deal + subject_seat as u32);
        let stream = |seat: Player| {
            Stream::new(plan.seed, Purpose::EvaluationPlay, plan.evaluation, seat as u32, game)
        };
        let sits = |seat| if seat == subject_seat { pairing.subject } else { pairing.opponent };
        Self {
            index,
            state: context.game.root(),
            plies: 0,
            mover: 0,
            subject_seat,
            chance: Stream::new(plan.seed, Purpose::EvaluationChance, plan.evaluation, 0, deal),
            seats: [0, 1].map(|seat| Seat::new(sits(seat), seat, stream(seat))),
        }
    }

    /// The finished game's number and outcome.
    pub(super) fn finish(&self, game: &G) -> (u64, GameOutcome) {
        (self.index, self.outcome(game))
    }

    /// Plays for `player`; `true` if its network must be asked. Nobody is asked where only one action is
    /// legal.
    fn decide(&mut self, game: &G, player: Player) -> Result<bool, MatchError> {
        let legal = game.legal_actions(&self.state);
        let seat = &mut self.seats[player];
        let action = match seat.contestant {
            Contestant::Network(_) if legal.len() > 1 => return Ok(true),
            Contestant::Network(_) => legal.nth(0).expect("a player to move has a legal action"),
            Contestant::Bot(bot) => bot.act(game, &self.state, &mut seat.rng),
        };
        if !legal.contains(action) {
            return Err(MatchError::IllegalAction { seat: player, action });
        }
        self.plies += 1;
        game.apply(&mut self.state, action);
        Ok(false)
    }

    fn outcome(&self, game: &G) -> GameOutcome {
        let utility = game.utility(&self.state);
        let by_subject = |[first, second]: [f64; 2]| {
            if self.subject_seat == 0 { [first, second] } else { [second, first] }
        };
        GameOutcome {
            points: if self.subject_seat == 0 { utility } else { -utility },
            scores: game.scores(&self.state).map(by_subject),
            facts: game.facts(&self.state, self.subject_seat),
            plies: self.plies,
            truncated: game.truncated(&self.state),
        }
    }
}

impl<'a, G: Game, E: Encoder<G>> lanes::Lane<Context<'a, G, E>> for Lane<'a, G> {
    type Error = MatchError;

    fn advance(&mut self, context: &Context<'a, G, E>) -> Result<Step, MatchError> {
        let game = context.game;
        loop {
            match game.turn(&self.state) {
                Turn::Terminal => return Ok(Step::Finished),
                Turn::Chance => {
                    let outcome = game.sample_chance(&self.state, &mut self.chance);
                    game.apply(&mut self.state, outcome);
                }
                Turn::Player(player) => {
                    if self.decide(game, player)? {
                        self.mover = player;
                        return Ok(Step::NeedsRow);
                    }
                }
            }
        }
    }

    fn submit(
        &mut self,
        context: &Context<'a, G, E>,
        number: usize,
        evaluator: &mut impl Evaluator,
    ) -> Result<(), EvaluatorError> {
        let (game, encoder) = (context.game, context.encoder);
        let position = Position { game, encoder, state: &self.state, player: self.mover };
        evaluator.submit(number, self.seats[self.mover].net, &position)
    }

    fn answer(&mut self, context: &Context<'a, G, E>, outputs: &[f32]) {
        let game = context.game;
        let legal = game.legal_actions(&self.state);
        let seat = &mut self.seats[self.mover];
        let mut row = [0.0; MAX_ACTIONS];
        let probabilities = &mut row[..context.num_actions];
        rule_of(&seat.contestant).probabilities(outputs, legal, probabilities);
        let action = sample_action(probabilities, legal, seat.rng.uniform());
        self.plies += 1;
        game.apply(&mut self.state, action);
    }
}

fn rule_of<G: Game>(contestant: &Contestant<'_, G>) -> OutputRule {
    match contestant {
        Contestant::Network(strategy) => strategy.rule(),
        Contestant::Bot(_) => unreachable!("only networks are answered"),
    }
}

/// The infoset of a paused lane.
struct Position<'q, G: Game, E> {
    game: &'q G,
    encoder: &'q E,
    state: &'q G::State,
    player: Player,
}

impl<G: Game, E: Encoder<G>> Query for Position<'_, G, E> {
    fn key(&self) -> InfosetKey {
        self.game.infoset_key(self.state, self.player)
    }

    fn encode(&self, row: &mut [f32]) {
        self.encoder.encode(self.game, self.state, self.player, row);
    }
}
