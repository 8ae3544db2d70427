//! Statistical proofs: sampled targets are advantages in the mean, and samples come as often as
//! they should.
//!
//! Tolerances: a mean over `n` traversals may differ from its exact value by `k` standard errors
//! `sqrt(variance / n)`, the variance being the samples' own. With `k = 4.5` a correct mean fails
//! with probability 7e-6; there are about 150 comparisons, and seeds are fixed.

use deepcfr_cfr::matches::PolicyBot;
use deepcfr_cfr::regret::{AllNegative, regret_matching};
use deepcfr_cfr::traversal::evaluators::{ConstantEvaluator, TableEvaluator};
use deepcfr_cfr::traversal::{self, Continuation, OutcomeSampling, RolloutSampling, Sampling, TraversalPlan};
use deepcfr_core::{Features, Game, Player, Purpose, SampleMeta, SampleSink, Stream, Turn};
use deepcfr_games::bots::RandomPolicy;
use deepcfr_games::kuhn::Kuhn;

use crate::equivalence::Arbitrary;
use crate::hand_tree::{HandTree, KeyEncoder, Node};
use crate::model::plan;

const STANDARD_ERRORS: f64 = 4.5;
/// Kuhn's keys are below this.
const KEYS: usize = 1024;
const EPSILON: f64 = 0.4;
const UNBIASED: OutcomeSampling =
    OutcomeSampling { epsilon: EPSILON, clip: None, continuation: Continuation::Strategy };

/// Sums of a quantity and of its square, over traversals in which it may be absent (0).
#[derive(Clone, Copy, Default)]
struct Sum {
    first: f64,
    second: f64,
}

impl Sum {
    fn add(&mut self, value: f64) {
        self.first += value;
        self.second += value * value;
    }

    /// The difference of the mean from `exact`, in standard errors.
    fn z(self, exact: f64, n: f64) -> f64 {
        let mean = self.first / n;
        let error = ((self.second / n - mean * mean) / n).max(1e-18).sqrt();
        (mean - exact) / error
    }
}

/// Per infoset: targets by action, and counts of strategy samples.
struct Tally {
    targets: Vec<[Sum; 2]>,
    strategy: Vec<Sum>,
    strategies: Vec<[f32; 2]>,
}

impl Tally {
    fn new() -> Self {
        Self {
            targets: vec![<[Sum; 2]>::default(); KEYS],
            strategy: vec![Sum::default(); KEYS],
            strategies: vec![[0.0; 2]; KEYS],
        }
    }
}

impl SampleSink for Tally {
    fn advantage(&mut self, _player: Player, _meta: SampleMeta, features: &dyn Features, targets: &[f32]) {
        let sums = &mut self.targets[features.to_row()[0] as usize];
        sums.iter_mut().zip(targets).for_each(|(sum, &target)| sum.add(f64::from(target)));
    }

    fn strategy(&mut self, _meta: SampleMeta, features: &dyn Features, targets: &[f32]) {
        let infoset = features.to_row()[0] as usize;
        self.strategy[infoset].add(1.0);
        self.strategies[infoset].copy_from_slice(targets);
    }
}

/// Two actions worth -10 and -12, σ = (0.9, 0.1): the advantages are (0.2, -1.8).
#[test]
fn the_outcome_sampling_target_is_unbiased_and_the_zeroed_one_is_not() {
    const COUNT: u32 = 200_000;
    let choice = Node::Choice { player: 0, infoset: 0, children: vec![1, 2] };
    let game = HandTree(vec![choice, Node::End(-10.0), Node::End(-12.0)]);
    let sampling =
        Sampling::outcome(OutcomeSampling { epsilon: 0.5, clip: None, ..OutcomeSampling::default() });
    let mut tally = Targets::default();
    let mut workers = [ConstantEvaluator::new(vec![9.0, 1.0])];
    traversal::run(&game, &KeyEncoder, sampling, &plan(0, COUNT), &mut workers, &mut tally)
        .expect("no failure");
    let z = |sums: [Sum; 2]| [sums[0].z(0.2, f64::from(COUNT)), sums[1].z(-1.8, f64::from(COUNT))];
    assert!(z(tally.stored).iter().all(|z| z.abs() < 3.0), "{:?}", z(tally.stored));
    assert!(z(tally.zeroed).iter().all(|z| z.abs() > 3.0), "{:?}", z(tally.zeroed));
    // The zeroed convention's own means, known in closed form.
    assert!(tally.zeroed[0].z(-1.0, f64::from(COUNT)).abs() < 3.0);
    assert!(tally.zeroed[1].z(-10.8, f64::from(COUNT)).abs() < 3.0);
}

