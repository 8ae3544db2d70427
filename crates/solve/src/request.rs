//! From the words of a command line to what is to be solved, checked.
//!
//! Not here: building the game (see `registry`) and solving it (see `run`).

use std::path::PathBuf;
use std::time::Duration;

use deepcfr_cfr::tabular::{Algorithm, TreeLimits};

use crate::error::SolveError;
use crate::folder::SolveFolder;
use crate::task::{SolveLimits, Task};
use deepcfr_config::{Base, ConfigError, Problem, RunConfig, Schema, nearest};

/// Iterations where neither they nor the time are limited.
const DEFAULT_ITERATIONS: u64 = 1_000;
/// Seconds of each algorithm where a comparison is not limited otherwise.
const DEFAULT_COMPARED_SECONDS: u64 = 5;
/// The header of a policy file counts iterations in 32 bits.
const MAX_ITERATIONS: u64 = u32::MAX as u64;
const MAX_SECONDS: f64 = 1e9;

/// What a user asks for, in their own words.
#[derive(Clone, Debug, Default)]
pub struct SolveRequest {
    /// The game's name.
    pub game: Option<String>,
    /// `game.<game>.<parameter>=<value>`.
    pub set: Vec<String>,
    /// The algorithm's name, or several.
    pub algorithms: Vec<String>,
    /// Whether the algorithms are compared with each other.
    pub compared: bool,
    /// The most iterations, those before resuming included.
    pub iterations: Option<u64>,
    /// The most seconds of solving, this time and for each algorithm.
    pub seconds: Option<f64>,
    /// Seed of sampling algorithms.
    pub seed: Option<u64>,
    /// The folder for the results.
    pub out: Option<PathBuf>,
    /// The most nodes of a game tree.
    pub max_nodes: Option<usize>,
}

/// The algorithms by name, with what they are.
pub const ALGORITHMS: [(&str, &str); 8] = [
    ("cfr", "CFR, alternating updates, uniform average"),
    ("cfr-simultaneous", "CFR as first published: both players updated at once"),
    ("cfr+", "CFR+: regrets cut at 0, linear average"),
    ("linear-cfr", "Linear CFR: iteration t counts t times"),
    ("dcfr", "Discounted CFR with exponents 1.5, 0, 2"),
    ("es-mccfr", "Monte Carlo CFR by external sampling"),
    ("linear-es-mccfr", "the same with iteration t counting t times"),
    ("os-mccfr", "Monte Carlo CFR by outcome sampling, exploration 0.6"),
];

impl SolveRequest {
    /// Checks everything.
    ///
    /// # Errors
    /// All that is wrong, with a remedy each.
    pub fn task(&self, schema: &Schema) -> Result<Task, ConfigError> {
        let mut problems: Vec<Problem> = Problem::beside_game(&self.set).collect();
        let algorithms = self.algorithms(&mut problems);
        let limits = self.limits(&mut problems);
        let config = self.config(schema, &mut problems);
        let (Some(config), true) = (config, problems.is_empty()) else {
            return Err(ConfigError { problems });
        };
        Ok(Task {
            game_line: config.game_line(),
            config: config.game_toml(),
            game: config.game,
            algorithms,
            seed: config.run.seed,
            limits,
            out: self.out.clone(),
            runs: config.run.folder,
        })
    }

    /// The task of `folder` with this request's limits.
    ///
    /// # Errors
    /// If the folder's task cannot be read, or a limit is out of range.
    pub fn resumed(&self, schema: &Schema, folder: &SolveFolder) -> Result<Task, SolveError> {
        let mut problems = Vec::new();
        let limits = self.limits(&mut problems);
        if !problems.is_empty() {
            return Err(ConfigError { problems }.into());
        }
        let (algorithm, text) = folder.read_task()?;
        let config = schema.resolve_text(folder.path().display().to_string(), &text)?;
        Ok(Task {
            game_line: config.game_line(),
            config: config.game_toml(),
            game: config.game,
            algorithms: vec![algorithm.parse()?],
            seed: config.run.seed,
            limits,
            out: None,
            runs: config.run.folder,
        })
    }

    fn config(&self, schema: &Schema, problems: &mut Vec<Problem>) -> Option<RunConfig> {
        let mut assignments: Vec<String> = self.game.iter().map(|name| format!("game.name={name}")).collect();
        assignments.extend(self.set.iter().filter(|set| set.trim_start().starts_with("game.")).cloned());
        match schema.resolve(&Base::Default, &assignments, self.seed) {
            Ok(config) => Some(config),
            Err(error) => {
                problems.extend(error.problems);
                None
            }
        }
    }

