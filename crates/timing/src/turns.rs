//! Stretches of work, and whose turn it is.
//!
//! Not here: work on several threads at once (see `threads`).

use std::hint::black_box;
use std::time::{Duration, Instant};

use deepcfr_core::{Purpose, Stream};

/// Some work that was timed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stretch {
    /// How much was done, in the contender's own unit.
    pub items: f64,
    /// How long it took.
    pub seconds: f64,
}

impl Stretch {
    /// Items a second.
    pub fn per_second(&self) -> f64 {
        self.items / self.seconds
    }
}

/// Times work of so many items once.
///
/// # Errors
/// If the work fails.
pub fn timed<T, E>(items: usize, work: impl FnOnce() -> Result<T, E>) -> Result<Stretch, E> {
    let begin = Instant::now();
    black_box(work()?);
    Ok(Stretch { items: items as f64, seconds: begin.elapsed().as_secs_f64() })
}

/// Times a call that is too short for the clock: repeats it for at least so long, and at least twice. The
/// items are the calls.
///
/// # Errors
/// If a call fails.
pub fn repeated<E>(least: Duration, mut call: impl FnMut() -> Result<(), E>) -> Result<Stretch, E> {
    let begin = Instant::now();
    let mut calls = 0u32;
    while calls < 2 || begin.elapsed() < least {
        call()?;
        calls += 1;
    }
    Ok(Stretch { items: f64::from(calls), seconds: begin.elapsed().as_secs_f64() })
}

/// How often contenders have their turn, and in what order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Turns {
    count: usize,
    seed: u64,
    least: f64,
}

impl Turns {
    /// So many turns of one stretch each, at least one, after one that warms up. The seed draws the order
    /// of every turn.
    pub fn new(count: usize, seed: u64) -> Self {
        Self { count: count.max(1), seed, least: 0.0 }
    }

    /// Turns of as many stretches as take so long.
    #[must_use]
    pub fn lasting(self, least: Duration) -> Self {
        Self { least: least.as_secs_f64(), ..self }
    }

    /// Has `work(contender)` done for every contender in every turn. One entry a contender.
    ///
    /// # Errors
    /// The first of `work`; the turns end there.
    pub fn take<E>(
        &self,
        contenders: usize,
        mut work: impl FnMut(usize) -> Result<Stretch, E>,
    ) -> Result<Vec<Timings>, E> {
        let mut timings = vec![Timings { stretches: Vec::new() }; contenders];
        for turn in 0..=self.count {
            for place in self.order(contenders, turn) {
                let mut spent = 0.0;
                loop {
                    let stretch = work(place)?;
                    spent += stretch.seconds;
                    if turn > 0 {
                        timings[place].stretches.push(stretch);
                    }
                    if spent >= self.least {
                        break;
                    }
                }
            }
        }
        Ok(timings)
    }

    fn order(&self, contenders: usize, turn: usize) -> Vec<usize> {
        let mut stream = Stream::new(self.seed, Purpose::Statistics, 0x7135, 0, turn as u32);
        let mut places: Vec<usize> = (0..contenders).collect();
        for last in (1..contenders).rev() {
            places.swap(last, stream.below(last as u32 + 1) as usize);
        }
        places
    }
}

/// What one contender did in its turns, the warm-up left out.
#[derive(Clone, Debug, PartialEq)]
pub struct Timings {
    stretches: Vec<Stretch>,
}

impl Timings {
    /// The stretches, by turn; at least one.
    pub fn stretches(&self) -> &[Stretch] {
        &self.stretches
    }

    /// The figure: items a second, the median over the stretches.
    pub fn per_second(&self) -> f64 {
        median(self.stretches.iter().map(Stretch::per_second))
    }

    /// Items a second in the fastest stretch: what was possible once.
    pub fn fastest_per_second(&self) -> f64 {
        self.stretches.iter().map(Stretch::per_second).fold(0.0, f64::max)
    }

