//! A stage: something that is done many times, and how fast.
//!
//! Not here: what stages there are.

use std::time::Instant;

use serde::Serialize;

use crate::error::TrainError;

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
    /// What limits the stage, where a limit was measured.
    pub limit: Option<Limit>,
}

impl StageSpeed {
    /// Nanoseconds an item takes in the fastest stretch.
    pub fn nanoseconds(&self) -> f64 {
        1e9 / self.per_second
    }

    /// The speed of the fastest stretch as a fraction of the limit. Skipped zeros can carry it past 1.
    pub fn of_limit(&self) -> Option<f64> {
        Some(self.per_second / self.limit.as_ref()?.per_second)
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
    work: impl FnOnce() -> Result<(), TrainError>,
) -> Result<Stretch, TrainError> {
    let begin = Instant::now();
    work()?;
    Ok(Stretch { items: items as f64, seconds: begin.elapsed().as_secs_f64() })
}

/// A stage, ready to be timed.
pub(super) struct Stage<'a> {
    pub(super) name: String,
    pub(super) item: &'static str,
    pub(super) limit: Option<Limit>,
    /// Does a millisecond of work, or what can be done at least.
    pub(super) run: Box<dyn FnMut() -> Result<Stretch, TrainError> + 'a>,
}

/// A stage's stretches of one turn take about so long, or there is one.
const TURN: f64 = 0.03;

/// Runs all stages in turns, after one that warms up.
pub(super) fn take_turns(mut stages: Vec<Stage<'_>>, turns: usize) -> Result<Vec<StageSpeed>, TrainError> {
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
        StageSpeed {
            name: stage.name,
            item: stage.item,
            per_second: rates[rates.len() - 1],
            median_per_second: rates[rates.len() / 2],
            limit: stage.limit,
        }
    });
    Ok(speeds.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fastest_stretch_counts_and_the_first_only_warms_up() {
        let mut seconds = [0.5, 4.0, 1.0, 2.0].into_iter();
        let limit = Some(Limit { what: "the clock", per_second: 20.0 });
        let run = move || Ok(Stretch { items: 8.0, seconds: seconds.next().expect("four turns") });
        let stage = Stage { name: "stage".to_owned(), item: "row", limit, run: Box::new(run) };
        let speeds = take_turns(vec![stage], 3).unwrap();
        assert_eq!((speeds[0].per_second, speeds[0].median_per_second), (8.0, 4.0));
        assert_eq!((speeds[0].nanoseconds(), speeds[0].of_limit()), (1.25e8, Some(0.4)));
    }
}
