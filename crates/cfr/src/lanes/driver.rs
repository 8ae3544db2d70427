//! One thread's lanes over one evaluator.
//!
//! A sweep is: resume every lane whose answer has arrived, each until it needs another row; then
//! wait. A lane that finishes takes the next piece of work at once. With two groups, a sweep's rows are
//! handed over as soon as the sweep is complete, so that one group's rows are under way while the
//! other group advances. However a run ends, rows that are still under way are taken back.
//!
//! Not here: what the lanes do.

use std::time::{Duration, Instant};

use deepcfr_core::{Evaluator, EvaluatorError};

use super::{Lane, Step, Work};

/// Time spent by a worker.
#[derive(Clone, Copy, Default)]
pub(crate) struct DriverTimes {
    pub(crate) inference_wait: Duration,
    pub(crate) logic: Duration,
}

/// Drives `lanes`, which get their work from `work`.
pub(crate) struct Driver<'a, C, L, V, W> {
    context: &'a C,
    evaluator: &'a mut V,
    work: W,
    lanes: Vec<L>,
    idle: Vec<usize>,
    /// Rows submitted and not yet answered.
    outstanding: usize,
    inference_wait: Duration,
}

impl<'a, C, L: Lane<C>, V: Evaluator, W: Work<L>> Driver<'a, C, L, V, W> {
    /// A driver of `lanes`, all idle.
    pub(crate) fn new(context: &'a C, evaluator: &'a mut V, work: W, lanes: Vec<L>) -> Self {
        let idle = (0..lanes.len()).rev().collect();
        Self { context, evaluator, work, lanes, idle, outstanding: 0, inference_wait: Duration::ZERO }
    }

    /// Works until there is nothing left to do, with the lanes in `groups` groups. After a failure the
    /// run is closed for all workers; the first failure is the one to report.
    pub(crate) fn run(mut self, groups: usize) -> Result<(DriverTimes, W), L::Error> {
        let start = Instant::now();
        let result = self.sweep(groups);
        match result {
            Ok(()) => self.work.hand_in(),
            Err(_) => self.work.close(),
        }
        let drained = self.drain();
        result?;
        drained?;
        let times = DriverTimes {
            inference_wait: self.inference_wait,
            logic: start.elapsed().saturating_sub(self.inference_wait),
        };
        Ok((times, self.work))
    }

    fn sweep(&mut self, groups: usize) -> Result<(), L::Error> {
        // The first group's rows leave before the second group sets out: from then on the two take turns.
        self.start_group(self.lanes.len().div_ceil(groups))?;
        if groups > 1 {
            self.evaluator.flush()?;
        }
        while self.start_group(usize::MAX)? {
            if groups > 1 {
                self.evaluator.flush()?;
            }
            self.wait()?;
            self.resume_ready()?;
        }
        Ok(())
    }

    /// Gives work to idle lanes, `most` times at most. `false` when there is nothing left to do.
    fn start_group(&mut self, most: usize) -> Result<bool, L::Error> {
        for _ in 0..most {
            let Some(lane) = self.idle.pop() else { break };
            let patient = self.outstanding == 0;
            if patient {
                // Before this blocks: others may wait for these results, or for rows that do not come.
                self.work.hand_in();
                self.evaluator.rest()?;
            }
            if !self.work.begin(&mut self.lanes[lane], patient) {
                self.idle.push(lane);
                break;
            }
            self.drive(lane)?;
        }
        Ok(self.outstanding > 0 && !self.work.is_closed())
    }

    fn wait(&mut self) -> Result<(), EvaluatorError> {
        let start = Instant::now();
        self.evaluator.wait()?;
        self.inference_wait += start.elapsed();
        Ok(())
    }

    fn resume_ready(&mut self) -> Result<(), L::Error> {
        while let Some(lane) = self.evaluator.next_ready() {
            self.outstanding -= 1;
            self.lanes[lane].answer(self.context, self.evaluator.output(lane));
            self.drive(lane)?;
        }
        Ok(())
    }

    /// Advances a lane, walk after walk, until it needs a row or there is no work for it.
    fn drive(&mut self, number: usize) -> Result<(), L::Error> {
        let lane = &mut self.lanes[number];
        loop {
            match lane.advance(self.context)? {
                Step::NeedsRow => {
                    self.outstanding += 1;
                    return Ok(lane.submit(self.context, number, self.evaluator)?);
                }
                Step::Finished => self.work.finish(lane),
            }
            if !self.work.begin(lane, false) {
                self.idle.push(number);
                return Ok(());
            }
        }
    }

    /// Takes back rows that nobody needs any more.
    fn drain(&mut self) -> Result<(), EvaluatorError> {
        while self.outstanding > 0 {
            self.evaluator.wait()?;
            let before = self.outstanding;
            while self.evaluator.next_ready().is_some() {
                self.outstanding -= 1;
            }
            // An evaluator that failed may never answer what it held.
            if self.outstanding == before {
                break;
            }
        }
        self.evaluator.rest()
    }
}
