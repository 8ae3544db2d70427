//! Failures on either side end the run with an error or the panic itself, and never hang.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use deepcfr_cfr::matches::PolicyBot;
use deepcfr_cfr::traversal::evaluators::{ConstantEvaluator, LocalEvaluator};
use deepcfr_cfr::traversal::{
    self, OutcomeSampling, RolloutSampling, Sampling, TraversalError, TraversalPlan, oracle,
};
use deepcfr_core::{
    Encoder, Evaluator, EvaluatorError, Features, Game, ModelError, NetId, Player, Query, SampleMeta,
    SampleSink,
};
use deepcfr_games::bots::RandomPolicy;
use deepcfr_games::kuhn::{Kuhn, KuhnEncoder};

use crate::model::{HashModel, Log, OUTCOME, local, plan};

#[test]
fn plans_that_cannot_run_are_refused() {
    let refused = |sampling, plan: TraversalPlan, workers: usize| {
        let mut evaluators = vec![ConstantEvaluator::new(vec![0.0; 2]); workers];
        traversal::run(&Kuhn, &KuhnEncoder, sampling, &plan, &mut evaluators, &mut Log::default())
            .expect_err("refused")
    };
    let refusal = |plan, workers| refused(Sampling::External, plan, workers);
    let outcome = |epsilon, clip| {
        let parameters = OutcomeSampling { epsilon, clip, ..OutcomeSampling::default() };
        refused(Sampling::outcome(parameters), plan(0, 1), 1)
    };
    let rollout = |epsilon, rollouts| {
        let parameters = RolloutSampling { epsilon, rollouts };
        refused(Sampling::Rollout { parameters, policy: &PolicyBot(RandomPolicy) }, plan(0, 1), 1)
    };
    let good = plan(0, 10);
    assert!(matches!(refusal(good, 0), TraversalError::NoWorkers));
    assert!(matches!(refusal(TraversalPlan { lanes: 0, ..good }, 1), TraversalError::NoLanes));
    assert!(matches!(refusal(TraversalPlan { groups: 3, ..good }, 1), TraversalError::Groups { got: 3 }));
    assert!(matches!(
        refusal(TraversalPlan { traverser: 2, ..good }, 1),
        TraversalError::Traverser { got: 2 }
    ));
    for epsilon in [0.0, 1.5, f64::NAN] {
        assert!(matches!(outcome(epsilon, None), TraversalError::Epsilon { .. }));
    }
    for clip in [0.0, -1.0, f64::NAN] {
        assert!(matches!(outcome(0.5, Some(clip)), TraversalError::Clip { .. }));
    }
    for epsilon in [-0.1, 1.5, f64::NAN] {
        assert!(matches!(rollout(epsilon, 1), TraversalError::RolloutEpsilon { .. }));
    }
    assert!(matches!(rollout(0.5, 0), TraversalError::NoRollouts));
}

#[test]
fn a_model_error_reaches_the_caller() {
    for workers in [1, 2, 8] {
        for (lanes, groups) in [(1, 1), (64, 2)] {
            for fail_at in [1, 3] {
                let evaluator = |worker: usize| {
                    let mut model = HashModel::new(&Kuhn, &KuhnEncoder);
                    model.fail_at = (worker == workers - 1).then_some(fail_at);
                    LocalEvaluator::new(Box::new(model), 16)
                };
                let mut evaluators: Vec<_> = (0..workers).map(evaluator).collect();
                let plan = TraversalPlan { lanes, groups, ..plan(0, 200_000) };
                let error = traversal::run(
                    &Kuhn,
                    &KuhnEncoder,
                    Sampling::External,
                    &plan,
                    &mut evaluators,
                    &mut Log::default(),
                );
                let Err(TraversalError::Evaluator(EvaluatorError::Model(ModelError::Device {
                    device, ..
                }))) = error
                else {
                    panic!("expected a device error, got {error:?}")
                };
                assert_eq!(device, "test");
            }
        }
    }
}