    /// How many times as fast as `other`, stretch by stretch.
    pub fn against(&self, other: &Self) -> Vec<f64> {
        let pairs = self.stretches.iter().zip(&other.stretches);
        pairs.map(|(own, other)| own.per_second() / other.per_second()).collect()
    }
}

/// The value in the middle, or the mean of the two there; NaN of none.
pub fn median(values: impl IntoIterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.into_iter().collect();
    values.sort_by(f64::total_cmp);
    let half = values.len() / 2;
    match (values.len(), values.len() % 2) {
        (0, _) => f64::NAN,
        (_, 1) => values[half],
        _ => f64::midpoint(values[half - 1], values[half]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(seconds: f64) -> Result<Stretch, ()> {
        Ok(Stretch { items: 8.0, seconds })
    }

    #[test]
    fn the_median_counts_and_the_first_turn_only_warms_up() {
        let mut each = [0.5, 4.0, 1.0, 2.0].into_iter();
        let timings = Turns::new(3, 1).take(1, |_| seconds(each.next().unwrap())).unwrap().remove(0);
        assert_eq!((timings.per_second(), timings.fastest_per_second()), (4.0, 8.0));
        assert_eq!(timings.stretches().iter().map(|each| each.seconds).collect::<Vec<_>>(), [4.0, 1.0, 2.0]);
    }

    #[test]
    fn a_turn_has_as_many_stretches_as_take_its_time() {
        let turns = Turns::new(2, 1).lasting(Duration::from_secs(5));
        let timings = turns.take(2, |place| seconds([2.0, 10.0][place])).unwrap();
        assert_eq!([timings[0].stretches().len(), timings[1].stretches().len()], [6, 2]);
    }

    #[test]
    fn everyone_has_every_turn_in_an_order_that_the_seed_draws() {
        let order = |seed| {
            let mut order = Vec::new();
            Turns::new(99, seed)
                .take(3, |place| {
                    order.push(place);
                    seconds(1.0)
                })
                .unwrap();
            order
        };
        let one = order(1);
        assert_eq!(one, order(1));
        assert_ne!(one, order(2));
        let mut seen = std::collections::BTreeSet::new();
        for turn in one.chunks(3) {
            let mut sorted = turn.to_vec();
            sorted.sort_unstable();
            assert_eq!(sorted, [0, 1, 2]);
            seen.insert(turn.to_vec());
        }
        assert_eq!(seen.len(), 6, "100 turns see all six orders");
    }

    #[test]
    fn ratios_pair_stretches_of_one_turn() {
        let of = |all: &[f64]| Timings {
            stretches: all.iter().map(|&seconds| Stretch { items: 1.0, seconds }).collect(),
        };
        assert_eq!(of(&[1.0, 4.0]).against(&of(&[2.0, 2.0])), [2.0, 0.5]);
    }

    #[test]
    fn the_first_failure_ends_the_turns() {
        let mut calls = 0;
        let failed = Turns::new(5, 1).take(2, |_| {
            calls += 1;
            if calls == 3 { Err("broken") } else { Ok(Stretch { items: 1.0, seconds: 1.0 }) }
        });
        assert_eq!((failed, calls), (Err("broken"), 3));
    }

    #[test]
    fn the_median_is_in_the_middle() {
        assert_eq!(median([3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median([4.0, 1.0, 2.0, 3.0]), 2.5);
        assert!(median([]).is_nan());
    }

    #[test]
    fn short_calls_are_repeated_at_least_twice() {
        let mut calls = 0;
        let stretch = repeated(Duration::ZERO, || {
            calls += 1;
            Ok::<_, ()>(())
        });
        assert_eq!((stretch.unwrap().items, calls), (2.0, 2));
        let long = repeated(Duration::from_millis(2), || Ok::<_, ()>(())).unwrap();
        assert!(long.items > 2.0 && long.seconds >= 0.002);
    }
}