/// Targets as stored, and with the unsampled action's set to 0. Values are negative here, so that
/// the sampled action is the one with the negative target.
#[derive(Default)]
struct Targets {
    stored: [Sum; 2],
    zeroed: [Sum; 2],
}

impl SampleSink for Targets {
    fn advantage(&mut self, _player: Player, _meta: SampleMeta, _features: &dyn Features, targets: &[f32]) {
        for (action, &target) in targets.iter().enumerate() {
            self.stored[action].add(f64::from(target));
            self.zeroed[action].add(f64::from(target.min(0.0)));
        }
    }

    fn strategy(&mut self, _meta: SampleMeta, _features: &dyn Features, _targets: &[f32]) {
        panic!("the opponent never moves");
    }
}

/// Expectations per traversal, by exhaustive recursion over Kuhn.
struct Exact<'a> {
    table: &'a [f32],
    traverser: Player,
    sampling: Sampling<'a, Kuhn>,
    /// `Σ_h P(h sampled)·(v(h,a) − v(h))`.
    targets: Vec<[f64; 2]>,
    /// The probability that a strategy sample of the infoset is drawn.
    strategy: Vec<f64>,
}

impl Exact<'_> {
    /// The value of `state`, which a traversal visits with probability `visited`.
    fn value(&mut self, state: <Kuhn as Game>::State, visited: f64) -> f64 {
        match Kuhn.turn(&state) {
            Turn::Terminal if self.traverser == 0 => Kuhn.utility(&state),
            Turn::Terminal => -Kuhn.utility(&state),
            Turn::Chance => self.chance(state, visited),
            Turn::Player(player) => self.decision(state, player, visited),
        }
    }

    fn child(&mut self, mut state: <Kuhn as Game>::State, action: u16, visited: f64) -> f64 {
        Kuhn.apply(&mut state, action);
        self.value(state, visited)
    }

    fn chance(&mut self, state: <Kuhn as Game>::State, visited: f64) -> f64 {
        let mut outcomes = Vec::new();
        Kuhn.chance_outcomes(&state, |outcome, weight| outcomes.push((outcome, f64::from(weight))));
        let total: f64 = outcomes.iter().map(|outcome| outcome.1).sum();
        outcomes
            .iter()
            .map(|&(outcome, weight)| weight / total * self.child(state, outcome, visited * weight / total))
            .sum()
    }

    fn decision(&mut self, state: <Kuhn as Game>::State, player: Player, visited: f64) -> f64 {
        let key = Kuhn.infoset_key(&state, player).0 as usize;
        let strategy = strategy(self.table, key).map(f64::from);
        let sampled = match self.sampling {
            _ if player != self.traverser => strategy,
            Sampling::External => [1.0; 2],
            Sampling::Outcome { parameters: OutcomeSampling { epsilon, .. }, .. }
            | Sampling::Rollout { parameters: RolloutSampling { epsilon, .. }, .. } => {
                strategy.map(|p| epsilon / 2.0 + (1.0 - epsilon) * p)
            }
        };
        let values = [0, 1].map(|action| self.child(state, action as u16, visited * sampled[action]));
        let goes_on = match self.sampling {
            Sampling::Outcome { parameters, .. } if parameters.continuation == Continuation::Sampling => {
                sampled
            }
            Sampling::Rollout { .. } if player == self.traverser => sampled,
            _ => strategy,
        };
        let mean = goes_on[0] * values[0] + goes_on[1] * values[1];
        if player == self.traverser {
            let (values, mean) = match self.sampling {
                Sampling::Rollout { .. } => {
                    let sign = if player == 0 { 1.0 } else { -1.0 };
                    let values = [0, 1].map(|action| sign * uniform_value(state, action as u16));
                    (values, strategy[0] * values[0] + strategy[1] * values[1])
                }
                _ => (values, mean),
            };
            (0..2).for_each(|action| self.targets[key][action] += visited * (values[action] - mean));
        } else {
            self.strategy[key] += visited;
        }
        mean
    }
}

