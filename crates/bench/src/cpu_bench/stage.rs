//! A stage: something that is done many times, and how fast.
//!
//! Not here: what stages there are.

use std::time::Instant;

use serde::Serialize;

use super::limits::CpuLimits;
use crate::error::BenchError;

/// What a stage cannot be faster than.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Limit {
    /// What limits it.
    pub what: &'static str,
    /// Items a second if only that took time.
    pub per_second: f64,
}

/// How fast a stage is.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StageSpeed {
    /// The stage.
    pub name: String,
    /// What is counted.
    pub item: &'static str,
    /// Items a second in the fastest stretch.
    pub per_second: f64,
    /// Items a second in the stretch in the middle.
    pub median_per_second: f64,
    /// What limits the stage, as far as it was measured; the first says most.
    pub limits: Vec<Limit>,
}

impl StageSpeed {
    /// Nanoseconds an item takes in the fastest stretch.
    pub fn nanoseconds(&self) -> f64 {
        1e9 / self.per_second
    }

    /// The speed of the fastest stretch as a fraction of `limit`. Skipped zeros can carry it past 1.
    pub fn fraction_of(&self, limit: &Limit) -> f64 {
        self.per_second / limit.per_second
    }
}

/// A limit of a stage that follows from the machine's. Those are known when all has been measured: they are
/// measured before and after, since a disturbed limit would flatter every stage.
pub(super) struct Bound {
    pub(super) what: &'static str,
    /// Items a second if only that took time.
    pub(super) per_second: Box<dyn Fn(&CpuLimits) -> f64>,
}

impl Bound {
    pub(super) fn new(what: &'static str, per_second: impl Fn(&CpuLimits) -> f64 + 'static) -> Self {
        Self { what, per_second: Box::new(per_second) }
    }
}

/// A stage that was timed, and its limits to be.
pub(super) struct Timed {
    pub(super) speed: StageSpeed,
    bounds: Vec<Bound>,
}

impl Timed {
    /// The stage beside its limits on a machine of these `limits`.
    pub(super) fn against(mut self, limits: &CpuLimits) -> StageSpeed {
        let limit = |bound: Bound| Limit { what: bound.what, per_second: (bound.per_second)(limits) };
        self.speed.limits = self.bounds.into_iter().map(limit).collect();
        self.speed
    }
}

/// A stretch of work.
pub(super) struct Stretch {
    pub(super) items: f64,
    pub(super) seconds: f64,
}

/// Times a stretch of `items`.
pub(super) fn timed(
    items: usize,
    work: impl FnOnce() -> Result<(), BenchError>,
) -> Result<Stretch, BenchError> {
    let begin = Instant::now();
    work()?;
    Ok(Stretch { items: items as f64, seconds: begin.elapsed().as_secs_f64() })
}

/// A stage, ready to be timed.
pub(super) struct Stage<'a> {
    pub(super) name: String,
    pub(super) item: &'static str,
    pub(super) bounds: Vec<Bound>,
    /// Does a millisecond of work, or what can be done at least.
    pub(super) run: Box<dyn FnMut() -> Result<Stretch, BenchError> + 'a>,
}

/// A stage's stretches of one turn take about so long, or there is one.
const TURN: f64 = 0.03;

/// Runs all stages in turns, after one that warms up.
pub(super) fn take_turns(mut stages: Vec<Stage<'_>>, turns: usize) -> Result<Vec<Timed>, BenchError> {
    let mut rates = vec![Vec::with_capacity(turns); stages.len()];
    for turn in 0..=turns.max(1) {
        for (stage, rates) in stages.iter_mut().zip(&mut rates) {
            let mut spent = 0.0;
            while spent < TURN {
                let Stretch { items, seconds } = (stage.run)()?;
                spent += seconds;
                if turn > 0 {
                    rates.push(items / seconds);
                }
            }
        }
    }
    let speeds = stages.into_iter().zip(rates).map(|(stage, mut rates)| {
        rates.sort_by(f64::total_cmp);
        let speed = StageSpeed {
            name: stage.name,
            item: stage.item,
            per_second: rates[rates.len() - 1],
            median_per_second: rates[rates.len() / 2],
            limits: vec![],
        };
        Timed { speed, bounds: stage.bounds }
    });
    Ok(speeds.collect())
}

#[cfg(test)]
mod tests {
    use super::super::limits::ThreadLimits;
    use super::*;

    #[test]
    fn the_fastest_stretch_counts_and_the_first_only_warms_up() {
        let mut seconds = [0.5, 4.0, 1.0, 2.0].into_iter();
        let bounds = vec![Bound::new("draws", |limits| limits.draws_per_second)];
        let run = move || Ok(Stretch { items: 8.0, seconds: seconds.next().expect("four turns") });
        let stage = Stage { name: "stage".to_owned(), item: "row", bounds, run: Box::new(run) };
        let timed = take_turns(vec![stage], 3).unwrap().pop().unwrap();
        let one = ThreadLimits {
            flops_per_second: 5.0,
            product_flops_per_second: 4.0,
            copy_bytes_per_second: 3.0,
            read_bytes_per_second: [1.0, 9.0, 2.0],
        };
        let slow = CpuLimits {
            all: one.clone(),
            one: one.clone(),
            threads: 1,
            draws_per_second: 10.0,
            first_cache_bytes_per_second: 7.0,
        };
        let one = ThreadLimits { flops_per_second: 6.0, read_bytes_per_second: [2.0, 1.0, 2.0], ..one };
        let fast =
            CpuLimits { one, draws_per_second: 20.0, first_cache_bytes_per_second: 1.0, ..slow.clone() };
        let best = slow.best(&fast);
        assert_eq!((best.one.flops_per_second, best.all.flops_per_second), (6.0, 5.0));
        assert_eq!((best.first_cache_bytes_per_second, best.one.copy_bytes_per_second), (7.0, 3.0));
        assert_eq!(best.one.read_bytes_per_second, [2.0, 9.0, 2.0]);
        let speed = timed.against(&best);
        assert_eq!((speed.per_second, speed.median_per_second, speed.nanoseconds()), (8.0, 4.0, 1.25e8));
        assert_eq!(speed.limits, [Limit { what: "draws", per_second: 20.0 }]);
        assert_eq!(speed.fraction_of(&speed.limits[0]), 0.4);
    }
}
