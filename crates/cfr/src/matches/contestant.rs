//! Who can play: bots that decide by themselves, and strategies that ask a network.
//!
//! Not here: rules of particular bots, and networks.

use deepcfr_core::{Action, ActionSet, Game, MAX_ACTIONS, NUM_PLAYERS, NetId, Player, Policy, Stream, Turn};

use super::MatchError;
use crate::regret::{AllNegative, greedy, masked_softmax, regret_matching, sample_by};

/// A player that decides without a network.
pub trait Bot<G: Game>: Sync {
    /// A legal action for the player to move. Only what that player knows may matter, and `rng` is
    /// the only source of chance.
    fn act(&self, game: &G, state: &G::State, rng: &mut Stream) -> Action;

    /// Plays both seats on to the end of the game and returns the decision and terminal nodes visited.
    /// Chance and choices draw from `rng` in the order of play, whoever implements it.
    fn play_out(&self, game: &G, state: &mut G::State, rng: &mut Stream) -> u64 {
        let mut nodes = 1;
        loop {
            let action = match game.turn(state) {
                Turn::Terminal => return nodes,
                Turn::Chance => game.sample_chance(state, rng),
                Turn::Player(_) => {
                    nodes += 1;
                    self.act(game, state, rng)
                }
            };
            game.apply(state, action);
        }
    }
}

/// A behaviour strategy as a bot.
#[derive(Clone, Copy, Debug)]
pub struct PolicyBot<P>(pub P);

impl<G: Game, P: Policy<G>> Bot<G> for PolicyBot<P> {
    fn act(&self, game: &G, state: &G::State, rng: &mut Stream) -> Action {
        let mut buffer = [0.0; MAX_ACTIONS];
        let probabilities = &mut buffer[..game.spec().num_actions];
        self.0.probabilities(game, state, probabilities);
        sample_by(game.legal_actions(state), rng.uniform(), |action| probabilities[usize::from(action)])
    }
}

/// How a network's outputs become probabilities.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputRule {
    /// Outputs are advantages.
    RegretMatching(AllNegative),
    /// Outputs are advantages; the highest is played, exact ties share.
    Greedy,
    /// Outputs are logits.
    Softmax,
}

impl OutputRule {
    /// Writes every element of `out`, 0 at illegal actions.
    ///
    /// # Panics
    /// If a slice is shorter than a legal action's number.
    pub fn probabilities(self, outputs: &[f32], legal: ActionSet, out: &mut [f32]) {
        match self {
            Self::RegretMatching(rule) => regret_matching(outputs, legal, rule, out),
            Self::Greedy => greedy(outputs, legal, out),
            Self::Softmax => masked_softmax(outputs, legal, out),
        }
    }
}

/// A strategy that one network per game plays: always the same one, or (SD-CFR, Steinberger 2019)
/// one drawn for each game from the seat's archive and kept to its end, which plays the archive's
/// reach-weighted average.
#[derive(Clone, Debug, PartialEq)]
pub struct NetworkStrategy {
    rule: OutputRule,
    seats: [Archive; NUM_PLAYERS],
}

/// Networks with cumulative weights, the last of which is the total.
#[derive(Clone, Debug, PartialEq)]
struct Archive {
    nets: Vec<NetId>,
    cumulative: Vec<f64>,
}

impl NetworkStrategy {
    /// Regret matching on each player's own advantage network: the current strategy.
    pub fn current(rule: AllNegative) -> Self {
        let seats = [0, 1].map(|player| Archive::single(NetId::advantage(player)));
        Self { rule: OutputRule::RegretMatching(rule), seats }
    }

    /// The average-strategy network.
    pub fn average() -> Self {
        Self::single(NetId::STRATEGY, OutputRule::Softmax)
    }

    /// One network for both seats.
    pub fn single(net: NetId, rule: OutputRule) -> Self {
        Self { rule, seats: [Archive::single(net), Archive::single(net)] }
    }

    /// Regret matching on a network drawn for each game: `archives[p]` are the networks of player
    /// `p` with weights that the probabilities are proportional to (`t` under Linear CFR).
    ///
    /// # Errors
    /// If an archive is empty or a weight is not positive and finite.
    pub fn sampled(archives: [&[(NetId, f64)]; NUM_PLAYERS], rule: AllNegative) -> Result<Self, MatchError> {
        let [first, second] = archives;
        let seats = [Archive::new(0, first)?, Archive::new(1, second)?];
        Ok(Self { rule: OutputRule::RegretMatching(rule), seats })
    }

