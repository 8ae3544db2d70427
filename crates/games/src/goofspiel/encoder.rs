//! Features of goofspiel.
//!
//! Not here: rules.

use deepcfr_core::{Encoder, FeatureBlock, Player};

use super::{Goofspiel, GoofspielRules, GoofspielState, PrizeOrder, TIE, card_of, result_of};

/// Own win, opponent's win, tie.
const RESULTS: usize = 3;
/// Own points, opponent's points, seat.
const SUMMARY: usize = 3;

/// Features in `[0, 1]`.
///
/// In order: the own hand; the current prize, one-hot; own and the opponent's share of all points;
/// seat; then for each round the own bid one-hot, who won it one-hot, and, if prizes come in random
/// order, the prize one-hot. Rounds to come are 0.
#[derive(Clone, Copy, Debug)]
pub struct GoofspielEncoder {
    rules: GoofspielRules,
}

impl GoofspielEncoder {
    /// The encoder of a game's rules.
    pub fn new(game: &Goofspiel) -> Self {
        Self { rules: game.rules() }
    }

    const fn round_features(&self) -> usize {
        let prize = match self.rules.order {
            PrizeOrder::Random => self.rules.cards,
            PrizeOrder::Ascending | PrizeOrder::Descending => 0,
        };
        self.rules.cards + RESULTS + prize
    }
}

impl Encoder<Goofspiel> for GoofspielEncoder {
    fn num_features(&self) -> usize {
        let cards = self.rules.cards;
        2 * cards + SUMMARY + cards * self.round_features()
    }

    #[inline]
    fn encode(&self, _game: &Goofspiel, state: &GoofspielState, player: Player, row: &mut [f32]) {
        let cards = self.rules.cards;
        row.fill(0.0);
        let (now, rounds) = row.split_at_mut(2 * cards + SUMMARY);
        (0..cards).for_each(|card| now[card] = f32::from(state.hands[player] >> card & 1 == 1));
        set(&mut now[cards..], card_of(state.prizes, state.round as usize));
        let all_points = (cards * (cards + 1) / 2) as f32;
        let share = |seat: Player| f32::from(state.points[seat]) / all_points;
        now[2 * cards..].copy_from_slice(&[share(player), share(1 - player), player as f32]);
        for (round, features) in rounds.chunks_exact_mut(self.round_features()).enumerate() {
            set(features, card_of(state.bids[player], round));
            set(&mut features[cards..], result_seen(state, player, round));
            if self.rules.order == PrizeOrder::Random {
                set(&mut features[cards + RESULTS..], card_of(state.prizes, round));
            }
        }
    }

    fn layout(&self) -> Vec<FeatureBlock> {
        let cards = self.rules.cards;
        let mut blocks = vec![
            FeatureBlock::new("own hand, by card from 1", cards),
            FeatureBlock::new("current prize, from 1", cards),
            FeatureBlock::new("share of all points: own, opponent's", 2),
            FeatureBlock::new("seat", 1),
        ];
        for round in 1..=cards {
            blocks.push(FeatureBlock::new(format!("round {round}: own bid, from 1"), cards));
            let result = format!("round {round}: won, lost, tied");
            blocks.push(FeatureBlock::new(result, RESULTS));
            if self.rules.order == PrizeOrder::Random {
                blocks.push(FeatureBlock::new(format!("round {round}: prize, from 1"), cards));
            }
        }
        blocks
    }
}

/// Sets the feature of a value counted from 1; 0 sets none.
#[inline]
fn set(one_hot: &mut [f32], value: usize) {
    if value > 0 {
        one_hot[value - 1] = 1.0;
    }
}

/// 1 for a round that `player` won, 2 for one it lost, 3 for a tie, 0 for one not yet played.
#[inline]
fn result_seen(state: &GoofspielState, player: Player, round: usize) -> usize {
    match result_of(state.results, round) {
        0 => 0,
        TIE => TIE as usize,
        result if result as usize == player + 1 => 1,
        _ => 2,
    }
}
