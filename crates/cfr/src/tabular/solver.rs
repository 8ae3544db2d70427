//! One handle for every tabular algorithm on a tree: steps, limits, policies, save and restore.
//!
//! Not here: the algorithms themselves (see `full` and `sampling`).

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::algorithm::{Algorithm, AlgorithmError};
use super::full::FullTreeSolver;
use super::policy::TabularPolicy;
use super::sampling::{IndexedWalk, Sampler, Scheme};
use super::saved::{Reader, SavedError, Writer};
use super::tree::GameTree;

/// A tabular algorithm at work on a tree. Deterministic: the same algorithm, seed and number of
/// iterations give the same tables, however they are split into steps and on however many threads.
#[derive(Clone, Debug)]
pub struct Solver {
    tree: Arc<GameTree>,
    algorithm: Algorithm,
    engine: Engine,
    iterations: u64,
    nodes: u64,
    parallel: bool,
}

#[derive(Clone, Debug)]
enum Engine {
    Full(FullTreeSolver),
    Sampling { walk: IndexedWalk, sampler: Sampler },
}

/// When [`Solver::run`] stops: as soon as one of the limits is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SolverLimits {
    /// Total iterations, those before the call included.
    pub iterations: u64,
    /// Time of this call, checked between reports.
    pub time: Duration,
}

impl Solver {
    /// A solver before its first iteration. `seed` matters to sampling algorithms only.
    ///
    /// # Errors
    /// If a parameter of `algorithm` is out of range.
    pub fn new(tree: Arc<GameTree>, algorithm: Algorithm, seed: u64) -> Result<Self, AlgorithmError> {
        let engine = match algorithm {
            Algorithm::FullTree(rules) => Engine::Full(FullTreeSolver::new(rules, tree.sequence_form())),
            Algorithm::ExternalSampling
            | Algorithm::LinearExternalSampling
            | Algorithm::OutcomeSampling { .. } => Engine::Sampling {
                walk: IndexedWalk::new(Arc::clone(&tree)),
                sampler: Sampler::new(Scheme::of(algorithm)?, seed, tree.num_slots()),
            },
        };
        Ok(Self { tree, algorithm, engine, iterations: 0, nodes: 0, parallel: false })
    }

    /// Whether full-tree passes over big games use the current rayon pool. Changes no bit.
    pub fn set_parallel(&mut self, parallel: bool) {
        self.parallel = parallel;
    }

    /// The algorithm at work.
    pub fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    /// The tree that it works on.
    pub fn tree(&self) -> &Arc<GameTree> {
        &self.tree
    }

    /// Iterations done; one updates every player once.
    pub fn iterations(&self) -> u64 {
        self.iterations
    }

    /// Decision and terminal nodes visited, chance excluded. An update of the full-tree family
    /// counts every node of the tree once, although the sequence form visits fewer.
    pub fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Runs `iterations` more.
    pub fn step(&mut self, iterations: u64) {
        let last = self.iterations + iterations;
        match &mut self.engine {
            Engine::Full(solver) => {
                let form = self.tree.sequence_form();
                (self.iterations + 1..=last).for_each(|t| solver.iterate(form, t, self.parallel));
                self.nodes += iterations * 2 * self.tree.counts().visited();
            }
            Engine::Sampling { walk, sampler } => {
                self.nodes += (self.iterations + 1..=last).map(|t| sampler.iterate(walk, t)).sum::<u64>();
            }
        }
        self.iterations = last;
    }

    /// Runs to a limit, calling `report` after every `every` iterations and at the end; it may stop
    /// the run.
    ///
    /// # Panics
    /// If `every` is 0.
    pub fn run(
        &mut self,
        limits: SolverLimits,
        every: u64,
        mut report: impl FnMut(&Self) -> ControlFlow<()>,
    ) {
        assert!(every > 0, "reports are at least one iteration apart");
        let start = Instant::now();
        while self.iterations < limits.iterations && start.elapsed() < limits.time {
            self.step(every.min(limits.iterations - self.iterations));
            if report(self).is_break() {
                return;
            }
        }
    }

    /// The average strategy, which is what converges; uniform at infosets that own play never
    /// reached.
    pub fn average_policy(&self) -> TabularPolicy {
        let sums = match &self.engine {
            Engine::Full(solver) => solver.players.each_ref().map(|player| &player.sums[..]).concat(),
            Engine::Sampling { sampler, .. } => sampler.tables.sums.clone(),
        };
        TabularPolicy::from_weights(&self.tree, sums)
    }

    /// The strategy of the next iteration.
    pub fn current_policy(&self) -> TabularPolicy {
        let positive = self.regrets().into_iter().map(|regret| regret.max(0.0)).collect();
        TabularPolicy::from_weights(&self.tree, positive)
    }

    /// Cumulative regrets by slot, as the algorithm keeps them.
    pub fn regrets(&self) -> Vec<f64> {
        match &self.engine {
            Engine::Full(solver) => solver.players.each_ref().map(|player| &player.regrets[..]).concat(),
            Engine::Sampling { sampler, .. } => sampler.tables.regrets.clone(),
        }
    }

    /// Everything needed to go on, as bytes.
    pub fn save(&self) -> Vec<u8> {
        let mut writer = Writer::new(self.algorithm);
        let seed = match &self.engine {
            Engine::Full(_) => 0,
            Engine::Sampling { sampler, .. } => sampler.seed(),
        };
        let slots = self.tree.num_slots() as u64;
        writer.words(&[self.tree.len() as u64, slots, self.iterations, self.nodes, seed]);
        writer.numbers(&self.regrets());
        match &self.engine {
            Engine::Full(solver) => solver.players.iter().for_each(|player| writer.numbers(&player.sums)),
            Engine::Sampling { sampler, .. } => writer.numbers(&sampler.tables.sums),
        }
        writer.finish()
    }

    /// Puts back what [`Solver::save`] returned, seed included; further steps are those that the
    /// saved solver would have made.
    ///
    /// # Errors
    /// If the bytes are damaged or come from another algorithm or game. The solver is unchanged
    /// then.
    pub fn restore(&mut self, bytes: &[u8]) -> Result<(), SavedError> {
        let mut reader = Reader::new(bytes, self.algorithm)?;
        let [len, slots, iterations, nodes, seed] = reader.words()?;
        let expected =
            [("nodes", self.tree.len() as u64, len), ("slots", self.tree.num_slots() as u64, slots)];
        for (what, expected, got) in expected {
            if got != expected {
                return Err(SavedError::Game { what, expected, got });
            }
        }
        let regrets = reader.numbers(self.tree.num_slots())?;
        let sums = reader.numbers(self.tree.num_slots())?;
        reader.end()?;
        (self.iterations, self.nodes) = (iterations, nodes);
        match &mut self.engine {
            Engine::Full(solver) => {
                for (player, tables) in solver.players.iter_mut().enumerate() {
                    let slots = self.tree.slots_of(player);
                    tables.regrets.copy_from_slice(&regrets[slots.clone()]);
                    tables.sums.copy_from_slice(&sums[slots]);
                }
                solver.match_regrets(self.tree.sequence_form());
            }
            Engine::Sampling { sampler, .. } => sampler.put_back(seed, regrets, sums),
        }
        Ok(())
    }
}
