//! Reads the reference files.

use std::collections::HashMap;
use std::io::{BufRead, BufReader};
use std::path::Path;

use deepcfr_core::{Game, Turn};
use deepcfr_games::lost_cities::{ActionSpace, LostCities, Rules, Slots, State};
use flate2::read::GzDecoder;
use serde::Deserialize;
use serde::de::DeserializeOwned;

/// A complete game. Cards are kinds, actions are numbered as `Slots` does.
#[derive(Deserialize)]
pub(crate) struct ReferenceGame {
    pub(crate) game: u32,
    rules: [i32; 8],
    /// Kinds in the order in which they leave the deck.
    pub(crate) deal: Vec<u16>,
    pub(crate) actions: Vec<u16>,
    /// The set of legal actions before each action.
    pub(crate) legal: Vec<u128>,
    pub(crate) scores: [Vec<i32>; 2],
    pub(crate) totals: [i32; 2],
    pub(crate) turns: usize,
    pub(crate) deck_left: usize,
    pub(crate) expeditions: [Vec<Vec<usize>>; 2],
    /// Kinds of each pile, the top last.
    pub(crate) discards: Vec<Vec<usize>>,
    pub(crate) hands: [Vec<usize>; 2],
}

impl ReferenceGame {
    pub(crate) fn rules(&self) -> Rules {
        let [colours, ranks, min_rank, wagers, hand_size, expedition_penalty, bonus_threshold, bonus_amount] =
            self.rules;
        Rules {
            colours: colours as u32,
            ranks: ranks as u32,
            min_rank: min_rank as u32,
            wagers: wagers as u32,
            hand_size: hand_size as u32,
            expedition_penalty,
            bonus_threshold: bonus_threshold as u32,
            bonus_amount,
            ..Rules::classic()
        }
    }

    pub(crate) fn build<A: ActionSpace>(&self) -> LostCities<A> {
        LostCities::new(self.rules()).expect("the reference rules are possible")
    }

    /// Walks the game in the action space `A`; `visit(ply, state, by_slot)` sees every decision and
    /// the end. `by_slot` is the same position with the hands in the reference's order, which playing
    /// by card does not keep: of several wagers of a colour it takes the first.
    pub(crate) fn walk<A: ActionSpace>(
        &self,
        game: &LostCities<A>,
        mut visit: impl FnMut(usize, &State, &State),
    ) {
        let slots = self.build::<Slots>();
        let (mut state, mut by_slot) = (game.root(), slots.root());
        let (mut dealt, mut ply) = (self.deal.iter(), 0);
        loop {
            let (action, slot_action) = match game.turn(&state) {
                Turn::Chance => {
                    let kind = *dealt.next().expect("the deck order covers every draw");
                    (kind, kind)
                }
                Turn::Player(_) if ply < self.actions.len() => {
                    visit(ply, &state, &by_slot);
                    let action = self.actions[ply];
                    ply += 1;
                    (game.to_action(&by_slot, slots.to_move(&by_slot, action)), action)
                }
                _ => break visit(ply, &state, &by_slot),
            };
            game.apply(&mut state, action);
            slots.apply(&mut by_slot, slot_action);
        }
    }
}

/// Rows of a gzipped JSON-lines file in `testdata/lost_cities`.
pub(crate) fn rows<T: DeserializeOwned>(name: &str) -> Vec<T> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/lost_cities").join(name);
    let file = std::fs::File::open(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let lines = BufReader::new(GzDecoder::new(file)).lines();
    lines.map(|line| serde_json::from_str(&line.expect("readable")).expect("well-formed")).collect()
}

/// All reference games by number.
pub(crate) fn games() -> HashMap<u32, ReferenceGame> {
    rows("games.jsonl.gz").into_iter().map(|game: ReferenceGame| (game.game, game)).collect()
}
/// The positions at each wanted (game, ply).
pub(crate) fn states(
    games: &HashMap<u32, ReferenceGame>,
    wanted: impl Iterator<Item = (u32, usize)>,
) -> impl Iterator<Item = (&ReferenceGame, State)> {
    let mut positions: HashMap<u32, Vec<State>> = HashMap::new();
    let wanted: Vec<_> = wanted.collect();
    wanted.into_iter().map(move |(number, ply)| {
        let game = &games[&number];
        let reached = positions.entry(number).or_insert_with(|| {
            let mut reached = Vec::new();
            game.walk(&game.build::<Slots>(), |_, state, _| reached.push(*state));
            reached
        });
        (game, reached[ply])
    })
}
