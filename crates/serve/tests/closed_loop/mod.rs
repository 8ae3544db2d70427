//! A workload whose every step depends on the answer to the one before: lanes that walk through
//! numbers, a model that computes the next number, and the walk without a server to compare with.
//! A lost, doubled, misplaced or stale answer changes the end of a walk.

use deepcfr_core::{Evaluator, EvaluatorError, InfosetKey, ModelSpec, NetId, Query};
use deepcfr_serve::FunctionModel;

/// Two features, three outputs, three networks.
pub(crate) const SPEC: ModelSpec =
    ModelSpec { num_features: 2, num_outputs: 3, num_nets: 3, row_invariant: true };

/// All numbers stay below this, exactly representable.
const MODULUS: u32 = 65_521;

/// Where a lane stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Walk {
    number: u32,
    lane: usize,
    steps_left: u32,
}

impl Walk {
    pub(crate) fn new(worker: usize, lane: usize, steps: u32) -> Self {
        let number = (worker as u32 * 7919 + lane as u32 * 104_729 + 17) % MODULUS;
        Self { number, lane, steps_left: steps }
    }

    fn net(&self) -> NetId {
        NetId((self.number % 3) as u16)
    }

    fn step(&mut self, out: &[f32]) {
        self.number = out[self.number as usize / 3 % 3] as u32;
        self.steps_left -= 1;
    }
}

impl Query for Walk {
    fn key(&self) -> InfosetKey {
        InfosetKey(self.number.into())
    }

    fn encode(&self, row: &mut [f32]) {
        row.copy_from_slice(&[self.number as f32, self.lane as f32]);
    }
}

/// What the model computes.
pub(crate) fn next_numbers(net: NetId, row: &[f32], out: &mut [f32]) {
    let (number, lane) = (row[0] as u64, row[1] as u64);
    for (index, out) in (1u64..).zip(out) {
        let next = number * (31 + 2 * index) + lane * 1009 + u64::from(net.0) * 4093 + index;
        *out = (next % u64::from(MODULUS)) as f32;
    }
}

pub(crate) fn model() -> FunctionModel<impl Fn(NetId, &[f32], &mut [f32]) + Send + Sync> {
    FunctionModel::new(SPEC, next_numbers)
}

/// The end of each walk, computed without a server.
#[allow(dead_code, reason = "not every test compares walks")]
pub(crate) fn inline(worker: usize, lanes: usize, steps: u32) -> Vec<Walk> {
    let mut walks: Vec<_> = (0..lanes).map(|lane| Walk::new(worker, lane, steps)).collect();
    for walk in &mut walks {
        while walk.steps_left > 0 {
            let (mut row, mut out) = ([0.0; 2], [0.0; 3]);
            walk.encode(&mut row);
            next_numbers(walk.net(), &row, &mut out);
            walk.step(&out);
        }
    }
    walks
}

/// Walks all lanes to their end; `groups` parts of them take turns. `between` is called before
/// each step of a lane.
#[allow(dead_code, reason = "not every test walks")]
pub(crate) fn walk<E: Evaluator>(
    evaluator: &mut E,
    worker: usize,
    lanes: usize,
    groups: usize,
    steps: u32,
    mut between: impl FnMut(),
) -> Result<Vec<Walk>, EvaluatorError> {
    let mut walks: Vec<_> = (0..lanes).map(|lane| Walk::new(worker, lane, steps)).collect();
    let mut under_way = 0;
    for (lane, walk) in walks.iter().enumerate().filter(|(_, walk)| walk.steps_left > 0) {
        between();
        evaluator.submit(lane, walk.net(), walk)?;
        under_way += 1;
        if (lane + 1) % lanes.div_ceil(groups) == 0 {
            evaluator.flush()?;
        }
    }
    while under_way > 0 {
        evaluator.wait()?;
        while let Some(lane) = evaluator.next_ready() {
            between();
            walks[lane].step(evaluator.output(lane));
            if walks[lane].steps_left > 0 {
                evaluator.submit(lane, walks[lane].net(), &walks[lane])?;
            } else {
                under_way -= 1;
            }
        }
        evaluator.flush()?;
    }
    Ok(walks)
}

/// Runs `test` on a thread of its own, and panics if it fails or has not ended after a second.
#[allow(dead_code, reason = "not every test can hang")]
pub(crate) fn within_a_second<T: Send + 'static>(test: impl FnOnce() -> T + Send + 'static) -> T {
    let (done, ended) = crossbeam::channel::bounded(1);
    std::thread::spawn(move || done.send(test()));
    ended.recv_timeout(std::time::Duration::from_secs(1)).expect("it ends within a second")
}