/// The utility of taking `action`, everybody playing uniformly from then on.
fn uniform_value(mut state: <Kuhn as Game>::State, action: u16) -> f64 {
    Kuhn.apply(&mut state, action);
    match Kuhn.turn(&state) {
        Turn::Terminal => Kuhn.utility(&state),
        Turn::Player(_) => 0.5 * (uniform_value(state, 0) + uniform_value(state, 1)),
        Turn::Chance => unreachable!("Kuhn deals first"),
    }
}

fn strategy(table: &[f32], key: usize) -> [f32; 2] {
    let mut row = [0.0; 2];
    let legal = deepcfr_core::ActionSet::first(2);
    regret_matching(&table[2 * key..2 * key + 2], legal, AllNegative::Argmax, &mut row);
    row
}

fn assert_means_are_exact(sampling: Sampling<'_, Kuhn>) {
    const COUNT: u32 = 1_000_000;
    let mut stream = Stream::new(5, Purpose::Test, 0, 0, 0);
    let table: Vec<f32> = (0..2 * KEYS).map(|_| (stream.uniform() + 0.05) as f32).collect();
    for traverser in [0, 1] {
        let mut tally = Tally::new();
        let plan = TraversalPlan { all_negative: AllNegative::Argmax, ..plan(traverser, COUNT) };
        let mut workers = [TableEvaluator::new(&table, 2), TableEvaluator::new(&table, 2)];
        let stats = traversal::run(&Kuhn, &KeyEncoder, sampling, &plan, &mut workers, &mut tally)
            .expect("no failure");
        let mut exact = Exact {
            table: &table,
            traverser,
            sampling,
            targets: vec![[0.0; 2]; KEYS],
            strategy: vec![0.0; KEYS],
        };
        let value = exact.value(Kuhn.root(), 1.0);
        assert!((stats.mean_value - value).abs() < 0.02, "{} against {value}", stats.mean_value);
        assert_tally_fits(&tally, &exact, f64::from(COUNT));
    }
}

fn assert_tally_fits(tally: &Tally, exact: &Exact<'_>, count: f64) {
    let mut infosets = 0;
    for key in 0..KEYS {
        for action in 0..2 {
            let z = tally.targets[key][action].z(exact.targets[key][action], count);
            assert!(z.abs() < STANDARD_ERRORS, "target of action {action} at {key:x}: z = {z}");
        }
        let z = tally.strategy[key].z(exact.strategy[key], count);
        assert!(z.abs() < STANDARD_ERRORS, "strategy samples at {key:x}: z = {z}");
        if exact.strategy[key] > 0.0 {
            assert_eq!(tally.strategies[key], strategy(exact.table, key));
        }
        infosets += usize::from(tally.targets[key][0].second > 0.0 || tally.strategy[key].first > 0.0);
    }
    assert_eq!(infosets, 12, "every infoset is sampled");
}

#[test]
fn external_sampling_targets_are_advantages_in_the_mean() {
    assert_means_are_exact(Sampling::External);
}

#[test]
fn rollout_targets_are_advantages_under_the_rollout_policy_in_the_mean() {
    let policy = PolicyBot(RandomPolicy);
    let parameters = RolloutSampling { epsilon: EPSILON, rollouts: 2 };
    assert_means_are_exact(Sampling::Rollout { parameters, policy: &policy });
}

#[test]
fn outcome_sampling_targets_are_advantages_in_the_mean() {
    assert_means_are_exact(Sampling::outcome(UNBIASED));
}

#[test]
fn values_that_go_on_as_the_samples_do_are_those_of_the_trembling_hand() {
    let parameters = OutcomeSampling { continuation: Continuation::Sampling, ..UNBIASED };
    assert_means_are_exact(Sampling::outcome(parameters));
    assert_means_are_exact(Sampling::Outcome { parameters, baseline: Some(&Arbitrary) });
}

#[test]
fn outcome_sampling_targets_are_advantages_in_the_mean_with_an_arbitrary_baseline() {
    assert_means_are_exact(Sampling::Outcome { parameters: UNBIASED, baseline: Some(&Arbitrary) });
}
