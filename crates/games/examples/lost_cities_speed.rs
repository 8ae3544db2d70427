//! Times the Lost Cities engine, encoders and bots: `cargo run --release --example lost_cities_speed`.
//!
//! Prints nanoseconds per operation (mean, and the fastest of many short stretches, which other load
//! on the machine disturbs least) and a fingerprint that a faster engine must not change. Compare
//! figures within one run.

use std::hint::black_box;
use std::time::Instant;

use deepcfr_core::{Encoder, Game, Purpose, Stream, Turn};
use deepcfr_games::lost_cities::{
    ActionSpace, Bot, Cards, CardsEncoder, LostCities, Rules, Slots, SlotsEncoder, State,
};

fn main() {
    let only = std::env::args().nth(1).unwrap_or_default();
    let chosen = |name: &str| only.is_empty() || only == name;
    let game = LostCities::<Slots>::new(Rules::classic()).expect("the classic rules are possible");
    if chosen("playout") {
        playouts("random playout, by slot", &game);
        let by_card = LostCities::<Cards>::new(Rules::classic()).expect("the classic rules are possible");
        playouts("random playout, by card", &by_card);
    }
    let states = if only == "playout" { Vec::new() } else { decisions(&game) };
    if chosen("legal") {
        let by_card = LostCities::<Cards>::new(Rules::classic()).expect("the classic rules are possible");
        per_item("legal actions, by slot", &states, |state| game.legal_actions(state).bits() as u64);
        per_item("legal actions, by card", &states, |state| by_card.legal_actions(state).bits() as u64);
        per_item("copy and move", &states, |state| {
            let mut next = *state;
            game.apply(&mut next, game.legal_actions(state).iter().next().expect("not empty"));
            next.plies() as u64
        });
    }
    if chosen("encode") {
        encodings("slots encode", &game, &SlotsEncoder::new(game.rules()), &states);
        encodings("cards encode", &game, &CardsEncoder::new(game.rules()), &states);
        per_item("infoset key", &states, |state| game.infoset_key(state, state.player()).0 as u64 & 255);
    }
    if chosen("bots") {
        let mut rng = Stream::new(3, Purpose::Test, 0, 0, 0);
        for bot in Bot::ALL {
            per_item(bot.name(), &states, |state| {
                u64::from(game.to_action(state, bot.decide(&game, state, &mut rng)))
            });
        }
    }
}

/// Whole random games: legal set, choice, move, and the deck's cards, per decision.
fn playouts<A: ActionSpace>(name: &str, game: &LostCities<A>) {
    let mut times = Times::default();
    let mut points = 0.0;
    for stretch in 0..1000 {
        let start = Instant::now();
        let decisions = (0..10).map(|index| playout(game, 10 * stretch + index, &mut points)).sum();
        times.add(start, decisions);
    }
    times.print(name, points);
}

fn playout<A: ActionSpace>(game: &LostCities<A>, index: u32, points: &mut f64) -> usize {
    let mut rng = Stream::new(1, Purpose::Test, 0, 0, index);
    let mut state = game.root();
    loop {
        let action = match game.turn(&state) {
            Turn::Terminal => break,
            Turn::Chance => game.sample_chance(&state, &mut rng),
            Turn::Player(_) => {
                let legal = game.legal_actions(&state);
                legal.choose(|count| rng.below(count)).expect("not empty")
            }
        };
        game.apply(&mut state, action);
    }
    *points += game.utility(&state);
    state.plies()
}

#[derive(Default)]
struct Times {
    nanos: f64,
    count: usize,
    best: Option<f64>,
}

impl Times {
    fn add(&mut self, start: Instant, count: usize) {
        let nanos = start.elapsed().as_nanos() as f64;
        self.nanos += nanos;
        self.count += count;
        let each = nanos / count as f64;
        self.best = Some(self.best.map_or(each, |best| best.min(each)));
    }

    fn print(&self, name: &str, fingerprint: impl std::fmt::Display) {
        let (mean, best) = (self.nanos / self.count as f64, self.best.unwrap_or_default());
        println!("{name:<24} {best:8.1} ns at best {mean:8.1} mean   fingerprint {fingerprint}");
    }
}

fn encodings(
    name: &str,
    game: &LostCities<Slots>,
    encoder: &impl Encoder<LostCities<Slots>>,
    states: &[State],
) {
    let mut row = vec![0.0; encoder.num_features()];
    per_item(name, states, |state| {
        encoder.encode(game, state, state.player(), &mut row);
        black_box(row[row.len() / 2]).to_bits().into()
    });
}

fn per_item(name: &str, states: &[State], mut operation: impl FnMut(&State) -> u64) {
    let mut times = Times::default();
    let mut sum = 0u64;
    for stretch in states.chunks_exact(1000).cycle().take(200) {
        let start = Instant::now();
        stretch.iter().for_each(|state| sum = sum.wrapping_add(operation(black_box(state))));
        times.add(start, stretch.len());
    }
    times.print(name, sum);
}

/// Decisions of games between the balanced heuristic and a noisy one.
fn decisions(game: &LostCities<Slots>) -> Vec<State> {
    let mut states = Vec::new();
    for index in 0..200 {
        let mut rng = Stream::new(2, Purpose::Test, 0, 0, index);
        let mut state = game.root();
        loop {
            let action = match game.turn(&state) {
                Turn::Terminal => break,
                Turn::Chance => game.sample_chance(&state, &mut rng),
                Turn::Player(player) => {
                    states.push(state);
                    let bot = [Bot::HeuristicBalanced, Bot::HeuristicNoisy][player];
                    game.to_action(&state, bot.decide(game, &state, &mut rng))
                }
            };
            game.apply(&mut state, action);
        }
    }
    states
}