    fn algorithms(&self, problems: &mut Vec<Problem>) -> Vec<Algorithm> {
        let key = if self.compared { "--compare" } else { "--algorithm" };
        let mut algorithms = Vec::new();
        for word in &self.algorithms {
            match word.parse() {
                Ok(algorithm) if algorithms.contains(&algorithm) => {
                    problems.push(Problem::new(key, word, "give each algorithm once"));
                }
                Ok(algorithm) => algorithms.push(algorithm),
                Err(_) => problems.push(Problem::new(key, word, known_algorithms(word))),
            }
        }
        if self.compared && self.algorithms.len() < 2 {
            let given = self.algorithms.join(",");
            problems.push(Problem::new(key, given, "give two or more, for example cfr,cfr+,es-mccfr"));
        }
        algorithms
    }

    fn limits(&self, problems: &mut Vec<Problem>) -> SolveLimits {
        if let Some(got) = self.iterations.filter(|n| !(1..=MAX_ITERATIONS).contains(n)) {
            problems.push(Problem::new("--iterations", got, format!("give 1 to {MAX_ITERATIONS}")));
        }
        if let Some(got) = self.seconds.filter(|s| !(*s > 0.0 && *s <= MAX_SECONDS)) {
            problems.push(Problem::new("--seconds", got, "give a number above 0, at most 1e9"));
        }
        let max_nodes = self.max_nodes.unwrap_or(TreeLimits::default().max_nodes);
        if !(1..=u32::MAX as usize).contains(&max_nodes) {
            problems.push(Problem::new("--max-nodes", max_nodes, format!("give 1 to {}", u32::MAX)));
        }
        let time = self.seconds.filter(|s| *s > 0.0 && *s <= MAX_SECONDS).map(Duration::from_secs_f64);
        let (iterations, time) = match (self.iterations, time) {
            (None, None) if self.compared => (MAX_ITERATIONS, Duration::from_secs(DEFAULT_COMPARED_SECONDS)),
            (None, None) => (DEFAULT_ITERATIONS, Duration::MAX),
            (iterations, time) => (iterations.unwrap_or(MAX_ITERATIONS), time.unwrap_or(Duration::MAX)),
        };
        SolveLimits { iterations, time, tree: TreeLimits { max_nodes, ..TreeLimits::default() } }
    }
}

fn known_algorithms(word: &str) -> String {
    let names = || Algorithm::NAMED.iter().map(|(name, _)| *name);
    match nearest(word, names()) {
        Some(name) => format!("no such algorithm; did you mean {name}?"),
        None => format!("give one of {}", names().collect::<Vec<_>>().join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn builtin() -> Schema {
        deepcfr_builtin::catalogue().schema().clone()
    }

    fn request(algorithms: &[&str]) -> SolveRequest {
        let algorithms: Vec<String> = algorithms.iter().map(|&word| word.to_owned()).collect();
        SolveRequest { compared: algorithms.len() > 1, algorithms, ..SolveRequest::default() }
    }

    #[test]
    fn all_problems_are_told_together() {
        let request = SolveRequest {
            game: Some("chess".to_owned()),
            set: vec!["run.iterations=3".to_owned(), "game.leduc.ranks=1".to_owned()],
            iterations: Some(0),
            seconds: Some(f64::NAN),
            max_nodes: Some(0),
            ..request(&["cfr+", "cfr+", "dcf"])
        };
        let problems = request.task(&builtin()).unwrap_err().problems;
        let keys: Vec<&str> = problems.iter().map(|problem| problem.key.as_str()).collect();
        let expected = ["--set", "--compare", "--compare", "--iterations", "--seconds", "--max-nodes"];
        assert_eq!(keys[..6], expected, "{problems:?}");
        assert_eq!(keys[6..], ["game.name", "game.leduc.ranks"], "{problems:?}");
        assert!(problems[2].remedy.contains("did you mean"), "{problems:?}");
    }

    #[test]
    fn every_algorithm_is_described() {
        assert_eq!(ALGORITHMS.map(|(name, _)| name), Algorithm::NAMED.map(|(name, _)| name));
    }

    #[test]
    fn limits_depend_on_what_is_given() {
        let limits = |request: SolveRequest| {
            let limits = request.task(&builtin()).expect("nothing is wrong").limits;
            (limits.iterations, limits.time)
        };
        assert_eq!(limits(request(&["cfr"])), (1_000, Duration::MAX));
        assert_eq!(limits(request(&["cfr", "dcfr"])), (MAX_ITERATIONS, Duration::from_secs(5)));
        let timed = SolveRequest { seconds: Some(0.5), ..request(&["cfr"]) };
        assert_eq!(limits(timed), (MAX_ITERATIONS, Duration::from_millis(500)));
    }

    #[test]
    fn the_text_of_a_task_gives_its_game_and_seed_back() {
        let request = SolveRequest {
            game: Some("leduc".to_owned()),
            set: vec!["game.leduc.ranks=5".to_owned()],
            seed: Some(7),
            ..request(&["cfr"])
        };
        let task = request.task(&builtin()).expect("nothing is wrong");
        let config = builtin().resolve_text("a file", &task.config).expect("it was resolved before");
        assert_eq!((config.game, config.run.seed), (task.game, 7));
        assert_eq!(task.game_line, "leduc ranks=5");
    }
}
