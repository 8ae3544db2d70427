//! A short recursive traversal, for tests: what the lanes must reproduce bit for bit.
//!
//! It asks one row at a time, recurses as deep as the game, and knows no budgets, lanes or threads.
//! Not for training.

use deepcfr_core::{
    ActionSet, Encoder, Evaluator, EvaluatorError, Game, InfosetKey, NetId, Player, Purpose, Query,
    SampleMeta, SampleSink, Stream, Turn,
};

use super::{
    Baseline, Continuation, OutcomeSampling, RolloutSampling, Sampling, StrategySource, TraversalPlan,
};
use crate::matches::Bot;
use crate::regret::{regret_matching, sample_action, uniform};

/// Runs the traversals of `plan` (but for its budgets, lanes and groups) one after the other and
/// returns their mean value for the traverser.
///
/// # Errors
/// If the evaluator fails.
pub fn run<G: Game, E: Encoder<G>>(
    game: &G,
    encoder: &E,
    sampling: Sampling<'_, G>,
    plan: &TraversalPlan,
    evaluator: &mut impl Evaluator,
    sink: &mut dyn SampleSink,
) -> Result<f64, EvaluatorError> {
    let mut total = 0.0;
    for index in 0..plan.count {
        let rng = Stream::new(plan.seed, Purpose::Traversal, plan.iteration, plan.traverser as u32, index);
        let mut oracle = Oracle { game, encoder, sampling, plan, evaluator, rng, samples: Vec::new() };
        total += oracle.value(&game.root())?;
        for sample in &oracle.samples {
            sample.send(plan, sink);
        }
    }
    Ok(total / f64::from(plan.count))
}

struct Sample {
    player: Player,
    legal: ActionSet,
    features: Vec<f32>,
    targets: Vec<f32>,
}

impl Sample {
    fn send(&self, plan: &TraversalPlan, sink: &mut dyn SampleSink) {
        let meta = SampleMeta { legal: self.legal, iteration: plan.iteration };
        if self.player == plan.traverser {
            sink.advantage(self.player, meta, &self.features, &self.targets);
        } else {
            sink.strategy(meta, &self.features, &self.targets);
        }
    }
}

struct Oracle<'a, G: Game, E, V> {
    game: &'a G,
    encoder: &'a E,
    sampling: Sampling<'a, G>,
    plan: &'a TraversalPlan,
    evaluator: &'a mut V,
    rng: Stream,
    samples: Vec<Sample>,
}

