//! A stage: something that is done many times, and how fast.
//!
//! Not here: what stages there are.

use std::time::Duration;

use deepcfr_timing::{Stretch, Turns};
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
    /// Items a second, the median over stretches.
    pub per_second: f64,
    /// Items a second in the fastest stretch.
    pub fastest_per_second: f64,
    /// What limits the stage, as far as it was measured; the first says most.
    pub limits: Vec<Limit>,
}

impl StageSpeed {
    /// Nanoseconds an item takes.
    pub fn nanoseconds(&self) -> f64 {
        1e9 / self.per_second
    }

    /// The speed of the fastest stretch as a fraction of `limit`, itself the fastest of its kind: so a
    /// disturbance shows in neither. Skipped zeros can carry it past 1.
    pub fn fraction_of(&self, limit: &Limit) -> f64 {
        self.fastest_per_second / limit.per_second
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

/// A stage, ready to be timed.
pub(super) struct Stage<'a> {
    pub(super) name: String,
    pub(super) item: &'static str,
    pub(super) bounds: Vec<Bound>,
    /// Does a millisecond of work, or what can be done at least.
    pub(super) run: Box<dyn FnMut() -> Result<Stretch, BenchError> + 'a>,
}

/// A stage's stretches of one turn take about so long, or there is one.
const TURN: Duration = Duration::from_millis(30);
/// Draws the order of the stages.
const ORDER: u64 = 1;

/// Times all stages in turns.
pub(super) fn take_turns(mut stages: Vec<Stage<'_>>, turns: usize) -> Result<Vec<Timed>, BenchError> {
    let order = Turns::new(turns, ORDER).lasting(TURN);
    let timings = order.take(stages.len(), |place| (stages[place].run)())?;
    let speeds = stages.into_iter().zip(timings).map(|(stage, timings)| {
        let speed = StageSpeed {
            name: stage.name,
            item: stage.item,
            per_second: timings.per_second(),
            fastest_per_second: timings.fastest_per_second(),
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
    fn the_median_counts_and_the_fastest_stands_against_the_limit() {
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
        assert_eq!((speed.per_second, speed.fastest_per_second, speed.nanoseconds()), (4.0, 8.0, 2.5e8));
        assert_eq!(speed.limits, [Limit { what: "draws", per_second: 20.0 }]);
        assert_eq!(speed.fraction_of(&speed.limits[0]), 0.4);
    }
}