    /// The strategy by which each player's own of two networks is played.
    pub fn of_seats(nets: [NetId; NUM_PLAYERS], rule: OutputRule) -> Self {
        Self { rule, seats: nets.map(Archive::single) }
    }

    /// How outputs become probabilities.
    pub fn rule(&self) -> OutputRule {
        self.rule
    }

    /// The networks of `seat`, one of which is drawn for each game, with their weights.
    pub fn parts(&self, seat: Player) -> impl Iterator<Item = (NetId, f64)> {
        let Archive { nets, cumulative } = &self.seats[seat];
        let before = std::iter::once(&0.0).chain(cumulative);
        nets.iter().zip(cumulative.iter().zip(before)).map(|(&net, (upto, before))| (net, upto - before))
    }

    /// The network for a game in `seat`.
    pub(super) fn draw(&self, seat: Player, rng: &mut Stream) -> NetId {
        self.seats[seat].draw(rng)
    }
}

impl Archive {
    fn single(net: NetId) -> Self {
        Self { nets: vec![net], cumulative: vec![1.0] }
    }

    fn new(seat: Player, weighted: &[(NetId, f64)]) -> Result<Self, MatchError> {
        let mut total = 0.0;
        let mut archive = Self { nets: Vec::new(), cumulative: Vec::new() };
        for &(net, weight) in weighted {
            total += weight;
            if !(weight > 0.0 && total < f64::INFINITY) {
                return Err(MatchError::Archive { seat });
            }
            archive.nets.push(net);
            archive.cumulative.push(total);
        }
        if archive.nets.is_empty() { Err(MatchError::Archive { seat }) } else { Ok(archive) }
    }

    fn draw(&self, rng: &mut Stream) -> NetId {
        if let [only] = self.nets[..] {
            return only;
        }
        let total = self.cumulative.last().expect("an archive is not empty");
        let draw = rng.uniform() * total;
        let index = self.cumulative.partition_point(|&cumulative| cumulative <= draw);
        // Rounding may put the draw at the total itself.
        self.nets[index.min(self.nets.len() - 1)]
    }
}

/// Someone who plays.
pub enum Contestant<'a, G: Game> {
    /// Decides at once. Behind a pointer, because one call plays against many kinds; bots cost
    /// microseconds a decision.
    Bot(&'a dyn Bot<G>),
    /// Asks a network.
    Network(&'a NetworkStrategy),
}

impl<G: Game> Clone for Contestant<'_, G> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<G: Game> Copy for Contestant<'_, G> {}

#[cfg(test)]
mod tests {
    use deepcfr_core::Purpose;

    use super::*;

    #[test]
    fn networks_are_drawn_in_proportion_to_their_weights() {
        let weighted: Vec<_> = (1..=4).map(|t| (NetId(10 + t), f64::from(t))).collect();
        let strategy = NetworkStrategy::sampled([&weighted, &weighted[..1]], AllNegative::Argmax).unwrap();
        let mut counts = [0u32; 4];
        for game in 0..10_000 {
            let mut rng = Stream::new(5, Purpose::EvaluationPlay, 0, 0, game);
            counts[usize::from(strategy.draw(0, &mut rng).0 - 11)] += 1;
            assert_eq!(strategy.draw(1, &mut rng), NetId(11));
        }
        // χ² with 3 degrees of freedom: 21.1 is the 0.9999 quantile.
        let expected = [1000.0, 2000.0, 3000.0, 4000.0];
        let chi2: f64 =
            counts.iter().zip(expected).map(|(&count, e)| (f64::from(count) - e).powi(2) / e).sum();
        assert!(chi2 < 21.1, "{counts:?}");
    }

    #[test]
    fn archives_that_cannot_be_sampled_are_refused() {
        let good = [(NetId(0), 1.0)];
        for bad in [&[][..], &[(NetId(0), 0.0)], &[(NetId(0), f64::NAN)], &[(NetId(0), f64::INFINITY)]] {
            let error = NetworkStrategy::sampled([&good, bad], AllNegative::Argmax).unwrap_err();
            assert!(matches!(error, MatchError::Archive { seat: 1 }), "{bad:?}");
        }
    }
}