impl<G: Game, E: Encoder<G>, V: Evaluator> Oracle<'_, G, E, V> {
    /// A sampled value of `state` for the traverser.
    fn value(&mut self, state: &G::State) -> Result<f64, EvaluatorError> {
        match self.game.turn(state) {
            Turn::Terminal if self.plan.traverser == 0 => Ok(self.game.utility(state)),
            Turn::Terminal => Ok(-self.game.utility(state)),
            Turn::Chance => {
                let outcome = self.game.sample_chance(state, &mut self.rng);
                self.child(state, outcome)
            }
            Turn::Player(player) => self.decision(state, player),
        }
    }

    fn child(&mut self, state: &G::State, action: u16) -> Result<f64, EvaluatorError> {
        let mut next = state.clone();
        self.game.apply(&mut next, action);
        self.value(&next)
    }

    fn decision(&mut self, state: &G::State, player: Player) -> Result<f64, EvaluatorError> {
        let legal = self.game.legal_actions(state);
        if legal.len() == 1 {
            return self.child(state, legal.nth(0).expect("one legal action"));
        }
        let mut features = vec![0.0; self.encoder.num_features()];
        self.encoder.encode(self.game, state, player, &mut features);
        let strategy = self.strategy(state, player, legal, &features)?;
        let sample = self.samples.len();
        self.samples.push(Sample { player, legal, features, targets: strategy.clone() });
        if player != self.plan.traverser {
            let action = sample_action(&strategy, legal, self.rng.uniform());
            return self.child(state, action);
        }
        let values = match self.sampling {
            Sampling::External => self.every_action(state, legal)?,
            Sampling::Outcome { parameters, baseline } => {
                self.one_action(state, legal, &strategy, (parameters, baseline))?
            }
            Sampling::Rollout { parameters, policy } => {
                self.played_out(state, player, legal, (parameters, policy))
            }
        };
        let trembling = match self.sampling {
            Sampling::Outcome { parameters, .. } if parameters.continuation == Continuation::Sampling => {
                parameters.epsilon
            }
            _ => 0.0,
        };
        let weight =
            |action: usize| trembling / legal.len() as f64 + (1.0 - trembling) * f64::from(strategy[action]);
        let mean: f64 = legal.iter().map(usize::from).map(|action| weight(action) * values[action]).sum();
        for action in legal.iter().map(usize::from) {
            self.samples[sample].targets[action] = (values[action] - mean) as f32;
        }
        match self.sampling {
            // The trajectory goes on, and its own end is its value.
            Sampling::Rollout { parameters, .. } => {
                let action = self.explore(legal, &explored(&strategy, legal, parameters.epsilon));
                self.child(state, action)
            }
            _ => Ok(mean),
        }
    }

    /// The mean utility of games that start with each action and go on as the rollout policy does.
    fn played_out(
        &mut self,
        state: &G::State,
        player: Player,
        legal: ActionSet,
        (parameters, policy): (RolloutSampling, &dyn Bot<G>),
    ) -> Vec<f64> {
        let mut values = vec![0.0; self.game.spec().num_actions];
        let mut games = self.rng.branch();
        for _ in 0..parameters.rollouts {
            let luck = games.branch();
            for action in legal {
                let mut end = state.clone();
                self.game.apply(&mut end, action);
                let utility = self.play_on(policy, end, luck.clone());
                values[usize::from(action)] +=
                    if player == 0 { utility } else { -utility } * f64::from(parameters.rollouts).recip();
            }
        }
        values
    }

    fn play_on(&self, policy: &dyn Bot<G>, mut state: G::State, mut rng: Stream) -> f64 {
        loop {
            let action = match self.game.turn(&state) {
                Turn::Terminal => return self.game.utility(&state),
                Turn::Chance => self.game.sample_chance(&state, &mut rng),
                Turn::Player(_) => policy.act(self.game, &state, &mut rng),
            };
            self.game.apply(&mut state, action);
        }
    }

    /// An action drawn from `policy`.
    fn explore(&mut self, legal: ActionSet, policy: &[f64]) -> u16 {
        let draw = self.rng.uniform();
        let last = legal.iter().last().expect("a player state has legal actions");
        let mut cumulative = 0.0;
        let drawn = legal.iter().find(|&action| {
            cumulative += policy[usize::from(action)];
            draw < cumulative
        });
        drawn.unwrap_or(last)
    }

    fn every_action(&mut self, state: &G::State, legal: ActionSet) -> Result<Vec<f64>, EvaluatorError> {
        let mut values = vec![0.0; self.game.spec().num_actions];
        for action in legal {
            values[usize::from(action)] = self.child(state, action)?;
        }
        Ok(values)
    }

    fn one_action(
        &mut self,
        state: &G::State,
        legal: ActionSet,
        strategy: &[f32],
        (parameters, baseline): (OutcomeSampling, Option<&dyn Baseline<G>>),
    ) -> Result<Vec<f64>, EvaluatorError> {
        let mut values = vec![0.0; strategy.len()];
        baseline.inspect(|baseline| baseline.write(self.game, state, &mut values));
        let policy = explored(strategy, legal, parameters.epsilon);
        let sampled = self.explore(legal, &policy);
        let value = self.child(state, sampled)?;
        let action = usize::from(sampled);
        let weighted = values[action] + (value - values[action]) / policy[action];
        values[action] = parameters.clip.map_or(weighted, |bound| weighted.clamp(-bound, bound));
        Ok(values)
    }

    fn strategy(
        &mut self,
        state: &G::State,
        player: Player,
        legal: ActionSet,
        features: &[f32],
    ) -> Result<Vec<f32>, EvaluatorError> {
        let mut strategy = vec![0.0; self.game.spec().num_actions];
        match self.plan.strategy[player] {
            StrategySource::Initial => match self.sampling {
                Sampling::Rollout { policy, .. } => {
                    strategy[usize::from(policy.act(self.game, state, &mut self.rng))] = 1.0;
                }
                _ => uniform(legal, &mut strategy),
            },
            StrategySource::Networks => {
                let query = Row { key: self.game.infoset_key(state, player), features };
                self.evaluator.submit(0, NetId::advantage(player), &query)?;
                self.evaluator.wait()?;
                self.evaluator.next_ready().expect("the only row was waited for");
                regret_matching(self.evaluator.output(0), legal, self.plan.all_negative, &mut strategy);
            }
        }
        Ok(strategy)
    }
}

/// `ε·uniform + (1 − ε)·σ`.
fn explored(strategy: &[f32], legal: ActionSet, epsilon: f64) -> Vec<f64> {
    let uniform = epsilon / legal.len() as f64;
    strategy.iter().map(|&p| uniform + (1.0 - epsilon) * f64::from(p)).collect()
}

struct Row<'a> {
    key: InfosetKey,
    features: &'a [f32],
}

impl Query for Row<'_> {
    fn key(&self) -> InfosetKey {
        self.key
    }

    fn encode(&self, row: &mut [f32]) {
        row.copy_from_slice(self.features);
    }
}