/// Panics at player 1's nodes with a king.
struct PanickingEncoder;

impl Encoder<Kuhn> for PanickingEncoder {
    fn num_features(&self) -> usize {
        1
    }

    fn encode(&self, game: &Kuhn, state: &<Kuhn as Game>::State, player: Player, row: &mut [f32]) {
        assert!(player == 0 || game.infoset_key(state, player).0 >> 8 != 2, "told to panic");
        row[0] = 0.0;
    }
}

#[test]
fn a_panic_in_a_worker_reaches_the_caller() {
    for workers in [1, 3] {
        let mut evaluators = vec![ConstantEvaluator::new(vec![1.0; 2]); workers];
        let plan = plan(0, 100_000);
        let run = || {
            traversal::run(
                &Kuhn,
                &PanickingEncoder,
                Sampling::External,
                &plan,
                &mut evaluators,
                &mut Log::default(),
            )
        };
        let panic = catch_unwind(AssertUnwindSafe(run)).expect_err("the panic passes through");
        assert_eq!(panic.downcast_ref::<&str>(), Some(&"told to panic"));
    }
}

struct PanickingSink(u32);

impl SampleSink for PanickingSink {
    fn advantage(&mut self, _player: Player, _meta: SampleMeta, _features: &dyn Features, _targets: &[f32]) {
        self.0 -= 1;
        assert!(self.0 > 0, "told to panic");
    }

    fn strategy(&mut self, _meta: SampleMeta, _features: &dyn Features, _targets: &[f32]) {}
}

#[test]
fn a_panic_in_the_sink_reaches_the_caller() {
    for workers in [1, 3] {
        let mut evaluators = vec![ConstantEvaluator::new(vec![1.0; 2]); workers];
        let plan = plan(0, 1_000_000);
        let run = || {
            traversal::run(
                &Kuhn,
                &KuhnEncoder,
                Sampling::outcome(OUTCOME),
                &plan,
                &mut evaluators,
                &mut PanickingSink(500),
            )
        };
        let panic = catch_unwind(AssertUnwindSafe(run)).expect_err("the panic passes through");
        assert_eq!(panic.downcast_ref::<&str>(), Some(&"told to panic"));
    }
}

/// Answers its first row late.
struct Late<V> {
    inner: V,
    delay: Duration,
}

impl<V: Evaluator> Evaluator for Late<V> {
    fn submit<Q: Query>(&mut self, lane: usize, net: NetId, query: &Q) -> Result<(), EvaluatorError> {
        self.inner.submit(lane, net, query)
    }

    fn wait(&mut self) -> Result<(), EvaluatorError> {
        std::thread::sleep(std::mem::take(&mut self.delay));
        self.inner.wait()
    }

    fn next_ready(&mut self) -> Option<usize> {
        self.inner.next_ready()
    }

    fn output(&self, lane: usize) -> &[f32] {
        self.inner.output(lane)
    }
}

/// The others run ahead as far as they may, wait for the late one, and go on.
#[test]
fn one_late_worker_delays_the_rest_and_changes_nothing() {
    let plan = plan(0, 20_000);
    let mut expected = Log::default();
    oracle::run(
        &Kuhn,
        &KuhnEncoder,
        Sampling::External,
        &plan,
        &mut local(&Kuhn, &KuhnEncoder, 1),
        &mut expected,
    )
    .expect("no failure");
    let late = |worker: u64| Late {
        inner: local(&Kuhn, &KuhnEncoder, 16),
        delay: Duration::from_millis(if worker == 1 { 60 } else { 0 }),
    };
    let mut evaluators: Vec<_> = (0..3).map(late).collect();
    let mut log = Log::default();
    traversal::run(&Kuhn, &KuhnEncoder, Sampling::External, &plan, &mut evaluators, &mut log)
        .expect("no failure");
    assert!(log == expected);
}
