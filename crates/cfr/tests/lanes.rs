//! The driver of lanes, seen from outside: whoever runs on it ends a failed run in the same way.
//!
//! Not here: what traversals and matches compute.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use deepcfr_cfr::matches::{self, Contestant, MatchError, MatchPlan, NetworkStrategy, Pairing};
use deepcfr_cfr::regret::AllNegative;
use deepcfr_cfr::traversal::{self, Budgets, Sampling, StrategySource, TraversalError, TraversalPlan};
use deepcfr_core::{
    Evaluator, EvaluatorError, Features, ModelError, NetId, Player, Query, SampleMeta, SampleSink,
};
use deepcfr_games::kuhn::{Kuhn, KuhnEncoder};

/// Answers all rows alike, three at a time, but for one failure.
struct Faulty {
    /// Waits before the one that fails, or, of a worker that does not, before it stands still until another has:
    /// on a busy machine it would else be done with everything before the other begins.
    waits: usize,
    fails: bool,
    /// Whether one of the run's evaluators has failed.
    failed: Arc<AtomicBool>,
    queued: VecDeque<usize>,
    ready: VecDeque<usize>,
    /// Rows that may still be named as ready.
    outstanding: usize,
    is_resting: bool,
}

impl Faulty {
    fn new(fails: bool, failed: &Arc<AtomicBool>) -> Self {
        Self {
            waits: 7,
            fails,
            failed: Arc::clone(failed),
            queued: VecDeque::new(),
            ready: VecDeque::new(),
            outstanding: 0,
            is_resting: false,
        }
    }
}

impl Evaluator for Faulty {
    fn submit<Q: Query>(&mut self, lane: usize, _net: NetId, _query: &Q) -> Result<(), EvaluatorError> {
        self.is_resting = false;
        self.outstanding += 1;
        self.queued.push_back(lane);
        Ok(())
    }

    fn wait(&mut self) -> Result<(), EvaluatorError> {
        let due = self.waits == 0;
        self.waits = self.waits.wrapping_sub(1);
        while due && !self.fails && !self.failed.load(Ordering::SeqCst) {
            std::thread::yield_now();
        }
        if due && self.fails {
            self.failed.store(true, Ordering::SeqCst);
            return Err(ModelError::Device { device: "test", reason: "told to fail".into() }.into());
        }
        self.ready.extend(self.queued.drain(..self.queued.len().min(3)));
        Ok(())
    }

    fn rest(&mut self) -> Result<(), EvaluatorError> {
        self.is_resting = true;
        Ok(())
    }

    fn next_ready(&mut self) -> Option<usize> {
        let lane = self.ready.pop_front()?;
        self.outstanding -= 1;
        Some(lane)
    }

    fn output(&self, _lane: usize) -> &[f32] {
        &[1.0, 2.0]
    }
}

struct Forgetful;

impl SampleSink for Forgetful {
    fn advantage(&mut self, _player: Player, _meta: SampleMeta, _features: &dyn Features, _targets: &[f32]) {}

    fn strategy(&mut self, _meta: SampleMeta, _features: &dyn Features, _targets: &[f32]) {}
}

fn traverse(workers: &mut [Faulty], groups: usize) -> Result<(), EvaluatorError> {
    let plan = TraversalPlan {
        seed: 1,
        iteration: 1,
        traverser: 0,
        count: 5000,
        all_negative: AllNegative::Uniform,
        strategy: [StrategySource::Networks; 2],
        budgets: Budgets::UNLIMITED,
        lanes: 8,
        groups,
    };
    match traversal::run(&Kuhn, &KuhnEncoder, Sampling::External, &plan, workers, &mut Forgetful) {
        Ok(_) => Ok(()),
        Err(TraversalError::Evaluator(error)) => Err(error),
        Err(other) => panic!("expected an evaluator's error, got {other:?}"),
    }
}

fn play(workers: &mut [Faulty], groups: usize) -> Result<(), EvaluatorError> {
    let average = NetworkStrategy::average();
    let pairings =
        [Pairing { subject: Contestant::Network(&average), opponent: Contestant::Network(&average) }];
    let plan = MatchPlan { seed: 1, evaluation: 1, deals: 5000, lanes: 8, groups };
    match matches::play(&Kuhn, &KuhnEncoder, &plan, &pairings, workers) {
        Ok(_) => Ok(()),
        Err(MatchError::Evaluator(error)) => Err(error),
        Err(other) => panic!("expected an evaluator's error, got {other:?}"),
    }
}

#[test]
fn rows_under_way_are_taken_back_after_a_failure() {
    for run in [traverse, play] {
        for (groups, others) in [(1, 0), (2, 0), (1, 2), (2, 2)] {
            let failed = Arc::default();
            let mut workers = vec![Faulty::new(true, &failed)];
            workers.extend((0..others).map(|_| Faulty::new(false, &failed)));
            run(&mut workers, groups).expect_err("the first worker's evaluator fails");
            assert!(workers.iter().all(|worker| worker.outstanding == 0 && worker.is_resting));
        }
    }
}

#[test]
fn an_evaluator_that_never_recovers_does_not_hold_a_run_up() {
    /// Fails for good.
    struct Broken;
    impl Evaluator for Broken {
        fn submit<Q: Query>(&mut self, _lane: usize, _net: NetId, _query: &Q) -> Result<(), EvaluatorError> {
            Ok(())
        }

        fn wait(&mut self) -> Result<(), EvaluatorError> {
            Err(EvaluatorError::Stopped)
        }

        fn next_ready(&mut self) -> Option<usize> {
            None
        }

        fn output(&self, _lane: usize) -> &[f32] {
            &[]
        }
    }
    let average = NetworkStrategy::average();
    let pairings =
        [Pairing { subject: Contestant::Network(&average), opponent: Contestant::Network(&average) }];
    let plan = MatchPlan { seed: 1, evaluation: 1, deals: 50, lanes: 8, groups: 2 };
    let result = matches::play(&Kuhn, &KuhnEncoder, &plan, &pairings, &mut [Broken, Broken]);
    assert!(matches!(result, Err(MatchError::Evaluator(EvaluatorError::Stopped))));
}
