//! Everything that can be asked about one state, with the checks that need no other state.

use deepcfr_core::{
    Action, ActionSet, Encoder, Game, InfosetKey, NUM_PLAYERS, Player, Purpose, RowKey, Stream, Turn,
};

use super::{Breach, Part};

/// Draws compared at each chance state.
const SAMPLES: u32 = 4;

/// The answers about one state; parts that its turn does not define are empty.
pub(super) struct Observation {
    pub(super) turn: Turn,
    pub(super) legal: ActionSet,
    pub(super) outcomes: Vec<(Action, u32)>,
    pub(super) utility: f64,
    pub(super) key: InfosetKey,
    pub(super) row: RowKey,
}

impl Observation {
    pub(super) fn of<G: Game, E: Encoder<G>>(
        game: &G,
        encoder: &E,
        state: &G::State,
    ) -> Result<Self, Breach> {
        let turn = game.turn(state);
        let mut seen = Self {
            turn,
            legal: ActionSet::EMPTY,
            outcomes: Vec::new(),
            utility: 0.0,
            key: InfosetKey(0),
            row: RowKey::new(&[]),
        };
        match turn {
            Turn::Terminal => seen.utility = checked_utility(game, state)?,
            Turn::Chance => seen.outcomes = checked_outcomes(game, state)?,
            Turn::Player(player) if player >= NUM_PLAYERS => return Err(Breach::NoSuchPlayer { player }),
            Turn::Player(player) => {
                seen.legal = checked_legal(game, state)?;
                seen.key = game.infoset_key(state, player);
                seen.row = checked_row(game, encoder, state, player)?;
            }
        }
        Ok(seen)
    }

    /// The first part in which two observations differ.
    pub(super) fn difference(&self, other: &Self) -> Option<Part> {
        [
            (self.turn != other.turn, Part::Turn),
            (self.legal != other.legal, Part::LegalActions),
            (self.outcomes != other.outcomes, Part::ChanceOutcomes),
            (self.utility != other.utility, Part::Utility),
            (self.key != other.key, Part::Key),
            (self.row != other.row, Part::Features),
        ]
        .into_iter()
        .find_map(|(differs, part)| differs.then_some(part))
    }

    /// What can be played, be it by a player or by chance.
    pub(super) fn actions(&self) -> Vec<Action> {
        self.legal.iter().chain(self.outcomes.iter().map(|&(outcome, _)| outcome)).collect()
    }

    /// A uniform legal action, or a chance outcome by weight; none at the end.
    pub(super) fn random_action(&self, stream: &mut Stream) -> Option<Action> {
        match self.turn {
            Turn::Terminal => None,
            Turn::Chance => Some(self.outcome_at(stream.below(self.total_weight()))),
            Turn::Player(_) => self.legal.nth(stream.below(self.legal.len() as u32) as usize),
        }
    }

    fn total_weight(&self) -> u32 {
        self.outcomes.iter().map(|&(_, weight)| weight).sum()
    }

    /// The first outcome whose cumulative weight exceeds `number`.
    fn outcome_at(&self, number: u32) -> Action {
        let mut cumulative = 0;
        let mut outcomes = self.outcomes.iter();
        let found = outcomes.find(|&&(_, weight)| {
            cumulative += weight;
            cumulative > number
        });
        found.expect("the number is below the total weight").0
    }
}

/// Compares `sample_chance` with the rule in its documentation, on streams that vary with `length`.
pub(super) fn check_sampling<G: Game>(
    game: &G,
    state: &G::State,
    seen: &Observation,
    length: usize,
) -> Result<(), Breach> {
    for index in 0..SAMPLES {
        let mut theirs = Stream::new(u64::from(index), Purpose::Test, 1, 0, length as u32);
        let mut ours = theirs.clone();
        let drawn = game.sample_chance(state, &mut theirs);
        let expected = seen.outcome_at(ours.below(seen.total_weight()));
        if theirs.next_u64() != ours.next_u64() {
            return Err(Breach::SamplingDraws);
        }
        if drawn != expected {
            return Err(Breach::Sampling { drawn, expected });
        }
    }
    Ok(())
}

fn checked_utility<G: Game>(game: &G, state: &G::State) -> Result<f64, Breach> {
    let (low, high) = game.spec().utility_range;
    let utility = game.utility(state);
    // Player 1 gets the negative, so both signs have to be within what a player can get.
    if [utility, -utility].iter().all(|value| (low..=high).contains(value)) {
        Ok(utility)
    } else {
        Err(Breach::Utility { utility, low, high })
    }
}

fn checked_outcomes<G: Game>(game: &G, state: &G::State) -> Result<Vec<(Action, u32)>, Breach> {
    let mut outcomes: Vec<(Action, u32)> = Vec::new();
    game.chance_outcomes(state, |outcome, weight| outcomes.push((outcome, weight)));
    if outcomes.is_empty() {
        return Err(Breach::NoOutcome);
    }
    if let Some(&(outcome, _)) = outcomes.iter().find(|&&(_, weight)| weight == 0) {
        return Err(Breach::ZeroWeight { outcome });
    }
    if let Some(pair) = outcomes.windows(2).find(|pair| pair[0].0 >= pair[1].0) {
        return Err(Breach::OutcomesOutOfOrder { before: pair[0].0, outcome: pair[1].0 });
    }
    let total: u64 = outcomes.iter().map(|&(_, weight)| u64::from(weight)).sum();
    if total > u64::from(u32::MAX) { Err(Breach::WeightsOverflow) } else { Ok(outcomes) }
}

fn checked_legal<G: Game>(game: &G, state: &G::State) -> Result<ActionSet, Breach> {
    let legal = game.legal_actions(state);
    let num_actions = game.spec().num_actions;
    if legal.is_empty() {
        Err(Breach::NoLegalAction)
    } else if legal.bits() & !ActionSet::first(num_actions).bits() != 0 {
        Err(Breach::ActionOutOfRange { legal, num_actions })
    } else {
        Ok(legal)
    }
}

fn checked_row<G: Game, E: Encoder<G>>(
    game: &G,
    encoder: &E,
    state: &G::State,
    player: Player,
) -> Result<RowKey, Breach> {
    let mut row = vec![f32::NAN; encoder.num_features()];
    encoder.encode(game, state, player, &mut row);
    match row.iter().position(|value| !value.is_finite()) {
        Some(index) => Err(Breach::Feature { index, value: row[index] }),
        None => Ok(RowKey::new(&row)),
    }
}
