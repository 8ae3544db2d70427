//! A lane: one game in flight, which pauses where a network must answer.
//!
//! Not here: how many lanes there are, and who answers.

use deepcfr_core::{Encoder, Game, InfosetKey, NUM_PLAYERS, NetId, Player, Purpose, Query, Stream, Turn};

use super::contestant::OutputRule;
use super::schedule::{Slot, Timetable};
use super::{Contestant, GameOutcome, MatchError, MatchPlan, Pairing};
use crate::regret::sample_action;

/// What all lanes of a call share.
pub(super) struct Context<'a, G: Game, E> {
    pub(super) game: &'a G,
    pub(super) encoder: &'a E,
    pub(super) num_actions: usize,
    plan: &'a MatchPlan,
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

/// Why a lane stopped advancing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Step {
    /// This network must answer for the lane's position, then [`Lane::answer`].
    NeedsRow(NetId),
    /// The game is over.
    Finished(GameOutcome),
}

/// One game in flight, then the next in the same place.
pub(super) struct Lane<'a, G: Game> {
    /// The game's number among those of the call.
    pub(super) index: u64,
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

    /// Plays on until a row is needed or the game is over.
    pub(super) fn advance<E>(&mut self, context: &Context<'a, G, E>) -> Result<Step, MatchError> {
        let game = context.game;
        loop {
            match game.turn(&self.state) {
                Turn::Terminal => return Ok(Step::Finished(self.outcome(game))),
                Turn::Chance => {
                    let outcome = game.sample_chance(&self.state, &mut self.chance);
                    game.apply(&mut self.state, outcome);
                }
                Turn::Player(player) => {
                    if let Some(net) = self.decide(game, player)? {
                        self.mover = player;
                        return Ok(Step::NeedsRow(net));
                    }
                }
            }
        }
    }

    /// Plays for `player`, or returns the network that must be asked. Nobody is asked where only one
    /// action is legal.
    fn decide(&mut self, game: &G, player: Player) -> Result<Option<NetId>, MatchError> {
        let legal = game.legal_actions(&self.state);
        let seat = &mut self.seats[player];
        let action = match seat.contestant {
            Contestant::Network(_) if legal.len() > 1 => return Ok(Some(seat.net)),
            Contestant::Network(_) => legal.nth(0).expect("a player to move has a legal action"),
            Contestant::Bot(bot) => bot.act(game, &self.state, &mut seat.rng),
        };
        if !legal.contains(action) {
            return Err(MatchError::IllegalAction { seat: player, action });
        }
        self.plies += 1;
        game.apply(&mut self.state, action);
        Ok(None)
    }

    /// The paused position, to be asked about.
    pub(super) fn query<'q, E: Encoder<G>>(&'q self, context: &'q Context<'a, G, E>) -> Position<'q, G, E> {
        Position { game: context.game, encoder: context.encoder, state: &self.state, player: self.mover }
    }

    /// Plays by the network's outputs; `probabilities` `[num_actions]` is scratch space.
    pub(super) fn answer(&mut self, game: &G, outputs: &[f32], probabilities: &mut [f32]) {
        let legal = game.legal_actions(&self.state);
        let seat = &mut self.seats[self.mover];
        rule_of(&seat.contestant).probabilities(outputs, legal, probabilities);
        let action = sample_action(probabilities, legal, seat.rng.uniform());
        self.plies += 1;
        game.apply(&mut self.state, action);
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

fn rule_of<G: Game>(contestant: &Contestant<'_, G>) -> OutputRule {
    match contestant {
        Contestant::Network(strategy) => strategy.rule(),
        Contestant::Bot(_) => unreachable!("only networks are answered"),
    }
}

/// The infoset of a paused lane.
pub(super) struct Position<'q, G: Game, E> {
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
